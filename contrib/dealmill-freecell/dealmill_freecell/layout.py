"""Layouts of FreeCell: the columns from left to right, the top card last: ``JD2D9HJC5D7H7C/2CKC…``.

Boards are read too, as Freecell Solver does: a line for each column, such as ``JD 2D 9H JC 5D 7H 7C``.
"""

import re
from collections.abc import Iterable, Iterator

from dealmill.game import BadLayout, EachLine, Layout, Line, Reject, rejected

RANKS = "A23456789TJQK"
SUITS = "HCDS"
DECK = {rank + suit for rank in RANKS for suit in SUITS}
HEIGHTS = (7, 7, 7, 7, 6, 6, 6, 6)
CANONICAL = re.compile("/".join(f"(?:[{RANKS}][{SUITS}]){{{height}}}" for height in HEIGHTS))
EMPTY = re.compile(r"(?:free ?cells|foundations|founds):(?:[ 0-]|[hcds]-0)*", re.ASCII | re.IGNORECASE)
"""A line that says that the free cells or the foundations are empty."""


def read(lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read one layout per line, or boards, which may be separated by blank lines and comments."""
    each: EachLine | None = None
    begun = False
    board: list[Line] = []
    for number, line in lines:
        text = line.strip()
        blank = not text or text.startswith("#")
        if not (blank or begun):
            each, begun = each_line(text), True
        if each:
            if entry := each.entry(number, line):
                yield entry
            continue
        heading = bool(EMPTY.fullmatch(text))
        if not (blank or heading):
            board.append((number, text))
        if board and (blank or heading or len(board) == len(HEIGHTS)):
            yield _layout(board)
            board = []
    if board:
        yield _layout(board)


def each_line(first: str) -> EachLine | None:
    """Return the reader of files with one layout per line; None for boards."""
    return EachLine(canonical) if "/" in first else None


def canonical(text: str) -> str:
    """Return a layout in upper case, without spaces, with ``T`` for tens.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a layout.
    """
    if not CANONICAL.fullmatch(text):
        text = text.upper().replace("10", "T").replace(" ", "")
    columns = [[column[at : at + 2] for at in range(0, len(column), 2)] for column in text.split("/")]
    if reasons := list(_reasons(columns)):
        raise BadLayout(reasons)
    return text


def _layout(board: list[Line]) -> Layout | Reject:
    """Return the layout or the reject of the lines of a board; a column may begin with a colon."""
    try:
        return Layout(board[0][0], canonical("/".join(text.removeprefix(":") for _, text in board)))
    except BadLayout as error:
        return rejected(board[0][0], board[0][1], error.reasons)


def _reasons(columns: list[list[str]]) -> Iterator[str]:
    cards = [card for column in columns for card in column]
    if len(columns) != len(HEIGHTS):
        yield f"the number of columns is {len(columns)}, expected 8"
    else:
        for number, (column, height) in enumerate(zip(columns, HEIGHTS, strict=True), start=1):
            if len(column) != height:
                yield f"column {number} has {len(column)} cards, expected {height}"
    for card in dict.fromkeys(cards):
        if card not in DECK:
            yield f"{card!r} is not a card; write a rank of {RANKS} and a suit of {SUITS}"
    if len(DECK.intersection(cards)) < len(cards):
        for card in sorted(DECK):
            if (count := cards.count(card)) > 1:
                yield f"{card} occurs {count} times"
    if missing := sorted(DECK.difference(cards)):
        yield f"missing: {' '.join(missing)}"
