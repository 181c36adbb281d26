"""Tantrix as text, with the legal moves by space, and as pictures, with one legal move after the other."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import fill

from dealmill.game import Scene
from dealmill.pipeline.games.tantrix.drawing import drawn
from dealmill.pipeline.games.tantrix.rules import ENGINE, Move, Position, Space, check, read_move, read_position
from dealmill.verdicts import InvalidEvidence, Verdict

WIDTH = 76
COLUMNS = 10
"""Columns of spaces that are drawn side by side; further columns are drawn below."""

HEXAGON = (
    "  __0__  ",
    " 5     1 ",
    "/       \\",
    "4       2",
    " \\__3__/ ",
)
"""The sides by number, clockwise from the top; neighbouring hexagons share the characters of their common side."""
RIGHT, UP, UP_PER_COLUMN = 7, 4, 2
"""The characters to the next space on the right, the lines to the space above, and the lines each column is shifted up.
"""
HAND_PITCH = 10
LEGEND = "[n] ways to place a tile   ! forced space   x along a controlled side"

Canvas = dict[tuple[int, int], str]
"""Characters by line and column."""


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the field and the hand, then the field with the number of legal moves on each space, and their list.

    Raises
    ------
    InvalidEvidence
        If the moves in `evidence` cannot be read or drawn.
    """
    position = read_position(layout)
    field = field_board(position.field, {})
    yield f"{field}\n\n{_count(len(position.field), 'tile')} on the field; in hand:\n\n{row_of_tiles(position.hand)}"
    if verdict is Verdict.SCORED and evidence is not None:
        moves = list(_readable_moves(position, evidence))
        yield f"{field_board(position.field, _labels(position, moves))}\n\n{_caption(moves)}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the field and the hand, then each legal move, with the forced and controlled spaces.

    Raises
    ------
    InvalidEvidence
        If `evidence` does not list the legal moves.
    """
    position = read_position(layout)
    tiles, forced, controlled = map(len, (position.field, position.forced_spaces, position.controlled_spaces))
    spaces = f"{_count(forced, 'forced space')} (!), {controlled} along a controlled side (✕)"
    yield drawn(position, None, f"{_count(tiles, 'tile')} on the field, {len(position.hand)} in hand; {spaces}.")
    if verdict is not Verdict.SCORED or evidence is None:
        return
    entries = evidence.split()
    check(ENGINE, layout, verdict, len(entries), evidence)
    for step, entry in enumerate(entries, start=1):
        move = read_move(step, entry)
        if move.space in position.forced_spaces:
            why = " This space is forced."
        else:
            why = " No tile in hand fits in a forced space." * bool(position.forced_spaces)
        yield drawn(position, move, f"Legal move {step} of {len(entries)}: {move.tile} on {move.space}.{why}")
    if not entries:
        yield drawn(position, None, "There is no legal move.")


def _readable_moves(position: Position, evidence: str) -> Iterator[Move]:
    for step, entry in enumerate(evidence.split(), start=1):
        move = read_move(step, entry)
        if move.space not in position.links:
            raise InvalidEvidence(step, f"{move.space} is not an empty space next to a tile")
        yield move


def _labels(position: Position, moves: Sequence[Move]) -> dict[Space, str]:
    """Return the labels of empty spaces."""
    labels = dict.fromkeys(position.controlled_spaces, "x") | dict.fromkeys(position.forced_spaces, "!")
    for space, count in Counter(move.space for move in moves).items():
        labels[space] = f"[{count}]!" if space in position.forced_spaces else f"[{count}]"
    return labels


def _caption(moves: Sequence[Move]) -> str:
    by_space = {space: [move.tile for move in group] for space, group in groupby(moves, lambda move: move.space)}
    heading = f"{_count(len(moves), 'legal move')} on {_count(len(by_space), 'space')}:"
    lists = (
        fill(" ".join(tiles), WIDTH, initial_indent=f"{space!s:>8}  ", subsequent_indent=" " * 10)
        for space, tiles in by_space.items()
    )
    return "\n".join([LEGEND, "", heading, *lists])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def field_board(tiles: Mapping[Space, str], labels: Mapping[Space, str]) -> str:
    """Return the tiles on a field, with their spaces, and labels on spaces."""
    spaces = [*tiles, *labels]
    first, last = min(spaces).x, max(spaces).x
    strips = []
    for left in range(first, last + 1, COLUMNS):
        canvas: Canvas = {}
        for space in spaces:
            if left <= space.x < left + COLUMNS:
                line, column = -UP * space.y - UP_PER_COLUMN * space.x, RIGHT * space.x
                if space in tiles:
                    _draw_tile(canvas, line, column, tiles[space])
                _write(canvas, line + 2, column, str(space))
                _write(canvas, line + 3, column, labels.get(space, ""))
        strips.append(_render(canvas))
    return "\n\n(and to the right of it)\n\n".join(strips)


def row_of_tiles(tiles: Sequence[str]) -> str:
    """Return tiles side by side."""
    canvas: Canvas = {}
    for number, tile in enumerate(tiles):
        _draw_tile(canvas, 0, HAND_PITCH * number, tile)
    return _render(canvas)


def _draw_tile(canvas: Canvas, line: int, column: int, tile: str) -> None:
    for i, row in enumerate(HEXAGON):
        for j, sign in enumerate(row):
            if sign != " ":
                canvas[line + i, column + j] = tile[int(sign)] if sign.isdigit() else sign


def _write(canvas: Canvas, line: int, column: int, text: str) -> None:
    """Write a text centred on a line of a hexagon."""
    for j, sign in enumerate(text.center(len(HEXAGON[0]))):
        if sign != " ":
            canvas[line, column + j] = sign


def _render(canvas: Canvas) -> str:
    lines, columns = {line for line, _ in canvas}, {column for _, column in canvas}
    width = range(min(columns), max(columns) + 1)
    return "\n".join(
        "".join(canvas.get((line, column), " ") for column in width).rstrip()
        for line in range(min(lines), max(lines) + 1)
    )
