"""The compiled referee of patiences against the plain one, and how the two share the work."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

from dealmill.pipeline.errors import Unchecked
from dealmill.pipeline.games import caches, machine
from dealmill.pipeline.games.batch import unpack
from dealmill.pipeline.games.patience import counting
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.player import RefereeOfPlays
from dealmill.pipeline.games.patience.rules import (
    Referee,
    Rules,
    cards_may_be_absent_at_once,
    easier_game_is_sound,
    read_loss,
)
from dealmill.pipeline.referee import judge_by
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules, random_spider_rules, seeds

CLAIM = 300
WON, MORE = "the game can be won", f"more than {CLAIM} positions can be reached"
GOLF_LOSSES = {5: 201_950, 905: 8_069}
"""Deals of seed 1 that are lost, both with more positions than the plain referee counts in an audit."""


@pytest.mark.parametrize("random_rules", [random_rules, random_spider_rules])
@pytest.mark.parametrize("seeds", seeds(3_000, 300, quick=20))
def test_both_referees_count_the_same_positions(random_rules: Callable[[Random], Rules], seeds: Sequence[int]) -> None:
    """Of full games and of easier ones. Only the order in which they visit positions differs."""
    for seed in seeds:
        rules, random = random_rules(Random(seed)), Random(seed)
        cards = sorted(rules.deck(), key=lambda card: ("CHSD".index(card[1]), "A23456789TJQK".index(card[0])))
        for text in unpack(deal(rules, seed, 1, 2)):
            forms = ["*"] * 2 * easier_game_is_sound(rules) + [""] * cards_may_be_absent_at_once(rules)
            lists = [form + "".join(card for card in cards if random.random() < 0.6) for form in forms]
            for live in ["*", *filter(None, lists)]:
                evidence = f"{live} {CLAIM}"
                reasons = _reason(Referee(rules), text, evidence), _counted(rules, text, evidence)
                assert reasons[0] == reasons[1] or set(reasons) == {WON, MORE}, (rules, text, live)


def _reason(check: counting.CompiledReferee | Referee, text: str, evidence: str) -> str:
    try:
        check("winnable", text, Verdict.UNWINNABLE, None, evidence)
    except InvalidEvidence as error:
        return error.reason
    return ""


def _counted(rules: Rules, text: str, evidence: str) -> str:
    try:
        counting.check_count(rules, text, read_loss(rules, evidence))
    except InvalidEvidence as error:
        return error.reason
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("number", GOLF_LOSSES)
def test_a_long_loss_is_counted(number: int) -> None:
    rules, positions = rules_of("golf"), GOLF_LOSSES[number]
    check = counting.CompiledReferee(rules)
    [text] = unpack(deal(rules, 1, number, 1))
    assert _reason(check, text, f"* {positions}") == ""
    assert "more than" in _reason(check, text, f"* {positions - 1}")
    assert "can be reached, not" in _reason(check, text, f"* {positions + 1}")


@pytest.mark.parametrize(("claimed", "reason"), [(201_950, ""), (201_949, "more than 201,949"), (2_000_000, "201,950")])
def test_a_claim_gets_room_as_it_is_needed(claimed: int, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a great claim of few positions takes little memory, and a count that does not fit is no fault of evidence."""
    rules = rules_of("golf")
    [text] = unpack(deal(rules, 1, 5, 1))
    monkeypatch.setattr(counting, "FIRST_ROOM", 1_000)
    assert reason in _counted(rules, text, f"* {claimed}")
    monkeypatch.setattr(machine, "memory_of_machine", lambda: 1_000_000)
    with pytest.raises(MemoryError, match=r"a count of \d+,000 positions takes up to .* and this machine has 0.0 GB"):
        counting.check_count(rules, text, read_loss(rules, f"* {claimed}"))


def test_evidence_that_no_referee_counts_is_refused() -> None:
    rules = rules_of("golf")
    [text] = unpack(deal(rules, 1, 5, 1))
    assert "more than the limit" in _reason(counting.CompiledReferee(rules), text, "* 1000000001")
    dealt = rules_of("east-haven")
    [lost] = unpack(deal(dealt, 0, 48, 1))
    assert "324 positions can be reached, not" in _reason(counting.CompiledReferee(dealt), lost, "* 100001")
    with pytest.raises(InvalidEvidence) as caught:
        counting.CompiledReferee(rules)("winnable", "golf 3H", Verdict.UNWINNABLE, None, "* 200000")
    assert caught.value.step == 0


def test_plain_python_counts_short_losses_and_visits_a_sample_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of positions that is claimed decides, so an audit does the same everywhere."""
    judged = dict[str, list[str]]()

    def recorded(by: str) -> Callable[..., None]:
        return lambda _referee, text, *_loss: judged.setdefault(by, []).append(str(text))

    monkeypatch.setattr(RefereeOfPlays, "_check_loss", recorded("plain"))
    monkeypatch.setattr(RefereeOfPlays, "visit_positions", recorded("sample"))
    monkeypatch.setattr(counting, "check_count", recorded("compiled"))
    check = counting.CompiledReferee(rules_of("black-hole"))
    ranks = "3456789TJQ"
    texts = [f"black-hole {rank}H/{rank}C{'/-' * 15} hole:{last}S" for rank in ranks for last in (*ranks, "A")]
    for positions in (1, counting.PLAIN_POSITIONS):
        assert [_reason(check, text, f"* {positions}") for text in texts] == [""] * len(texts)
    assert (list(judged), len(judged.pop("plain"))) == (["plain"], 2 * len(texts))
    for _ in range(2):
        assert [_reason(check, text, f"* {counting.PLAIN_POSITIONS + 1}") for text in texts] == [""] * len(texts)
    assert judged["compiled"] == texts * 2
    sample = judged["sample"][: len(judged["sample"]) // 2]
    assert 0 < len(sample) < len(texts) / 10
    assert judged["sample"] == sample * 2


@pytest.mark.slow
def test_what_the_compiled_referee_would_miss_is_found_in_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, lost = rules_of("golf"), GOLF_LOSSES[905]
    monkeypatch.setattr(counting, "check_count", lambda *_arguments: None)
    monkeypatch.setattr(counting, "SAMPLE", 1)
    [text] = unpack(deal(rules, 1, 905, 1))
    check = counting.CompiledReferee(rules)
    assert _reason(check, text, f"* {lost + 1}") == ""  # so many are not visited
    won = "/".join(["black-hole 3H", "2C", *["-"] * 15]) + " hole:AS"
    assert _reason(counting.CompiledReferee(rules_of("black-hole")), won, "* 50000") == WON
    monkeypatch.setattr(counting, "SAMPLE_POSITIONS", lost + 1)
    assert _reason(check, text, f"* {lost}") == ""
    assert _reason(check, text, f"* {lost + 1}") == f"{lost:,} positions can be reached, not {lost + 1:,}"
    assert _reason(check, text, f"* {lost - 1}") == f"more than {lost - 1:,} positions can be reached"


def test_nothing_is_judged_by_a_referee_that_must_be_compiled_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no fault of the evidence: a worker compiles it without a lease, and does the job again."""

    def compiling(*_arguments: object) -> None:
        caches.check_may_compile("the compiled referee")

    monkeypatch.setattr(counting, "compiling", compiling)
    rules = rules_of("golf")
    [text] = unpack(deal(rules, 1, 5, 1))
    check = counting.CompiledReferee(rules)
    with caches.nothing_compiled(), pytest.raises(Unchecked):
        judge_by(check, "winnable", text, Verdict.UNWINNABLE, None, f"* {GOLF_LOSSES[5]}")
