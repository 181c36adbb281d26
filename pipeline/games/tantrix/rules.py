"""The referee of Tantrix: the rules of the problem statement, one by one, on a position held as a dictionary.

Where the problem statement is ambiguous, it is taken literally:

- Rule 3: a space with more than three neighbouring tiles is also forced, since it is surrounded by three.
- Rule 5: a side along a forced space is the straight line of empty spaces that leaves it along a row of tiles, the
  first of which touches the forced space; it ends where that row ends. (The answer of the sample needs the whole line.)
- Rules 4 and 5 make no exception for a placement in a forced space.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import NamedTuple

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

ENGINE = "legal-moves"
COLOURS = "BGRY"
HAND = 5
ORIGIN = "0,0"
FARTHEST = 99
TILE = re.compile(rf"[{COLOURS}]{{6}}")
MOVE = re.compile(rf"(-?[0-9]{{1,3}}),(-?[0-9]{{1,3}}):({TILE.pattern})")
STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))


class Space(NamedTuple):
    """A space of the field."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}"


@lru_cache(maxsize=1 << 12)
def around(space: Space) -> tuple[Space, ...]:
    """Return the six neighbours of a space, clockwise from the one above."""
    return tuple(Space(space.x + x, space.y + y) for x, y in STEPS)


class Move(NamedTuple):
    """The placement of a tile on a space. A tile is the colours of its sides, clockwise from the top side."""

    space: Space
    tile: str

    def __str__(self) -> str:
        return f"{self.space.x},{self.space.y}:{self.tile}"


@dataclass(frozen=True)
class Position:
    """The tiles on the field by their spaces, and the tiles in hand."""

    field: dict[Space, str]
    hand: tuple[str, ...]

    @cached_property
    def links(self) -> dict[Space, dict[int, str]]:
        """The empty spaces next to tiles, in order of x, then y, each with the colours that neighbouring tiles show to
        it, by direction."""
        colours: dict[Space, dict[int, str]] = {}
        for space, tile in self.field.items():
            for side, beside in enumerate(around(space)):
                if beside not in self.field:
                    colours.setdefault(beside, {})[(side + 3) % 6] = tile[side]
        return {space: colours[space] for space in sorted(colours)}

    @cached_property
    def forced_spaces(self) -> set[Space]:
        """The empty spaces with at least three neighbouring tiles."""
        return {space for space, links in self.links.items() if len(links) >= 3}

    @cached_property
    def controlled_spaces(self) -> set[Space]:
        """The empty spaces along the sides of forced spaces: on each line that leaves a forced space with a row of
        tiles on its left or right, those before the end of the row."""
        controlled = set()
        for forced in self.forced_spaces:
            for direction in range(6):
                for flank in (direction - 1, direction - 5):
                    space, beside = around(forced)[direction], around(forced)[flank]
                    while space not in self.field and beside in self.field:
                        controlled.add(space)
                        space, beside = around(space)[direction], around(beside)[direction]
        return controlled

    @cached_property
    def _third_links(self) -> dict[Space, str]:
        """The empty spaces to which at least two tiles show the same colour, with the colours that they do not."""
        left = {}
        for space, links in self.links.items():
            shown = [*links.values()]
            if len(set(shown)) != len(shown):
                left[space] = "".join([colour for colour in COLOURS if shown.count(colour) < 2])
        return left

    def demands(self, space: Space) -> Iterator[tuple[int, str]]:
        """Yield the sides of an empty space that restrict the colour of a tile, each with the colours allowed.

        Next to a tile, that is the colour it shows (rule 2); next to an empty space, all colours that are not a third
        link of their colour to that space (rule 4).
        """
        yield from self.links[space].items()
        allowed = self._third_links
        for direction, beside in enumerate(around(space)):
            if beside in allowed:
                yield direction, allowed[beside]

    def objection(self, move: Move) -> str | None:
        """Return the rule (except rule 3) that forbids a placement, with the reason, or None."""
        space, tile = move
        if space not in self.links:
            return "rule 1: a tile must be placed on an empty space next to another tile"
        for direction, colours in self.demands(space):
            if (colour := tile[direction]) not in colours:
                beside = around(space)[direction]
                if beside in self.field:
                    return f"rule 2: {colour} of the tile meets {colours} on {beside}"
                return f"rule 4: the forced space {beside} would get three links of colour {colour}"
        if space in self.controlled_spaces:
            return "rule 5: the space is along a controlled side"
        return None

    @cached_property
    def legal_moves(self) -> list[Move]:
        """Every legal move of the player, in order of x, then y, then colours."""
        free = [space for space in self.links if space not in self.controlled_spaces]
        forced = [space for space in free if space in self.forced_spaces]
        return self._moves(forced) or self._moves(free)

    def _moves(self, spaces: Iterable[Space]) -> list[Move]:
        """Return the placements on these spaces that their `demands` allow."""
        in_hand = sorted([placed for tile in self.hand for placed in rotations(tile)])
        moves = []
        for space in spaces:
            fitting = in_hand
            for direction, colours in self.demands(space):
                fitting = [tile for tile in fitting if tile[direction] in colours]
            moves += [Move(space, tile) for tile in fitting]
        return moves


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Find all legal moves and compare them with the listed moves.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict and its value. Its step counts the listed moves; 0 means that the
        verdict itself cannot be right.
    """
    if engine != ENGINE:
        raise InvalidEvidence(0, f"there is no engine {engine!r}")
    if verdict is not Verdict.SCORED:
        raise InvalidEvidence(0, f"the verdict is {verdict.word}, but {engine} only scores positions")
    position = read_position(layout)
    listed = evidence.split(" ") if evidence else []
    legal = [str(move) for move in position.legal_moves]
    for step, (entry, expected) in enumerate(zip_longest(listed, legal), start=1):
        if entry is None:
            raise InvalidEvidence(step, f"the legal move {expected} is missing")
        if entry != expected:
            _check_legality(step, entry, position)
            expectation = f", expected {expected}" if expected else ""
            raise InvalidEvidence(step, f"{entry} is not the next legal move{expectation}")
    if value != len(legal):
        raise InvalidEvidence(0, f"there are {len(legal)} legal moves, not {value}")


def _check_legality(step: int, entry: str, position: Position) -> None:
    move = read_move(step, entry)
    if not any(move.tile in rotations(tile) for tile in position.hand):
        raise IllegalMove(step, f"the tile {move.tile} is not in hand")
    if objection := position.objection(move):
        raise IllegalMove(step, f"{entry} breaks {objection}")
    if move not in position.legal_moves:
        raise IllegalMove(step, f"{entry} breaks rule 3: a tile can be placed in a forced space")


def read_position(layout: str) -> Position:
    """Return the position of a layout in its canonical form.

    Raises
    ------
    InvalidEvidence
        With step 0, if the text is not a layout.
    """
    field, _, hand = layout.partition(" / ")
    placed = [read_move(0, entry) for entry in field.split(" ")]
    tiles = tuple(hand.split(" "))
    position = Position({move.space: move.tile for move in placed}, tiles)
    if " ".join(map(str, sorted(placed))) != field or len(position.field) < len(placed):
        raise InvalidEvidence(0, "the tiles on the field are not in order of x, then y, one on each space")
    if any(abs(number) > FARTHEST for space in position.field for number in space):
        raise InvalidEvidence(0, f"a tile lies farther than {FARTHEST} from {ORIGIN}")
    if len(tiles) != HAND or list(tiles) != sorted(tiles):
        raise InvalidEvidence(0, f"{hand!r} is not {HAND} tiles in alphabetical order")
    _check_tiles(position)
    _check_field(position.field)
    return position


def _check_tiles(position: Position) -> None:
    """Check that the tiles are different ones of the set, and those in hand in their alphabetically first rotation."""
    every = [least_rotation(tile) for tile in (*position.field.values(), *position.hand)]
    if len(set(every)) < len(every):
        raise InvalidEvidence(0, "a tile occurs twice")
    if tuple(every[-HAND:]) != position.hand:
        raise InvalidEvidence(0, "a tile in hand is not in its alphabetically first rotation")


def _check_field(field: dict[Space, str]) -> None:
    """Check that the tiles on the field are connected to one on 0,0, and show equal colours to each other."""
    reached = [space for space in field if space == (0, 0)]
    seen = {*reached}
    for space in reached:
        for side, beside in enumerate(around(space)):
            if beside not in field:
                continue
            if field[beside][side - 3] != field[space][side]:
                raise InvalidEvidence(0, f"the tiles on {space} and {beside} show different colours to each other")
            if beside not in seen:
                seen.add(beside)
                reached.append(beside)
    if len(seen) != len(field):
        raise InvalidEvidence(0, f"the tiles on the field are not connected to a tile on {ORIGIN}")


def read_move(step: int, entry: str) -> Move:
    """Parse a placement ``x,y:COLOURS``; `step` is its number in the list.

    Raises
    ------
    InvalidEvidence
        If the text does not have this form.
    """
    match = MOVE.fullmatch(entry)
    if not match:
        raise InvalidEvidence(step, f"{entry!r} is not of the form x,y:COLOURS")
    return Move(Space(int(match[1]), int(match[2])), match[3])


@lru_cache(maxsize=1 << 12)
def least_rotation(tile: str) -> str:
    """Return the alphabetically first rotation of a tile of the set.

    A tile has two sides of each of three colours, and does not look the same after half a turn.

    Raises
    ------
    InvalidEvidence
        With step 0, if there is no such tile.
    """
    if not TILE.fullmatch(tile) or [tile.count(colour) for colour in set(tile)] != [2, 2, 2] or tile[:3] == tile[3:]:
        raise InvalidEvidence(0, f"{tile!r} is not a tile of the set")
    return min(rotations(tile))


@lru_cache(maxsize=1 << 12)
def rotations(tile: str) -> tuple[str, ...]:
    """Return the six rotations of a tile."""
    return tuple([tile[turn:] + tile[:turn] for turn in range(6)])
