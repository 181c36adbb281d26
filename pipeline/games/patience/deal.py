"""Numbered deals of patiences, and the order in which a deck is dealt.

Deal k of seed s is the deck AC AH AS AD 2C …, shuffled with the stream of that deal (see
`dealmill.pipeline.games.philox`). Seed 0 has the deals that the field knows by number: those of Solvitaire or, if the
rules say so, of Microsoft's FreeCell or PySolFC.

The hole or a dealt base is the first card of the deck, or it is taken out of the deck, as all initial cards of
foundations are. The rest is dealt from the end of the deck: to cells, stock, reserve, and then to the columns in rows.
The last card dealt to the stock is turned first. If the other first cards are on the foundations, the dealt one is the
first that goes to a column. If the rules say that the numbers are PySolFC's, the columns come
first, then cells, a dealt hole, and the stock, in the order of turning.
"""

from collections.abc import Callable
from functools import partial

from dealmill.game import UsageError
from dealmill.kernels import (
    Texts,
    shuffled,
    shuffled_by_microsoft,
    shuffled_by_pysol,
    shuffled_by_solvitaire,
    to_texts,
)
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.schema import FIELD_SEED, NUMBERS

RANKS = "A23456789TJQK"
SUITS = "CHSD"
DEALT_OTHERWISE_BY_PYSOL = {
    "american-canister": "other columns have seven cards",
    "british-canister": "other columns have seven cards",
    "fan": "17 columns have three cards, and one has one",
    "scotch-patience": "17 columns have three cards, and one has one",
    "spanish-patience": "kings go to the bottom of their columns",
    "spider": "columns 1, 4, 7 and 10 have six cards",
    "spiderette": "rows are dealt from left to right",
    "thirtysix": "aces go to the foundations while the cards are dealt",
}
"""What PySolFC does in another way, by game; its sources of August 2026 say so."""


def check_numbers(rules: Rules, seed: int) -> None:
    """Check that deals with PySolFC's numbers are PySolFC's.

    Raises
    ------
    UsageError
        If PySolFC deals the game in another way.
    """
    game = rules.name.partition(":")[0]
    if seed == FIELD_SEED and rules.numbers == "pysol" and game in DEALT_OTHERWISE_BY_PYSOL:
        reason = DEALT_OTHERWISE_BY_PYSOL[game]
        raise UsageError(
            f"PySolFC deals {game} in another way ({reason}): leave out numbers=pysol, or take a seed other than 0"
        )


def deal(rules: Rules, seed: int, first: int, count: int) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`.

    Raises
    ------
    UsageError
        If seed 0 has no such deal.
    """
    if seed == FIELD_SEED:
        least, greatest = NUMBERS[rules.numbers]
        if count and not least <= first <= first + count - 1 <= greatest:
            raise UsageError(f"the deals of seed 0 of {rules.name} have the numbers 1 to {greatest:,}")
        by_program: dict[str, Callable[[int], list[str]]] = {
            "microsoft": shuffled_by_microsoft,
            "pysol": partial(shuffled_by_pysol, decks=rules.decks),
            "solvitaire": partial(shuffled_by_solvitaire, _deck(rules)),
        }
        deck_of = by_program[rules.numbers]
        return to_texts([_dealt(rules, deck_of(number)) for number in range(first, first + count)])
    return to_texts([_dealt(rules, shuffled(_deck(rules), seed, number)) for number in range(first, first + count)])


def _deck(rules: Rules) -> list[str]:
    """Return the cards in the order of ranks, deck after deck. Of fewer suits, each stands for those of its colour, or
    for all."""
    suits = {1: "SSSS", 2: "SHSH", 4: SUITS}[rules.suits]
    return [rank + suit for _ in range(rules.decks) for rank in RANKS[: rules.ranks] for suit in suits]


def _dealt(rules: Rules, deck: list[str]) -> str:
    """Return the canonical text of a shuffled deck. PySolFC deals to the columns first, and from the other end of the
    deck if kings go below."""
    parts: dict[str, str] = {}
    pysol = rules.numbers == "pysol"
    if pysol and rules.deal == "kings-below":
        deck = deck[::-1]
    dealt = deck[len(deck) - 1 - sum(rules.sizes) - rules.filled if pysol else 0]
    if rules.hole != "none":
        parts["hole"] = dealt if rules.hole == "dealt" else rules.hole
    base = dealt[0] if rules.foundations == "dealt" else rules.foundations
    first = [base + suit for suit in rules.upward_piles]
    others = [card for card in first if card != dealt]
    initial = {"none": [], "one": [dealt], "all": first, "others": others}[rules.initial]
    parts["foundations"] = "".join(initial)
    parts["base"] = base if rules.foundations == "dealt" else ""
    left = deck.copy()
    for card in [*initial, *filter(None, [parts.get("hole")])]:
        left.remove(card)
    columns = _columns(rules, left) if pysol else []
    parts["cells"] = "".join(left.pop() for _ in range(rules.filled))
    stock = [left.pop() for _ in range(rules.stock)]
    parts["stock"] = "".join(stock if pysol else stock[::-1])
    parts["reserve"] = "".join(left.pop() for _ in range(rules.reserve))
    parts["passes"] = str(rules.passes - 1) if rules.counts_passes else ""
    if rules.initial == "others":
        left.append(left.pop(0))
    columns = columns or _columns(rules, left)
    if rules.deal == "kings-below":
        columns = [_with_kings_below(rules, column, RANKS.index(base)) for column in columns]
    texts = [
        "".join(_turned(card, down=height < down) for height, card in enumerate(column)) or "-"
        for column, down in zip(columns, _face_down(rules), strict=True)
    ]
    written = [f"{name}:{cards}" for name, cards in sorted(parts.items()) if cards]
    return " ".join([rules.name, "/".join(texts), *written])


def _columns(rules: Rules, left: list[str]) -> list[list[str]]:
    """Return the columns, dealt in rows from the end of the cards that are left. PySolFC deals the row with a card of
    each column last in a diagonal, Solvitaire first."""
    columns: list[list[str]] = [[] for _ in rules.sizes]
    rows = list(range(max(rules.sizes)))
    for row in [*rows[1:], 0] if rules.numbers == "pysol" and rules.deal == "diagonal" else rows:
        filled = [column for column, size in enumerate(rules.sizes) if size > row]
        for column in filled[::-1] if rules.deal == "diagonal" else filled:
            columns[column].append(left.pop())
    return columns


def _with_kings_below(rules: Rules, column: list[str], base: int) -> list[str]:
    """Return a column in which each card of the last rank, from the lowest on, has changed places with the lowest other
    card below it."""
    cards = column.copy()
    is_king = [rules.number(card, base) == rules.ranks - 1 for card in column]
    for height, king in enumerate(is_king):
        below = is_king.index(False) if king and False in is_king else height
        if below < height:
            cards[below], cards[height] = cards[height], cards[below]
            is_king[below], is_king[height] = True, False
    return cards


def _face_down(rules: Rules) -> tuple[int, ...]:
    """Return how many cards of each column are dealt face down."""
    if isinstance(rules.face_down, tuple):
        return rules.face_down
    return tuple(size - 1 if rules.face_down == "all-but-top" else 0 for size in rules.sizes)


def _turned(card: str, *, down: bool) -> str:
    return card.lower().replace(card[0].lower(), card[0], 1) if down else card
