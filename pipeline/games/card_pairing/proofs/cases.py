"""The cases of a certificate: the leaves of its tree, and the circle of waiting cards that closes each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from dealmill.pipeline.games.card_pairing.certificates import MATCHINGS, Card, Deal, Mates, deal_of
from dealmill.pipeline.games.card_pairing.drawing import Cell, printer
from dealmill.pipeline.games.card_pairing.rules import check, stack_name, start
from dealmill.verdicts import Verdict

MAX_CASES = 1_000
"""The most cases of a certificate that are shown."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A card and its mate, with which it leaves, and which lies below the card of the next wait in a circle."""

    card: Card
    stack: int
    mate: Card
    mate_stack: int


@dataclass(frozen=True, slots=True)
class Case:
    """A case in which the relaxed game jams.

    `path` has the choice at each branch that leads to it, such as ``6: 0.3 with 5.1, 5.3 with 5.4``. `left` has the
    cards of each stack that are left, and `circle` is a shortest circle of waits among them.
    """

    path: tuple[str, ...]
    mates: Mates
    left: list[range]
    circle: list[Wait]


def cases(layout: str, certificate: str) -> list[Case]:
    """Return the first cases of a certificate in its own order, at most `MAX_CASES`.

    Raises
    ------
    InvalidEvidence
        If the certificate proves nothing.
    """
    check("winnable", layout, Verdict.UNWINNABLE, None, certificate)
    return list(islice(_leaves(deal_of(start(layout)), iter(certificate), printer(layout), (), {}), MAX_CASES))


def count_cases(certificate: str) -> int:
    """Return the number of cases of a certificate: each entry has three ways, and all but the first make one of them
    several cases."""
    return 2 * len(certificate) + 1


def shortest_first(leaves: list[Case]) -> list[Case]:
    """Return the cases with the shortest circle first; the cases of a branch stay together.

    Branches are in the order of the shortest circle in each.
    """
    best: dict[tuple[str, ...], tuple[int, int]] = {}
    for number, case in enumerate(leaves):
        for branch in _branches(case):
            best[branch] = min(best.get(branch, (len(case.circle), number)), (len(case.circle), number))
    return sorted(leaves, key=lambda case: [best[branch] for branch in _branches(case)])


def _branches(case: Case) -> list[tuple[str, ...]]:
    return [case.path[:depth] for depth in range(1, len(case.path) + 1)]


def _leaves(
    deal: Deal, entries: Iterator[str], printed: Callable[[str], str], path: tuple[str, ...], mates: Mates
) -> Iterator[Case]:
    rank = next(entries)
    cards = deal.ranks[rank]
    for matching in MATCHINGS:
        with_these = mates | pair_off(cards, matching)
        a, b, c, d = (card_name(deal, cards[index]) for index in matching)
        way = f"{a} with {b}, {c} with {d}"
        choices = (*path, f"{printed(rank)}: {way}")
        if any(left := left_over(deal, with_these)):
            yield Case(choices, with_these, left, shortest_circle(left, with_these))
        else:
            yield from _leaves(deal, entries, printed, choices, with_these)


def pair_off(cards: list[Card], matching: tuple[int, int, int, int]) -> Mates:
    """Return the mate of each of four cards in a matching."""
    a, b, c, d = (cards[index] for index in matching)
    return {a: b, b: a, c: d, d: c}


def card_name(deal: Deal, card: Card) -> str:
    """Return the name of a card: its stack and how high it lies, counted from 1, such as ``3.1``."""
    stack, height = cell_of(deal, card)
    return f"{stack_name(stack, len(deal.stacks))}.{height + 1}"


def cell_of(deal: Deal, card: Card) -> Cell:
    """Return where a card was dealt."""
    return next((number, stack.index(card)) for number, stack in enumerate(deal.stacks) if card in stack)


def left_over(deal: Deal, mates: Mates) -> list[range]:
    """Play the relaxed game to its end, and return the cards left in each stack.

    Cards with a mate leave with it, all others alone.
    """
    stacks = deal.stacks
    while True:
        tops = {stack[-1] for stack in stacks if stack}
        leaving = {card for card in tops if mates.get(card, card) in tops}
        if not leaving:
            return stacks
        stacks = [stack[:-1] if stack and stack[-1] in leaving else stack for stack in stacks]


def shortest_circle(stacks: list[range], mates: Mates) -> list[Wait]:
    """Return a shortest circle of waits in a relaxed game that has jammed.

    Every top card waits for its mate, the mate for the top card of its own stack, and so on until a stack repeats. In
    the circle, each mate lies below the card of the next wait, and the last mate below the first card.
    """
    holder = {card: number for number, stack in enumerate(stacks) for card in stack}
    waits = {}
    for number, stack in enumerate(stacks):
        if stack:
            mate = mates[stack[-1]]
            waits[number] = Wait(stack[-1], number, mate, holder[mate])
    circles = []
    for first, wait in waits.items():
        circle = [wait]
        visited = {first}
        while (following := circle[-1].mate_stack) not in visited:
            visited.add(following)
            circle.append(waits[following])
        if following == first:
            circles.append(circle)
    return min(circles, key=len)
