"""Patiences in the plainest way, from docs/patience.md: one move at a time, stock and waste turned card by card, and no
cleverness anywhere. It shares nothing with the engine and the referee but the record of the rules.

Cards are pairs of a rank, from 1, and a letter for the suit. A face-down card is a triple, with a third item.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from dealmill.pipeline.games.patience.rules import Rules

RANKS = "A23456789TJQK"
COLOURS = {"C": "black", "S": "black", "H": "red", "D": "red"}
State = dict[str, Any]


def parsed(text: str, rules: Rules) -> State:
    """The state of a layout: lists of cards, and what is on the foundations."""
    _, columns, *parts = text.split(" ")
    words = dict(part.split(":") for part in parts)
    base = words.get("base", rules.foundations)
    order = [RANKS[(RANKS.index(base) + step) % rules.ranks] for step in range(rules.ranks)]
    tops = {card[1]: order.index(RANKS[card[0] - 1]) + 1 for card in cards(words.get("foundations", ""))}
    state: State = {
        "order": order,
        "columns": [cards("" if column == "-" else column) for column in columns.split("/")],
        "cells": cards(words.get("cells", "")),
        "reserve": cards(words.get("reserve", "")),
        "stock": cards(words.get("stock", "")),
        "waste": cards(words.get("waste", "")),
        "passes": int(words.get("passes", "0")) if rules.passes else 10**9,
        "up": {suit: tops.get(suit, 0) for suit in COLOURS},
        "hole": (cards(words.get("hole", "")) or [(0, "")])[0][0],
    }
    tidy(state, rules)
    return state


def cards(text: str) -> list[tuple[Any, ...]]:
    pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
    return [
        (RANKS.index(rank) + 1, suit.upper(), *(["down"] if suit.islower() else [])) for rank, suit in map(tuple, pairs)
    ]


def tidy(state: State, rules: Rules) -> None:
    """Fill spaces from the reserve, and turn cards up."""
    for number, column in enumerate(state["columns"]):
        if not column and rules.spaces == "reserve" and state["reserve"]:
            state["columns"][number] = [state["reserve"].pop()]
        elif column:
            column[-1] = column[-1][:2]


def copied(state: State) -> State:
    copy = {key: value.copy() if isinstance(value, list | dict) else value for key, value in state.items()}
    copy["columns"] = [column.copy() for column in state["columns"]]
    return copy


def won(state: State, rules: Rules) -> bool:
    if rules.hole != "none":
        return not any([*state["columns"], state["cells"], state["reserve"], state["stock"], state["waste"]])
    return bool(sum(state["up"].values()) == 4 * rules.ranks)


def fits(card: tuple[Any, ...], below: tuple[Any, ...], state: State, rules: Rules) -> bool:
    if len(below) > 2 or rules.build == "none":
        return False
    rank, rank_below = (state["order"].index(RANKS[each[0] - 1]) for each in (card, below))
    same_colour = COLOURS[card[1]] == COLOURS[below[1]]
    suits = {"any-suit": True, "red-black": not same_colour, "same-suit": card[1] == below[1]}[rules.build]
    return bool(rank + 1 == rank_below) and suits


def turnings(state: State, rules: Rules) -> Iterator[State]:
    """Every state of stock and waste that turning leads to, this one first."""
    seen = []
    while True:
        situation = (state["waste"], state["stock"])
        if situation in seen:
            return
        seen.append((state["waste"].copy(), state["stock"].copy()))
        yield state
        state = copied(state)
        if state["stock"]:
            for _ in range(min(rules.draw, len(state["stock"]))):
                state["waste"].append(state["stock"].pop(0))
        elif state["passes"] > 0:
            state["passes"] -= 1
            state["stock"], state["waste"] = state["waste"], []


def taken(state: State, rules: Rules) -> Iterator[tuple[str, list[tuple[Any, ...]], State]]:
    """Whatever can be picked up: from where, the cards, the lowest first, and what is left."""
    for number, column in enumerate(state["columns"]):
        for size in range(1, len(column) + 1):
            group = column[-size:]
            run = all(len(card) == 2 for card in group) and all(
                fits(group[at + 1], group[at], state, rules) for at in range(size - 1)
            )
            if run and (size == 1 or rules.move == "run"):
                rest = copied(state)
                del rest["columns"][number][-size:]
                yield "columns", group, rest
    for number, card in enumerate(state["cells"]):
        rest = copied(state)
        del rest["cells"][number]
        yield "cells", [card], rest
    for number, card in enumerate(state["reserve"]):
        if not rules.stacked or number == len(state["reserve"]) - 1:
            rest = copied(state)
            del rest["reserve"][number]
            yield "reserve", [card], rest
    if rules.to == "waste":
        offered = []
        for turned in turnings(state, rules):
            if turned["waste"] and turned["waste"][-1] not in offered:  # sooner is never worse
                offered.append(turned["waste"][-1])
                rest = copied(turned)
                yield "stock", [rest["waste"].pop()], rest
    elif state["stock"]:
        rest = copied(state)
        yield "deal", [rest["stock"].pop(0)], rest
    if rules.removable:
        for suit, count in state["up"].items():
            if count > (rules.initial == "all"):
                rest = copied(state)
                rest["up"][suit] -= 1
                yield "foundations", [(RANKS.index(state["order"][count - 1]) + 1, suit)], rest


def following(state: State, rules: Rules) -> Iterator[tuple[str, State]]:
    """Every move, as it is written, with the state after it."""
    for source, group, rest in taken(state, rules):
        for target, after in put(source, group, rest, state, rules):
            tidy(after, rules)
            yield f"{RANKS[group[0][0] - 1]}{group[0][1]}{target}", after


def put(
    source: str, group: list[tuple[Any, ...]], rest: State, before: State, rules: Rules
) -> Iterator[tuple[str, State]]:
    card = group[0]
    if len(group) == 1 and rules.hole != "none":
        apart = abs(card[0] - rest["hole"])
        if source == "deal" or apart == 1 or (rules.wrap and rules.ranks > 2 and apart == rules.ranks - 1):
            yield "h", {**copied(rest), "hole": card[0]}
    if source == "deal":
        return
    is_next = rest["order"].index(RANKS[card[0] - 1]) == rest["up"][card[1]]
    if len(group) == 1 and rules.hole == "none" and source != "foundations" and is_next:
        after = copied(rest)
        after["up"][card[1]] += 1
        yield "f", after
    if len(group) == 1 and source != "cells" and len(rest["cells"]) < rules.cells:
        after = copied(rest)
        after["cells"].append(card)
        yield "c", after
    first_space = rest["columns"].index([]) if [] in rest["columns"] else None
    for number, column in enumerate(rest["columns"]):
        own = column != before["columns"][number] and source == "columns"
        last = rest["order"][-1] == RANKS[card[0] - 1]
        space = rules.spaces in ("any", "reserve") or (rules.spaces == "kings" and last)
        if own or (not column and number != first_space):
            continue
        if not (fits(card, column[-1], rest, rules) if column else space):
            continue
        if not column and source == "columns" and rest["columns"].count([]) > before["columns"].count([]):
            continue  # a whole column from one empty place to another
        after = copied(rest)
        after["columns"][number] += group
        yield (f"{RANKS[column[-1][0] - 1]}{column[-1][1]}" if column else "e"), after


def key(state: State, rules: Rules) -> object:
    """What makes a position: the order of columns, cells and open reserve does not count, and neither does how far the
    stock is turned, if it offers the same cards."""
    stock = tuple(state["waste"] + state["stock"])
    turned: object = len(state["waste"]), state["passes"]
    if not rules.passes:
        turned = tuple(sorted(group[0] for source, group, _ in taken(state, rules) if source == "stock"))
        turned = (turned, rules.draw > 1 and _turned(state, rules))
    reserve = tuple(state["reserve"] if rules.stacked else sorted(state["reserve"]))
    return (
        tuple(sorted(map(tuple, state["columns"]))),
        tuple(sorted(state["cells"])),
        (reserve, stock, turned, tuple(state["up"].items()), state["hole"]),
    )


def _turned(state: State, rules: Rules) -> int:
    """How many cards are turned; 0 if the stock is untouched, turned whole groups of cards, or all of it."""
    turned = len(state["waste"])
    return 0 if turned % rules.draw == 0 or not state["stock"] else turned


def counted(text: str, rules: Rules, limit: int) -> tuple[bool, int] | None:
    """Whether a layout can be won, and the number of positions if not; None if there are more than `limit`."""
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


def random_rules(random: Random) -> Rules:
    """Rules with two to four ranks, that a deal fits."""
    while True:
        ranks, count = random.randint(2, 4), random.randint(1, 6)
        hole = random.choice(["none", "none", "none", "dealt", "AS"])
        initial = "none" if hole != "none" else random.choice(["none", "none", "one", "all"])
        cells = random.choice([0, 0, 1, 2])
        reserve = random.choice([0, 0, 2, 3])
        stacked = random.random() < 0.6
        stock = random.choice([0, 0, 3, 5, 7])
        filled = random.randint(0, cells)
        left = 4 * ranks - {"none": 0, "one": 1, "all": 4}[initial] - (hole != "none") - filled - reserve - stock
        if left < 0:
            continue
        sizes = [0] * count
        for _ in range(left):
            sizes[random.randrange(count)] += 1
        spaces = ["any", "kings", "none"] + ["reserve"] * (reserve > 0 and stacked)
        return Rules(
            name="random",
            title="Random",
            family="",
            numbers="solvitaire",
            ranks=ranks,
            sizes=tuple(sizes),
            deal=random.choice(["rows", "diagonal"]),
            face_down=random.choice(["none", "all-but-top"]),
            build=random.choice(["any-suit", "red-black", "same-suit", "red-black", "none"]),
            move=random.choice(["card", "run"]),
            spaces=random.choice(spaces),
            foundations="dealt" if initial == "one" else random.choice(RANKS[:ranks] if hole == "none" else "A"),
            initial=initial,
            removable=hole == "none" and random.random() < 0.5,
            cells=cells,
            filled=filled,
            reserve=reserve,
            stacked=stacked,
            stock=stock,
            to="hole" if hole != "none" and random.random() < 0.5 else "waste",
            draw=random.choice([1, 2, 3]),
            passes=random.choice([0, 0, 1, 2]),
            hole=hole,
            wrap=random.random() < 0.5,
        )
