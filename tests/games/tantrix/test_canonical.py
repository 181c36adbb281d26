"""The compiled check of Tantrix against the reader, on positions that break one rule and keep the others."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import pack
from dealmill.pipeline.games.contract import Layout, Reject
from dealmill.pipeline.games.tantrix.layout import read
from dealmill.pipeline.games.tantrix.tiles import LEAST, MOST_ON_FIELD, TILES, rotations
from dealmill.pipeline.solve import canonical_mask
from tests.doing import dealer
from tests.fuzz.layouts import STEPS, canonical_texts, tantrix_line

GAME = find_game("tantrix")
deal = dealer("tantrix")
TRIES = 400
"""Of each change."""

Placed = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Position:
    """The words of a layout: x, y and colours of the tiles on the field, and the hand."""

    field: tuple[Placed, ...]
    hand: tuple[str, ...]

    def text(self) -> str:
        return f"{' '.join(f'{x},{y}:{tile}' for x, y, tile in self.field)} / {' '.join(self.hand)}"

    def ordered(self) -> "Position":
        """The same with the tiles in their order."""
        field = sorted(self.field, key=lambda placed: (int(placed[0]), int(placed[1])))
        return replace(self, field=tuple(field), hand=tuple(sorted(self.hand)))


def parse(text: str) -> Position:
    field, _, hand = text.partition(" / ")
    placed = [(*entry.partition(":")[0].split(","), entry.partition(":")[2]) for entry in field.split()]
    return Position(tuple((x, y, tile) for x, y, tile in placed), tuple(hand.split()))


def changed(position: Position, number: int, placed: Placed) -> Position:
    field = list(position.field)
    field[number] = placed
    return replace(position, field=tuple(field))


def any_tile(position: Position, random: Random) -> tuple[int, str, str, str]:
    number = random.randrange(len(position.field))
    return number, *position.field[number]


def move_a_tile(position: Position, random: Random) -> Position:
    number, _, _, tile = any_tile(position, random)
    beside_x, beside_y, _ = random.choice(position.field)
    x, y = random.choice(STEPS)
    return changed(position, number, (str(int(beside_x) + x), str(int(beside_y) + y), tile)).ordered()


def move_all(position: Position, random: Random) -> Position:
    """To another tile on 0,0, or to none."""
    origin_x, origin_y, _ = random.choice(position.field)
    aside = random.choice([0, 0, 0, 1, 60])
    moved = [(str(int(x) - int(origin_x) + aside), str(int(y) - int(origin_y)), tile) for x, y, tile in position.field]
    return replace(position, field=tuple(moved)).ordered()


def move_far_away(position: Position, random: Random) -> Position:
    number, x, y, tile = any_tile(position, random)
    far = str(random.choice([-100, -99, 99, 100, 127, 128, 156, 157, 255, 256, 999]))
    return changed(position, number, random.choice([(far, y, tile), (x, far, tile)])).ordered()


def turn_a_tile(position: Position, random: Random) -> Position:
    number, x, y, tile = any_tile(position, random)
    return changed(position, number, (x, y, random.choice(rotations(tile))))


def exchange_a_tile(position: Position, random: Random) -> Position:
    number, x, y, _ = any_tile(position, random)
    return changed(position, number, (x, y, random.choice(rotations(random.choice(TILES)))))


def spoil_a_tile(position: Position, random: Random) -> Position:
    number, x, y, tile = any_tile(position, random)
    at = random.randrange(len(tile))
    spoilt = [tile[:3] * 2, tile[:at] + random.choice("BGRYX\0") + tile[at + 1 :], tile.lower(), tile[:5], tile + "B"]
    return changed(position, number, (x, y, random.choice(spoilt)))


def swap_tiles(position: Position, random: Random) -> Position:
    field = list(position.field)
    one, other = random.randrange(len(field)), random.randrange(len(field))
    field[one], field[other] = field[other], field[one]
    return replace(position, field=tuple(field))


def take_a_tile_away(position: Position, random: Random) -> Position:
    number, *_ = any_tile(position, random)
    return replace(position, field=position.field[:number] + position.field[number + 1 :])


def add_a_tile(position: Position, random: Random) -> Position:
    unused = sorted(set(TILES) - {LEAST.get(tile, "") for *_, tile in position.field} - set(position.hand))
    x, y, _ = random.choice(position.field)
    step_x, step_y = random.choice(STEPS)
    tile = random.choice(rotations(random.choice(unused or TILES)))
    added = (str(int(x) + step_x), str(int(y) + step_y), tile)
    return replace(position, field=(*position.field, added)).ordered()


def write_a_number_otherwise(position: Position, random: Random) -> Position:
    number, x, y, tile = any_tile(position, random)
    of_x = random.random() < 0.5
    written = x if of_x else y
    sign = "-" if written.startswith("-") else ""
    plain = written.removeprefix("-")
    ways = ["", "-", "٣", "-0", "1_0", f"+{written}", f"-{written}", f"{sign}0{plain}", f"{written} ", f"{written}0"]
    other = random.choice(ways)
    return changed(position, number, (other, y, tile) if of_x else (x, other, tile))


def swap_the_hand(position: Position, random: Random) -> Position:
    return replace(position, hand=tuple(random.sample(position.hand, len(position.hand))))


def turn_in_hand(position: Position, random: Random) -> Position:
    turned = random.choice(rotations(position.hand[0]))
    return replace(position, hand=tuple(sorted((turned, *position.hand[1:]))))


def exchange_in_hand(position: Position, random: Random) -> Position:
    """For a tile that may be there already, in hand or on the field."""
    other = random.choice([random.choice(TILES), position.hand[1], LEAST[random.choice(position.field)[2]]])
    return replace(position, hand=tuple(sorted((other, *position.hand[1:]))))


def more_or_less_in_hand(position: Position, random: Random) -> Position:
    hands = [position.hand[:4], (*position.hand, TILES[-1]), (*position.hand, ""), ("", *position.hand), ()]
    return replace(position, hand=random.choice(hands))


CHANGES: tuple[Callable[[Position, Random], Position], ...] = (
    move_a_tile,
    move_all,
    move_far_away,
    turn_a_tile,
    exchange_a_tile,
    spoil_a_tile,
    swap_tiles,
    take_a_tile_away,
    add_a_tile,
    write_a_number_otherwise,
    swap_the_hand,
    turn_in_hand,
    exchange_in_hand,
    more_or_less_in_hand,
)

RULES = (
    "not a whole number",
    "expected -99 to 99",
    "two tiles on",
    "tiles in hand is",
    "unknown colour",
    "sides, expected 6",
    "two sides of each",
    "after half a turn",
    "occurs 2 times",
    "there is no tile on 0,0",
    " meets ",
    "not connected",
    "untidy",
)
"""A part of each reason that the reader has; the last stands for a text that it writes otherwise."""


def reasons(text: str) -> tuple[str, ...]:
    """What the reader says against a text; nothing if it is canonical."""
    [entry] = read([(1, text)])
    if isinstance(entry, Reject):
        return entry.reasons
    return () if entry == Layout(1, text) else ("untidy",)


def assert_same(texts: list[str]) -> Counter[str]:
    """Check that the check and the reader agree, and count the texts that break no rule but one."""
    expected = [reasons(text) for text in texts]
    found = canonical_mask(GAME, pack(texts)).tolist()
    differing = [(text, told) for text, told, mask in zip(texts, expected, found, strict=True) if mask == bool(told)]
    assert differing == []
    return Counter(told[0] if told else "" for told in expected if len(told) < 2)


def test_the_check_knows_every_rule() -> None:
    random = Random(7)
    positions = [parse(text.decode()) for text in canonical_texts(GAME)]
    positions += [parse(text) for tiles in (1, 2, 3, 5, 20) for text in deal(2, 1, 5, tiles=tiles)]
    texts = [change(random.choice(positions), random).text() for change in CHANGES for _ in range(TRIES)]
    alone = assert_same(texts)
    assert alone[""] > TRIES
    counts = {rule: sum(times for reason, times in alone.items() if rule in reason) for rule in RULES}
    assert all(count >= 5 for count in counts.values()), counts


@pytest.mark.parametrize("side", range(6))
def test_lines_of_tiles_are_as_long_as_they_may_be(side: int) -> None:
    longest = parse(tantrix_line(side))
    x, y = (step * MOST_ON_FIELD for step in STEPS[side])
    too_long = [
        replace(longest, field=(*longest.field, (str(x), str(y), tile))).ordered()
        for tile in [*rotations(longest.hand[0]), *rotations(LEAST[longest.field[0][2]])]
    ]
    assert assert_same([longest.text()])[""] == 1
    assert not assert_same([position.text() for position in too_long])[""]


@pytest.mark.parametrize("separators", ["  / ", " /", "/ ", " /  ", " // ", "\t/ ", " / / ", " \\ ", " | ", " "])
def test_separators_are_exact(separators: str) -> None:
    [text] = deal(1, 1, 1)
    field, hand = text.split(" / ")
    ways = [f"{field}{separators}{hand}"]
    for separator in " ,:":
        for other in (".", "\t", "  ", ":,"):
            ways.append(f"{field.replace(separator, other, 1)} / {hand}")
            ways.append(f"{field} / {hand.replace(separator, other, 1)}")
    assert assert_same([way for way in ways if way != text])[""] == 0
