"""The lemmas of docs/proofs/card-pairing.md, each against trying everything on small decks."""

from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.card_pairing import certificates
from dealmill.pipeline.games.card_pairing.certificates import Board, Choice, deal_of
from dealmill.pipeline.games.card_pairing.rules import check, start
from dealmill.pipeline.games.verdict import Verdict
from tests.games.card_pairing.naive import (
    NAMES,
    SHAPES,
    Pairs,
    clears_relaxed,
    decks,
    is_acyclic,
    is_win,
    ways_to_pair,
    winning_pairs,
)

Heights = tuple[int, ...]
Leaving = frozenset[tuple[int, int]]
"""A pair, or a single card that is in no pair."""
FEW_STACKS = [(ranks, stacks) for ranks, stacks in SHAPES if stacks <= 6]


def ranks_of(deck: str) -> list[str]:
    return sorted(set(deck) - {" "})


def choices(deck: str, ranks: list[str]) -> list[Pairs]:
    """Every way to pair off the cards of some ranks."""
    return [
        frozenset(pair for way in ways for pair in way) for ways in product(*(ways_to_pair(deck, r) for r in ranks))
    ]


def relaxed_moves(heights: Heights, pairs: Pairs) -> Iterator[Leaving]:
    """What can leave next."""
    tops = {(number, height - 1) for number, height in enumerate(heights) if height}
    paired = {card for pair in pairs for card in pair}
    yield from (pair for pair in pairs if pair <= tops)
    yield from (frozenset({top}) for top in sorted(tops - paired))


def lowered(heights: Heights, leaving: Leaving) -> Heights:
    numbers = [number for number, _ in leaving]
    return tuple(height - numbers.count(number) for number, height in enumerate(heights))


def dead_ends(deck: str, pairs: Pairs) -> set[Heights]:
    """Every position in which some order of play of the relaxed game stops."""
    first = tuple(map(len, deck.split()))
    seen, waiting, stopped = {first}, [first], set()
    while waiting:
        heights = waiting.pop()
        following = {lowered(heights, leaving) for leaving in relaxed_moves(heights, pairs)}
        if not following:
            stopped.add(heights)
        waiting.extend(following - seen)
        seen |= following
    return stopped


def jams_for_the_referee(deck: str, pairs: Pairs) -> bool:
    deal = deal_of(start(deck))
    choice = Choice(Board(deal))
    return any(choice.take((card, mate)) for card, mate in ([deal.stacks[s][h] for s, h in pair] for pair in pairs))


@st.composite
def partly_paired(draw: st.DrawFn) -> tuple[str, Pairs]:
    """A small deck, and the pairs of some of its ranks."""
    ranks, stacks = draw(st.sampled_from(FEW_STACKS))
    cards = draw(st.permutations("A23456789TJQK"[:ranks] * 4))
    height = len(cards) // stacks
    deck = " ".join("".join(cards[start : start + height]) for start in range(0, len(cards), height))
    named = draw(st.lists(st.sampled_from(ranks_of(deck)), unique=True))
    return deck, draw(st.sampled_from(choices(deck, named)))


@given(partly_paired())
def test_every_order_of_the_relaxed_game_ends_in_one_position_which_the_referee_finds(dealt: tuple[str, Pairs]) -> None:
    deck, pairs = dealt
    [end] = dead_ends(deck, pairs)
    assert jams_for_the_referee(deck, pairs) == any(end)


@given(partly_paired(), st.randoms(use_true_random=False))
def test_what_can_leave_can_leave_later_unless_it_has_left(dealt: tuple[str, Pairs], chance: Random) -> None:
    deck, pairs = dealt
    heights = tuple(map(len, deck.split()))
    waiting: set[Leaving] = set()
    while able := set(relaxed_moves(heights, pairs)):
        assert waiting <= able
        leaving = chance.choice(sorted(able, key=sorted))
        waiting = able - {leaving}
        heights = lowered(heights, leaving)
    assert not waiting


@given(partly_paired(), st.data())
def test_more_pairs_leave_at_least_as_much(dealt: tuple[str, Pairs], data: st.DataObject) -> None:
    deck, pairs = dealt
    unnamed = [rank for rank in ranks_of(deck) if all(pairs.isdisjoint(way) for way in ways_to_pair(deck, rank))]
    named = data.draw(st.lists(st.sampled_from(unnamed), unique=True)) if unnamed else []
    more = data.draw(st.sampled_from(choices(deck, named)))
    [end] = dead_ends(deck, pairs)
    [later] = dead_ends(deck, pairs | more)
    assert all(low <= high for low, high in zip(end, later, strict=True))


@pytest.mark.parametrize(("ranks", "stacks"), [(ranks, stacks) for ranks, stacks in SHAPES if ranks < 5])
def test_the_pairs_of_winning_plays_are_the_acyclic_choices(ranks: int, stacks: int) -> None:
    for deck in decks(ranks, stacks, 15):
        assert winning_pairs(deck) == {pairs for pairs in choices(deck, ranks_of(deck)) if is_acyclic(list(pairs))}, (
            deck
        )


@pytest.mark.parametrize(("ranks", "stacks"), [(ranks, stacks) for ranks, stacks in SHAPES if stacks > 2])
def test_any_order_along_the_arcs_is_a_play_that_wins(ranks: int, stacks: int) -> None:
    played = 0
    for deck in decks(ranks, stacks, 25):
        for pairs in choices(deck, ranks_of(deck)):
            if is_acyclic(list(pairs)):
                graph = TopologicalSorter({pair: set() for pair in pairs})
                for lower, upper in product(pairs, repeat=2):
                    if any(below[0] == above[0] and below[1] < above[1] for below in lower for above in upper):
                        graph.add(lower, upper)
                order = ["".join(NAMES[number] for number, _ in pair) for pair in graph.static_order()]
                assert is_win(deck, " ".join(order))
                played += 1
    assert played


@pytest.mark.parametrize(("ranks", "stacks"), [(2, 2), (3, 3), (3, 4), (4, 4)])
def test_no_play_wins_with_pairs_that_jam_and_not_every_loss_jams(ranks: int, stacks: int) -> None:
    jammed = missed = 0
    for deck in decks(ranks, stacks, 25):
        won = winning_pairs(deck)
        for count in range(ranks + 1):
            for pairs in (pairs for named in combinations(ranks_of(deck), count) for pairs in choices(deck, [*named])):
                wins = any(pairs <= play for play in won)
                jam = jams_for_the_referee(deck, pairs)
                assert not (jam and wins), (deck, pairs)
                assert jam == (not wins) or count < ranks, (deck, pairs)
                jammed += jam
                missed += not jam and not wins
    assert jammed and missed


@pytest.mark.parametrize(("ranks", "stacks"), [(3, 3), (3, 4), (4, 4)])
def test_every_lost_deck_has_a_certificate_whatever_rank_is_named_first(ranks: int, stacks: int) -> None:
    chance = Random(13)
    longest = 0
    for deck in decks(ranks, stacks, 40):
        if not winning_pairs(deck):
            certificate = "".join(tree(deck, frozenset(), chance.sample(ranks_of(deck), ranks)))
            check("winnable", deck, Verdict.UNWINNABLE, None, certificate)
            longest = max(longest, len(certificate))
    assert longest > ranks


def tree(deck: str, pairs: Pairs, unnamed: list[str]) -> Iterator[str]:
    """The ranks, named in this order on each branch, that close all ways to pair them off."""
    yield unnamed[0]
    for way in ways_to_pair(deck, unnamed[0]):
        if clears_relaxed(deck, [*pairs, *way]):
            yield from tree(deck, pairs | frozenset(way), unnamed[1:])


def test_lemmas_without_hints_are_counted_as_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidEvidence, match="the certificate ends without a contradiction"):
        check("winnable", "AA KK", Verdict.UNWINNABLE, None, "-0: -0:")
    monkeypatch.setattr(certificates, "MAX_WORK", 1)
    with pytest.raises(InvalidEvidence, match="the certificate takes too long to check") as caught:
        check("winnable", "AA KK", Verdict.UNWINNABLE, None, "-0: -0:")
    assert caught.value.step == 2
