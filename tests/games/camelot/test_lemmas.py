"""The lemmas of docs/proofs/camelot.md, each against trying everything on small tables and with full decks."""

from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.camelot.rules import must_stay, prove_loss
from tests.doing import dealer, solver
from tests.games.camelot.naive import WORTH, winnable_by_prefixes, winnable_literally

deal = dealer("camelot")
winnable = solver("camelot/winnable")

Board = tuple[str, ...]
"""The cards on slots without names, sorted."""
Position = tuple[Board, int]
"""A board, and how many cards have been dealt."""
PIPS = "A234567890"


@cache
def with_one_removal(board: Board) -> frozenset[Board]:
    """Every board that the removal of one card or pair leads to."""
    return frozenset(
        tuple(card for slot, card in enumerate(board) if slot not in slots)
        for size in (1, 2)
        for slots in combinations(range(len(board)), size)
        if sum(WORTH.get(board[slot], 99) for slot in slots) == 10
    )


@cache
def with_removals(board: Board) -> frozenset[Board]:
    """Every board that removals lead to, at least one of them."""
    return with_one_removal(board).union(*map(with_removals, with_one_removal(board)))


def dealt_from(deck: str, slots: int, position: Position) -> Position:
    """The board is full or the deck is empty."""
    board, dealt = position
    after = min(len(deck), dealt + slots - len(board))
    return tuple(sorted((*board, *deck[dealt:after]))), after


def reachable(deck: str, slots: int) -> set[Position]:
    """Every position in which some play begins a removal phase."""
    first = dealt_from(deck, slots, ((), 0))
    seen, waiting = {first}, [first]
    while waiting:
        board, dealt = waiting.pop()
        if dealt < len(deck):
            following = {dealt_from(deck, slots, (left, dealt)) for left in with_removals(board)}
            waiting.extend(following - seen)
            seen |= following
    return seen


@cache
def can_win(deck: str, slots: int, left: Board, dealt: int) -> bool:
    """Whether a play wins from here, where a removal phase has ended."""
    if dealt == len(deck):
        return not any(card in WORTH for card in left)
    board, after = dealt_from(deck, slots, (left, dealt))
    return any(can_win(deck, slots, following, after) for following in with_removals(board))


def small_tables(spare: int, count: int, *, clearable: bool = True) -> list[tuple[str, int]]:
    """Decks, each with a number of slots that is `spare` more than its court cards, the same ones each time."""
    chance = Random(spare)
    tables = []
    for _ in range(count):
        court = chance.choices("JQK", k=chance.randint(0, 4))
        pips = chance.choices(
            chance.choice([["A9", "0"], ["A9", "28", "55"], ["A9", "46", "55", "0"]]), k=chance.randint(3, 7)
        )
        cards = [*court, *"".join(pips)] if clearable else chance.choices(PIPS + "QK", k=14)
        slots = sum(card not in WORTH for card in cards) + spare
        tables.append(("".join(chance.sample(cards, len(cards))), slots))
    return tables


def greedy_wins(deck: str, slots: int, chance: Random) -> bool:
    """Remove all that can be removed, in any order, but stop once the rest of the deck fits in."""
    board, dealt = dealt_from(deck, slots, ((), 0))
    while True:
        full = board
        while (able := with_one_removal(board)) and (dealt == len(deck) or len(board) + len(deck) - dealt > slots):
            board = chance.choice(sorted(able))
        if board == full:
            return False
        if dealt == len(deck):
            return not any(card in WORTH for card in board)
        board, dealt = dealt_from(deck, slots, (board, dealt))


@given(st.text("A2345678900JQK", max_size=14))
def test_what_must_stay_is_what_is_left_when_nothing_more_can_be_removed(cards: str) -> None:
    board = tuple(sorted(cards))
    left = {board} | with_removals(board)
    assert min(map(len, left)) == must_stay(cards)[-1]
    assert {len(last) for last in left if not with_one_removal(last)} == {must_stay(cards)[-1]}


@pytest.mark.parametrize("spare", [0, 1, 2, 3])
def test_no_play_has_fewer_cards_on_the_board_than_must_stay_and_one_that_may_remove_has_no_more(spare: int) -> None:
    for deck, slots in small_tables(spare, 400, clearable=False):
        least: dict[int, int] = {}
        for board, dealt in reachable(deck, slots):
            for left in {board} | with_removals(board):
                least[dealt] = min(least.get(dealt, slots), len(left))
                _, later = dealt_from(deck, slots, (left, dealt))
                for cards in range(dealt, later + 1):
                    assert len(left) + cards - dealt >= must_stay(deck[:cards])[-1]
        assert least == {dealt: must_stay(deck[:dealt])[-1] for dealt in least}


@pytest.mark.parametrize("spare", [3, 4, 5])
def test_a_play_gets_to_the_end_of_the_deck_exactly_if_no_prefix_fills_the_board(spare: int) -> None:
    ends = set()
    for deck, slots in small_tables(spare, 1000, clearable=False):
        full = [cards for cards in range(slots, len(deck)) if must_stay(deck[:cards])[-1] >= slots]
        assert max(dealt for _, dealt in reachable(deck, slots)) == min(full, default=len(deck))
        ends.add(bool(full))
        assert not (full and can_win(deck, slots, (), 0))
    assert ends == {True, False}


@pytest.mark.parametrize("spare", [2, 3, 4])
def test_greedy_removal_wins_exactly_if_some_choice_of_removals_does(spare: int) -> None:
    outcomes = set()
    for deck, slots in small_tables(spare, 1000):
        wins = can_win(deck, slots, (), 0)
        assert wins == winnable_by_prefixes(deck, slots) == greedy_wins(deck, slots, Random(7)), (deck, slots)
        outcomes.add(wins)
    assert outcomes == {True, False}


@pytest.mark.parametrize("spare", [2, 3, 4])
def test_removing_more_never_hurts_while_a_number_card_is_held_back(spare: int) -> None:
    hurts = 0
    for deck, slots in small_tables(spare, 600):
        for board, dealt in reachable(deck, slots):
            for left in with_removals(board) if dealt < len(deck) else ():
                if can_win(deck, slots, left, dealt):
                    for fewer in with_removals(left):
                        wins = can_win(deck, slots, fewer, dealt)
                        assert wins == any(card in WORTH for card in (*fewer, *deck[dealt:])), (deck, left, fewer)
                        hurts += not wins
    assert hurts


def test_with_one_slot_to_spare_the_trap_cannot_be_avoided() -> None:
    assert winnable_by_prefixes("A9K", 2)
    assert not winnable_literally("A9K", {"K": (0,)}, 2)
    wins = [(can_win(deck, slots, (), 0), winnable_by_prefixes(deck, slots)) for deck, slots in small_tables(1, 1000)]
    assert set(wins) == {(False, False), (False, True), (True, True)}


@pytest.mark.parametrize("spare", [1, 2])
def test_slots_without_names_are_as_good_as_those_with(spare: int) -> None:
    outcomes = set()
    for deck, slots in small_tables(spare, 1000):
        names = Random(slots).sample(range(slots), slots)
        places: dict[str, tuple[int, ...]] = {}
        for face in "JQK":
            places[face] = tuple(names.pop() for _ in range(deck.count(face)))
        wins = can_win(deck, slots, (), 0)
        assert winnable_literally(deck, places, slots) == wins, (deck, places)
        outcomes.add(wins)
    assert outcomes == {True, False}


def test_names_matter_if_there_are_more_court_cards_of_a_kind_than_places_for_them() -> None:
    assert can_win("KA9K0", 4, (), 0)
    assert winnable_literally("KA9K0", {"K": (1, 2)}, 4)
    assert not winnable_literally("KA9K0", {"K": (1,)}, 4)


def test_no_play_of_a_lost_deck_gets_beyond_its_certificate_and_some_play_gets_there() -> None:
    lost = 0
    for deck in deal(41, 1, 40):
        [evidence] = winnable([deck]).evidence
        if evidence and len(evidence) == 2:
            named = prove_loss(deck, evidence)
            assert max(dealt for _, dealt in reachable(deck, 16)) == named
            assert must_stay(deck[:named])[-1] == 16
            for number in set(range(100)) - {named}:
                with pytest.raises(InvalidEvidence):
                    prove_loss(deck, str(number))
            lost += 1
    assert lost > 10
