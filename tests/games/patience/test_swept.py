"""Games with a hole that are decided by sweeps, against the games as they are played, and against other counts."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from dealmill.pipeline.games import compiled_judge, find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience import GAMES, Patience
from dealmill.pipeline.games.patience.compiled import counting, keys
from dealmill.pipeline.games.patience.compiled import referee as compiled
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses import read_loss, swept
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.swept import SweptLoss, can_be_swept
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.schema import canonical_rules
from dealmill.pipeline.games.patience.searches import SWEEP, search_of
from dealmill.testing.patiences.agreement import compared, small_layouts
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules, seeds

GOLF_LOSS = 5, 201_950
"""A deal of seed 1 that is lost, and the number of its positions."""
OLD_LIST = (
    "golf 3S2C7C7D5H/TH8SAS6D2S/9H6H4D9C4C/3CTD5S7H2D/TS8CQHKC9D/"
    "6S5D6CJDAH/3D4S8H3HAD hole:TC stock:7SQS8DJCQC4HKH5CJSJHQD9SKSKDAC2H",
    "*2C4C6C7C8C9CKCAH3H5H6H7H8H9HQHAS2S3S4S5S8STSAD2D4D6D7D9DTDJD 2269",
)
"""A loss that version 7 has proved, and its evidence."""
NOT_SWEPT = {
    "golf:tableau.spaces=kings": "cards go to spaces",
    "golf:tableau.build=any-suit": "cards go onto others",
    "golf:cells.count=1": "cards go to cells",
    "golf:stock.to=waste": "the stock can be turned",
    "golf:stock.to=tableau": "columns get cards",
    "black-hole": "too many fronts",
    "klondike:stock.size=0:tableau.build=none:tableau.spaces=none": "there is no hole",
}


def swept_rules(random: Random) -> Rules:
    """Rules of games with a hole, few cards, and nothing else to put a card on."""
    while True:
        rules = replace(random_rules(random), build="none", spaces="none", cells=0, filled=0)
        columns = len(rules.deck()) - 1 - rules.reserve - (stock := random.choice([0, 0, 2, 4, 6]))
        if rules.hole != "none" and columns >= 0:
            sizes = [0] * len(rules.sizes)
            for _ in range(columns):
                sizes[random.randrange(len(sizes))] += 1
            return replace(
                rules,
                sizes=tuple(sizes),
                face_down=random.choice(["none", "all-but-top"]),
                stock=stock,
                to="hole" if stock else random.choice(["hole", "waste"]),
            )


@pytest.mark.parametrize("seeds", seeds(50_000, 600, quick=10, slow=100))
def test_sweeps_agree_with_the_game_as_it_is_played(seeds: Sequence[int]) -> None:
    """The engine, and both ways to count a loss."""
    for seed in seeds:
        random = Random(seed)
        rules = swept_rules(random)
        assert search_of(rules) is SWEEP
        for layout in small_layouts(rules, seed, random):
            assert not compared(rules, SWEEP.load()(rules), layout, random), (rules, layout)


@pytest.mark.parametrize("seeds", seeds(80_000, 2_000, quick=20))
def test_sweeps_count_the_positions_that_can_be_reached(seeds: Sequence[int]) -> None:
    """Ten deals by each rules; the compiled referee visits positions one by one."""
    for seed in seeds:
        rules = swept_rules(Random(seed))
        layouts = to_strings(deal(rules, seed, 1, 10))
        solved = to_batch(SWEEP.load()(rules)(to_texts(layouts)))
        for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
            Referee(rules)("winnable", layout, verdict, None, evidence or "")
            if verdict is Verdict.UNWINNABLE:
                counting.check_count(rules, layout, read_loss(rules, evidence or ""))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NOT_SWEPT)
def test_other_games_are_not_swept(name: str) -> None:
    rules = find_game(name).rules  # type: ignore[attr-defined]
    assert search_of(rules) is not SWEEP and not can_be_swept(rules)
    assert not isinstance(read_loss(rules, "* 5"), SweptLoss)


def test_games_with_as_many_tuples_as_the_limit_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of("golf")
    for limit, is_swept in ((rules.most_tuples, True), (rules.most_tuples - 1, False)):
        monkeypatch.setattr(swept, "MAX_TUPLES", limit)
        assert can_be_swept(rules) == is_swept
    assert rules.most_tuples == 8**5 * 9**2


def test_a_sweep_counts_as_many_positions_as_a_search() -> None:
    rules = rules_of("golf")
    [text] = to_strings(deal(rules, 1, GOLF_LOSS[0], 1))
    solved = to_batch(SWEEP.load()(rules)(to_texts([text])))
    assert (solved.verdicts, solved.nodes, solved.evidence) == ([Verdict.UNWINNABLE], [GOLF_LOSS[1]], ["* 201950"])
    counting.check_count(rules, text, CountedLoss(None, GOLF_LOSS[1]))


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("* 201950", ""),
        ("* 201949", "more than 201,949 positions can be reached"),
        ("* 201951", "201,950 positions can be reached, not 201,951"),
        ("* 1000000001", "more than the limit of 1,000,000,000"),
        ("* 0", "is not the evidence of a loss"),
    ],
)
def test_altered_claims_are_refused(claim: str, reason: str) -> None:
    rules = rules_of("golf")
    [text] = to_strings(deal(rules, 1, GOLF_LOSS[0], 1))
    for check in (Referee(rules), compiled.CompiledReferee(rules)):
        if not reason:
            check("winnable", text, Verdict.UNWINNABLE, None, claim)
            continue
        with pytest.raises(InvalidEvidence, match=reason):
            check("winnable", text, Verdict.UNWINNABLE, None, claim)


def test_a_game_that_can_be_won_is_not_lost_by_the_number_of_its_positions() -> None:
    with pytest.raises(InvalidEvidence, match="the game can be won"):
        Referee(rules_of("golf"))("winnable", "golf 3H/-/-/-/-/-/- hole:2S", Verdict.UNWINNABLE, None, "* 2")


def test_games_without_a_stock_are_swept_wherever_it_would_go() -> None:
    golf = rules_of("golf")
    assert can_be_swept(replace(golf, stock=0, to="waste")) and not can_be_swept(replace(golf, to="waste"))


def test_lists_of_cards_are_counted_as_before() -> None:
    """The engine writes none any more."""
    rules, (layout, evidence) = rules_of("golf"), OLD_LIST
    loss = read_loss(rules, evidence)
    assert loss.visited == loss.positions and type(loss) is CountedLoss
    Referee(rules)("winnable", layout, Verdict.UNWINNABLE, None, evidence)


def test_a_limit_ends_a_sweep_and_changes_nothing_else() -> None:
    rules = rules_of("golf")
    [lost, won] = [*to_strings(deal(rules, 1, GOLF_LOSS[0], 1)), "golf 2C/4H/-/-/-/-/- hole:AS stock:3D"]
    engine = SWEEP.load()(rules)
    assert to_batch(engine(to_texts([lost]), GOLF_LOSS[1])).verdicts == [Verdict.UNWINNABLE]
    assert to_batch(engine(to_texts([lost]), GOLF_LOSS[1] - 1)).verdicts == [Verdict.UNDECIDED]
    assert to_batch(engine(to_texts([lost]), GOLF_LOSS[1] - 1)).nodes == [GOLF_LOSS[1] - 1]
    assert to_batch(engine(to_texts([lost, won]))).evidence == ["* 201950", "2Ch 3Dh 4Hh"]


def test_compiled_code_counts_a_sample_of_swept_losses_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The more positions a loss has, the more rarely."""
    rules, (number, positions), counted = rules_of("golf"), GOLF_LOSS, list[int]()
    [text] = to_strings(deal(rules, 1, number, 1))
    monkeypatch.setattr(SweptLoss, "check", lambda *_claim: None)
    monkeypatch.setattr(compiled, "check_loss", lambda _rules, _layout, loss: counted.append(loss.positions))
    for drawn in range(1, positions // keys.COMPARED + 1):
        monkeypatch.setattr(compiled_judge, "random_number", lambda _layout: drawn)  # noqa: B023
        compiled.CompiledReferee(rules)("winnable", text, Verdict.UNWINNABLE, None, f"* {positions}")
    assert counted == [positions]


def test_a_game_that_is_swept_has_a_version_of_its_own() -> None:
    game = GAMES.load("golf", canonical_rules(rules_of("golf")))
    assert isinstance(game, Patience)
    assert game.engines[0].version.startswith("8-")
    assert game.check_seconds("winnable", Verdict.UNWINNABLE, "* 2000000") < 0.1
