"""The rules of card pairing and its referee: stacks of cards, and who lies on whom."""

from typing import NamedTuple

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.verdict import Verdict

STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
MATCHINGS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The three ways in which four cards can leave in pairs."""

Stacks = list[list[str]]
"""The rank of each card, stack by stack from bottom to top."""


class Card(NamedTuple):
    """One card by its place: the number of its stack, and how many cards lie under it."""

    stack: int
    height: int


Mates = dict[Card, Card]
"""Which card each card of an assigned rank leaves with."""


def start(layout: str) -> Stacks:
    """The stacks of a layout."""
    return [list(stack) for stack in layout.split(" ")]


def play(stacks: Stacks, move: str, step: int) -> str:
    """Remove the top cards of the two stacks that a move names, and return their rank.

    Raises
    ------
    IllegalMove
    """
    numbers = [STACK_NAMES.find(name) for name in move]
    if len(numbers) != 2 or not all(0 <= number < len(stacks) for number in numbers):
        raise IllegalMove(step, f"{move!r} does not name two stacks")
    if numbers[0] == numbers[1]:
        raise IllegalMove(step, f"{move!r} names one stack twice")
    for name, number in zip(move, numbers, strict=True):
        if not stacks[number]:
            raise IllegalMove(step, f"stack {name} is empty")
    first, second = (stacks[number][-1] for number in numbers)
    if first != second:
        raise IllegalMove(step, f"{first} and {second} are not of the same rank")
    for number in numbers:
        stacks[number].pop()
    return first


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play a winning trace to its end, or see that a certificate jams every way to pair off its ranks.

    Raises
    ------
    InvalidEvidence
    """
    if engine != "winnable" or value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    if verdict is Verdict.WINNABLE:
        _check_win(layout, evidence)
    elif verdict is Verdict.UNWINNABLE:
        used = _refute(start(layout), evidence, 0, {})
        if used != len(evidence):
            raise InvalidEvidence(used + 1, f"the certificate goes on after {used} entries that are enough")
    else:
        raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")


def _check_win(layout: str, trace: str) -> None:
    stacks = start(layout)
    moves = trace.split(" ")
    for step, move in enumerate(moves, start=1):
        play(stacks, move, step)
    if left := sum(map(len, stacks)):
        raise InvalidEvidence(len(moves), f"{left} cards are left: not won")


def _refute(stacks: Stacks, certificate: str, entry: int, mates: Mates) -> int:
    """See that no play wins in which the cards in `mates` leave with their mates; the entry behind those it took.

    The next entry names a rank. Its cards leave in one of three ways. Each way either jams at once, or is refuted by
    the entries that follow. A way jams if the relaxed game gets stuck, in which every card of another rank may leave by
    itself: whoever cannot win with these helps, cannot win without.
    """
    if entry == len(certificate):
        raise InvalidEvidence(entry + 1, "the certificate ends before every way is jammed")
    cards = cards_of(stacks, certificate[entry])
    if len(cards) != 4 or cards[0] in mates:
        raise InvalidEvidence(entry + 1, f"{certificate[entry]!r} is no rank that is still to be paired off")
    following = entry + 1
    for matching in MATCHINGS:
        with_these = mates | pair_off(cards, matching)
        if not jams(stacks, with_these):
            following = _refute(stacks, certificate, following, with_these)
    return following


def cards_of(stacks: Stacks, rank: str) -> list[Card]:
    """The cards of a rank, in the order of their stacks."""
    return [
        Card(stack, height) for stack, cards in enumerate(stacks) for height, card in enumerate(cards) if card == rank
    ]


def pair_off(cards: list[Card], matching: tuple[tuple[int, int], tuple[int, int]]) -> Mates:
    """Who leaves with whom."""
    mates = {}
    for one, other in matching:
        mates[cards[one]], mates[cards[other]] = cards[other], cards[one]
    return mates


def jams(stacks: Stacks, mates: Mates) -> bool:
    """Play the relaxed game: cards with a mate leave together with it, all others by themselves. Is anything left?

    Nothing is ever lost by removing a card that can leave, so one order of play is as good as any.
    """
    heights = [len(stack) for stack in stacks]
    moved = True
    while moved:
        moved = False
        for stack in range(len(stacks)):
            while heights[stack]:
                top = Card(stack, heights[stack] - 1)
                mate = mates.get(top)
                if mate is not None:
                    if heights[mate.stack] - 1 != mate.height:
                        break
                    heights[mate.stack] -= 1
                heights[stack] -= 1
                moved = True
    return any(heights)
