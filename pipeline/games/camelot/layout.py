"""Layouts of Camelot: the deck as 52 characters, the first card dealt first; ten is written 0.

In the format of the problem statement, a line with a single asterisk ends the input; it may be missing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from dealmill.game import BadLayout, EachLine, Layout, Reject, read_file

VALUES = "A234567890JQK"
COPIES = 4
CARDS = len(VALUES) * COPIES
END = "*"
LONGEST_LINE = 1000


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one deck per line up to the asterisk, and reject lines after it. Blank lines and comments are skipped."""
    return read_file(lines, each_line)


def each_line(_first: str) -> EachLine:
    """Return the reader of a file."""
    return EachLine(canonical, end=END)


def canonical(text: str) -> str:
    """Return a deck in capital letters.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a deck.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
    deck = text.strip().upper()
    if len(deck) == CARDS and set(map(deck.count, VALUES)) == {COPIES}:
        return deck
    raise BadLayout(list(_reasons(deck)))


def _reasons(deck: str) -> Iterator[str]:
    if len(deck) != CARDS:
        yield f"the deck has {len(deck)} cards, expected {CARDS}"
    times = Counter(deck)
    for symbol in sorted(set(times) - set(VALUES)):
        hint = "; ten is written 0" if symbol in "T1" else ""
        yield f"unknown symbol {symbol!r} at card {deck.index(symbol) + 1}{hint}"
    for value in VALUES:
        if times[value] != COPIES:
            yield f"value {value} occurs {times[value]} times, expected {COPIES}"
