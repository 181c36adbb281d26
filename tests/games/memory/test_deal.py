"""Numbered deals: pinned, reachable one by one, valid, fair."""

from collections import Counter

import pytest

from dealmill.pipeline.games.contract import Layout
from dealmill.pipeline.games.memory.layout import read
from tests.doing import dealer

deal = dealer("memory")

PINNED = {
    (1, 1, 25): "KGJUFCEXTAHNDRYJROBISMNVQBAUCVQOPHETPWKWDLFXGILYMS",
    (1, 2, 3): "CCABAB",
    (0, 0, 1): "AA",
    (2**64 - 1, 2**64 - 1, 4): "BCBADDCA",
    (5, 2**63 + 5, 25): "DWRUHIIKLGJTAHRDVPYEQUOFSYNXMQFCGBNVATLWKESCOPBXMJ",
    (9, 10**6, 52): "WtfoEbtvGJPMXMzwFLuchOAsSQmTFpgnprZzOQxClKvLedKVRlAwqkxy"
    "UenPqYCVfijZNScmdWsBGERkUjuHDTHIhabDNoXyiJYIaBgr",
}


@pytest.mark.parametrize(("seed", "number", "pairs"), PINNED)
def test_pinned_deals(seed: int, number: int, pairs: int) -> None:
    assert deal(seed, number, 1, pairs=pairs) == [PINNED[seed, number, pairs]]


@pytest.mark.parametrize("pairs", [1, 2, 25, 52])
def test_a_deal_is_reached_without_the_ones_before_it(pairs: int) -> None:
    deals = deal(7, 0, 100, pairs=pairs)
    assert [deal(7, number, 1, pairs=pairs)[0] for number in range(100)] == deals
    assert deal(7, 40, 60, pairs=pairs) == deals[40:]
    assert all(isinstance(found, Layout) and found.text == deals[i] for i, found in enumerate(read(enumerate(deals))))
    assert {len(text) for text in deals} == {2 * pairs}


def test_the_default_is_25_pairs_and_no_deals_are_none() -> None:
    assert deal(1, 5, 3) == deal(1, 5, 3, pairs=25)
    assert deal(1, 5, 0) == []


def test_every_order_is_equally_likely() -> None:
    counts = Counter(deal(3, 1, 60_000, pairs=2))
    assert len(counts) == 6
    assert all(abs(count - 10_000) < 5 * (60_000 / 6 * 5 / 6) ** 0.5 for count in counts.values())
