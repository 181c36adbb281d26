"""The forms in which positions are read and written; the first line of a file tells which one it has, or the second
one if the first may be a title."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice

from dealmill.cards import is_name_of
from dealmill.game import EachLine, Layout, Line, Reject, is_skipped
from dealmill.pipeline.games.patience.reading.boards import (
    begins_board,
    read_boards,
    read_json,
    write_board,
    write_json,
)
from dealmill.pipeline.games.patience.reading.layout import canonical
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules

ReadForm = Callable[[Referee, Iterable[Line]], Iterator[Layout | Reject]]
JSON = re.compile(r"\{|\[\s*(\{|$)")
"""The beginning of an object, or of a list of objects."""


def read(referee: Referee, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read positions, one per line, or boards, or Solvitaire's JSON. Blank lines and comments are skipped."""
    rest = iter(lines)
    first = next((line for line in rest if not is_skipped(line[1])), None)
    if first is None:
        return
    beginning, form = [first], _other_form(first[1])
    if not form and not each_line(referee, first[1].strip()):
        beginning += islice((line for line in rest if not is_skipped(line[1])), 1)
        form = _other_form(beginning[-1][1])
    read_rest = partial(form, referee) if form else EachLine(partial(canonical, referee)).read
    yield from read_rest(chain(beginning, rest))


def _other_form(line: str) -> ReadForm | None:
    """Return the reader of boards or of JSON, if a line begins one of them."""
    text = line.strip()
    return read_json if JSON.match(text) else read_boards if begins_board(text) else None


def each_line(referee: Referee, first: str) -> EachLine | None:
    """Return the reader of a file with one position per line; None for boards and JSON, which may have a title, and if
    the first line is not even the beginning of a position."""
    name, columns, *_ = [*first.split(maxsplit=2), ""]
    if not is_name_of(referee.rules.name, name) or ("/" not in columns and len(referee.rules.sizes) > 1):
        return None
    return EachLine(partial(canonical, referee))


def writers(rules: Rules) -> dict[str, Callable[[str], str]]:
    """Return the functions that write a position in other forms, by the name of the form."""
    forms: dict[str, Callable[[str], str]] = {"board": partial(write_board, rules)}
    if not rules.has_downward_piles:
        forms["solvitaire"] = partial(write_json, rules)
    return forms
