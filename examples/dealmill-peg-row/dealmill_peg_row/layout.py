"""Layouts of Peg row: a letter per hole, ``o`` with a peg and ``.`` without, such as ``.oo.o``."""

from collections.abc import Iterable, Iterator

from dealmill.game import BadLayout, EachLine, Layout, Reject, read_file

FEWEST, MOST = 4, 20
"""Holes in a row."""


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one row per line. Blank lines and comments are skipped."""
    return read_file(lines, each_line)


def each_line(_first: str) -> EachLine:
    """Return the reader of a file."""
    return EachLine(canonical)


def canonical(text: str) -> str:
    """Return a row in lower case.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a row.
    """
    row = text.lower()
    if reasons := list(_reasons(row)):
        raise BadLayout(reasons)
    return row


def _reasons(row: str) -> Iterator[str]:
    if not FEWEST <= len(row) <= MOST:
        yield f"the row has {len(row)} holes, expected {FEWEST} to {MOST}"
    if other := sorted(set(row) - {"o", "."}):
        yield f"unknown symbol {other[0]!r}; write o for a peg and . for an empty hole"
    if row.count("o") < 2:
        yield f"the row has {row.count('o')} pegs, expected at least 2"
