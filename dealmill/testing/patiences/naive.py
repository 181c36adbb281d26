"""Patiences in the plainest way, from docs/patience.md: one move at a time, stock and waste turned card by card, and no
cleverness anywhere. It shares nothing with the engine and the referees but the record of the rules.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from dealmill.pipeline.games.patience.rules import Rules

RANKS = "A23456789TJQK"
COLOURS = {"C": "black", "S": "black", "H": "red", "D": "red"}


class Card(NamedTuple):
    """A card: its rank, from 1, the letter of its suit, and whether it lies face down."""

    rank: int
    suit: str
    down: bool = False

    @property
    def name(self) -> str:
        """The card as it is written in moves."""
        return RANKS[self.rank - 1] + self.suit


@dataclass
class State:
    """A state of a game: where the cards are, the top card last; of the stock, the card that is turned next is first.

    `order` are the ranks from that of the first cards of the foundations on, and `up` counts the cards on each
    foundation of a suit, the greatest number first; `down` counts those on the one that is built from the last rank
    down, if there is one. `hole` is the rank of the card on top of the hole, or 0.
    """

    order: list[str]
    columns: list[list[Card]]
    cells: list[Card]
    reserve: list[Card]
    stock: list[Card]
    waste: list[Card]
    passes: int
    up: dict[str, list[int]]
    down: dict[str, int]
    hole: int

    def height(self, card: Card) -> int:
        """Return how many cards of its suit are below a card on its foundation."""
        return self.order.index(RANKS[card.rank - 1])


AnyState = TypeVar("AnyState", bound=State)


def parsed(text: str, rules: Rules) -> State:
    """Return the state of a layout."""
    _, columns, *parts = text.split(" ")
    words = dict(part.split(":") for part in parts)
    base = words.get("base", rules.foundations)
    order = [RANKS[(RANKS.index(base) + step) % rules.ranks] for step in range(rules.ranks)]
    tops = [(card.suit, order.index(RANKS[card.rank - 1]) + 1) for card in cards(words.get("foundations", ""))]
    ends = {card.suit: order.index(RANKS[card.rank - 1]) for card in cards(words.get("downward", ""))}
    state = State(
        order=order,
        columns=[cards("" if column == "-" else column) for column in columns.split("/")],
        cells=cards(words.get("cells", "")),
        reserve=cards(words.get("reserve", "")),
        stock=cards(words.get("stock", "")),
        waste=cards(words.get("waste", "")),
        passes=int(words.get("passes", "0")) if rules.passes else 10**9,
        up={suit: _heights([count for each, count in tops if each == suit], rules) for suit in COLOURS},
        down={suit: rules.ranks - ends.get(suit, rules.ranks) for suit in COLOURS},
        hole=next((card.rank for card in cards(words.get("hole", ""))), 0),
    )
    tidy(state, rules)
    return state


def _heights(counts: list[int], rules: Rules) -> list[int]:
    """Return the cards on each foundation of a suit, of which those with cards have these counts."""
    return sorted(counts, reverse=True) + [0] * (4 * rules.decks // rules.suits - len(counts))


def cards(text: str) -> list[Card]:
    """Return the cards in a text such as ``6H4s``."""
    pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
    return [Card(RANKS.index(pair[0]) + 1, pair[1].upper(), pair[1].islower()) for pair in pairs]


def tidy(state: State, rules: Rules) -> None:
    """Fill spaces from the reserve, and turn cards up."""
    for number, column in enumerate(state.columns):
        if not column and rules.spaces in ("reserve", "reserve-then-waste") and state.reserve:
            state.columns[number] = [state.reserve.pop()]
        elif column and column[-1].down:
            column[-1] = column[-1]._replace(down=False)


def copied(state: AnyState) -> AnyState:
    """Return a copy that shares no list with a state."""
    return replace(
        state,
        columns=[column.copy() for column in state.columns],
        cells=state.cells.copy(),
        reserve=state.reserve.copy(),
        stock=state.stock.copy(),
        waste=state.waste.copy(),
        up={suit: heights.copy() for suit, heights in state.up.items()},
        down=state.down.copy(),
    )


def won(state: State, rules: Rules) -> bool:
    """Return whether all cards are on the foundations, or in the hole."""
    if rules.hole != "none":
        return not any([*state.columns, state.cells, state.reserve, state.stock, state.waste])
    return sum(map(sum, state.up.values())) + sum(state.down.values()) == 4 * rules.decks * rules.ranks


def fits(card: Card, below: Card, state: State, build: str, wraps: bool = False, direction: str = "down") -> bool:
    """Return whether a card may be put on another one in a column that is built in a way that `Rules.build` names, and
    in which ranks wrap or not, in one direction or in both."""
    if below.down or build == "none":
        return False
    lower, higher, last, either = state.height(card), state.height(below), len(state.order) - 1, direction == "either"
    is_next = lower + 1 == higher or (either and higher + 1 == lower)
    if not is_next and not (wraps and ((lower, higher) == (last, 0) or (either and (higher, lower) == (last, 0)))):
        return False
    same_colour = COLOURS[card.suit] == COLOURS[below.suit]
    return {
        "any-suit": True,
        "red-black": not same_colour,
        "same-suit": card.suit == below.suit,
        "same-colour": same_colour,
        "other-suit": card.suit != below.suit,
    }[build]


def joined(card: Card, below: Card, state: State, rules: Rules) -> bool:
    """Return whether a card is part of a run with the one below it."""
    build = rules.build if rules.run == "build" else rules.run
    return fits(card, below, state, build, rules.build_wraps, rules.direction)


def turnings(state: AnyState, rules: Rules) -> Iterator[AnyState]:
    """Yield every state to which turning the stock leads, this one first."""
    seen = []
    while True:
        situation = (state.waste, state.stock)
        if situation in seen:
            return
        seen.append((state.waste.copy(), state.stock.copy()))
        yield state
        state = copied(state)
        if state.stock:
            for _ in range(min(rules.draw, len(state.stock))):
                state.waste.append(state.stock.pop(0))
        elif state.passes > 0:
            state.passes -= 1
            state.stock, state.waste = state.waste, []


def offered(state: AnyState, rules: Rules) -> Iterator[AnyState]:
    """Yield the states of stock and waste in which a card can be taken, the earliest for each card: sooner is never
    worse."""
    places: list[int] = []
    for turned in turnings(state, rules) if rules.to == "waste" else ():
        if turned.waste and len(turned.waste) not in places:
            places.append(len(turned.waste))
            yield turned


def taken(state: State, rules: Rules) -> Iterator[tuple[str, list[Card], State]]:
    """Yield the cards that can be picked up together: from where, the cards, the lowest first, and the state without
    them."""
    for number, column in enumerate(state.columns):
        for group in movable(column, state, rules):
            rest = copied(state)
            del rest.columns[number][-len(group) :]
            yield "columns", group, rest
    for number, card in enumerate(state.cells):
        rest = copied(state)
        del rest.cells[number]
        yield "cells", [card], rest
    for number, card in enumerate(state.reserve):
        if not rules.stacked or number == len(state.reserve) - 1:
            rest = copied(state)
            del rest.reserve[number]
            yield "reserve", [card], rest
    for turned in offered(state, rules):
        rest = copied(turned)
        yield "stock", [rest.waste.pop()], rest
    if rules.to == "hole" and state.stock:
        rest = copied(state)
        yield "deal", [rest.stock.pop(0)], rest
    if rules.removable:
        for suit, heights in state.up.items():
            for count in sorted(set(heights)):
                if count > (rules.initial == "all"):
                    rest = copied(state)
                    rest.up[suit].remove(count)
                    rest.up[suit] = sorted([*rest.up[suit], count - 1], reverse=True)
                    yield "foundations", [Card(RANKS.index(state.order[count - 1]) + 1, suit)], rest


def movable(column: list[Card], state: State, rules: Rules) -> Iterator[list[Card]]:
    """Yield the top cards of a column that move as a unit: one, and if the rules say so, runs, or only those that are
    the whole column, or any that lie face up."""
    is_run = True
    for size in range(1, len(column) + 1):
        group = column[-size:]
        if group[0].down:
            return
        is_run = size == 1 or (is_run and joined(group[1], group[0], state, rules))
        is_whole = rules.move in ("whole-pile", "card-or-pile") and size == len(column)
        if size == 1 or rules.move == "any" or (is_run and (rules.move == "run" or is_whole)):
            yield group


def following(state: State, rules: Rules) -> Iterator[tuple[str, State]]:
    """Yield every move, as it is written, with the state after it."""
    for source, group, rest in taken(state, rules):
        for target, after in put(source, group, rest, state, rules):
            goal = target
            if has_copies(rules):
                goal = _source_word(source, rest, state) + _target_word(target, rest, after)
            tidy(after, rules)
            yield f"{group[0].name}{goal}", after
    if rules.complete and not waits_for_card(state, rules):
        yield from completed(state, rules)
    if order_counts(state, rules) and not (rules.full_columns and [] in state.columns):
        after = copied(state)
        for column in after.columns:
            if after.stock:
                column.append(after.stock.pop(0))
        tidy(after, rules)
        yield f"{state.stock[0].name}d", after


def completed(state: State, rules: Rules) -> Iterator[tuple[str, State]]:
    """Yield the moves of whole suits to their foundations."""
    for number, column in enumerate(state.columns):
        top = column[-rules.ranks :]
        ranks = [RANKS[card.rank - 1] for card in top if not card.down]
        if ranks == state.order[::-1] and len({card.suit for card in top}) == 1:
            after = copied(state)
            del after.columns[number][-rules.ranks :]
            heights = after.up[top[0].suit]
            heights[heights.index(0)] = rules.ranks
            tidy(after, rules)
            yield f"{top[0].name}{number + 1 if has_copies(rules) else ''}f", after


def has_copies(rules: Rules) -> bool:
    """Return whether cards exist more than once, so that moves name columns."""
    return 4 * rules.decks > rules.suits


def _source_word(source: str, rest: State, state: State) -> str:
    """Return where a card is that has copies: the number of its column, its place in waste and stock, a foundation, or
    the reserve."""
    if source in ("foundations", "reserve"):
        return source[0]
    return f"s{len(rest.waste) + 1}" if source == "stock" else str(longer(rest, state) + 1)


def _target_word(target: str, rest: State, after: State) -> str:
    """Return where it goes: to a foundation, or the number of a column."""
    return target if target == "f" else f"-{longer(rest, after) + 1}"


def longer(state: State, after: State) -> int:
    """Return which column is longer than in a state before."""
    lengths = zip(map(len, state.columns), map(len, after.columns), strict=True)
    return next(number for number, (old, new) in enumerate(lengths) if new > old)


def waits_for_card(state: State, rules: Rules) -> bool:
    """Return whether an empty column has to be filled from the waste, or from the stock, first."""
    return rules.spaces == "waste" and [] in state.columns and bool(state.stock or state.waste)


def order_counts(state: State, rules: Rules) -> bool:
    """Return whether columns are different places, since cards will be dealt to them."""
    return rules.to == "tableau" and bool(state.stock)


def put(source: str, group: list[Card], rest: State, before: State, rules: Rules) -> Iterator[tuple[str, State]]:
    """Yield where cards that were picked up from `source` can be put, and the states after that."""
    card = group[0]
    if len(group) == 1 and rules.hole != "none":
        apart = abs(card.rank - rest.hole)
        if source == "deal" or apart == 1 or (rules.wrap and rules.ranks > 2 and apart == rules.ranks - 1):
            yield "h", replace(copied(rest), hole=card.rank)
    if source == "deal":
        return
    if waits_for_card(before, rules):
        if source == "stock":
            after = copied(rest)
            after.columns[rest.columns.index([])].append(card)
            yield "e", after
        return
    if len(group) == 1 and rules.hole == "none" and not rules.complete and source != "foundations":
        yield from (("f", after) for after in risen(card, rest, rules))
    if len(group) == 1 and source != "cells" and len(rest.cells) < rules.cells:
        after = copied(rest)
        after.cells.append(card)
        yield "c", after
    if source != "columns" or rules.move != "whole-pile" or not leaves_cards(rest, before):
        yield from laid(source, group, rest, before, rules)


def laid(source: str, group: list[Card], rest: State, before: State, rules: Rules) -> Iterator[tuple[str, State]]:
    """Yield the columns on which cards that were picked up from `source` can be put, and the states after that."""
    card = group[0]
    first_space = rest.columns.index([]) if [] in rest.columns else None
    emptied = source == "columns" and rest.columns.count([]) > before.columns.count([])
    ordered = order_counts(before, rules)
    for number, column in enumerate(rest.columns):
        if column:
            own = source == "columns" and column != before.columns[number]
            if own or not fits(card, column[-1], rest, rules.build, rules.build_wraps, rules.direction):
                continue
        elif not fills(card, source, rest, rules) or (number != first_space and rules.to != "tableau"):
            continue
        elif emptied and (before.columns[number] or not ordered):
            continue  # a whole column from one empty place to another
        after = copied(rest)
        after.columns[number] += group
        empty = f"e{number + 1}" if rules.to == "tableau" else "e"
        yield (column[-1].name if column else empty), after


def fills(card: Card, source: str, state: State, rules: Rules) -> bool:
    """Return whether a card that was picked up from `source` may be put into an empty column."""
    return {
        "any": True,
        "reserve": True,
        "waste": True,
        "reserve-then-waste": source == "stock",
        "kings": state.height(card) == rules.ranks - 1,
        "none": False,
    }[rules.spaces]


def risen(card: Card, rest: State, rules: Rules) -> Iterator[State]:
    """Yield the state after a card has gone to a foundation of its suit, if it is the next one there."""
    heights, number = rest.up[card.suit], rest.height(card)
    if number in heights:
        after = copied(rest)
        after.up[card.suit][heights.index(number)] += 1
        yield after
    elif rules.foundation_direction == "both" and number == rules.ranks - 1 - rest.down[card.suit]:
        after = copied(rest)
        after.down[card.suit] += 1
        yield after


def leaves_cards(rest: State, before: State) -> bool:
    """Return whether the column from which cards were picked up is not empty."""
    return any(column and column != old for column, old in zip(rest.columns, before.columns, strict=True))


def key(state: State, rules: Rules) -> object:
    """Return what makes a position: the order of columns does not count, unless the stock is dealt to them, nor that of
    cells and open reserve, nor how far the stock is turned, if it offers the same cards."""
    stock = tuple(state.waste + state.stock)
    turned: object = len(state.waste), state.passes
    if not rules.passes:
        turned = tuple(sorted(offer.waste[-1] for offer in offered(state, rules)))
        turned = (turned, rules.draw > 1 and _turned(state, rules))
    reserve = tuple(state.reserve if rules.stacked else sorted(state.reserve))
    columns = map(tuple, state.columns)
    return (
        tuple(columns if order_counts(state, rules) else sorted(columns)),
        tuple(sorted(state.cells)),
        (reserve, stock, turned, tuple(on_foundations(state, rules)), state.hole),
    )


def on_foundations(state: State, rules: Rules) -> Iterator[tuple[object, ...]]:
    """Yield what is on the foundations of each suit. Of a suit that is whole, it makes no difference where its two
    foundations meet."""
    for suit, heights in state.up.items():
        is_whole = rules.foundation_direction == "both" and heights[0] + state.down[suit] == rules.ranks
        yield (suit, "whole") if is_whole else (suit, *heights, state.down[suit])


def _turned(state: State, rules: Rules) -> int:
    """Return how many cards are turned; 0 if the stock is untouched, turned whole groups of cards, or all of it."""
    turned = len(state.waste)
    return 0 if turned % rules.draw == 0 or not state.stock else turned


def counted(text: str, rules: Rules, limit: int) -> tuple[bool, int] | None:
    """Return whether a layout can be won, and the number of positions if not; None if there are more than `limit`."""
    first = parsed(text, rules)
    reached, waiting = {key(first, rules)}, [first]
    if won(first, rules):
        return True, 0
    while waiting:
        for _, after in following(waiting.pop(), rules):
            if won(after, rules):
                return True, 0
            if (state := key(after, rules)) not in reached:
                reached.add(state)
                waiting.append(after)
        if len(reached) > limit:
            return None
    return False, len(reached)
