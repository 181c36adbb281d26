"""The compiled referee of patiences against the plain one, and how the two share the work."""

import re
from collections.abc import Callable, Sequence
from random import Random

import pytest

from dealmill.pipeline.errors import Unchecked
from dealmill.pipeline.evidence.referee import judge_by
from dealmill.pipeline.games import caches, compiled_judge, machine
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.compiled import counting, keys, single_cards
from dealmill.pipeline.games.patience.compiled import referee as compiled
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses.counted import (
    MAX_PLAIN,
    CountedLoss,
    cards_may_be_absent_at_once,
    easier_game_is_sound,
    read_counted,
)
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.system.bounded import MAX_BYTES
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_filled_rules, random_rules, random_spider_rules, seeds

CLAIM = 300
WON, EASIER_WON = "the game can be won", "the easier game can be won"
MORE = f"more than {CLAIM} positions can be reached"
OTHER = re.compile(r"(\d+) positions? can be reached, not")
LOSSES = {66: ("*TCQCJHQHKHTSQSKS9DQDKD", 100, "QC"), 243: ("*7C8C9CTCQC6H8HTHJHKH8S9S6D8DTDJD", 164, "7C")}
"""Deals of Klondike of seed 0 that are lost: the cards that matter, the number of positions, which is one that plain
Python counts or one that it does not, and a card without which the easier game can be won."""
GOLF_LOSS = 5, 201_950
"""A deal of seed 1 that is lost, and the number of its positions."""


@pytest.mark.parametrize("random_rules", [random_rules, random_spider_rules, random_filled_rules])
@pytest.mark.parametrize("seeds", seeds(3_000, 300, quick=20))
def test_both_referees_count_the_same_positions(random_rules: Callable[[Random], Rules], seeds: Sequence[int]) -> None:
    """Of full games and of easier ones. Only the order in which they visit positions differs."""
    for seed in seeds:
        rules, random = random_rules(Random(seed)), Random(seed)
        cards = sorted(rules.deck(), key=lambda card: ("CHSD".index(card[1]), "A23456789TJQK".index(card[0])))
        for text in to_strings(deal(rules, seed, 1, 2)):
            forms = ["*"] * 2 * easier_game_is_sound(rules) + [""] * cards_may_be_absent_at_once(rules)
            lists = [form + "".join(card for card in cards if random.random() < 0.6) for form in forms]
            for live in ["*", *filter(None, lists)]:
                evidence = f"{live} {CLAIM}"
                reasons = _reason(Referee(rules), text, evidence), _counted(rules, text, evidence)
                assert reasons[0] == reasons[1] or {*reasons} in ({WON, MORE}, {EASIER_WON, MORE}), (rules, text, live)
                if other := OTHER.match(reasons[0]):
                    loss = read_counted(rules, evidence)._replace(positions=int(other[1]))
                    position = Referee(rules).position(text)
                    assert counting.check_count(rules, text, loss) == list(
                        loss.counts(Referee(rules), position, CLAIM)
                    ), (rules, text)


def _reason(check: compiled.CompiledReferee | Referee, text: str, evidence: str) -> str:
    try:
        check("winnable", text, Verdict.UNWINNABLE, None, evidence)
    except InvalidEvidence as error:
        return error.reason
    return ""


def _counted(rules: Rules, text: str, evidence: str) -> str:
    try:
        counting.check_count(rules, text, read_counted(rules, evidence))
    except InvalidEvidence as error:
        return error.reason
    return ""


@pytest.mark.parametrize("number", LOSSES)
def test_altered_claims_are_refused_on_both_sides_of_the_limit(number: int) -> None:
    cards, positions, needed = LOSSES[number]
    check = compiled.CompiledReferee(rules_of("klondike"))
    text = _klondike(number)
    assert _reason(check, text, f"{cards} {positions}") == ""
    fewer, more = positions - 1, positions + 1
    assert _reason(check, text, f"{cards} {fewer}") == f"more than {fewer} positions can be reached"
    assert _reason(check, text, f"{cards} {more}") == f"{positions} positions can be reached, not {more}"
    assert _reason(check, text, f"{cards.replace(needed, '')} {positions}") == EASIER_WON


def _klondike(number: int) -> str:
    [text] = to_strings(deal(rules_of("klondike"), 0, number, 1))
    return text


def _draw(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Have both referees draw their samples by this number."""
    for module in (compiled_judge, compiled):
        monkeypatch.setattr(module, "random_number", lambda _layout: number)


def test_the_number_of_positions_on_record_chooses_the_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = list[tuple[str, int]]()
    monkeypatch.setattr(CountedLoss, "check", lambda loss, _game, _position: counted.append(("plain", loss.positions)))
    monkeypatch.setattr(compiled, "check_loss", lambda *_loss: counted.append(("compiled", _loss[2].positions)))
    _draw(monkeypatch, compiled.DRAWN_POSITIONS - 1)
    check = compiled.CompiledReferee(rules_of("klondike"))
    for positions in (1, MAX_PLAIN, MAX_PLAIN + 1, 999_999):
        assert _reason(check, _klondike(66), f"* {positions}") == ""
    assert counted == [("plain", 1), ("plain", 25), ("compiled", 26), ("compiled", 999_999)]


def test_plain_python_visits_some_positions_of_losses_that_it_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The more positions a loss has, the more often. A referee that reached others would be noticed, and so would one
    that overlooked a win, but not beyond these positions."""
    rules, (evidence, positions, _), visited = rules_of("klondike"), LOSSES[243], list[Position]()
    monkeypatch.setattr(keys, "COMPARED", 50)
    monkeypatch.setattr(compiled, "COMPARED", 50)
    text = _klondike(243)
    is_won, check = Moves.won, compiled.CompiledReferee(rules)

    def won(game: Moves, position: Position) -> bool:
        visited.append(position)
        return is_won(game, position)

    monkeypatch.setattr(Moves, "won", won)
    for drawn, is_visited in ((positions - 1, True), (positions, False)):
        _draw(monkeypatch, drawn)
        assert _reason(check, text, f"{evidence} {positions}") == ""
        assert bool(visited) == is_visited
        assert len(visited) < keys.COMPARED
        visited.clear()
    _draw(monkeypatch, 0)
    counts = counting.check_count(rules, text, read_counted(rules, f"{evidence} {positions}"))
    assert counts == sorted(set(counts)) and counts[0] == 1 and counts[-1] <= keys.COMPARED
    for altered, reason in (
        ([*counts[:3], counts[3] + 1, *counts[4:]], f"{counts[3]} positions with at most 3 moves"),
        (counts[:-1], f"at most {len(counts) - 1} moves, the compiled referee no more"),
        ([*counts, 49], f"no more positions with at most {len(counts)} moves, the compiled referee 49"),
    ):
        monkeypatch.setattr(compiled, "check_loss", lambda *_loss: altered)  # noqa: B023
        objection = _reason(check, text, f"{evidence} {positions}")
        assert objection.startswith("the referees disagree: ") and reason in objection
    monkeypatch.setattr(Moves, "won", lambda *_position: True)
    assert _reason(check, text, f"{evidence} {positions}") == EASIER_WON


@pytest.mark.parametrize(("claimed", "reason"), [(201_950, ""), (201_949, "more than 201,949"), (2_000_000, "201,950")])
def test_a_claim_gets_room_as_it_is_needed(claimed: int, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a great claim of few positions takes little memory, and a count that does not fit is no fault of evidence."""
    rules = rules_of("golf")
    [text] = to_strings(deal(rules, 1, GOLF_LOSS[0], 1))
    monkeypatch.setattr(keys, "FIRST_ROOM", 1_000)
    monkeypatch.setattr(keys, "FREE_BYTES", 100_000)
    assert reason in _counted(rules, text, f"* {claimed}")
    monkeypatch.setattr(machine, "memory_of_machine", lambda: 1_000_000)
    with pytest.raises(MemoryError, match=r"a count of \d+,000 positions takes up to .* and this machine has 0.0 GB"):
        counting.check_count(rules, text, read_counted(rules, f"* {claimed}"))


@pytest.mark.parametrize(("claimed", "reason"), [(3_596, ""), (3_595, "more than 3,595"), (2_000_000, "3,596")])
def test_a_claim_of_single_cards_gets_room_as_it_is_needed(
    claimed: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These have more words, so they get less room at first."""
    rules = rules_of("fore-cell-same-suit")
    [text] = to_strings(deal(rules, 1, 6, 1))
    live = "4C5C6C7C8CTCJCQCKC3H4H5H6H7H8H9HTHJHQHKH2S3S4S5S7S8S9STSJSQSKS2D3D4D5D7D8D9DJDQDKD"
    monkeypatch.setattr(single_cards, "FIRST_ROOM", 100)
    loss = read_counted(rules, f"*{live} {claimed}")
    if reason:
        with pytest.raises(InvalidEvidence, match=reason):
            single_cards.check_count(rules, text, loss)
    else:
        single_cards.check_count(rules, text, loss)


def test_ten_million_positions_of_single_cards_fit_into_the_memory_of_a_check() -> None:
    arrays = keys.queue_and_table(9_999_999, single_cards.PARTS)
    assert sum(array.nbytes for array in arrays) < MAX_BYTES


def test_evidence_that_no_referee_counts_is_refused() -> None:
    rules = rules_of("golf")
    [text] = to_strings(deal(rules, 1, GOLF_LOSS[0], 1))
    assert "more than the limit" in _reason(compiled.CompiledReferee(rules), text, "* 1000000001")
    dealt = rules_of("east-haven")
    [lost] = to_strings(deal(dealt, 0, 48, 1))
    assert "324 positions can be reached, not" in _reason(compiled.CompiledReferee(dealt), lost, "* 100001")
    with pytest.raises(InvalidEvidence) as caught:
        compiled.CompiledReferee(rules)("winnable", "golf 3H", Verdict.UNWINNABLE, None, "* 200000")
    assert caught.value.step == 0


def test_some_losses_are_counted_by_both_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = list[str]()
    monkeypatch.setattr(compiled, "check_loss", lambda _rules, text, _loss: counted.append(text))
    rules = rules_of("black-hole")
    texts = ["/".join(["black-hole 3H", "3C", *["-"] * 15]) + f" hole:A{suit}" for suit in "CHSD"]
    texts += [text.replace("3C", card) for text in texts for card in ("4C", "5C", "6C", "7C", "8C", "9C", "TC")]
    for _ in range(2):
        for text in texts:
            assert _reason(compiled.CompiledReferee(rules), text, "* 1") == ""
    sample = counted[: len(counted) // 2]
    assert 0 < len(sample) < len(texts) / 2
    assert counted == sample * 2


def test_nothing_is_judged_by_a_referee_that_must_be_compiled_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no fault of the evidence: a worker compiles it without a lease, and does the job again."""

    def compiling(*_arguments: object) -> None:
        caches.check_may_compile("the compiled referee")

    monkeypatch.setattr(keys, "compiling", compiling)
    check, (cards, positions, _) = compiled.CompiledReferee(rules_of("klondike")), LOSSES[243]
    with caches.nothing_compiled(), pytest.raises(Unchecked):
        judge_by(check, "winnable", _klondike(243), Verdict.UNWINNABLE, None, f"{cards} {positions}")
