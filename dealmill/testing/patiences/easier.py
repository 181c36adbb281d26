"""The easier game that proves a loss, in the plainest way, from the statement in docs/proofs/patience.md. It shares
nothing with the engine and the referees but the record of the rules; like `naive`, it moves cards one way at a time.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.naive import RANKS, Card, State, copied, fits, movable, offered


@dataclass
class EasierState(State):
    """A state of the easier game: also the cards on the foundations, those of them that stay there, and the idle and
    the absent cards. If the stock is `open`, all of its cards are always offered."""

    foundations: frozenset[Card]
    stays: frozenset[Card]
    idle: frozenset[Card]
    absent: frozenset[Card]
    open: bool


def start(text: str, rules: Rules, live: Set[Card], at_once: bool = False) -> EasierState:
    """Return the first state. If cards are absent `at_once`, those that are idle are taken away."""
    state = naive.parsed(text, rules)
    deck = frozenset(Card(RANKS.index(rank) + 1, suit) for rank in state.order for suit in naive.COLOURS)
    up = frozenset(card for card in deck if state.height(card) < state.up[card.suit][0])
    stays = frozenset(
        card for card in up if not rules.removable or (rules.initial == "all" and state.height(card) == 0)
    )
    idle = deck - live - stays
    if rules.to == "hole":
        idle -= set(state.stock)
    is_open = rules.draw > 1 and rules.to == "waste" and not idle.isdisjoint([*state.stock, *state.waste])
    first = EasierState(**vars(state), foundations=up, stays=stays, idle=idle, absent=frozenset(), open=is_open)
    if at_once:
        remove(first, idle)
    close(first, rules)
    return first


def remove(state: EasierState, cards: Set[Card]) -> None:
    """Make cards absent."""
    state.absent |= cards
    state.foundations -= cards
    state.columns = [[card for card in column if card._replace(down=False) not in cards] for column in state.columns]
    for part in (state.cells, state.reserve, state.stock, state.waste):
        part[:] = [card for card in part if card not in cards]


def close(state: EasierState, rules: Rules) -> None:
    """Apply R2, and what the real game does without a move, until nothing changes."""
    naive.tidy(state, rules)
    for cards, source in liftable(state, rules):
        exact = source == "stock" and rules.draw > 1 and not state.open
        leaves = cards[0]._replace(down=False) in state.idle or rides_absent(cards[0], state, rules)
        if leaves and not exact:
            remove(state, set(cards))
            close(state, rules)
            return


def rides_absent(card: Card, state: EasierState, rules: Rules) -> bool:
    """Return whether a card fits an absent one."""
    return any(fits(card, absent, state, rules.build) for absent in state.absent)


def liftable(state: EasierState, rules: Rules) -> list[tuple[list[Card], str]]:
    """Return the cards that can be picked up together, the lowest first, and where they are."""
    groups = [(group, "column") for column in state.columns for group in movable(column, state, rules)]
    groups += [([card], "cell") for card in state.cells]
    groups += [([card], "reserve") for card in (state.reserve[-1:] if rules.stacked else state.reserve)]
    if rules.to == "waste":
        groups += [([rest.waste[-1]], "stock") for rest in offers(state, rules)]
    if rules.removable:
        for suit in naive.COLOURS:
            pile = [card for card in state.foundations - state.stays if card.suit == suit]
            groups += [([max(pile, key=state.height)], "foundation")] if pile else []
    return groups


def offers(state: EasierState, rules: Rules) -> Iterator[EasierState]:
    """Yield the states of stock and waste in which a card can be taken, the earliest for each card."""
    if state.open:
        cards = state.waste + state.stock
        for card in cards:
            others = [each for each in cards if each != card]
            yield replace(copied(state), waste=[*others, card], stock=[])
        return
    yield from offered(state, rules)


def lifted(cards: list[Card], source: str, state: EasierState, rules: Rules) -> EasierState:
    """Return the state without cards that are picked up."""
    if source == "stock":
        [rest] = [copied(turned) for turned in offers(state, rules) if turned.waste[-1] == cards[0]]
        rest.waste.pop()
        return rest
    rest = copied(state)
    rest.columns = [[card for card in column if card not in cards] for column in rest.columns]
    rest.cells = [card for card in rest.cells if card not in cards]
    rest.reserve = [card for card in rest.reserve if card not in cards]
    rest.foundations -= set(cards)
    return rest


def following(state: EasierState, rules: Rules) -> Iterator[EasierState]:
    """Yield the states after one move."""
    for cards, source in liftable(state, rules):
        card = cards[0]
        for after in put(cards, source, state, rules):
            close(after, rules)
            yield after
        if source == "stock" and rides_absent(card, state, rules):  # R4 (b): a move
            after = lifted(cards, source, state, rules)
            remove(after, {card})
            close(after, rules)
            yield after
    if rules.to == "hole" and state.stock:
        after = copied(state)
        after.hole = after.stock.pop(0).rank
        close(after, rules)
        yield after
    for card in state.absent if state.hole else ():
        if goes_into_hole(card, state, rules):
            yield replace(copied(state), hole=card.rank)


def goes_into_hole(card: Card, state: EasierState, rules: Rules) -> bool:
    """Return whether a card may be put into the hole."""
    apart = abs(card.rank - state.hole)
    return apart == 1 or (rules.wrap and rules.ranks > 2 and apart == rules.ranks - 1)


def put(cards: list[Card], source: str, state: EasierState, rules: Rules) -> Iterator[EasierState]:
    """Yield the states after cards that can be picked up are put elsewhere."""
    card = cards[0]
    lower = {Card(RANKS.index(rank) + 1, card.suit) for rank in state.order[: state.height(card)]}
    ready = lower <= state.foundations | state.absent
    if len(cards) == 1 and state.hole and goes_into_hole(card, state, rules):
        after = lifted(cards, source, state, rules)
        after.hole = card.rank
        yield after
    if len(cards) == 1 and not state.hole and source != "foundation" and ready:
        after = lifted(cards, source, state, rules)
        after.foundations |= {card}
        yield after
    if len(cards) == 1 and source != "cell" and len(state.cells) < rules.cells:
        after = lifted(cards, source, state, rules)
        after.cells.append(card)
        yield after
    is_last = state.height(card) == rules.ranks - 1
    for number, column in enumerate(state.columns):
        if column and fits(card, column[-1], state, rules.build):
            after = lifted(cards, source, state, rules)
            after.columns[number] += cards
            yield after
        if not column and (rules.spaces in ("any", "reserve") or (rules.spaces == "kings" and is_last)):
            after = lifted(cards, source, state, rules)
            after.columns[number] += cards
            yield after


def is_won(state: EasierState) -> bool:
    """Return whether no live card is left outside the foundations."""
    return not any([*state.columns, state.cells, state.reserve, state.stock, state.waste])


def key(state: EasierState, rules: Rules) -> object:
    """Return what makes a position; the order of columns, cells and open reserve does not count."""
    stock = tuple(state.waste + state.stock)
    turned: object = state.open or (len(state.waste), state.passes)
    if not rules.passes and not state.open:
        whole = len(state.waste) % rules.draw == 0 or not state.stock
        turned = 0 if whole else len(state.waste)
    return (
        tuple(sorted(map(tuple, filter(None, state.columns)))),
        (frozenset(state.cells), tuple(state.reserve if rules.stacked else sorted(state.reserve))),
        (frozenset(stock) if state.open else stock, turned),
        (frozenset(state.foundations), frozenset(state.absent), state.hole),
    )


def counted(text: str, rules: Rules, live: Set[Card], limit: int, *, at_once: bool = False) -> tuple[bool, int] | None:
    """Return whether the easier game can be won, and the number of positions if not; None if there are more than
    `limit`. Idle cards may be absent `at_once`."""
    first = start(text, rules, live, at_once)
    reached, waiting = {key(first, rules)}, [first]
    if is_won(first):
        return True, 0
    while waiting:
        for after in following(waiting.pop(), rules):
            if is_won(after):
                return True, 0
            if (new := key(after, rules)) not in reached:
                reached.add(new)
                waiting.append(after)
        if len(reached) > limit:
            return None
    return False, len(reached)
