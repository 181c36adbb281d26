"""The engine on layouts of card pairing of any size against exhaustive play, and its evidence before the referee."""

import pytest

from dealmill.pipeline.games.batch import Batch, to_strings, to_texts
from dealmill.pipeline.games.card_pairing.engine import winnable as engine
from dealmill.pipeline.games.card_pairing.layout import canonical
from dealmill.pipeline.games.card_pairing.rules import check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.card_pairing.naive import uneven_decks, winnable_by_play

deal = dealer("card-pairing")
winnable = solver("card-pairing/winnable")

PIGEONHOLES = " ".join(["A" * 8, *"A" * 6])
"""Every card of the high stack needs one of the six others. Proofs without counting grow exponentially."""
TOO_MANY = " ".join(["A" * 10, *"A" * 8])


def small_layouts(seed: int, count: int) -> list[str]:
    """Layouts of at most 20 cards, with ranks of 2 to 8 and empty stacks."""
    decks = [*uneven_decks(seed, count), *uneven_decks(seed + 1, count, (2, 4, 4, 6, 8))]
    return [canonical(deck) for deck in decks if deck.count(",") <= 22]


def prove(layouts: list[str], solved: Batch) -> None:
    for layout, verdict, value, evidence in zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True):
        check("winnable", layout, verdict, value, str(evidence))


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_small_layouts_of_all_shapes_are_won_exactly_if_some_play_wins(seed: int) -> None:
    layouts = small_layouts(10 * seed, 700)
    solved = winnable(layouts)
    assert [verdict is Verdict.WINNABLE for verdict in solved.verdicts] == list(map(winnable_by_play, layouts))
    prove(layouts, solved)
    certificates = "".join(evidence or "" for evidence in solved.evidence)
    assert all(sign in certificates for sign in "+-:glv^"), "not every kind of hint occurs"


@pytest.mark.parametrize(
    ("ranks", "suits", "stacks", "count"),
    [
        (20, 4, 16, 300),
        (36, 4, 24, 100),
        (48, 4, 32, 40),
        (100, 4, 50, 40),
        (13, 8, 13, 40),
        (13, 8, 11, 40),
        (20, 2, 10, 300),
        (60, 2, 100, 100),
        (9, 6, 10, 200),
        (7, 12, 9, 40),
        (16, 64, 64, 1),
        (512, 2, 1_024, 2),
        (250, 4, 250, 2),
    ],
)
def test_every_verdict_of_random_deals_is_proved(ranks: int, suits: int, stacks: int, count: int) -> None:
    layouts = deal(8, 1, count, ranks=ranks, suits=suits, stacks=stacks)
    prove(layouts, winnable(layouts))


@pytest.mark.parametrize(("ranks", "stacks"), [(8, 32), (30, 60), (100, 200), (33, 132), (250, 500)])
def test_ranks_of_four_on_stacks_of_one_or_two_are_won(ranks: int, stacks: int) -> None:
    """De Bondt, "Solving Mahjong Solitaire boards with peeking", 2012."""
    assert set(winnable(deal(9, 1, 50, ranks=ranks, stacks=stacks)).verdicts) == {Verdict.WINNABLE}


def test_a_batch_of_all_kinds_of_layouts_gives_the_results_of_each_alone() -> None:
    classic, others = deal(3, 1, 40), [*small_layouts(90, 20), *deal(3, 1, 20, ranks=36, stacks=24)]
    layouts = [layout for pair in zip(classic, others, strict=False) for layout in pair]
    together = engine(to_texts(layouts))
    for number, layout in enumerate(layouts):
        alone = engine(to_texts([layout]))
        assert together.verdicts[number] == alone.verdicts[0]
        assert together.nodes[number] == alone.nodes[0]
        assert to_strings(together.evidence)[number] == to_strings(alone.evidence)[0]


def test_a_node_limit_leaves_exactly_the_layouts_undecided_that_take_more() -> None:
    layouts = [*deal(4, 1, 60, ranks=36, stacks=24), *small_layouts(70, 60)]
    free = winnable(layouts)
    for limit in (0, 1, 7, 40, max(free.nodes)):
        limited = winnable(layouts, limit)
        for number, nodes in enumerate(free.nodes):
            if nodes <= limit:
                assert limited.verdicts[number] is free.verdicts[number]
                assert limited.evidence[number] == free.evidence[number]
            else:
                assert (limited.verdicts[number], limited.evidence[number]) == (Verdict.UNDECIDED, None)
                assert limited.nodes[number] == limit


@pytest.mark.slow
def test_a_loss_with_too_long_a_certificate_is_undecided() -> None:
    solved = winnable([PIGEONHOLES, TOO_MANY, PIGEONHOLES])
    assert solved.verdicts == [Verdict.UNWINNABLE, Verdict.UNDECIDED, Verdict.UNWINNABLE]
    assert solved.evidence[0] == solved.evidence[2]
    prove([PIGEONHOLES], winnable([PIGEONHOLES]))
