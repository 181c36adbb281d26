"""The rules of card pairing and its referee."""

from collections.abc import Collection
from dataclasses import dataclass

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

RANKS = "A23456789TJQKBCD"
SUITS = 4
STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
MATCHINGS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
"""The three ways in which four cards can leave in pairs."""

Stacks = list[list[str]]
"""The rank of each card, stack by stack from bottom to top."""

Card = int
"""The number of a card in its layout, counted from 0, stack by stack from bottom to top."""
Mates = dict[Card, Card]
"""For each card of a named rank, the card that leaves with it."""
Under = dict[Card, Card | None]
"""For each card of a named rank, the next lower card of a named rank in its stack; None if there is none."""


@dataclass(frozen=True)
class Deal:
    """The cards of a layout: those of each stack, from bottom to top, and those of each rank."""

    stacks: list[range]
    ranks: dict[str, list[Card]]


def start(layout: str) -> Stacks:
    """Return the stacks of a layout."""
    return [list(stack) for stack in layout.split(" ")]


def play(stacks: Stacks, move: str, step: int) -> str:
    """Remove the top cards of the two stacks that a move names, and return their rank.

    Raises
    ------
    IllegalMove
        If the move does not name two stacks, or their top cards are not of the same rank.
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
    """Play a winning trace to its end, or check that every way to pair off the ranks of a certificate jams.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    if engine != "winnable" or value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    check_layout(layout)
    if verdict is Verdict.WINNABLE:
        _check_win(layout, evidence)
    elif verdict is Verdict.UNWINNABLE:
        used = _refute(deal_of(layout), evidence, 0, {})
        if used != len(evidence):
            raise InvalidEvidence(used + 1, f"the certificate continues after {used} entries, which are enough")
    else:
        raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")


def check_layout(layout: str) -> None:
    """Check that a text is a layout: 2 to 36 stacks of equal height, with four cards of each rank in them.

    Raises
    ------
    InvalidEvidence
        With step 0, if it is not.
    """
    stacks = layout.split(" ")
    if not 1 < len(stacks) <= len(STACK_NAMES):
        raise InvalidEvidence(0, f"the layout has {len(stacks)} stacks, expected 2 to {len(STACK_NAMES)}")
    if len(set(map(len, stacks))) > 1:
        raise InvalidEvidence(0, "the stacks of the layout are not of equal height")
    times = {card: layout.count(card) for card in set(layout) - {" "}}
    if not times.keys() <= set(RANKS) or set(times.values()) != {SUITS}:
        raise InvalidEvidence(0, "the layout does not consist of four cards of each rank")


def _check_win(layout: str, trace: str) -> None:
    stacks = start(layout)
    moves = trace.split(" ")
    for step, move in enumerate(moves, start=1):
        play(stacks, move, step)
    if left := sum(map(len, stacks)):
        raise InvalidEvidence(len(moves), f"{left} cards are left: not won")


def _refute(deal: Deal, certificate: str, entry: int, mates: Mates) -> int:
    """Check that no play wins in which the cards in `mates` leave with their mates; return the index of the next entry.

    The entry at index `entry` names a rank, whose cards leave in one of three ways. Each way must jam, or be refuted by
    the entries that follow. A way jams if the relaxed game gets stuck, in which each card of any other rank may leave
    alone: a deal that cannot be won in this easier game cannot be won at all.
    """
    if entry == len(certificate):
        raise InvalidEvidence(entry + 1, "the certificate ends before every way jams")
    cards = deal.ranks.get(certificate[entry], [])
    if len(cards) != 4 or cards[0] in mates:
        raise InvalidEvidence(entry + 1, f"{certificate[entry]!r} is not a rank that is still to be paired off")
    tops, under = named_cards(deal, {*mates, *cards})
    following = entry + 1
    for matching in MATCHINGS:
        with_these = mates | pair_off(cards, matching)
        if not jams(tops, under, with_these):
            following = _refute(deal, certificate, following, with_these)
    return following


def deal_of(layout: str) -> Deal:
    """Return the cards of a layout by stack and by rank."""
    deal = Deal([], {})
    card = 0
    for stack in layout.split(" "):
        deal.stacks.append(range(card, card + len(stack)))
        for rank in stack:
            deal.ranks.setdefault(rank, []).append(card)
            card += 1
    return deal


def pair_off(cards: list[Card], matching: tuple[tuple[int, int], tuple[int, int]]) -> Mates:
    """Return the mate of each of four cards in a matching."""
    (a, b), (c, d) = matching
    return {cards[a]: cards[b], cards[b]: cards[a], cards[c]: cards[d], cards[d]: cards[c]}


def named_cards(deal: Deal, named: Collection[Card]) -> tuple[list[Card], Under]:
    """Return the uppermost named card of each stack that has one, and the next lower named card of each, or None."""
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
    """Play the relaxed game, in which cards with a mate leave with it and all others alone; return whether it jams.

    Cards without a mate never block, so only cards with a mate are considered (see `named_cards`): each is on top once
    the one above it has left. Removing cards that can leave never hurts, so any order of play gives the same result.
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
