"""The engine of patiences against plain code, on layouts that must be the same to it, and on deals known elsewhere."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from statistics import median

import pytest

import dealmill
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game, machine
from dealmill.pipeline.games.batch import Batch, to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.compiled.counting import check_count
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine.plain import engine
from dealmill.pipeline.games.patience.engine.plain.engine import Winnable
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.safe import SafeLoss
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.searches import MAX_NODES
from dealmill.pipeline.solving.solve import solve
from dealmill.testing.patiences import naive
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_filled_rules, random_rules, random_spider_rules, seeds

LIMIT = 20_000
PUBLISHED = {1: False, 2: True, 3: True, 4: True}
"""Solvitaire's numbers of Klondike, draw 3, and whether others have solved them (Dang, Gent, Nightingale,
Ulrich-Oltean, Waller, CP 2025)."""


def solved(rules: Rules, layouts: list[str], limit: int = LIMIT) -> Batch:
    return to_batch(Winnable(rules)(to_texts(layouts), limit))


@pytest.mark.parametrize("random_rules", [random_rules, random_spider_rules, random_filled_rules])
@pytest.mark.parametrize("seeds", seeds(1_000, 200, quick=20))
def test_verdicts_are_those_of_plain_code(random_rules: Callable[[Random], Rules], seeds: Sequence[int]) -> None:
    for seed in seeds:
        rules = random_rules(Random(seed))
        layouts = to_strings(deal(rules, seed, 1, 3))
        batch = solved(rules, layouts)
        for text, verdict, evidence in zip(layouts, batch.verdicts, batch.evidence, strict=True):
            truth = naive.counted(text, rules, 200)
            if truth is None or verdict is Verdict.UNDECIDED:
                continue
            assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE), (rules, text)
            assert evidence
            full = evidence.startswith("* ")
            assert truth[0] or evidence == f"* {truth[1]}" or not full, (rules, text)
            assert truth[0] or full or int(evidence.rpartition(" ")[2]) <= truth[1], (rules, text)
            Referee(rules)("winnable", text, verdict, None, evidence)


@pytest.mark.parametrize("name", ["klondike", "klondike-deal-1", "canfield", "seahaven-towers", "fan", "golf"])
def test_a_layout_is_decided_with_its_nodes_and_not_with_one_less(name: str) -> None:
    rules = rules_of(name)
    layouts = to_strings(deal(rules, 9, 1, 12))
    batch = solved(rules, layouts)
    for text, verdict, nodes, evidence in zip(layouts, batch.verdicts, batch.nodes, batch.evidence, strict=True):
        enough, fewer = solved(rules, [text], nodes), solved(rules, [text], nodes - 1)
        assert (enough.verdicts, enough.nodes, enough.evidence) == ([verdict], [nodes], [evidence]), text
        assert (fewer.verdicts, fewer.nodes, fewer.evidence) == ([Verdict.UNDECIDED], [nodes - 1], [None]), text


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["klondike", "canfield", "seahaven-towers", "beleaguered-castle", "fan", "trigon", "simple-simon"]
)
def test_the_order_of_columns_and_the_names_of_suits_do_not_matter(name: str) -> None:
    """Suits change their names together with that of their colour. Of wins and of losses that are proved by some cards,
    only the verdict stays the same."""
    rules, random = rules_of(name), Random(name)
    layouts = to_strings(deal(rules, 5, 1, 20))
    batch = solved(rules, layouts)
    for names in ("HCDS", "SDCH", "DSHC"):
        renamed = [_renamed(text, rules, names, random) for text in layouts]
        again = solved(rules, renamed)
        for text, first, second in zip(layouts, _losses(batch), _losses(again), strict=True):
            assert _are_equal(first, second), text


def _renamed(text: str, rules: Rules, names: str, random: Random) -> str:
    name, columns, *parts = text.split(" ")
    table = str.maketrans("CHSDchsd", names + names.lower())
    piles = columns.translate(table).split("/")
    random.shuffle(piles)
    words = [part.partition(":")[0] + ":" + part.partition(":")[2].translate(table) for part in parts]
    if rules.initial == "all":
        words = parts
    return " ".join([name, "/".join(piles), *words])


def _losses(batch: Batch) -> list[str]:
    words = {Verdict.WINNABLE: "won", Verdict.UNDECIDED: "open"}
    return [words.get(verdict, str(evidence)) for verdict, evidence in zip(batch.verdicts, batch.evidence, strict=True)]


def _are_equal(first: str, second: str) -> bool:
    """Whether two outcomes of a deal do not contradict each other."""
    both_lost = {"won", "open"}.isdisjoint((first, second))
    both_full = first.startswith("* ") and second.startswith("* ")
    return "open" in (first, second) or first == second or (both_lost and not both_full)


@pytest.mark.slow
def test_deals_of_seed_0_are_those_whose_verdicts_are_published() -> None:
    rules = rules_of("klondike")
    batch = solved(rules, to_strings(deal(rules, 0, 1, len(PUBLISHED))), MAX_NODES)
    for verdict, winnable in zip(batch.verdicts, PUBLISHED.values(), strict=True):
        assert verdict in (Verdict.UNDECIDED, Verdict.WINNABLE if winnable else Verdict.UNWINNABLE)
    assert batch.verdicts.count(Verdict.WINNABLE) == 3


@pytest.mark.parametrize(
    ("name", "number", "loss"),
    [
        ("king-albert", 863, "cut * 390908"),
        pytest.param("somerset", 552, "cut * 530014", marks=pytest.mark.slow),
        pytest.param("east-haven", 978, None, marks=pytest.mark.slow),
    ],
)
def test_games_whose_cards_come_back_are_searched_beyond_a_million_nodes(
    name: str, number: int, loss: str | None
) -> None:
    game = find_game(name)
    [text] = to_strings(game.deal(1, number, 1))
    assert solved(rules_of(name), [text], MAX_NODES).verdicts == [Verdict.UNDECIDED]
    [result] = dealmill.solve(name, [text])
    assert (
        (result.verdict, result.evidence) == (Verdict.UNWINNABLE, loss) if loss else result.verdict is Verdict.WINNABLE
    )
    game.compiled_check("winnable", text, result.verdict, None, result.evidence or "")


LOST_DEALS_OF_FREECELL = {
    11982: 83239,
    146692: 19418,
    186216: 22970,
    455889: 13966,
    495505: 30609,
    512118: 46460,
    517776: 94943,
    781948: 7736,
}
"""Those among Microsoft's first million, with the positions that Freecell Solver, too, finds in each, without safe
cards."""


@pytest.mark.slow
def test_the_lost_deals_of_freecell_are_proved() -> None:
    game = find_game("freecell")
    texts = {number: to_strings(game.deal(0, number, 1))[0] for number in LOST_DEALS_OF_FREECELL}
    batch = solved(rules_of("freecell"), list(texts.values()), 1_000_000)
    for (number, count), evidence in zip(LOST_DEALS_OF_FREECELL.items(), batch.evidence, strict=True):
        assert evidence
        loss = read_loss(rules_of("freecell"), evidence)
        assert isinstance(loss, SafeLoss)
        assert loss.positions < count
        game.compiled_check("winnable", texts[number], Verdict.UNWINNABLE, None, evidence)
        check_count(rules_of("freecell"), texts[number], CountedLoss(None, count))
    game.check("winnable", texts[781948], Verdict.UNWINNABLE, None, "* 7736")


def test_a_position_with_nothing_left_is_won_without_moves() -> None:
    text = "klondike -/-/-/-/-/-/- foundations:KCKHKSKD"
    batch = solved(rules_of("klondike"), [text])
    assert (batch.verdicts, batch.evidence) == ([Verdict.WINNABLE], ["-"])
    Referee(rules_of("klondike"))("winnable", text, Verdict.WINNABLE, None, "-")


@pytest.mark.parametrize(("name", "moves"), [("freecell", 150), ("klondike", 100), ("east-haven", 110)])
def test_wins_are_short(name: str, moves: int) -> None:
    """At most this many moves at the median."""
    batch = solved(rules_of(name), to_strings(deal(rules_of(name), 1, 1, 40)))
    wins = [
        str(evidence).split(" ")
        for evidence, won in zip(batch.evidence, batch.verdicts, strict=True)
        if won is Verdict.WINNABLE
    ]
    assert len(wins) >= 20 and median(map(len, wins)) <= moves


@pytest.mark.slow
@pytest.mark.parametrize("name", ["klondike", "free-cell-3-cell", "canfield"])
def test_no_move_of_a_win_can_be_left_out(name: str) -> None:
    rules = rules_of(name)
    layouts = to_strings(deal(rules, 2, 1, 3))
    batch = solved(rules, layouts)
    assert Verdict.WINNABLE in batch.verdicts
    for text, verdict, evidence in zip(layouts, batch.verdicts, batch.evidence, strict=True):
        moves = str(evidence).split(" ") if verdict is Verdict.WINNABLE else []
        for index in range(len(moves)):
            with pytest.raises(InvalidEvidence):
                Referee(rules)("winnable", text, verdict, None, " ".join(moves[:index] + moves[index + 1 :]))


@pytest.mark.slow
def test_a_win_of_hundreds_of_thousands_of_moves_is_a_win() -> None:
    """Deal 31465 of Microsoft's, whose solution is published; the search finds one with 262,144 moves or more."""
    [text] = to_strings(find_game("freecell").deal(0, 31465, 1))
    batch = solved(rules_of("freecell"), [text], 6_000_000)
    assert batch.verdicts == [Verdict.WINNABLE]
    assert len(str(batch.evidence[0]).split(" ")) < 500
    Referee(rules_of("freecell"))("winnable", text, Verdict.WINNABLE, None, str(batch.evidence[0]))


def test_a_search_for_which_memory_is_missing_fails_and_can_be_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FIRST_DEALT", 3)
    game = find_game("east-haven:foundations.removable=false")
    [lost] = to_strings(game.deal(0, 48, 1))
    assert solve(f"{game.name}/winnable", [lost]).verdicts == [Verdict.UNWINNABLE]
    monkeypatch.setattr(machine, "memory_of_machine", lambda: 10**6)
    failed = solve(f"{game.name}/winnable", [lost])
    assert failed.verdicts == [Verdict.FAILED]
    assert re.fullmatch(
        r"retryable: MemoryError: the search of 12,000,000 positions after \d+ nodes takes up to 1\.2 GB, and this "
        r"machine has 0\.0 GB",
        str(failed.evidence[0]),
    )


def test_a_limit_that_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory_of_machine", lambda: 24 * 10**9)
    deal_of_seed_0 = dealmill.deals("freecell", seed=0, count=1)
    with pytest.raises(UsageError, match=r"1,000,000,000 nodes takes up to 68\.8 GB .* such as to 536,870,912"):
        dealmill.solve("freecell", deal_of_seed_0, max_nodes=10**9)
    machine.check_limit(find_game("freecell").engines[0], 500_000_000)
    machine.check_limit(find_game("spider").engines[0], 10**12)


def test_a_win_of_254940_moves_becomes_short() -> None:
    """It is what the search finds in deal 50 of Solvitaire's numbers, and has 402 moves after shortening."""
    rules = rules_of("somerset")
    text = to_strings(deal(replace(rules, numbers="solvitaire"), 0, 50, 1))[0]
    batch = solved(rules, [text], 1_000_000)
    assert len(str(batch.evidence[0]).split(" ")) < 500
    Referee(rules)("winnable", text, batch.verdicts[0], None, str(batch.evidence[0]))
