"""Text for people: untrusted text escaped for terminals and spreadsheets, and counts with their nouns."""

from typing import TypeVar

T = TypeVar("T")

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
"""What the text of a cell begins with that a spreadsheet may calculate, and the apostrophe that `cell_text` adds."""


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
    """Return a cell of a spreadsheet: a text that begins with one of `FORMULA` gets an apostrophe before it, others and
    numbers stay. To get the original back, remove the first apostrophe of each cell that begins with one."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def duration(seconds: float) -> str:
    """Return a time in words: ``3.2 s``, ``41 s``, ``3 min``, ``2 h 10 min`` or ``4 days``."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 48 * 60 else f"{minutes // 1440} days"
