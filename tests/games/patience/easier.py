"""The easier game that proves a loss, in the plainest way, from the statement in docs/proofs/patience.md. It shares
nothing with the engine and the referees but the record of the rules; like `naive`, it moves cards one way at a time.

A state is one of `naive`, with the set of cards that are up instead of their numbers, and the set of absent ones.
"""

from collections.abc import Iterator, Set
from typing import Any

from dealmill.pipeline.games.patience.rules import Rules
from tests.games.patience import naive
from tests.games.patience.naive import RANKS, State, copied, fits, turnings

Card = tuple[Any, ...]


def start(text: str, rules: Rules, live: Set[Card]) -> State:
    """The first state: all cards that are not live are taken away."""
    state = naive.parsed(text, rules)
    deck = {(RANKS.index(rank) + 1, suit) for rank in state["order"] for suit in naive.COLOURS}
    up = {
        (RANKS.index(state["order"][index]) + 1, suit) for suit, count in state["up"].items() for index in range(count)
    }
    stays = {card for card in up if not rules.removable or (rules.initial == "all" and height(card, state) == 0)}
    absent = deck - live - stays
    state |= {"up": up, "stays": stays, "absent": set()}
    cards_in_stock = {*state["stock"], *state["waste"]}
    state["open"] = rules.draw > 1 and bool(cards_in_stock & absent)
    remove(state, absent)
    close(state, rules)
    return state


def height(card: Card, state: State) -> int:
    index: int = state["order"].index(RANKS[card[0] - 1])
    return index


def remove(state: State, cards: Set[Card]) -> None:
    """Make cards absent."""
    state["absent"] = state["absent"] | cards
    state["up"] = state["up"] - cards
    state["columns"] = [[card for card in column if card[:2] not in cards] for column in state["columns"]]
    for part in ("cells", "reserve", "stock", "waste"):
        state[part] = [card for card in state[part] if card not in cards]


def close(state: State, rules: Rules) -> None:
    """R2 and what the real game does without a move, until nothing changes."""
    naive.tidy(state, rules)
    for cards, source in liftable(state, rules):
        exact = source == "stock" and rules.draw > 1 and not state["open"]
        if rides_absent(cards[0], state, rules) and not exact:
            remove(state, set(cards))
            close(state, rules)
            return


def rides_absent(card: Card, state: State, rules: Rules) -> bool:
    return any(fits(card, absent, state, rules) for absent in state["absent"])


def liftable(state: State, rules: Rules) -> list[tuple[list[Card], str]]:
    """The cards that can be picked up together, the lowest first, and where they are."""
    groups: list[tuple[list[Card], str]] = []
    for column in state["columns"]:
        for size in range(1, len(column) + 1 if rules.move == "run" else min(len(column), 1) + 1):
            group = column[-size:]
            face_up = all(len(card) == 2 for card in group)
            if face_up and all(fits(group[at + 1], group[at], state, rules) for at in range(size - 1)):
                groups.append((group, "column"))
    groups += [([card], "cell") for card in state["cells"]]
    groups += [([card], "reserve") for card in (state["reserve"][-1:] if rules.stacked else state["reserve"])]
    groups += [([rest["waste"][-1]], "stock") for rest in offers(state, rules)]
    if rules.removable:
        for suit in naive.COLOURS:
            pile = [card for card in state["up"] - state["stays"] if card[1] == suit]
            groups += [([max(pile, key=lambda card: height(card, state))], "foundation")] if pile else []
    return groups


def offers(state: State, rules: Rules) -> Iterator[State]:
    """The states of stock and waste in which a card can be taken; the earliest for each card."""
    if state["open"]:
        cards = state["waste"] + state["stock"]
        for card in cards:
            others = [each for each in cards if each != card]
            yield {**copied(state), "waste": [*others, card], "stock": []}
        return
    seen: list[Card] = []
    for turned in turnings(state, rules):
        if turned["waste"] and turned["waste"][-1] not in seen:
            seen.append(turned["waste"][-1])
            yield turned


def lifted(cards: list[Card], source: str, state: State, rules: Rules) -> State:
    """The state without cards that are picked up."""
    if source == "stock":
        [rest] = [copied(turned) for turned in offers(state, rules) if turned["waste"][-1] == cards[0]]
        rest["waste"].pop()
        return rest
    rest = copied(state)
    rest["columns"] = [[card for card in column if card not in cards] for column in rest["columns"]]
    rest["cells"] = [card for card in rest["cells"] if card not in cards]
    rest["reserve"] = [card for card in rest["reserve"] if card not in cards]
    rest["up"] = rest["up"] - set(cards)
    return rest


def following(state: State, rules: Rules) -> Iterator[State]:
    """The states after one move."""
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


def put(cards: list[Card], source: str, state: State, rules: Rules) -> Iterator[State]:
    card = cards[0]
    ready = all(
        (RANKS.index(lower) + 1, card[1]) in state["up"] | state["absent"]
        for lower in state["order"][: height(card, state)]
    )
    if len(cards) == 1 and source != "foundation" and ready:
        after = lifted(cards, source, state, rules)
        after["up"] = after["up"] | {card}
        yield after
    if len(cards) == 1 and source != "cell" and len(state["cells"]) < rules.cells:
        after = lifted(cards, source, state, rules)
        after["cells"].append(card)
        yield after
    last = RANKS[card[0] - 1] == state["order"][-1]
    for number, column in enumerate(state["columns"]):
        if column and fits(card, column[-1], state, rules):
            after = lifted(cards, source, state, rules)
            after["columns"][number] += cards
            yield after
        if not column and (rules.spaces in ("any", "reserve") or (rules.spaces == "kings" and last)):
            after = lifted(cards, source, state, rules)
            after["columns"][number] += cards
            yield after


def is_won(state: State) -> bool:
    return not any([*state["columns"], state["cells"], state["reserve"], state["stock"], state["waste"]])


def key(state: State, rules: Rules) -> object:
    stock = tuple(state["waste"] + state["stock"])
    turned: object = state["open"] or (len(state["waste"]), state["passes"])
    if not rules.passes and not state["open"]:
        whole = len(state["waste"]) % rules.draw == 0 or not state["stock"]
        turned = 0 if whole else len(state["waste"])
    return (
        tuple(sorted(map(tuple, filter(None, state["columns"])))),
        (frozenset(state["cells"]), tuple(state["reserve"] if rules.stacked else sorted(state["reserve"]))),
        (frozenset(stock) if state["open"] else stock, turned),
        (frozenset(state["up"]), frozenset(state["absent"])),
    )


def counted(text: str, rules: Rules, live: Set[Card], limit: int) -> tuple[bool, int] | None:
    """Whether the easier game can be won, and the number of positions if not; None if there are more than `limit`."""
    first = start(text, rules, live)
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
