"""The compiled check of Tantrix against the reader, on texts that break one rule and keep the others."""

from collections import Counter

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_texts
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.tantrix.layout import read
from dealmill.pipeline.games.tantrix.tiles import LEAST, MAX_ON_FIELD, rotations
from dealmill.pipeline.solving.loading import canonical_mask
from tests.doing import dealer
from tests.fuzz.layouts import STEPS, subject_of, tantrix_line
from tests.games.tantrix import naive
from tests.games.tantrix.test_rules import NOT_LAYOUTS

GAME = find_game("tantrix")
deal = dealer("tantrix")
ALTERED = 8_000
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
    entries = list(read([(1, text)]))
    if entries == [Layout(1, text)]:
        return ()
    return entries[0].reasons if len(entries) == 1 and isinstance(entries[0], Reject) else ("untidy",)


def assert_same(texts: list[str]) -> Counter[str]:
    """Check that the check and the reader agree, and count the texts that break no rule but one."""
    expected = [reasons(text) for text in texts]
    mask = canonical_mask(GAME, to_texts(texts)).tolist()
    differing = [row for row in zip(texts, expected, mask, strict=True) if row[2] == bool(row[1])]
    assert differing == []
    return Counter(broken[0] if broken else "" for broken in expected if len(broken) < 2)


@pytest.mark.slow
def test_the_check_knows_every_rule() -> None:
    altered = [text.decode("utf-8", "replace") for text in subject_of("tantrix").hostile_texts(7, ALTERED)]
    alone = assert_same([*(text for text, _ in NOT_LAYOUTS), *altered])
    assert alone[""] > ALTERED // 100
    counts = {rule: sum(times for reason, times in alone.items() if rule in reason) for rule in RULES}
    assert all(counts.values()), counts


@pytest.mark.parametrize("side", range(6))
def test_lines_of_tiles_are_as_long_as_they_may_be(side: int) -> None:
    longest = tantrix_line(side)
    field, hand = naive.parse(longest)
    x, y = (step * MAX_ON_FIELD for step in STEPS[side])
    too_long = []
    for tile in [*rotations(hand[0]), *rotations(LEAST[field[0, 0]])]:
        tiles = sorted({**field, (x, y): tile}.items())
        too_long.append(f"{' '.join(f'{x},{y}:{tile}' for (x, y), tile in tiles)} / {' '.join(hand)}")
    assert assert_same([longest])[""] == 1
    assert not assert_same(too_long)[""]


@pytest.mark.parametrize("separators", ["  / ", " /", "/ ", " /  ", " // ", "\t/ ", " / / ", " \\ ", " | ", " "])
def test_separators_are_exact(separators: str) -> None:
    [text] = deal(1, 1, 1)
    field, hand = text.split(" / ")
    ways = [f"{field}{separators}{hand}"]
    for separator in " ,:":
        for replacement in (".", "\t", "  ", ":,"):
            ways.append(f"{field.replace(separator, replacement, 1)} / {hand}")
            ways.append(f"{field} / {hand.replace(separator, replacement, 1)}")
    assert assert_same([way for way in ways if way != text])[""] == 0
