"""Closed options, and jams in both directions, against trying everything: docs/proofs/card-pairing.md."""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, permutations
from random import Random

import pytest

from dealmill.pipeline.games.card_pairing.certificates import Board, Card, Choice, Numbering, Option, deal_of
from dealmill.pipeline.games.card_pairing.rules import start
from tests.games.card_pairing import naive
from tests.games.card_pairing.naive import (
    Contradiction,
    State,
    deck_of,
    is_acyclic,
    is_closed,
    jams,
    pairs_taken,
    stacks_of,
    table_of,
    uneven_decks,
    winnable_by_play,
    winning_options,
    with_option,
    without_option,
)

SMALL = [("AAAA22", 4), ("AAAAAA", 5), ("AA223344", 4), ("AAAA2222", 5), ("AAAAAA22", 4), ("AAAA2233", 4)]
"""Cards and stacks of decks that are small enough to deal them in all ways."""


def all_deals() -> Iterator[str]:
    """Every way to deal these cards to stacks of any height, but for the order of stacks and the names of ranks."""
    for cards, stacks in SMALL:
        sizes = range(len(cards) + 1)
        heights = [each for each in combinations_with_replacement(sizes, stacks) if sum(each) == len(cards)]
        for order in sorted(set(permutations(cards))):
            firsts = combinations(dict.fromkeys(order), 2)
            if all(first < second for first, second in firsts if order.count(first) == order.count(second)):
                for each in heights:
                    left = iter(order)
                    yield deck_of([[next(left) for _ in range(height)] for height in each])


def choice_of(deck: str, state: State) -> Choice:
    """The same state for the referee."""
    deal = deal_of(start(deck))
    numbering, choice = Numbering(deal), Choice(Board(deal))
    for number in state.taken:
        assert not choice.take(numbering.option(number))
    for number in state.shut:
        choice.shut(numbering.option(number))
    return choice


def random_state(deck: str, chance: Random) -> State:
    """Some options that are taken without a contradiction, and some that are shut."""
    table, state = table_of(deck), State()
    numbers = range(len(table.options))
    for number in chance.sample(numbers, chance.randint(0, min(3, len(numbers)))):
        if not is_closed(table, state, number):
            state = with_option(table, state, number)
    for number in chance.sample(numbers, chance.randint(0, len(numbers) // 2)):
        state = without_option(state, number)
    return state


def is_possible(play: frozenset[int], state: State) -> bool:
    return state.taken <= play and state.shut.isdisjoint(play)


def test_options_and_groups_are_numbered_as_specified() -> None:
    deck = "4,6,2 6,6,4 2,6,4,6 4,6"
    numbering = Numbering(deal_of(start(deck)))
    fours, sixes, twos = [0, 5, 8, 10], [1, 3, 4, 7, 9, 11], [2, 6]
    pairs = [(card, mate) for index, card in enumerate(sixes) for mate in sixes[index + 1 :]]
    expected: list[Option] = [*((fours[0], mate) for mate in fours[1:]), *pairs, (twos[0], twos[1])]
    assert numbering.options == len(expected)
    assert [numbering.option(number) for number in range(len(expected))] == expected
    assert numbering.groups == [fours[0], *sixes, twos[0]]


def cards_of(deck: str) -> dict[naive.Card, Card]:
    """The number of the card at each place."""
    cells = [(cell, height) for cell, stack in enumerate(stacks_of(deck)) for height in range(len(stack))]
    return {cell: card for card, cell in enumerate(cells)}


def test_a_winning_play_takes_exactly_one_option_of_each_group() -> None:
    played = 0
    for deck in uneven_decks(1, 500):
        groups = [set(group) for group in table_of(deck).groups]
        for play in winning_options(deck):
            assert [len(play & group) for group in groups] == [1] * len(groups)
            played += 1
    assert played > 300


def test_the_open_options_are_those_that_close_no_circle() -> None:
    chance = Random(5)
    opened = closed = 0
    for deck in all_deals():
        table, state, number_of = table_of(deck), random_state(deck, chance), cards_of(deck)
        choice = choice_of(deck, state)
        for number, pairs in enumerate(table.options):
            expected = is_closed(table, state, number)
            for card, mate in ((number_of[card], number_of[mate]) for card, mate in pairs):
                assert choice.mates(card) >> mate & 1 == choice.mates(mate) >> card & 1 == (not expected), (deck, state)
            closed += expected
            opened += not expected
    assert opened > 100
    assert closed > 100


@pytest.mark.slow
def test_no_jam_rules_out_a_play_that_wins() -> None:
    """For some options that a winning play takes, and some that it does not, as well as for all of them."""
    chance = Random(5)
    for deck in all_deals():
        numbers = frozenset(range(len(table_of(deck).options)))
        for play in winning_options(deck):
            others = numbers - play
            taken = frozenset(chance.sample(sorted(play), chance.randint(0, len(play))))
            shut = frozenset(chance.sample(sorted(others), chance.randint(0, len(others))))
            for state in (State(play, others), State(frozenset(), others), State(taken, shut)):
                choice = choice_of(deck, state)
                assert not choice.staying(upwards=False), (deck, state)
                assert not choice.staying(upwards=True), (deck, state)


@pytest.mark.slow
def test_jams_are_those_of_the_definition_and_no_possible_play_wins() -> None:
    chance = Random(5)
    jammed = {"both": 0, "downwards": 0, "upwards": 0, "neither": 0}
    for deck in all_deals():
        table, state = table_of(deck), random_state(deck, chance)
        choice = choice_of(deck, state)
        down, up = jams(deck, table, state, False), jams(deck, table, state, True)
        assert (bool(choice.staying(upwards=False)), bool(choice.staying(upwards=True))) == (down, up), (deck, state)
        if down or up:
            assert not any(is_possible(play, state) for play in winning_options(deck)), (deck, state)
        jammed["both"] += down and up
        jammed["downwards"] += down and not up
        jammed["upwards"] += up and not down
        jammed["neither"] += not down and not up
    assert min(jammed.values()) > 15, jammed


def test_a_deck_jams_upwards_exactly_if_it_jams_downwards_upside_down() -> None:
    outcomes = set()
    for deck in uneven_decks(2, 300):
        turned = deck_of([stack[::-1] for stack in stacks_of(deck)])
        up = bool(choice_of(deck, State()).staying(upwards=True))
        assert up == bool(choice_of(turned, State()).staying(upwards=False))
        assert winnable_by_play(deck) == winnable_by_play(turned)
        outcomes.add(up)
    assert outcomes == {False, True}


def test_what_is_closed_stays_closed() -> None:
    chance = Random(3)
    closed = 0
    for deck in uneven_decks(3, 200):
        table, state = table_of(deck), State()
        for _ in range(4):
            numbers = range(len(table.options))
            before = [number for number in numbers if is_closed(table, state, number)]
            number = chance.choice(numbers)
            try:
                state = with_option(table, state, number) if chance.random() < 0.7 else without_option(state, number)
            except Contradiction:
                break
            assert all(is_closed(table, state, number) for number in before)
            closed += len(before)
    assert closed > 1_000


def test_a_choice_of_all_options_wins_exactly_if_none_closes_a_circle() -> None:
    for deck in uneven_decks(4, 60, sizes=(2, 4, 6)):
        table = table_of(deck)
        assert all(is_acyclic(pairs_taken(table, State(play))) for play in winning_options(deck))


@pytest.mark.parametrize("height", [1, 2])
def test_stacks_of_one_or_two_cards_are_always_won(height: int) -> None:
    """T. de Bondt's theorem (arXiv 1203.6559)."""
    chance = Random(height)
    for _ in range(150):
        cards = [rank for rank in "A234"[: chance.randint(1, 4)] for _ in range(chance.choice([4, 6]))]
        chance.shuffle(cards)
        deck = deck_of([cards[start : start + height] for start in range(0, len(cards), height)])
        choice = choice_of(deck, State())
        assert winnable_by_play(deck), deck
        assert not choice.staying(upwards=False)
        assert not choice.staying(upwards=True)
