"""Small decks for the rules of a patience, and positions of them."""

from dataclasses import replace
from random import Random

from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules

IN_HOLE = 0.2
"""The share of cards that are in a hole already, in random positions."""


def with_small_deck(rules: Rules, random: Random) -> Rules:
    """Return rules with fewer cards, columns and cells, which are otherwise the same."""
    while True:
        ranks = random.randint(min(2, rules.ranks), min(4, rules.ranks))
        cells = min(rules.cells, random.randint(1, 2))
        filled = min(rules.filled, random.randint(0, cells))
        reserve = min(rules.reserve, random.randint(2, 3))
        stock = min(rules.stock, random.choice([3, 5, 7]))
        initial = rules.initial_count + (rules.hole != "none")
        left = len(SUITS) * rules.decks * ranks - initial - filled - reserve - stock
        if left >= (rules.initial == "others"):
            break
    sizes = [0] * min(len(rules.sizes), random.randint(1, 6))
    for _ in range(left):
        sizes[random.randrange(len(sizes))] += 1
    base = rules.foundations if rules.foundations not in RANKS[ranks:] else RANKS[ranks - 1]
    hole = rules.hole if rules.hole[0] not in RANKS[ranks:] else RANKS[ranks - 1] + rules.hole[1]
    face_down = rules.face_down
    if isinstance(face_down, tuple):
        face_down = tuple(min(down, max(size - 1, 0)) for down, size in zip(face_down, sizes, strict=False))
    return replace(
        rules,
        ranks=ranks,
        sizes=tuple(sizes),
        face_down=face_down,
        foundations=base,
        hole=hole,
        cells=cells,
        filled=filled,
        reserve=reserve,
        stock=stock,
    )


def random_position(rules: Rules, random: Random) -> str:
    """Return the canonical text of a position with cards anywhere that the rules allow."""
    ranks = RANKS[: rules.ranks]
    base = random.choice(ranks) if rules.foundations == "dealt" else rules.foundations
    deck = rules.deck()
    random.shuffle(deck)
    parts = {"base": base if rules.foundations == "dealt" else ""}
    if rules.hole == "none":
        order = [ranks[(ranks.index(base) + number) % rules.ranks] for number in range(rules.ranks)]
        up = sorted(
            ((suit, _height(rules, random)) for suit in rules.upward_piles),
            key=lambda pile: (SUITS.index(pile[0]), -pile[1]),
        )
        parts["foundations"] = "".join(order[count - 1] + suit for suit, count in up if count)
        for suit, count in up:
            for rank in order[:count]:
                deck.remove(rank + suit)
        parts["downward"] = "".join(_built_down(rules, suit, order[count:], deck, random) for suit, count in up)
    else:
        parts["hole"] = deck.pop()
        deck = [card for card in deck if random.random() > IN_HOLE]
    for part, limit in {"cells": rules.cells, "reserve": rules.reserve, "stock": rules.stock}.items():
        size = random.randint(0, min(limit, len(deck)))
        parts[part], deck = "".join(deck[:size]), deck[size:]
    if rules.to == "waste":
        turned = 2 * random.randint(0, len(parts["stock"]) // 2)
        parts["waste"], parts["stock"] = parts["stock"][:turned], parts["stock"][turned:]
    if rules.to == "waste" and rules.passes > 1:
        parts["passes"] = str(random.randrange(rules.passes)).strip("0")
    columns: list[list[str]] = [[] for _ in rules.sizes]
    for card in deck:
        random.choice(columns).append(card)
    texts = [_column(column, rules, random) for column in columns]
    written = [f"{name}:{cards}" for name, cards in sorted(parts.items()) if cards]
    return " ".join([rules.name, "/".join(texts), *written])


def _height(rules: Rules, random: Random) -> int:
    """Return a number of cards for a foundation."""
    if rules.complete:
        return random.choice([0, 0, rules.ranks])
    least = int(rules.initial == "all")
    return random.choice([least, random.randint(least, rules.ranks)])


def _built_down(rules: Rules, suit: str, left: list[str], deck: list[str], random: Random) -> str:
    """Take cards of a suit from the deck, of which these ranks are left, from the last one down; return the top card if
    they lie on a foundation."""
    count = random.choice([0, random.randint(0, len(left))]) if rules.has_downward_piles else 0
    for rank in left[len(left) - count :]:
        deck.remove(rank + suit)
    return left[-count] + suit if count else ""


def _column(cards: list[str], rules: Rules, random: Random) -> str:
    """Return a column, in which the first cards may lie face down."""
    down = random.choice([0, random.randrange(max(len(cards), 1))]) if rules.face_down != "none" else 0
    return "".join([card[0] + card[1].lower() for card in cards[:down]] + cards[down:]) or "-"
