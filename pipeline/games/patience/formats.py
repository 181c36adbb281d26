"""The forms in which positions are read and written; the first line of a file tells which one it has."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from dealmill.game import EachLine, Layout, Line, Reject, is_skipped
from dealmill.pipeline.games.patience.boards import read_boards, read_json, write_board, write_json
from dealmill.pipeline.games.patience.layout import canonical
from dealmill.pipeline.games.patience.rules import Referee, Rules

OBJECT = "{"
BOARD = re.compile(r":|[A-Z]+:(?!\S*=)|<?(?:10|[A2-9TJQK])[CHSD]>?(?:\s|$)", re.ASCII | re.IGNORECASE)
"""The beginning of the first line of a board, not of a position of a game such as ``klondike:stock.draw=1``."""


def read(referee: Referee, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read positions, one per line, or boards, or Solvitaire's JSON. Blank lines and comments are skipped."""
    rest = iter(lines)
    first = next((line for line in rest if not is_skipped(line[1])), None)
    if first is None:
        return
    each = each_line(referee, first[1].strip())
    entries = each.read if each else partial(read_json if first[1].strip().startswith(OBJECT) else read_boards, referee)
    yield from entries(chain([first], rest))


def each_line(referee: Referee, first: str) -> EachLine | None:
    """Return the reader of a file with one position per line; None for boards and JSON."""
    if first.startswith(OBJECT) or BOARD.match(first):
        return None
    return EachLine(partial(canonical, referee))


def writers(rules: Rules) -> dict[str, Callable[[str], str]]:
    """Return the functions that write a position in other forms, by the name of the form."""
    return {"board": write_board, "solvitaire": partial(write_json, rules)}
