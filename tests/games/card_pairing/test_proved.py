"""The referee of card pairing that is proved in Coq against the one in Python; see docs/proofs/README.md."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games.card_pairing.layout import canonical
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.card_pairing.naive import decks, some_win, uneven_decks
from tests.games.card_pairing.proving import certificate_of
from tests.games.proved import Claim, altered, assert_agrees

pytestmark = pytest.mark.slow

deal = dealer("card-pairing")
winnable = solver("card-pairing/winnable")


def engine_claims(layouts: list[str]) -> list[Claim]:
    solved = winnable(layouts)
    return [Claim(*row) for row in zip(layouts, solved.verdicts, map(str, solved.evidence), strict=True)]


def random_claims(seed: int, count: int, sizes: tuple[int, ...]) -> Iterator[Claim]:
    """Yield plays, and certificates with hints of all kinds, of small layouts of all shapes."""
    chance = Random(seed)
    for layout in map(canonical, uneven_decks(seed, count, sizes)):
        if trace := some_win(layout):
            yield Claim(layout, Verdict.WINNABLE, trace)
        elif certificate := certificate_of(layout, chance):
            yield Claim(layout, Verdict.UNWINNABLE, certificate)


@pytest.mark.parametrize("sizes", [(2, 2, 4, 4, 6), (2, 4, 4, 6), (4,)])
def test_the_proved_referee_agrees_with_the_one_in_python_on_small_layouts(
    sizes: tuple[int, ...], programs: Path, tmp_path: Path
) -> None:
    claims = list(random_claims(59, 200, sizes))
    assert_agrees(programs, "card-pairing", altered(claims, 5, 59), tmp_path)


def test_the_proved_referee_agrees_with_the_one_in_python_on_lists_of_ranks(programs: Path, tmp_path: Path) -> None:
    claims = engine_claims([*deal(59, 1, 200), *decks(5, 4, 200)])
    lists = [claim._replace(evidence=text) for claim in claims for text in ("", *"A2345", "A2", "A23", "33")]
    assert_agrees(programs, "card-pairing", [*altered(claims, 5, 59), *lists], tmp_path)


def test_the_proved_referee_agrees_with_the_one_in_python_on_larger_layouts(programs: Path, tmp_path: Path) -> None:
    shapes = [(13, 4, 8), (20, 2, 10), (20, 4, 13), (13, 8, 11), (6, 8, 8), (40, 4, 30), (512, 2, 1_024)]
    claims = [
        claim
        for ranks, suits, stacks in shapes
        for claim in engine_claims(deal(59, 1, 10 if ranks < 100 else 1, ranks=ranks, suits=suits, stacks=stacks))
    ]
    assert_agrees(programs, "card-pairing", altered(claims, 5, 59), tmp_path)
