"""The rules of card pairing and its referee: stacks of cards, and who lies on whom."""

from collections.abc import Collection
from dataclasses import dataclass

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.verdict import Verdict

STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
MATCHINGS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The three ways in which four cards can leave in pairs."""

Stacks = list[list[str]]
"""The rank of each card, stack by stack from bottom to top."""

Card = int
"""The number of a card in its layout, counted from 0, stack by stack from bottom to top."""
Mates = dict[Card, Card]
"""Which card each card of a named rank leaves with."""
Under = dict[Card, Card | None]
"""Which card of a named rank lies under each of them, in its stack; None under the last one."""


@dataclass(frozen=True)
class Deal:
    """Where the cards of a layout lie: the cards of each stack from bottom to top, and the cards of each rank."""

    stacks: list[range]
    ranks: dict[str, list[Card]]


def start(layout: str) -> Stacks:
    """The stacks of a layout."""
    return [list(stack) for stack in layout.split(" ")]


def play(stacks: Stacks, move: str, step: int) -> str:
    """Remove the top cards of the two stacks that a move names, and return their rank.

    Raises
    ------
    IllegalMove
    """
    numbers = list(map(STACK_NAMES.find, move))
    if len(numbers) != 2 or min(numbers) < 0 or max(numbers) >= len(stacks):
        raise IllegalMove(step, f"{move!r} does not name two stacks")
    if numbers[0] == numbers[1]:
        raise IllegalMove(step, f"{move!r} names one stack twice")
    one, other = stacks[numbers[0]], stacks[numbers[1]]
    if not one or not other:
        raise IllegalMove(step, f"stack {move[1] if one else move[0]} is empty")
    if one[-1] != other[-1]:
        raise IllegalMove(step, f"{one[-1]} and {other[-1]} are not of the same rank")
    one.pop()
    return other.pop()


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
        used = _refute(deal_of(layout), evidence, 0, {})
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


def _refute(deal: Deal, certificate: str, entry: int, mates: Mates) -> int:
    """See that no play wins in which the cards in `mates` leave with their mates; the entry behind those it took.

    The next entry names a rank. Its cards leave in one of three ways. Each way either jams at once, or is refuted by
    the entries that follow. A way jams if the relaxed game gets stuck, in which every card of another rank may leave by
    itself: whoever cannot win with these helps, cannot win without.
    """
    if entry == len(certificate):
        raise InvalidEvidence(entry + 1, "the certificate ends before every way is jammed")
    cards = deal.ranks.get(certificate[entry], [])
    if len(cards) != 4 or cards[0] in mates:
        raise InvalidEvidence(entry + 1, f"{certificate[entry]!r} is no rank that is still to be paired off")
    tops, under = named_cards(deal, {*mates, *cards})
    following = entry + 1
    for matching in MATCHINGS:
        with_these = mates | pair_off(cards, matching)
        if not jams(tops, under, with_these):
            following = _refute(deal, certificate, following, with_these)
    return following


def deal_of(layout: str) -> Deal:
    """The cards of a layout by stack and by rank."""
    deal = Deal([], {})
    card = 0
    for stack in layout.split(" "):
        deal.stacks.append(range(card, card + len(stack)))
        for rank in stack:
            deal.ranks.setdefault(rank, []).append(card)
            card += 1
    return deal


def pair_off(cards: list[Card], matching: tuple[tuple[int, int], tuple[int, int]]) -> Mates:
    """Who leaves with whom."""
    (a, b), (c, d) = matching
    return {cards[a]: cards[b], cards[b]: cards[a], cards[c]: cards[d], cards[d]: cards[c]}


def named_cards(deal: Deal, named: Collection[Card]) -> tuple[list[Card], Under]:
    """The uppermost of the named cards of each stack, and the next one under each of them; None where there is none."""
    tops: list[Card] = []
    under: Under = {}
    for stack in deal.stacks:
        top = None
        for card in stack:
            if card in named:
                under[card] = top
                top = card
        if top is not None:
            tops.append(top)
    return tops, under


def jams(tops: list[Card], under: Under, mates: Mates) -> bool:
    """Play the relaxed game: cards with a mate leave together with it, all others by themselves. Is anything left?

    Cards without a mate are never in the way, so only those with one are looked at (see `named_cards`): each comes to
    the top when the one above it has left. Nothing is ever lost by removing cards that can leave, so one order of play
    is as good as any.
    """
    on_top = tops.copy()
    waiting = set[Card]()
    for card in on_top:
        mate = mates[card]
        if mate not in waiting:
            waiting.add(card)
            continue
        for left in (card, mate):  # both are on top, and leave
            if (freed := under[left]) is not None:
                on_top.append(freed)
    return len(on_top) < len(mates)
