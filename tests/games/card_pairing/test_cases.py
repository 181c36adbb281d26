"""The cases of certificates and their circles of waiting cards, compared with plain play and plain search."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.pipeline.games.card_pairing.certificates import Deal, Mates, deal_of
from dealmill.pipeline.games.card_pairing.proofs.cases import (
    Case,
    cases,
    cell_of,
    left_over,
    pair_off,
    shortest_circle,
    shortest_first,
)
from dealmill.pipeline.games.card_pairing.rules import start
from dealmill.pipeline.games.pictures import rank_name
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver

deal = dealer("card-pairing")
winnable = solver("card-pairing/winnable")


def lost(seed: int, count: int, **parameters: int) -> list[tuple[str, str]]:
    layouts = deal(seed, 1, count, **parameters)
    batch = winnable(layouts)
    return [
        (layout, evidence)
        for layout, verdict, evidence in zip(layouts, batch.verdicts, batch.evidence, strict=True)
        if verdict is Verdict.UNWINNABLE and evidence is not None
    ]


def played_at_random(deal: Deal, mates: Mates, chance: random.Random) -> list[list[int]]:
    """What is left of the relaxed game after removals in a random order."""
    stacks = [list(stack) for stack in deal.stacks]
    while True:
        tops = [stack[-1] for stack in stacks if stack]
        units = [{card, mates.get(card, card)} for card in tops if mates.get(card, card) in tops]
        if not units:
            return stacks
        for card in chance.choice(units):
            next(stack for stack in stacks if card in stack[-1:]).pop()


@st.composite
def matched(draw: st.DrawFn) -> tuple[Deal, Mates]:
    """A dealt layout and matchings of some of its ranks."""
    ranks, stacks = draw(st.sampled_from([(2, 4), (4, 4), (9, 9), (9, 6), (16, 16), (9, 36)]))
    [layout] = deal(draw(st.integers(0, 2**32)), 1, 1, ranks=ranks, stacks=stacks)
    dealt = deal_of(start(layout))
    mates: Mates = {}
    for rank in draw(st.sets(st.sampled_from(sorted(dealt.ranks)), min_size=1)):
        mates |= pair_off(dealt.ranks[rank], draw(st.sampled_from([(0, 1, 2, 3), (0, 2, 1, 3)])))
    return dealt, mates


@given(matched(), st.randoms(use_true_random=False))
def test_the_relaxed_game_ends_alike_in_any_order(drawn: tuple[Deal, Mates], chance: random.Random) -> None:
    assert list(map(list, left_over(*drawn))) == played_at_random(*drawn, chance)


@given(matched())
def test_a_circle_is_a_shortest_one(drawn: tuple[Deal, Mates]) -> None:
    dealt, mates = drawn
    stacks = left_over(dealt, mates)
    if not any(stacks):
        return
    circle = shortest_circle(stacks, mates)
    for wait, following in zip(circle, [*circle[1:], circle[0]], strict=True):
        assert wait.card == stacks[wait.stack][-1]
        assert wait.mate == mates[wait.card]
        assert wait.mate in stacks[following.stack][:-1], "the mate lies below the next card"
    waits_for = {
        number: next(lower for lower, cards in enumerate(stacks) if mates[stack[-1]] in cards)
        for number, stack in enumerate(stacks)
        if stack
    }
    reached = {number: number for number in waits_for}
    for length in range(1, len(circle) + 1):
        reached = {number: waits_for[stack] for number, stack in reached.items()}
        assert any(number == stack for number, stack in reached.items()) == (length == len(circle))


@pytest.mark.parametrize(("ranks", "stacks"), [(4, 4), (9, 9), (13, 13), (15, 20)])
def test_every_case_jams_with_its_own_choices(ranks: int, stacks: int) -> None:
    for layout, certificate in lost(5, 60, ranks=ranks, stacks=stacks):
        dealt = deal_of(start(layout))
        leaves = cases(layout, certificate)
        assert len(leaves) == 2 * len(certificate) + 1, "a tree in which every branch has three"
        for case in leaves:
            assert any(case.left) and case.circle
            assert len(case.mates) == 4 * len(case.path)
            named = {card: cell_of(dealt, card) for card in case.mates}
            chosen = {choice.partition(":")[0]: choice for choice in case.path}
            for card, mate in case.mates.items():
                lower, higher = (f"{named[each][0]:x}.{named[each][1] + 1}" for each in sorted((card, mate)))
                if stacks <= 16:
                    assert f"{lower} with {higher}" in chosen[rank_name(layout.replace(" ", "")[card])]


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_the_shortest_circle_comes_first_in_every_branch(seed: int) -> None:
    for layout, certificate in lost(seed, 3, ranks=9, stacks=9):
        leaves = cases(layout, certificate)
        ordered = shortest_first(leaves)
        assert sorted(ordered, key=leaves.index) == leaves
        assert_ordered(ordered, 0)


def assert_ordered(leaves: list[Case], depth: int) -> None:
    """The branches of a node follow each other in the order of their shortest circles, and so on below."""
    branches: list[list[Case]] = []
    for case in leaves:
        if not branches or branches[-1][0].path[: depth + 1] != case.path[: depth + 1]:
            branches.append([])
        branches[-1].append(case)
    assert len({branch[0].path[: depth + 1] for branch in branches}) == len(branches) == 3
    least = [min(len(case.circle) for case in branch) for branch in branches]
    assert least == sorted(least)
    for branch in branches:
        assert len(branch[0].circle) == min(len(case.circle) for case in branch)
        if len(branch) > 1:
            assert_ordered(branch, depth + 1)
