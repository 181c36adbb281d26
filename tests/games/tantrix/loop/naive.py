"""Tantrix loop a second time: chains as dictionaries, each tile tried in all six rotations."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from dealmill.pipeline.games.verdict import Verdict
from tests.games.tantrix.naive import Cell, Field, facing, rotations, step

ORIGIN = (0, 0)
WORD = re.compile(r"(0|-?[1-9]\d?),(0|-?[1-9]\d?):([BGRY]{6})", re.ASCII)


def parse(layout: str) -> tuple[str, list[str]]:
    colour, _, *tiles = layout.split(" ")
    return colour, tiles


def fits(field: Field, cell: Cell, tile: str) -> bool:
    """Whether a tile on an empty cell shows the colours of all tiles around it."""
    return all(shown in ("", side) for shown, side in zip(facing(field, cell), tile, strict=True))


def ends(colour: str, tile: str) -> list[int]:
    return [side for side in range(6) if tile[side] == colour]


def gentle(colour: str, tiles: list[str]) -> int:
    """How many tiles have ends with exactly one side between them."""
    return sum((side + 2) % 6 in ends(colour, tile) for tile in tiles for side in ends(colour, tile))


def distance(start: Cell, end: Cell) -> int:
    """The steps from a cell to another one; one of the three directions need not be used."""
    x, y = end[0] - start[0], end[1] - start[1]
    return min(abs(x) + abs(y), abs(x) + abs(x + y), abs(y) + abs(x + y))


def chains(layout: str) -> Iterator[Field]:
    """All chains as `rules` defines them, from the first tile on. One with all tiles is a loop."""
    colour, (first, *others) = parse(layout)
    out, back = ends(colour, first)
    field = {ORIGIN: first}
    yield field
    yield from longer(colour, field, others, step(ORIGIN, out), out, step(ORIGIN, back))


def longer(colour: str, field: Field, unused: list[str], cell: Cell, side: int, home: Cell) -> Iterator[Field]:
    """The chains that continue one over a side that leads to `cell`."""
    for tile in unused:
        for placed in rotations(tile):
            if placed[side - 3] == colour and fits(field, cell, placed):
                out = next(end for end in ends(colour, placed) if end != (side + 3) % 6)
                after, rest = step(cell, out), [spare for spare in unused if spare != tile]
                if (after not in field and distance(after, home) < len(rest)) if rest else after == ORIGIN:
                    field[cell] = placed
                    yield field
                    yield from longer(colour, field, rest, after, out, home)
                    del field[cell]


def loops(layout: str) -> Iterator[Field]:
    size = len(parse(layout)[1])
    return (field for field in chains(layout) if len(field) == size)


def has_hole(field: Field) -> bool:
    """Whether the tiles enclose an empty cell: walk around them, from outside, and see what is not reached."""
    low, high = min(min(cell) for cell in field) - 1, max(max(cell) for cell in field) + 1
    empty = {(x, y) for x in range(low, high + 1) for y in range(low, high + 1)} - field.keys()
    waiting = [(low, low)]
    while waiting:
        cell = waiting.pop()
        if cell in empty:
            empty.remove(cell)
            waiting += [step(cell, side) for side in range(6)]
    return bool(empty)


def is_proof(layout: str, verdict: Verdict, evidence: str) -> bool:
    """Whether evidence is a loop, an odd number of gentle curves, or the number of chains where there is no loop."""
    colour, tiles = parse(layout)
    if verdict is Verdict.WINNABLE:
        words = [WORD.fullmatch(word) for word in evidence.split(" ")]
        return all(words) and is_loop(colour, tiles, [((int(w[1]), int(w[2])), w[3]) for w in words if w])
    if evidence == f"gentle {gentle(colour, tiles)}":
        return gentle(colour, tiles) % 2 == 1
    count = re.fullmatch(r"chains ([1-9]\d{0,5})", evidence, re.ASCII)
    sizes = list(map(len, islice(chains(layout), int(count[1]) + 1))) if count else [len(tiles)]
    return evidence == f"chains {len(sizes)}" and max(sizes) < len(tiles)


def is_loop(colour: str, tiles: list[str], placed: list[tuple[Cell, str]]) -> bool:
    """Whether these are all tiles, touching sides match, and each tile shows the colour to the next one."""
    field = dict(placed)
    return (
        len(field) == len(placed)
        and sorted(min(rotations(tile)) for tile in field.values()) == tiles
        and all(fits(field, cell, tile) for cell, tile in placed)
        and all(
            after[0] in [step(before[0], end) for end in ends(colour, before[1])]
            for before, after in pairwise([*placed, placed[0]])
        )
    )
