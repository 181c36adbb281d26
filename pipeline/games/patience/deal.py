"""Numbered deals of patiences, and the order in which a deck is dealt.

Deal k of seed s is the deck AC AH AS AD 2C …, shuffled with the stream of that deal (see
`dealmill.pipeline.games.philox`). Seed 0 has the deals that the field knows by number: those of Solvitaire or, if the
rules say so, of Microsoft's FreeCell or PySolFC.

The hole or a dealt base is the first card of the deck, or it is taken out of the deck, as all initial cards of
foundations are. The rest is dealt from the end of the deck: to cells, stock, reserve, and then to the columns in rows.
The last card dealt to the stock is turned first. If the rules say that the numbers are PySolFC's, the columns come
first, then cells, a dealt hole, and the stock, in the order of turning.
"""

from functools import partial
from random import Random

import numpy as np

from dealmill.game import UsageError
from dealmill.kernels import Texts, open_stream, pack, shuffle
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.schema import FIELD_SEED, NUMBERS

RANKS = "A23456789TJQK"
SUITS = "CHSD"
FIRST_PYSOL = 32_000
"""PySolFC deals lower numbers as Microsoft does."""
DEALT_OTHERWISE_BY_PYSOL = {
    "american-canister": "other columns have seven cards",
    "british-canister": "other columns have seven cards",
    "fan": "17 columns have three cards, and one has one",
    "scotch-patience": "17 columns have three cards, and one has one",
    "spanish-patience": "kings go to the bottom of their columns",
    "spiderette": "rows are dealt from left to right",
    "thirtysix": "aces go to the foundations while the cards are dealt",
}
"""What PySolFC does in another way, by game; its sources of August 2026 say so."""
WORD = 2**32 - 1
SPARE_WORDS = 64
"""Random words beyond one for each card, in place of those that are rejected, about one in 10⁸."""


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
        shuffled = {"microsoft": _microsoft, "pysol": _pysol}.get(rules.numbers, partial(_solvitaire, _deck(rules)))
        return pack([_dealt(rules, shuffled(number)) for number in range(first, first + count)])
    return pack([_dealt(rules, _shuffled(_deck(rules), seed, number)) for number in range(first, first + count)])


def _deck(rules: Rules) -> list[str]:
    """Return the cards in the order of ranks, deck after deck. Of fewer suits, each stands for those of its colour, or
    for all."""
    suits = {1: "SSSS", 2: "SHSH", 4: SUITS}[rules.suits]
    return [rank + suit for _ in range(rules.decks) for rank in RANKS[: rules.ranks] for suit in suits]


def _shuffled(deck: list[str], seed: int, number: int) -> list[str]:
    stream, order = np.empty(8, dtype=np.uint64), np.arange(len(deck), dtype=np.uint8)
    open_stream(stream, np.uint64(seed), np.uint64(number))
    shuffle(stream, order, len(deck))
    return [deck[card] for card in order]


def _solvitaire(deck: list[str], number: int) -> list[str]:
    """Shuffle as Solvitaire does: Mersenne Twister, and a random number up to i is the quotient of a word and the size
    of one of i + 1 equal buckets."""
    deck = deck.copy()
    words = iter(np.frombuffer(np.random.RandomState(number).bytes(4 * (len(deck) + SPARE_WORDS)), "<u4").tolist())
    for last in range(len(deck) - 1, 0, -1):
        bucket, rest = divmod(WORD, last + 1)
        bucket += rest == last
        chosen = next(number for word in words if (number := word // bucket) <= last)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck


def _microsoft(number: int) -> list[str]:
    """Shuffle as Microsoft's FreeCell does: each time, a random card is dealt, and the last one takes its place. The
    card that is dealt first is the last one of the result.

    The random numbers are those of ``rand`` in Microsoft's C library: 15 bits of a linear congruential generator, whose
    state is the number of the deal. Freecell Solver and PySol go on beyond 31 bits: bit 15 is set then, and beyond 32
    bits, there are 16 bits plus 1.
    """
    left = [rank + suit for rank in RANKS for suit in "CDHS"]
    dealt, state = [], number & WORD
    while left:
        state = (214013 * state + 2531011) & WORD
        random = (state >> 16) + 1 if number > WORD else state >> 16 & 0x7FFF | (number >> 31) << 15
        chosen = random % len(left)
        dealt.append(left[chosen])
        left[chosen] = left[-1]
        left.pop()
    return dealt[::-1]


def _pysol(number: int) -> list[str]:
    """Shuffle as PySolFC does, from `FIRST_PYSOL` on: Python's generator of random numbers, a Mersenne Twister."""
    if number < FIRST_PYSOL:
        return _microsoft(number)
    deck, random = [rank + suit for suit in "CSHD" for rank in RANKS], Random(number)  # noqa: S311 -- numbered deals
    for last in range(len(deck) - 1, 0, -1):
        chosen = int(random.random() * (last + 1))
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck


def _dealt(rules: Rules, deck: list[str]) -> str:
    """Return the canonical text of a shuffled deck. PySolFC deals to the columns first."""
    parts: dict[str, str] = {}
    pysol = rules.numbers == "pysol"
    dealt = deck[len(deck) - 1 - sum(rules.sizes) - rules.filled if pysol else 0]
    if rules.hole != "none":
        parts["hole"] = dealt if rules.hole == "dealt" else rules.hole
    base = dealt[0] if rules.foundations == "dealt" else rules.foundations
    initial = {"none": [], "one": [dealt], "all": [base + suit for suit in SUITS]}[rules.initial]
    parts["foundations"] = "".join(initial)
    parts["base"] = base if rules.foundations == "dealt" else ""
    left = [card for card in deck if card not in initial and card != parts.get("hole")]
    columns = _columns(rules, left) if pysol else []
    parts["cells"] = "".join(left.pop() for _ in range(rules.filled))
    stock = [left.pop() for _ in range(rules.stock)]
    parts["stock"] = "".join(stock if pysol else stock[::-1])
    parts["reserve"] = "".join(left.pop() for _ in range(rules.reserve))
    parts["passes"] = str(rules.passes - 1) if rules.counts_passes else ""
    columns = columns or _columns(rules, left)
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


def _face_down(rules: Rules) -> tuple[int, ...]:
    """Return how many cards of each column are dealt face down."""
    if isinstance(rules.face_down, tuple):
        return rules.face_down
    return tuple(size - 1 if rules.face_down == "all-but-top" else 0 for size in rules.sizes)


def _turned(card: str, *, down: bool) -> str:
    return card.lower().replace(card[0].lower(), card[0], 1) if down else card
