"""The rules of Tantrix loop and its referee.

All tiles of the layout form one closed loop of its colour, and touching sides show the same colour everywhere. The loop
may enclose empty spaces.

The link of a tile is a sharp curve, a gentle one or straight: its ends are one, two or three sides apart. Along the
loop, a sharp curve turns the direction by two sixths of a circle, a gentle one by one sixth, to the left or right, and
a straight link not at all. On returning to the first tile, the direction is the same again, so that all turns add up
to a multiple of six sixths. This is an even number, so a loop has an even number of gentle curves.

Other losses are proved by the number of chains. A *chain* is the first tile of the layout, as the layout has it, and
tiles that continue the loop from it, over the first of its two sides of the colour. All touching sides match, and the
loop leads on to an empty space from which the tiles left reach back to the first tile. The referee lays all chains.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

ENGINE = "winnable"
COLOURS = "BGRY"
LEAST_TILES = 3
GENTLE, CHAINS = "gentle", "chains"
MAX_CHAINS = 1_000_000
"""The referee refuses a certificate that counts more chains. To lay so many takes three to five seconds."""

TILE = re.compile(rf"[{COLOURS}]{{6}}")
LAYOUT = re.compile(rf"([{COLOURS}]) / (.+)")
PLACED = re.compile(rf"(0|-?[1-9][0-9]?),(0|-?[1-9][0-9]?):({TILE.pattern})", re.ASCII)
CERTIFICATE = re.compile(rf"({GENTLE}|{CHAINS}) ([1-9][0-9]{{0,6}})", re.ASCII)
STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
OTHER_SIDES = tuple((*range(side), *range(side + 1, 6)) for side in range(6))


class Space(NamedTuple):
    """A space of the field."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}"


class Placed(NamedTuple):
    """A tile on a space. A tile is the colours of its sides, clockwise from the top side."""

    space: Space
    tile: str


class Layout(NamedTuple):
    """The colour of the loop, and the tiles, each in its alphabetically first rotation."""

    colour: str
    tiles: tuple[str, ...]

    @property
    def gentle(self) -> list[str]:
        """The tiles whose link is a gentle curve: its ends are an even number of sides apart."""
        return [tile for tile in self.tiles if sum(ends_of(tile, self.colour)) % 2 == 0]


@lru_cache(maxsize=1 << 14)
def around(space: Space) -> tuple[Space, ...]:
    """Return the six neighbours of a space, clockwise from the one above."""
    return tuple(Space(space.x + x, space.y + y) for x, y in STEPS)


def ends_of(tile: str, colour: str) -> tuple[int, int]:
    """Return the two sides of a tile that show a colour."""
    return tile.index(colour), tile.rindex(colour)


def other_end(tile: str, colour: str, end: int) -> int:
    """Return the side to which a link leads from one of its ends."""
    return sum(ends_of(tile, colour)) - end


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Follow the loop, count the gentle curves, or lay all chains.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict. Its step counts the tiles along the loop.
    """
    if engine != ENGINE or value is not None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        raise InvalidEvidence(0, f"{engine} cannot prove that a layout is {verdict.word} with the value {value}")
    given = read_layout(layout)
    if verdict is Verdict.WINNABLE:
        read_loop(given, evidence)
        return
    what, count = read_certificate(given, evidence)
    if what == CHAINS and (chains := count_chains(given, count)) != count:
        raise InvalidEvidence(0, f"{chains:,} chains were laid, not {count:,}")


def read_layout(layout: str) -> Layout:
    """Return a layout in its canonical form.

    Raises
    ------
    InvalidEvidence
        With step 0, if the text is not a layout.
    """
    match = LAYOUT.fullmatch(layout)
    if not match:
        raise InvalidEvidence(0, f"{layout[:20]!a} does not begin with a colour and a slash")
    colour, tiles = match[1], match[2].split(" ")
    if len(tiles) < LEAST_TILES:
        raise InvalidEvidence(0, f"the number of tiles is {len(tiles)}, expected at least {LEAST_TILES}")
    for tile in tiles:
        _check_tile(tile, colour)
    if tiles != sorted(set(tiles)):
        raise InvalidEvidence(0, "the tiles are not in alphabetical order, each once")
    return Layout(colour, tuple(tiles))


def _check_tile(tile: str, colour: str) -> None:
    """Check that a tile has two sides of each of three colours, does not look the same after half a turn, has the
    colour of the loop, and is in its alphabetically first rotation."""
    if not TILE.fullmatch(tile) or [tile.count(shown) for shown in set(tile)] != [2, 2, 2] or tile[:3] == tile[3:]:
        raise InvalidEvidence(0, f"{tile[:20]!a} is not a tile of the set")
    if colour not in tile:
        raise InvalidEvidence(0, f"{tile} has no {colour}")
    if tile != min(rotations(tile)):
        raise InvalidEvidence(0, f"{tile} is not in its alphabetically first rotation")


def rotations(tile: str) -> list[str]:
    """Return the six rotations of a tile."""
    return [tile[turn:] + tile[:turn] for turn in range(6)]


def read_certificate(layout: Layout, evidence: str) -> tuple[str, int]:
    """Return what the certificate of a loss counts, and the number. Gentle curves are counted here, chains are not.

    Raises
    ------
    InvalidEvidence
        If the evidence has another form or proves nothing.
    """
    match = CERTIFICATE.fullmatch(evidence)
    if not match:
        raise InvalidEvidence(0, f"{evidence[:20]!a} is not a number of gentle curves or chains")
    what, count = match[1], int(match[2])
    if what == GENTLE and count != len(layout.gentle):
        raise InvalidEvidence(0, f"{len(layout.gentle)} links are gentle curves, not {count}")
    if what == GENTLE and count % 2 == 0:
        raise InvalidEvidence(0, f"the number of gentle curves is {count}, which is even")
    if count > MAX_CHAINS:
        raise InvalidEvidence(0, f"{count:,} chains are more than the referee lays, {MAX_CHAINS:,}")
    return what, count


def read_loop(layout: Layout, evidence: str) -> list[Placed]:
    """Return the tiles along a loop such as ``0,0:BBRRGG 0,1:GBBRRG …``.

    Raises
    ------
    InvalidEvidence
        If the evidence has another form, or the tiles are not a loop through all tiles of the layout.
    """
    loop = [_read_placed(step, word) for step, word in enumerate(evidence.split(" "), start=1)]
    field: dict[Space, str] = {}
    unused = set(layout.tiles)
    for step, (space, tile) in enumerate(loop, start=1):
        least = min(rotations(tile))
        if least not in unused:
            raise IllegalMove(step, f"the tile {tile} is not left")
        if space in field:
            raise IllegalMove(step, f"there is a tile on {space}")
        for side, beside in enumerate(around(space)):
            if beside in field and field[beside][(side + 3) % 6] != tile[side]:
                raise IllegalMove(step, f"{tile[side]} of the tile meets {field[beside][(side + 3) % 6]} on {beside}")
        unused.remove(least)
        field[space] = tile
    if unused:
        raise InvalidEvidence(len(loop) + 1, f"the tile {min(unused)} is not laid")
    _follow(layout.colour, loop)
    return loop


def _read_placed(step: int, word: str) -> Placed:
    match = PLACED.fullmatch(word)
    if not match:
        raise InvalidEvidence(step, f"{word[:20]!a} is not of the form x,y:COLOURS")
    return Placed(Space(int(match[1]), int(match[2])), match[3])


def _follow(colour: str, loop: list[Placed]) -> None:
    """Check that the links of the colour lead from each tile to the next, and from the last to the first."""
    first, second = loop[0], loop[1]
    ends = [end for end in ends_of(first.tile, colour) if around(first.space)[end] == second.space]
    end = ends[0] if ends else ends_of(first.tile, colour)[0]
    for step, (placed, following) in enumerate(zip(loop, [*loop[1:], first], strict=True), start=1):
        if around(placed.space)[end] != following.space:
            raise IllegalMove(step, f"the link leads from {placed.space} to {around(placed.space)[end]}")
        end = other_end(following.tile, colour, (end + 3) % 6)


def count_chains(layout: Layout, limit: int) -> int:
    """Return the number of chains; stops if there are more than `limit`.

    Raises
    ------
    InvalidEvidence
        If one of them is a loop.
    """
    first, *others = layout.tiles
    start = Space(0, 0)
    end, home_end = ends_of(first, layout.colour)
    home = around(start)[home_end]
    unused = [orientations(tile, layout.colour) for tile in others]
    return 1 + _longer_chains({start: first}, around(start)[end], (end + 3) % 6, unused, home, limit - 1)


def orientations(tile: str, colour: str) -> list[list[tuple[str, int]]]:
    """Return for each side the two rotations of a tile that have an end of the link there, with the other end."""
    by_side: list[list[tuple[str, int]]] = [[] for _ in range(6)]
    for turned in rotations(tile):
        for end in ends_of(turned, colour):
            by_side[end].append((turned, other_end(turned, colour, end)))
    return by_side


def _longer_chains(
    field: dict[Space, str],
    space: Space,
    entry: int,
    unused: list[list[list[tuple[str, int]]]],
    home: Space,
    limit: int,
) -> int:
    """Return the number of chains that begin with the tiles on the field; stops if there are more than `limit`.

    The loop enters `space` on the side `entry`, and is to reach the first tile from the space `home`.
    """
    spaces, left, chains = around(space), len(unused) - 1, 0
    sides = [side for side in OTHER_SIDES[entry] if spaces[side] in field]
    shown = [field[spaces[side]][side - 3] for side in sides]
    for number, turned in enumerate(unused):
        for tile, end in turned[entry]:
            if [tile[side] for side in sides] != shown:
                continue
            if left == 0:  # the space is the one before the first tile, which this tile matches
                raise InvalidEvidence(0, "there is a loop")
            after = spaces[end]
            if after in field or steps_between(after, home) >= left:
                continue
            chains += 1
            if chains <= limit:
                field[space] = tile
                rest = [*unused[:number], *unused[number + 1 :]]
                chains += _longer_chains(field, after, (end + 3) % 6, rest, home, limit - chains)
                del field[space]
            if chains > limit:
                return chains
    return chains


@lru_cache(maxsize=1 << 14)
def steps_between(start: Space, target: Space) -> int:
    """Return the number of steps from a space to another one."""
    x, y = start.x - target.x, start.y - target.y
    return max(abs(x), abs(y), abs(x + y))
