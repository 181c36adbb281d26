"""Validation of a position, in either format, and its canonical text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from dealmill.game import BadLayout
from dealmill.pipeline.games.tantrix.tiles import HAND, LEAST, MAX_ON_FIELD, SIDES, why_no_tile

FARTHEST = 99
COORDINATE = re.compile(r"[+-]?[0-9]{1,9}")

CACHED = 1 << 14
"""The spaces in each cache: more than legal play ever reaches."""

COLUMN = 1000
"""The space (x, y) has the number x · COLUMN + y, so the steps to its neighbours are the same everywhere."""
STEPS = (1, COLUMN, COLUMN - 1, -1, -COLUMN, 1 - COLUMN)
HALF_OF_THE_STEPS = tuple((step, side, side + 3) for side, step in enumerate(STEPS[:3]))
"""Three steps, which reach all edges; each with the side of the tile at that edge and the side of its neighbour."""
ORIGIN = 0


def canonical_text(placed: Iterable[tuple[str, str, str]], hand: Sequence[str], faults: Iterable[str]) -> str:
    """Return the canonical text of a position: tiles on the field, as texts of x, y and colours, and tiles in hand.

    `faults` are the faults that the reader of its format has found.

    Raises
    ------
    BadLayout
        With `faults` and all further reasons, if the position is not valid.
    """
    reasons = list(faults)
    field: dict[int, str] = {}
    tiles: list[str] = []
    for x, y, tile in placed:
        tiles.append(tile)
        try:
            space = _space(x, y)
        except BadLayout as error:
            reasons += error.reasons
            continue
        if space in field:
            reasons.append(f"two tiles on {_name(space)}")
        field[space] = tile if len(tile) == SIDES else ""
    if len(hand) != HAND:
        reasons.append(f"the number of tiles in hand is {len(hand)}, expected {HAND}")
    tiles += hand
    if len({LEAST.get(tile, "") for tile in tiles} - {""}) != len(tiles):
        reasons += _wrong_tiles(tiles)
    reasons += _wrong_field(field)
    if reasons:
        raise BadLayout(reasons)
    on_field = " ".join([f"{_name(space)}:{field[space]}" for space in sorted(field)])
    in_hand = " ".join(sorted([LEAST[tile] for tile in hand]))
    return f"{on_field} / {in_hand}"


@lru_cache(maxsize=CACHED)
def _space(x: str, y: str) -> int:
    reasons = []
    for axis, text in (("x", x), ("y", y)):
        if not COORDINATE.fullmatch(text):
            reasons.append(f"{axis} is {text!r}, not a whole number")
        elif abs(int(text)) > FARTHEST:
            reasons.append(f"{axis} is {int(text)}, expected -{FARTHEST} to {FARTHEST}")
    if reasons:
        raise BadLayout(reasons)
    return int(x) * COLUMN + int(y)


@lru_cache(maxsize=CACHED)
def _name(space: int) -> str:
    x = (space + COLUMN // 2) // COLUMN
    return f"{x},{space - x * COLUMN}"


def _wrong_tiles(tiles: Sequence[str]) -> Iterator[str]:
    yield from filter(None, map(why_no_tile, tiles))
    for tile, times in Counter(LEAST[tile] for tile in tiles if tile in LEAST).items():
        if times > 1:
            yield f"tile {tile} occurs {times} times, expected 1"


def _wrong_field(field: Mapping[int, str]) -> Iterator[str]:
    if len(field) > MAX_ON_FIELD:
        yield f"there are more than {MAX_ON_FIELD} tiles on the field"
    if ORIGIN not in field:
        yield "there is no tile on 0,0"
    for space, tile in field.items():
        for step, side, opposite in HALF_OF_THE_STEPS:
            neighbour = field.get(space + step)
            if neighbour and tile and tile[side] != neighbour[opposite]:
                yield f"{tile[side]} on {_name(space)} meets {neighbour[opposite]} on {_name(space + step)}"
    if apart := _unreached(field):
        yield f"not connected to the other tiles: {' '.join(_name(space) for space in sorted(apart))}"


def _unreached(field: Mapping[int, str]) -> set[int]:
    """Return the tiles that are not connected to the tile on 0,0, or to the first tile if 0,0 is empty."""
    unreached = set(field)
    waiting = [ORIGIN] if ORIGIN in field else list(field)[:1]
    unreached.difference_update(waiting)
    for space in waiting:
        neighbours = _around(space) & unreached
        unreached -= neighbours
        waiting += neighbours
    return unreached


@lru_cache(maxsize=CACHED)
def _around(space: int) -> frozenset[int]:
    return frozenset(space + step for step in STEPS)
