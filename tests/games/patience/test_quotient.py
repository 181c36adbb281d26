"""Losses by positions of the quotient: the engine, both referees and plain code on small decks and on deals."""

from dataclasses import replace
from functools import partial
from random import Random

import pytest

from dealmill.pipeline.games.batch import pack, to_batch, unpack
from dealmill.pipeline.games.patience.compiled import CompiledReferee, check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss, QuotientMoves, quotient_is_sound
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.quotient import engine
from dealmill.pipeline.games.patience.quotient.engine import Quotient
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.searches import QUOTIENT, search_of
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import FILES, rules_of
from tests.selection import parts_by_hand

COVERED = {
    "american-canister",
    "canfield",
    "klondike",
    "klondike-deal-1",
    "klondike-reserve",
    "northwest-territory",
}
POSITIONS = 300
"""Small decks with more positions of the game are passed over."""
CLAIM = 10
"""The positions that false evidence of a loss claims."""
DECKS = 40
LOST = 10
"""The number of a deal of Klondike that is lost, with the positions below."""
LOST_POSITIONS = 13_289


@pytest.fixture(autouse=True)
def _without_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine count all losses in the quotient: lists of cards would prove nearly all of small decks."""
    monkeypatch.setattr(engine, "LISTED_POSITIONS", 0)


def _small_rules(random: Random) -> Rules:
    """Rules that the quotient covers, with a small deck."""
    while True:
        ranks, columns = random.randint(2, 6), random.randint(1, 5)
        initial = random.choice(["none", "none", "all", "one"])
        spaces = random.choice(["kings", "kings", "none", "any", "reserve"])
        stock, reserve = random.randint(0, 8), random.choice([0, 0, random.randint(1, 6)])
        if spaces == "reserve" and not reserve:
            continue
        left = 4 * ranks - stock - reserve - {"none": 0, "one": 1, "all": 4}[initial]
        if left < 0:
            continue
        sizes = [0] * columns
        for _ in range(left):
            sizes[random.randrange(columns)] += 1
        return replace(
            rules_of("klondike"),
            ranks=ranks,
            sizes=tuple(sizes),
            stock=stock,
            reserve=reserve,
            deal="columns",
            face_down=random.choice(["none", "all-but-top", "all-but-top"]),
            spaces=spaces,
            stacked=spaces == "reserve",
            removable=random.random() < 0.7,
            foundations="dealt" if initial == "one" else "A",
            initial=initial,
            draw=random.randint(1, 3),
            passes=random.choice([0, 0, 0, 1, 2, 3]),
        )


def _compared(rules: Rules, layout: str) -> Verdict | None:
    """Compare all with plain code; return the verdict, or None if the game has too many positions."""
    truth = naive.counted(layout, rules, POSITIONS)
    if truth is None:
        return None
    solved = to_batch(Quotient(rules)(pack([layout]), 10_000))
    [verdict], [evidence] = solved.verdicts, solved.evidence
    assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE), (rules, layout, evidence)
    Referee(rules)("winnable", layout, verdict, None, str(evidence))
    if verdict is Verdict.UNWINNABLE:
        loss = read_loss(rules, str(evidence))
        check_loss(rules, layout, loss)
        assert isinstance(loss, QuotientLoss)
        _check_arrangements(rules, layout, loss)
    else:
        for referee in (Referee(rules), CompiledReferee(rules)):
            with pytest.raises(InvalidEvidence):
                referee("winnable", layout, Verdict.UNWINNABLE, None, f"quotient * {CLAIM}")
    return verdict


def _check_arrangements(rules: Rules, layout: str, loss: QuotientLoss) -> None:
    """Check that the boards of a loss are those of its positions."""
    game, moves = Moves(rules), QuotientMoves(rules)
    shown, counted = (
        visits(game, game.position(layout)) for visits in (loss.visits, partial(CountedLoss.visits, loss))
    )
    for board, visit in zip(shown, counted, strict=True):
        assert moves.settled(board.position) == visit.position, (rules, layout, board)


def _verdicts(seed: int, count: int) -> dict[Verdict, int]:
    """Compare layouts with small decks until so many were compared; return how many have each verdict."""
    random, verdicts = Random(seed), {Verdict.WINNABLE: 0, Verdict.UNWINNABLE: 0}
    while sum(verdicts.values()) < count:
        rules = _small_rules(random)
        layouts = [
            *unpack(deal(rules, random.randrange(1_000), 1, 1)),
            *(random_position(rules, random) for _ in "123"),
        ]
        for layout in layouts:
            if verdict := _compared(rules, layout):
                verdicts[verdict] += 1
    return verdicts


def test_small_decks_are_decided_as_by_plain_code() -> None:
    verdicts = _verdicts(0, DECKS)
    assert min(verdicts.values()) > DECKS // 5


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("decks", parts_by_hand(range(0, 100_000, 10_000), 10_000))
def test_many_small_decks_are_decided_as_by_plain_code(decks: range) -> None:
    verdicts = _verdicts(decks.stop, len(decks))
    assert min(verdicts.values()) > len(decks) // 5


def test_the_quotient_covers_games_like_klondike() -> None:
    assert {name for name, game in FILES.items() if search_of(game.rules) is QUOTIENT} == COVERED
    assert {name for name, game in FILES.items() if quotient_is_sound(game.rules)} == COVERED
    rules = rules_of("klondike")
    assert not any(
        quotient_is_sound(replace(rules, **change))
        for change in (
            {"build": "same-suit"},
            {"move": "card"},
            {"move": "any"},
            {"run": "same-suit"},
            {"cells": 1},
            {"reserve": 3, "stacked": True},
            {"to": "tableau"},
            {"complete": True},
            {"decks": 2},
        )
    )
    assert search_of(replace(rules, passes=6)) is not QUOTIENT  # its keys would be too long


@pytest.mark.parametrize("positions", [LOST_POSITIONS - 1, LOST_POSITIONS, LOST_POSITIONS + 1])
def test_a_loss_has_one_number_of_positions(positions: int) -> None:
    rules = rules_of("klondike")
    [layout] = unpack(deal(rules, 1, LOST, 1))
    loss = read_loss(rules, f"quotient * {positions}")
    assert isinstance(loss, QuotientLoss)
    if positions == LOST_POSITIONS:
        assert check_loss(rules, layout, loss)[0] == 1
    else:
        with pytest.raises(InvalidEvidence, match="positions can be reached"):
            check_loss(rules, layout, loss)


@pytest.mark.parametrize(
    "evidence",
    ["quotient", "quotient ", "quotient *", "quotient * 0", "quotient *  1", "quotient *6C 1", "quotient * 1 "],
)
def test_other_texts_are_no_evidence(evidence: str) -> None:
    with pytest.raises(InvalidEvidence):
        read_loss(rules_of("klondike"), evidence)


def test_the_form_is_refused_where_it_proves_nothing() -> None:
    with pytest.raises(InvalidEvidence, match="prove nothing in yukon"):
        read_loss(rules_of("yukon"), "quotient * 1")
