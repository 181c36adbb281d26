"""The referee of Tantrix loop: what it rejects, and why."""

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.tantrix.loop import rules
from dealmill.pipeline.games.tantrix.loop.rules import Space, check, count_chains, read_layout, steps_between
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer
from tests.games.referees import assert_accepts_exactly
from tests.games.tantrix.loop import naive

deal = dealer("tantrix-loop")

WON = "R / BBGGRR BBGRRG BRYRBY GGYRYR"
LOOP = "0,0:BBGGRR -1,0:YRBYBR -2,1:GRRGBB -1,1:GYRYRG"
ODD = "R / BBGGRR BBGRGR BBGRRG BBRGGR"
EVEN = "R / BBGGRR BBGRGR BBGRRG GRYRGY"
"""A layout with two gentle curves and no loop: six chains."""
SMALLER = "R / BBRRGG BBRYYR BBYRRY BGGBRR GRGRYY"
"""A layout without a loop, some tiles of which form one."""


@pytest.mark.parametrize(
    ("evidence", "step", "reason"),
    [
        ("", 1, "'' is not of the form"),
        (f"{LOOP} ", 5, "'' is not of the form"),
        (LOOP.replace(" -1,1", "  -1,1"), 4, "'' is not of the form"),
        (LOOP.replace("0,0", "-0,0"), 1, "is not of the form"),
        (LOOP.replace("0,0", "00,0"), 1, "is not of the form"),
        (LOOP.replace("YRBYBR", "YRBYBRR"), 2, "is not of the form"),
        (LOOP.replace("YRBYBR", "BBBBBB"), 2, "the tile BBBBBB is not left"),
        (LOOP.replace("GYRYRG", "YRBYBR"), 4, "the tile YRBYBR is not left"),
        (LOOP.replace("-2,1", "0,0"), 3, "there is a tile on 0,0"),
        (LOOP.replace("-2,1:GRRGBB", "-2,1:RRGBBG"), 3, "G of the tile meets R on -1,0"),
        (LOOP[: LOOP.index(" -1,1")], 4, "the tile GGYRYR is not laid"),
        (LOOP.replace("-1,1:GYRYRG", "-1,5:GYRYRG"), 3, "the link leads from -2,1 to -1,1"),
        (LOOP.replace("-1,0", "-8,0"), 1, "the link leads from 0,0 to -1,0"),
        (" ".join(LOOP.split()[:2] + LOOP.split()[:1:-1]), 2, "the link leads from -1,0 to -2,1"),
    ],
)
def test_what_is_not_a_loop_is_refused_at_its_first_wrong_tile(evidence: str, step: int, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", WON, Verdict.WINNABLE, None, evidence)
    assert caught.value.step == step


def test_a_loop_can_begin_anywhere_in_both_directions() -> None:
    words = LOOP.split()
    for turned in (words, words[::-1]):
        for start in range(4):
            check("winnable", WON, Verdict.WINNABLE, None, " ".join(turned[start:] + turned[:start]))


@pytest.mark.parametrize(
    ("layout", "evidence", "reason"),
    [
        (ODD, "", "'' is not a number of gentle curves or chains"),
        (ODD, "gentle", "is not a number"),
        (ODD, "gentle 01", "is not a number"),
        (ODD, "gentle 1 ", "is not a number"),
        (ODD, "gentle 3", "1 links are gentle curves, not 3"),
        (EVEN, "gentle 2", "the number of gentle curves is 2, which is even"),
        (EVEN, "gentle 1", "2 links are gentle curves, not 1"),
        (EVEN, "chains 5", "6 chains were laid, not 5"),
        (EVEN, "chains 7", "6 chains were laid, not 7"),
        (EVEN, "chains 1000001", "1,000,001 chains are more than the referee lays, 1,000,000"),
        (EVEN, "chains 12345678", "is not a number"),
        (WON, "chains 3", "4 chains were laid, not 3|there is a loop"),
        (WON, "chains 8", "there is a loop"),
    ],
)
def test_what_proves_no_loss_is_refused(layout: str, evidence: str, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", layout, Verdict.UNWINNABLE, None, evidence)
    assert caught.value.step == 0


def test_losses_are_proved() -> None:
    check("winnable", ODD, Verdict.UNWINNABLE, None, "gentle 1")
    check("winnable", EVEN, Verdict.UNWINNABLE, None, "chains 6")
    assert read_layout(ODD).gentle == ["BBGRGR"]


@pytest.mark.parametrize(
    ("engine", "layout", "verdict", "value", "evidence"),
    [
        ("loop", WON, Verdict.WINNABLE, None, LOOP),
        ("winnable", WON, Verdict.WINNABLE, 4, LOOP),
        ("winnable", WON, Verdict.SCORED, None, LOOP),
        ("winnable", WON, Verdict.UNWINNABLE, None, LOOP),
        ("winnable", WON, Verdict.UNDECIDED, None, LOOP),
        ("winnable", ODD, Verdict.WINNABLE, None, "gentle 1"),
        ("winnable", ODD, Verdict.SCORED, None, "gentle 1"),
    ],
)
def test_no_other_verdict_is_proved(
    engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str
) -> None:
    with pytest.raises(InvalidEvidence):
        check(engine, layout, verdict, value, evidence)


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ("", "does not begin with a colour and a slash"),
        (WON.lower(), "does not begin"),
        (WON.replace(" / ", " "), "does not begin"),
        (WON.replace("R", "X", 1), "does not begin"),
        (f"{WON}\n", "does not begin|is not a tile of the set"),
        ("R / BBGGRR BBGRRG", "the number of tiles is 2, expected at least 3"),
        (f"{WON} ", "'' is not a tile of the set"),
        (WON.replace("BBGGRR", "BBGGR"), "'BBGGR' is not a tile of the set"),
        (WON.replace("BBGGRR", "BBGGXX"), "'BBGGXX' is not a tile of the set"),
        (WON.replace("BBGGRR", "BBBGRR"), "'BBBGRR' is not a tile of the set"),
        (WON.replace("BBGGRR", "BGRBGR"), "'BGRBGR' is not a tile of the set"),
        (WON.replace("BBGGRR", "BBGGYY"), "BBGGYY has no R"),
        (WON.replace("BBGGRR", "BGGRRB"), "BGGRRB is not in its alphabetically first rotation"),
        (WON.replace("BBGGRR", "BBGRRG"), "not in alphabetical order, each once"),
        ("R / BBGRRG BBGGRR BRYRBY GGYRYR", "not in alphabetical order, each once"),
    ],
)
def test_a_text_that_is_not_a_layout_is_refused(layout: str, reason: str) -> None:
    with pytest.raises(InvalidEvidence, match=reason) as caught:
        check("winnable", layout, Verdict.WINNABLE, None, LOOP)
    assert caught.value.step == 0


def test_wrong_moves_are_illegal() -> None:
    with pytest.raises(IllegalMove):
        check("winnable", WON, Verdict.WINNABLE, None, LOOP.replace("-2,1", "0,0"))


def test_chains_are_those_of_plain_code_as_far_as_they_are_counted() -> None:
    counted = 0
    for tiles in (3, 4, 5, 6):
        for layout in [SMALLER] * (tiles == 5) + deal(3, 1, 40, tiles=tiles):
            chains = list(map(len, naive.chains(layout)))
            if max(chains) == tiles:
                with pytest.raises(InvalidEvidence, match="there is a loop"):
                    count_chains(read_layout(layout), len(chains))
                continue
            counted += 1
            for limit in range(1, len(chains) + 2):
                assert count_chains(read_layout(layout), limit) == min(len(chains), limit + 1)
    assert counted > 40


def test_only_so_many_chains_are_laid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_CHAINS", 6)
    check("winnable", EVEN, Verdict.UNWINNABLE, None, "chains 6")
    monkeypatch.setattr(rules, "MAX_CHAINS", 5)
    with pytest.raises(InvalidEvidence, match="6 chains are more than the referee lays, 5"):
        check("winnable", EVEN, Verdict.UNWINNABLE, None, "chains 6")


def test_distances() -> None:
    cells = [Space(x, y) for x in range(-4, 5) for y in range(-4, 5)]
    assert all(steps_between(start, end) == naive.distance(start, end) for start in cells for end in cells)


def test_exactly_the_proofs_are_accepted() -> None:
    layouts = [WON, ODD, EVEN]
    layouts += [layout for tiles in (3, 4, 5, 6, 16) for layout in deal(5, 1, 12, tiles=tiles)]
    assert_accepts_exactly("tantrix-loop/winnable", layouts, naive.is_proof)
