"""Text for people: untrusted text escaped for terminals and spreadsheets, and counts with their nouns."""

import re
from typing import TypeVar

T = TypeVar("T")

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
"""What the text of a cell begins with that a spreadsheet may calculate, and the apostrophe that `cell_text` adds."""
CONVERTED = re.compile(
    r"(?:true|false|\d{1,3}(?: \d{3})++|"
    r"(?=\D*\d)(?!\d++(?: \d++)++$)(?!(?:0|[1-9]\d{0,10})$)"
    r"(?:[\d\s.,:/%$€£¥()+-]|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|[ap]m?(?!\w)|e)++)",
    re.IGNORECASE,
)
"""Text that a spreadsheet takes for a truth value, or for a number, date or time that it writes in another way. Numbers
of up to eleven digits stay as they are, and so do words of digits, such as most traces."""


def printable(text: str) -> str:
    """Return the text on one line, with every non-printable character escaped as in a Python string.

    Terminals interpret some of these characters, and a file name can contain bytes that are not valid text.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def counted(number: int, thing: str) -> str:
    """Return a count with its noun: ``1 fault``, ``2,000 faults``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def percentage(share: float) -> str:
    """Return a share as a percentage: ``70.37 %``."""
    return f"{100 * share:.2f} %"


def decimal(number: float) -> str:
    """Return a number that need not be whole, such as a mean: ``19.380``, ``167,892``."""
    return f"{number:,.3f}" if abs(number) < 1000 else f"{number:,.0f}"


def cell_text(cell: T) -> T | str:
    """Return a cell of a spreadsheet: a text that begins with one of `FORMULA`, or is `CONVERTED`, gets an apostrophe
    before it; others and numbers stay. To get the original back, remove the first apostrophe of each cell that begins
    with one."""
    if isinstance(cell, str) and (cell.startswith(FORMULA) or CONVERTED.fullmatch(cell)):
        return f"'{cell}"
    return cell


def duration(seconds: float) -> str:
    """Return a time in words: ``3.2 s``, ``41 s``, ``3 min``, ``2 h 10 min`` or ``4 days``."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 48 * 60 else f"{minutes // 1440} days"
