"""The odds of card pairing against exhaustive play with fractions."""

from contextlib import closing
from math import factorial

import pytest

from dealmill.pipeline.evidence.referee import judge
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.card_pairing import odds_words
from dealmill.pipeline.games.card_pairing.odds import MAX_POSITIONS
from dealmill.pipeline.games.card_pairing.picture import frames
from dealmill.pipeline.games.card_pairing.rules import check
from dealmill.pipeline.games.verdict import InvalidEvidence, Verdict
from dealmill.pipeline.system.bounded import BoundedProcess
from tests.doing import dealer, solver
from tests.games.card_pairing.naive import decks, odds_by_play, stated_odds
from tests.games.card_pairing.test_any_size import PIGEONHOLES, small_layouts
from tests.games.card_pairing.test_figures import NEERC
from tests.games.card_pairing.test_random_play import ODDS

deal = dealer("card-pairing")
odds = solver("card-pairing/odds")


@pytest.mark.parametrize("seed", [1, 2])
def test_the_odds_of_small_layouts_of_all_shapes_are_those_of_exhaustive_play(seed: int) -> None:
    layouts = [*small_layouts(10 * seed, 300), *deal(seed, 1, 20, ranks=5, stacks=5), PIGEONHOLES]
    solved = odds(layouts)
    for layout, value, nodes, evidence in zip(layouts, solved.values, solved.nodes, solved.evidence, strict=True):
        assert stated_odds(layout, str(evidence)), layout
        assert value is not None
        chance, _, _, positions = odds_by_play(layout)
        assert 0 <= value - chance * 10**6 < 1
        assert nodes == positions


@pytest.mark.parametrize(
    "sizes",
    [
        {},
        {"ranks": 13, "stacks": 13},
        {"ranks": 6, "suits": 8, "stacks": 8},
        {"ranks": 2, "suits": 10, "stacks": 13},
        {"ranks": 36, "suits": 2},
    ],
    ids=str,
)
def test_the_referee_computes_the_same_odds(sizes: dict[str, int]) -> None:
    layouts = deal(3, 1, 2, **sizes)
    solved = odds(layouts)
    for row in zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True):
        layout, verdict, value, evidence = row
        check("odds", layout, verdict, value, str(evidence))


def test_every_altered_digit_is_refused() -> None:
    for layout, value, evidence in zip(
        layouts := deal(3, 1, 6), odds(layouts).values, odds(layouts).evidence, strict=True
    ):
        stated = str(evidence)
        for index in (index for index, sign in enumerate(stated) if sign.isdigit()):
            altered = f"{stated[:index]}{9 - int(stated[index])}{stated[index + 1 :]}"
            with pytest.raises(InvalidEvidence):
                check("odds", layout, Verdict.SCORED, value, altered)


def test_all_digits_of_large_numbers_are_exact() -> None:
    pairs = " ".join(rank * 3 for rank in "A23456789" for _ in range(2))
    assert odds([pairs]).evidence == [f"1/1 {factorial(27) // 6**9} 0 {4**9 - 1}"]


@pytest.mark.parametrize(
    ("layout", "nodes"),
    [
        (" ".join("A" * 66), range(1)),
        (deal(9, 1, 1, ranks=2, suits=12, stacks=20)[0], range(1, MAX_POSITIONS)),
        (deal(1, 1, 1, suits=16)[0], range(MAX_POSITIONS, MAX_POSITIONS + 1)),
    ],
    ids=["more stacks than bits", "more moves than room", "more positions than the limit"],
)
def test_a_deal_that_is_too_large_is_undecided(layout: str, nodes: range) -> None:
    solved = odds([layout])
    assert solved.verdicts == [Verdict.UNDECIDED]
    assert solved.nodes[0] in nodes


def test_the_best_play_is_shown_with_its_critical_choices() -> None:
    layout, summary, *play = frames(NEERC, Verdict.SCORED, ODDS)
    assert "36 cards in 9 stacks." in layout
    assert summary.endswith(
        "Random play wins with a chance of 58.9 %.\nSequences of moves that win: 76,362,905.\n"
        "Positions that can be reached: 1,904, critical choices among them: 229."
    )
    assert len(play) == 18
    assert play[0].endswith("Chance 58.9 % → 72.2 %; 4 other moves: 45 % to 67.7 %.")
    assert play[-1].endswith("The only legal move; chance 100 %.")


def test_a_best_play_can_lead_through_critical_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = next(deck for deck in decks(4, 4, 100) if odds_by_play(deck).critical > 3)
    evidence = str(odds([deck]).evidence[0])
    assert any("other move: 0 %, a critical choice." in board for board in frames(deck, Verdict.SCORED, evidence))
    monkeypatch.setattr(odds_words, "MAX_POSITIONS", 1)
    assert len(list(frames(deck, Verdict.SCORED, evidence))) == 2


def test_a_lost_deal_has_no_best_play() -> None:
    boards = list(frames("AK KA", Verdict.SCORED, "0/1 0 0 1"))
    assert boards[1:] == ["K A\nA K\n───\n0 1\n\nLost: no play wins. Positions that can be reached: 1."]
    said = find_engine("card-pairing/odds")[1].words_of_value
    assert (said(0), said(371)) == ("0, lost", "371 millionths (0.0371 %)")


@pytest.mark.slow
@pytest.mark.parametrize("layout", [" ".join("A" * 1_024), " ".join(["A" * 102] * 10)], ids=["flat", "high"])
def test_the_largest_odds_are_refused_in_bounded_memory(layout: str) -> None:
    with closing(BoundedProcess()) as process:
        judged = process.call(3_600, judge, "card-pairing/odds", layout, Verdict.SCORED, 10**6, "1/1 2 0 1000000")
    assert str(judged) == "invalid: step 4: more than 1,000,000 positions can be reached"
