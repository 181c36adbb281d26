"""Layouts: a digit from 1 to 9 for each square, such as ``313211``."""

from collections.abc import Iterable, Iterator

from dealmill.game import BadLayout, EachLine, Layout, Reject, read_file


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one layout per line. Blank lines and comments are skipped."""
    return read_file(lines, each_line)


def each_line(_first: str) -> EachLine:
    """Return the reader of a file, which has one layout per line."""
    return EachLine(canonical)


def canonical(text: str) -> str:
    """Return the only text of a layout, whatever form the user has written.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a layout.
    """
    row = text.replace(" ", "")
    if reasons := list(_reasons(row)):
        raise BadLayout(reasons)
    return row


def _reasons(row: str) -> Iterator[str]:
    if not 4 <= len(row) <= 60:
        yield f"the row has {len(row)} squares, expected 4 to 60"
    if unknown := sorted(set(row) - set("123456789")):
        yield f"unknown symbol {unknown[0]!r}, expected a digit from 1 to 9"
