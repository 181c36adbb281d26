"""Loops found by the engine, and losses, against plain code."""

import pytest

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.tantrix.loop import engine
from dealmill.pipeline.games.tantrix.loop.layout import canonical
from dealmill.pipeline.games.tantrix.loop.rules import MAX_CHAINS
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.tantrix.loop import naive
from tests.selection import SELECTION

deal = dealer("tantrix-loop")
winnable = solver("tantrix-loop/winnable")


COUNTS = {3: 150, 4: 150, 5: 100, 6: 60, 7: 30, 8: 10}
"""How many small sets are decided, by their number of tiles."""


@pytest.mark.parametrize("tiles", SELECTION.parameters(COUNTS, lambda tiles: tiles < 6))
def test_small_sets_are_decided_as_an_exhaustive_search_decides_them(tiles: int) -> None:
    count = COUNTS[tiles]
    layouts = [layout for colour in (1, 2, 3, 4) for layout in deal(tiles, 1, count, tiles=tiles, colour=colour)]
    solved = winnable(layouts)
    for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
        assert (verdict is Verdict.WINNABLE) == any(naive.loops(layout)), layout
        assert naive.is_proof(layout, verdict, str(evidence)), layout
    assert set(solved.verdicts) == {Verdict.WINNABLE, Verdict.UNWINNABLE}


@pytest.mark.parametrize("tiles", [16, 20, 28, 36, 42])
def test_an_even_number_of_gentle_curves_is_a_loop_in_large_sets(tiles: int) -> None:
    layouts = deal(9, 1, 40, tiles=tiles)
    solved = winnable(layouts)
    for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
        colour, given = naive.parse(layout)
        assert (verdict is Verdict.WINNABLE) == (naive.gentle(colour, given) % 2 == 0)
        assert naive.is_proof(layout, verdict, str(evidence))


@pytest.mark.slow
def test_a_search_that_gives_up_starts_again_and_in_the_end_lays_all_chains() -> None:
    """These sets have more chains than one search may lay, with a loop and without one."""
    layouts = deal(4, 1, 400, tiles=11)
    solved = winnable(layouts)
    again = {Verdict.WINNABLE: 0, Verdict.UNWINNABLE: 0, Verdict.UNDECIDED: 0}
    for verdict, nodes, evidence in zip(solved.verdicts, solved.nodes, solved.evidence, strict=True):
        assert nodes <= engine.PATIENCE * engine.STARTS + engine.CERTIFIED
        if nodes > engine.PATIENCE:
            again[verdict] += 1
            if verdict is Verdict.UNWINNABLE:
                assert engine.PATIENCE < int(str(evidence).removeprefix("chains ")) < nodes
    assert again[Verdict.WINNABLE] and again[Verdict.UNWINNABLE]


def test_certificates_count_no_more_than_the_referee_lays() -> None:
    assert engine.CERTIFIED == MAX_CHAINS


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_limit_leaves_layouts_undecided(limit: int) -> None:
    layouts = deal(6, 1, 40)
    solved = winnable(layouts, limit)
    odd = [naive.gentle(*naive.parse(layout)) % 2 == 1 for layout in layouts]
    decided = [Verdict.UNWINNABLE if parity and limit else Verdict.UNDECIDED for parity in odd]
    assert solved.verdicts == decided
    assert solved.nodes == [min(1 if parity else limit, limit) for parity in odd]


UNTIDY = " r/ ggyRyr BGRRGB  yrbybr\tBBGGRR "
TIDY = "R / BBGGRR BBGRRG BRYRBY GGYRYR"


def test_layouts_are_read_in_any_order_rotation_and_case() -> None:
    game = find_game("tantrix-loop")
    assert canonical(UNTIDY) == TIDY
    assert list(game.read([(1, "# a comment"), (2, UNTIDY), (3, ""), (4, TIDY)])) == [Layout(2, TIDY), Layout(4, TIDY)]


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (TIDY.replace(" / ", " "), ["there is no / between the colour and the tiles"]),
        (TIDY.replace("R /", "/"), ["the colour before the / is '', expected one of B, G, R, Y"]),
        (TIDY.replace("R /", "BG /"), ["the colour before the / is 'BG', expected one of B, G, R, Y"]),
        (TIDY.replace("R /", "G /"), ["tile BRYRBY has no G"]),
        ("R / BBGGRR BBGRRG", ["the number of tiles is 2, expected 3 to 42"]),
        (f"{TIDY} RRBBGG GBX", ["unknown colour 'X' in 'GBX'", "tile BBGGRR occurs 2 times, expected 1"]),
        (TIDY + " " * 1000, [f"the line is {len(TIDY) + 1000} characters long, expected at most 1000"]),
    ],
)  # fmt: skip
def test_what_is_not_a_layout_is_rejected_with_all_reasons(text: str, reasons: list[str]) -> None:
    with pytest.raises(BadLayout) as caught:
        canonical(text)
    assert list(caught.value.reasons) == reasons
