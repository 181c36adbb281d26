"""Which cards lie on which: the tables of the rules, and what searches make of them, against plain code."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from dealmill.kernels import kernel, pointer_to
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.compiled.referee import CompiledReferee
from dealmill.pipeline.games.patience.compiled.single_cards import ALWAYS, lag_table
from dealmill.pipeline.games.patience.engine.plain import soundness
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.engine import set_up
from dealmill.pipeline.games.patience.losses.safe import lags_of_suits
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, SUITS_BELOW, Rules
from dealmill.testing.patiences import naive
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of

SPACES = ("any", "kings", "none", "reserve")


def rules_of_all_kinds() -> Iterator[tuple[Rules, int]]:
    """Rules for building and for spaces with any number of ranks, and the ranks on which their foundations begin."""
    for build, ranks in product(SUITS_BELOW, (1, 2, 7, len(RANKS))):
        for base in {0, ranks // 2, ranks - 1}:
            spaces = SPACES[(ranks + base) % len(SPACES)]
            yield replace(rules_of("klondike"), build=build, ranks=ranks, spaces=spaces, foundations=RANKS[base]), base


def state_of(rules: Rules) -> naive.State:
    """A state in which all cards are in one column."""
    return naive.parsed(f"{rules.name} {''.join(rules.deck())}", rules)


def test_cards_fit_each_other_as_plain_code_says() -> None:
    for rules, base in rules_of_all_kinds():
        state, referee = state_of(rules), Moves(rules)
        for card, below in product(rules.deck(), repeat=2):
            [lying], [lower] = naive.cards(card), naive.cards(below)
            fits = naive.fits(lying, lower, state, rules.build)
            assert referee.fits(card, below, base) == fits, (rules, card, below)
            mask = rules.parents[rules.card_number(card, base)]
            assert mask >> rules.card_number(below, base) & 1 == fits, (rules, card, below)


def test_cards_fill_spaces_as_plain_code_says() -> None:
    for rules, base in rules_of_all_kinds():
        state = state_of(rules)
        for card in rules.deck():
            [lying] = naive.cards(card)
            is_last = state.height(lying) == rules.ranks - 1
            fills = {"any": True, "reserve": True, "kings": is_last, "none": False}[rules.spaces]
            assert Moves(rules).fills(card, base) == fills, (rules, card)


def test_numbers_of_cards_are_in_the_order_of_foundations() -> None:
    for rules, base in rules_of_all_kinds():
        numbers = {card: rules.card_number(card, base) for card in rules.deck()}
        assert {card: rules.card_name(number, base) for card, number in numbers.items()} == {
            card: card for card in numbers
        }
        state = state_of(rules)
        for card, number in numbers.items():
            [lying] = naive.cards(card)
            assert divmod(number, 13) == (SUITS.index(lying.suit), state.height(lying))
            assert rules.card_number(card.lower().replace(card[0].lower(), card[0]), base) == number


def suits_in_need(build: str, suit: str) -> dict[str, int]:
    """How many ranks lower than a king the highest cards of each suit are that may come to lie on it, on one of those,
    or on a lower card of their suits."""
    rules = replace(rules_of("klondike"), build=build)
    state, king = state_of(rules), len(RANKS) - 1
    reached = waiting = {naive.Card(king + 1, suit)}
    while waiting:
        lower = {card._replace(rank=card.rank - 1) for card in waiting if card.rank > 1}
        lying = {card for [card] in map(naive.cards, rules.deck())}
        waiting = (
            lower | {card for card in lying for below in waiting if naive.fits(card, below, state, build)}
        ) - reached
        reached = reached | waiting
    suits = {card.suit for card in reached}
    return {each: king + 1 - max(card.rank for card in reached if card.suit == each) for each in suits}


@pytest.mark.parametrize("build", SUITS_BELOW)
def test_all_say_which_suits_need_a_card_as_a_place(build: str) -> None:
    """The engine and both referees, each in its own way, and plain code."""
    rules = replace(rules_of("freecell"), build=build)
    plain, table, lags = lags_of_suits(rules.suits_below), lag_table(rules), soundness.lags(rules)
    for number, suit in enumerate(SUITS):
        truth = suits_in_need(build, suit)
        assert {SUITS[second]: lag for second, lag in plain[number].items()} | {suit: 0} == truth
        for second in set(SUITS) - {suit}:
            at = SUITS.index(second)
            assert table[number, at] == truth.get(second, ALWAYS)
            assert lags[4 * number + at] == truth.get(second, soundness.ANY_LAG)


def test_parts_of_runs_stay_only_if_the_cards_on_which_they_can_lie_are_alike() -> None:
    rules = rules_of("klondike")
    alike = {build: soundness.partial_runs_are_twins(replace(rules, build=build)) for build in SUITS_BELOW}
    assert alike == dict.fromkeys(SUITS_BELOW, True) | {"other-suit": False}


@kernel
def _that_fit(words: k.Words, cards: int) -> int:
    return k.that_fit(pointer_to(words), cards)


@pytest.mark.parametrize("build", SUITS_BELOW)
def test_sets_of_cards_fit_what_one_of_them_fits(build: str) -> None:
    random, words = Random(1), np.empty(k.END, dtype=np.int64)
    for rules, _ in rules_of_all_kinds():
        if rules.build == build:
            set_up(words, rules)
            cards = sum(1 << rules.card_number(card, 0) for card in rules.deck() if random.random() < 0.3)
            fitting = sum(1 << card for card, parents in enumerate(rules.parents) if parents & cards)
            assert _that_fit(words, cards) == fitting


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("free-cell-1-cell:tableau.build=same-colour", 4),
        ("free-cell-1-cell:tableau.build=other-suit", 6),
        ("bakers-dozen:tableau.build=same-colour", 7),
        ("simple-simon:tableau.build=other-suit", 3),
        ("spider-1-suit:deck.decks=1:deck.ranks=2:stock.size=0:tableau.build=other-suit:tableau.sizes=2,2,2,2", 2),
    ],
)
def test_losses_of_games_that_are_built_otherwise_are_proved(name: str, number: int) -> None:
    game = find_game(name)
    assert isinstance(game, Patience)
    layouts = game.deal(7, number, 1)
    batch = to_batch(game.solvers["winnable"](layouts, 20_000))
    [text], [verdict], [evidence] = to_strings(layouts), batch.verdicts, batch.evidence
    assert verdict is Verdict.UNWINNABLE and evidence
    for referee in (Referee(game.rules), CompiledReferee(game.rules)):
        referee("winnable", text, verdict, None, evidence)
        with pytest.raises(InvalidEvidence):
            referee("winnable", text, verdict, None, f"{evidence}0")
