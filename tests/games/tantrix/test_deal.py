"""Numbered deals: pinned, reachable one by one, and exactly what their description says."""

import pytest

from dealmill.pipeline.games.contract import Layout
from dealmill.pipeline.games.tantrix.layout import read
from tests.doing import dealer
from tests.games.tantrix import naive

deal = dealer("tantrix")

PINNED = {
    (1, 2, 1): "0,0:YRGRGY / BBGGRR BBYGGY BBYYRR GGYYRR GRRGYY",
    (2**64 - 1, 2**64 - 1, 3): "-1,0:GRGYRY 0,0:YBRYRB 0,1:RGGYRY / BBGRGR BBRYRY BGRGBR BRBRYY GYGYRR",
    (5, 2**63 + 5, 10): "-2,1:YRRYBB -2,2:BYGYBG -1,0:GRBGBR -1,1:BBRGRG -1,2:RYRBYB 0,-2:RGYRYG 0,-1:BGGRRB "
    "0,0:BGGBRR 0,1:RGGBBR 1,-3:BGBGYY / BBGGYY BBRRYY BRYBYR GGRYYR GGYRYR",
}


@pytest.mark.parametrize(("seed", "number", "tiles"), PINNED)
def test_pinned_deals(seed: int, number: int, tiles: int) -> None:
    assert deal(seed, number, 1, tiles=tiles) == [PINNED[seed, number, tiles]]


@pytest.mark.parametrize("tiles", [1, 2, 10, 20])
def test_a_deal_is_reached_without_the_ones_before_it(tiles: int) -> None:
    deals = deal(7, 0, 100, tiles=tiles)
    assert [deal(7, number, 1, tiles=tiles)[0] for number in range(0, 100, 9)] == deals[::9]
    assert deal(7, 40, 60, tiles=tiles) == deals[40:]
    assert [found.text for found in read(enumerate(deals)) if isinstance(found, Layout)] == deals


def test_the_default_is_10_tiles_and_no_deals_are_none() -> None:
    assert deal(1, 5, 3) == deal(1, 5, 3, tiles=10)
    assert deal(1, 5, 0) == []


@pytest.mark.parametrize(("tiles", "count"), [(1, 50), (2, 50), (10, 40), (20, 20)])
def test_deals_are_made_as_described(tiles: int, count: int) -> None:
    first = 2**63
    assert deal(11, first, count, tiles=tiles) == [naive.deal(11, first + i, tiles) for i in range(count)]


def test_a_deal_in_which_a_player_is_stuck_starts_again() -> None:
    number = 24862
    (stuck,) = deal(1, number, 1, tiles=6)
    assert naive.legal_moves(*naive.parse(stuck)) == []
    (dealt,) = deal(1, number, 1, tiles=7)
    assert dealt == naive.deal(1, number, 7)
    assert not naive.parse(stuck)[0].items() <= naive.parse(dealt)[0].items()
