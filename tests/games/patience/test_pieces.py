"""Losses by positions without the arrangement of pieces: the engine, both referees and plain code on small decks."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from random import Random
from typing import NamedTuple

import pytest

from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.card_pictures import Marks
from dealmill.pipeline.games.patience.compiled.referee import check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.display.drawing import table
from dealmill.pipeline.games.patience.engine.quotient import pieces
from dealmill.pipeline.games.patience.engine.quotient.pieces import Pieces
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.pieces import PieceMoves, PiecesLoss, pieces_prove_losses
from dealmill.pipeline.games.patience.losses.quotient import quotient_proves_losses
from dealmill.pipeline.games.patience.moves import Moves, Play
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.searches import PIECES, search_of
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import seeds
from tests.games.patience.small_claims import assert_that_referees_agree
from tests.selection import parts_by_hand

COVERED = {"yukon"}
POSITIONS = 300
"""Small decks with more positions of the game, or of the quotient, are passed over."""
DECKS = 40
LOST, LOST_POSITIONS = 842, 415
"""The number of a deal of Yukon that is lost, and its positions."""


class Card(NamedTuple):
    """A card of a piece: its rank, from 0, its suit, and whether it lay face down in the layout."""

    rank: int
    suit: str
    is_down: bool

    @property
    def is_red(self) -> bool:
        return self.suit in "HD"

    def fits(self, other: "Card") -> bool:
        """Whether it may lie on another one."""
        return self.rank + 1 == other.rank and self.is_red != other.is_red


class Piece(NamedTuple):
    cards: tuple[Card, ...]
    is_loose: bool


Heights = tuple[int, int, int, int]
State = tuple[Heights, frozenset[Piece]]
"""A position of the quotient."""


class Literal:
    """The quotient as it is defined, without safe cards and refuted positions."""

    def __init__(self, rules: Rules, layout: str) -> None:
        self.rules, state = rules, naive.parsed(layout, rules)
        pieces = list[Piece]()
        for column in state.columns:
            cards = [Card(state.height(card), card.suit, card.down) for card in column]
            start = 0
            for end, card in enumerate(cards, start=1):
                if end == len(cards) or (not card.is_down and cards[end].fits(card)):
                    is_loose = start > 0 or cards[0].rank == rules.ranks - 1
                    pieces.append(Piece(tuple(cards[start:end]), is_loose))
                    start = end
        heights = tuple(state.up[suit][0] for suit in "CHSD")
        self.first: State = heights, frozenset(pieces)  # type: ignore[assignment]

    def is_won(self, limit: int) -> bool | None:
        """Whether the quotient can be won, or None if it has more positions than the limit."""
        states, known = [self.first], {self.first}
        for heights, places in states:
            if not places:
                return True
            for state in self._moves(heights, places):
                if state not in known:
                    known.add(state)
                    states.append(state)
            if len(states) > limit:
                return None
        return False

    def _moves(self, heights: Heights, pieces: frozenset[Piece]) -> Iterator[State]:
        loose = [piece for piece in pieces if piece.is_loose]
        for piece in pieces:
            others, top = pieces - {piece}, piece.cards[-1]
            if heights["CHSD".index(top.suit)] == top.rank:
                above = [each for each in loose if each.cards[0].fits(top)]
                alike = [
                    each for each in others if each.cards[-1][0] == top.rank and each.cards[-1].is_red == top.is_red
                ]
                if _can_be_put(above, alike):
                    up = tuple(height + (suit == top.suit) for suit, height in zip("CHSD", heights, strict=True))
                    left = [Piece(piece.cards[:-1], piece.is_loose)] if piece.cards[1:] else []
                    yield up, others.union(left)  # type: ignore[misc]
            for number in range(piece.is_loose, len(piece.cards)):
                card = piece.cards[number]
                if card != top and card.is_down:
                    continue
                alike = [
                    each for each in loose if each.cards[0][0] == card.rank and each.cards[0].is_red == card.is_red
                ]
                kings = sum(each.cards[0].rank == card.rank for each in loose)
                if card.rank == self.rules.ranks - 1:
                    spaces = len(self.rules.sizes) - (len(pieces) - len(loose))
                    has_room = self.rules.spaces == "kings" and spaces > kings
                else:
                    has_room = _can_be_put([piece, *alike], [each for each in pieces if card.fits(each.cards[-1])])
                if has_room:
                    parts = [Piece(piece.cards[:number], piece.is_loose), Piece(piece.cards[number:], True)]
                    yield heights, others.union(part for part in parts if part.cards)


def _can_be_put(pieces: Sequence[Piece], tops: Sequence[Piece]) -> bool:
    """Whether pieces can be put on top cards of others."""
    ways = permutations(tops, len(pieces))
    return any(all(piece is not top for piece, top in zip(pieces, way, strict=True)) for way in ways)


@pytest.fixture(autouse=True)
def _without_plain_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine count all losses without the arrangement: the plain search would prove those of small decks."""
    monkeypatch.setattr(pieces, "FIRST_NODES", 1)


def _small_rules(random: Random) -> Rules:
    """Rules that this search covers, with a small deck."""
    while True:
        ranks, columns = random.randint(1, 6), random.randint(1, 6)
        initial = random.choice(["none", "none", "none", "all", "one"])
        left = 4 * ranks - {"none": 0, "one": 1, "all": 4}[initial]
        sizes = [0] * columns
        for _ in range(left):
            sizes[random.randrange(columns)] += 1
        some_down = tuple(random.randrange(max(size, 1)) for size in sizes)
        face_down: str | tuple[int, ...] = random.choice(["none", "all-but-top", some_down])  # type: ignore[assignment]
        return replace(
            rules_of("yukon"),
            ranks=ranks,
            sizes=tuple(sizes),
            deal=random.choice(["columns", "rows"]),
            face_down=face_down,
            spaces=random.choice(["kings", "kings", "none"]),
            foundations="dealt" if initial == "one" else "A",
            initial=initial,
        )


def _layouts(random: Random) -> Iterator[tuple[Rules, str]]:
    """Yield deals and positions of small decks."""
    while True:
        rules = _small_rules(random)
        for layout in to_strings(deal(rules, random.randrange(1_000), 1, 1)):
            yield rules, layout
        for _ in range(3):
            yield rules, random_position(rules, random)


def _compared(rules: Rules, layout: str) -> tuple[bool, bool] | None:
    """Compare all with plain code; return whether the game can be won, and the quotient, or None if one has too many
    positions."""
    truth = naive.counted(layout, rules, POSITIONS)
    is_easier_won = Literal(rules, layout).is_won(POSITIONS)
    if truth is None or is_easier_won is None:
        return None
    solved = to_batch(Pieces(rules)(to_texts([layout]), 10_000))
    [verdict], [evidence] = solved.verdicts, solved.evidence
    assert is_easier_won or not truth[0], (rules, layout)
    assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE), (rules, layout, evidence)
    Referee(rules)("winnable", layout, verdict, None, str(evidence))
    is_counted = str(evidence).startswith("quotient")
    assert is_counted or is_easier_won or solved.nodes == [1], (rules, layout, evidence)
    if is_counted:
        loss = read_loss(rules, str(evidence))
        assert isinstance(loss, PiecesLoss)
        check_loss(rules, layout, loss)
        _check_arrangements(rules, layout, loss)
        assert not is_easier_won, (rules, layout)
    return truth[0], is_easier_won


def _check_arrangements(rules: Rules, layout: str, loss: PiecesLoss) -> None:
    """Check that the boards of a loss are those of its positions, as far as pieces lie where they may."""
    game, moves = Moves(rules), PieceMoves(rules)
    shown, counted = (
        visits(game, game.position(layout)) for visits in (loss.visits, partial(CountedLoss.visits, loss))
    )
    for board, visit in zip(shown, counted, strict=True):
        columns = board.position.columns
        assert len(columns) >= len(rules.sizes)
        if len(columns) == len(rules.sizes):
            assert moves.divided(board.position) == visit.position, (rules, layout, board)


def _outcomes(seed: int, count: int) -> dict[tuple[bool, bool], int]:
    """Compare layouts with small decks until so many were compared; return how many have each outcome."""
    outcomes = {(True, True): 0, (False, True): 0, (False, False): 0}
    for rules, layout in _layouts(Random(seed)):
        if outcome := _compared(rules, layout):
            outcomes[outcome] += 1
            if sum(outcomes.values()) == count:
                break
    return outcomes


def test_small_decks_are_decided_as_by_plain_code() -> None:
    outcomes = _outcomes(0, DECKS)
    assert outcomes[True, True] > DECKS // 5
    assert outcomes[False, False] > DECKS // 5


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("decks", parts_by_hand(range(0, 100_000, 2_500), 2_500))
def test_many_small_decks_are_decided_as_by_plain_code(decks: range) -> None:
    """Some are lost, but won in the quotient."""
    outcomes = _outcomes(decks.stop, len(decks))
    assert outcomes[True, True] > len(decks) // 5
    assert outcomes[False, False] > len(decks) // 5
    assert outcomes[False, True]


@pytest.mark.parametrize("seeds", seeds(60_000, 100, quick=10))
def test_both_referees_count_the_same_positions(seeds: Sequence[int]) -> None:
    """Also where the quotient can be won."""
    for seed in seeds:
        layouts = _layouts(Random(seed))
        for rules, layout in (next(layouts) for _ in range(4)):
            assert_that_referees_agree(rules, layout, "quotient *")


@pytest.mark.parametrize("positions", [LOST_POSITIONS - 1, LOST_POSITIONS, LOST_POSITIONS + 1])
def test_a_loss_has_one_number_of_positions(positions: int) -> None:
    rules = rules_of("yukon")
    [layout] = to_strings(deal(rules, 1, LOST, 1))
    loss, game = read_loss(rules, f"quotient * {positions}"), Referee(rules)
    checks = (partial(loss.check, game, game.position(layout)), partial(check_loss, rules, layout, loss))
    for check in checks:
        if positions == LOST_POSITIONS:
            check()
        else:
            with pytest.raises(InvalidEvidence, match="positions can be reached"):
                check()


def test_a_lost_game_may_be_won_in_the_quotient() -> None:
    """Two pieces would lie on each other. The referees do not say that the game can be won."""
    rules = replace(rules_of("yukon"), ranks=2, sizes=(4, 4), face_down="none")
    layout = "yukon 2HAC2D/AH2SAD2C foundations:AS"
    assert _compared(rules, layout) == (False, True)
    game, loss = Referee(rules), read_loss(rules, "quotient * 10")
    for check in (partial(loss.check, game, game.position(layout)), partial(check_loss, rules, layout, loss)):
        with pytest.raises(InvalidEvidence, match="the easier game can be won"):
            check()


def test_a_loss_is_told_in_words() -> None:
    """Positions with pieces where they may lie, and moves by what happens there."""
    rules = replace(rules_of("yukon"), ranks=4, sizes=(5, 3, 4, 4), face_down="all-but-top")
    layout = "yukon 2c2d4d3d4C/3cAh3S/2s4h3hAD/AsAc2h4S"
    reason, *positions = Referee(rules).explained(layout, Verdict.UNWINNABLE, "quotient * 3")
    assert reason.startswith("3 positions can be reached, and none of them is won. Positions are counted once that")
    assert positions == [
        "position 1: column 1: 2c 2d 4d 3d 4C; column 2: 3c Ah 3S; column 3: 2s 4h 3H; column 4: As Ac 2h 4S; "
        "foundations: AD. Its moves lead to position 2.",
        "position 2, from position 1 by 3H4C: column 1: 2c 2d 4d 3d 4C 3H; column 2: 3c Ah 3S; column 3: 2s 4H; "
        "column 4: As Ac 2h 4S; foundations: AD. Its moves lead to position 3.",
        "position 3, from position 2 by 3S4H: column 1: 2c 2d 4d 3d 4C 3H; column 2: 3C; column 3: 2s 4H 3S; "
        "column 4: As Ac 2h 4S; foundations: AH AD. Even if whatever was possible once stayed possible, not all cards "
        "could go up.",
    ]


def test_moves_to_foundations_and_empty_columns_are_told_as_such() -> None:
    rules = replace(rules_of("yukon"), ranks=4, sizes=(6, 10, 0), face_down=(4, 0, 0))
    layout = "yukon 3h2dAc3s4h4D3D4CAS/3c2s4S2CAH/2HAD"
    _, _, second, third, *_ = Referee(rules).explained(layout, Verdict.UNWINNABLE, "quotient * 5")
    assert second.startswith("position 2, from position 1 by 2Hf: column 1: 3h 2d Ac 3s 4h 4D 3D 4C; column 2: ")
    assert third.startswith("position 3, from position 2 by 4De: column 1: 3h 2d Ac 3s 4H; column 2: 3c 2s 4S 2C; ")


def test_pieces_that_can_only_lie_on_one_another_are_further_columns() -> None:
    """The picture has room for them."""
    rules = replace(rules_of("yukon"), ranks=3, sizes=(6, *6 * (1,)), face_down="none")
    moves = PieceMoves(rules)
    layout = Moves(rules).position("yukon ACAHAS3S3HAD/2C/2D/3C/3D/2H/2S")
    circle = moves.arranged(layout._replace(columns=(*layout.columns[:3], *4 * ((),), ("2H", "3D"), ("2S", "3C"))))
    assert circle.columns == (*layout.columns[:3], *4 * ((),), ("2H", "3D", "2S", "3C"))
    narrow, wide = (table(rules, position, Marks(), "", "") for position in (layout, circle))
    assert wide.width > narrow.width


def test_a_move_is_not_told_as_one_onto_a_card_that_moves_along() -> None:
    rules = replace(rules_of("yukon"), ranks=3, sizes=(2, 2, 8), face_down="none")
    layout = Moves(rules).position("yukon 2H3C/3H3S/ACAHASAD2S3D2C2D")
    assert PieceMoves(rules).word(Play("2H", ("2H", "3C"), layout), layout) == "2H3S"


@pytest.mark.parametrize(
    "evidence",
    ["quotient", "quotient ", "quotient *", "quotient * 0", "quotient *  1", "quotient *6C 1", "quotient * 1 "],
)
def test_other_texts_are_no_evidence(evidence: str) -> None:
    with pytest.raises(InvalidEvidence):
        read_loss(rules_of("yukon"), evidence)


def test_pieces_are_those_of_games_like_yukon() -> None:
    """By other rules, the form is refused or means another thing."""
    assert {name for name, game in FILES.items() if search_of(game.rules) is PIECES} == COVERED
    assert {name for name, game in FILES.items() if pieces_prove_losses(game.rules)} == COVERED
    rules = rules_of("yukon")
    changes: tuple[dict[str, object], ...] = (
        {"build": "same-suit"},
        {"build": "any-suit"},
        {"move": "card"},
        {"spaces": "any"},
        {"hole": "AS"},
        {"cells": 1},
        {"reserve": 3},
        {"stock": 3},
        {"removable": True},
        {"complete": True},
        {"build_wraps": True},
        {"decks": 2},
    )
    for change in changes:
        other = replace(rules, **change)  # type: ignore[arg-type]
        assert not pieces_prove_losses(other)
        if quotient_proves_losses(other):
            assert not isinstance(read_loss(other, "quotient * 1"), PiecesLoss)
            continue
        with pytest.raises(InvalidEvidence, match="prove nothing in yukon"):
            read_loss(other, "quotient * 1")
