"""Numbered deals of covering games.

Deal k of seed s is the deck AC AH AS AD 2C …, shuffled with the stream of that deal (see
`dealmill.pipeline.games.philox`). Seed 0 has the deals that PySolFC knows by number. The deck is dealt from its end, as
PySolFC does it: to the columns in rows, to the peaks one by one, each from the top, to the last row, into the hole, and
then to the stock, of which the first card is turned first.
"""

from functools import partial

from dealmill.game import UsageError
from dealmill.kernels import Texts, shuffled, shuffled_by_pysol, to_texts
from dealmill.pipeline.games.covering.rules import RANKS, SUITS, Position, Rules, written
from dealmill.pipeline.games.covering.schema import LAST_PYSOL, PYSOL_SEED

DECK = [rank + suit for rank in RANKS for suit in SUITS]


def deal(rules: Rules, seed: int, first: int, count: int) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`.

    Raises
    ------
    UsageError
        If seed 0 has no such deal.
    """
    numbers = range(first, first + count)
    if seed == PYSOL_SEED and count and not 0 <= first <= numbers[-1] <= LAST_PYSOL:
        raise UsageError(f"the deals of seed 0 of {rules.name} have the numbers 1 to {LAST_PYSOL:,}")
    decks = map(shuffled_by_pysol if seed == PYSOL_SEED else partial(shuffled, DECK, seed), numbers)
    return to_texts([_dealt(rules, deck) for deck in decks])


def _dealt(rules: Rules, deck: list[str]) -> str:
    """Return the canonical text of a shuffled deck."""
    places = [""] * len(rules.covers)
    for number in _order(rules):
        places[number] = deck.pop()
    hole = deck.pop() if rules.moves == "hole" else ""
    return written(rules, Position(tuple(places), tuple(deck[::-1]), passes=max(rules.passes - 1, 0), hole=hole))


def _order(rules: Rules) -> list[int]:
    """Return the places in the order of dealing."""
    *upper, last = rules.row_sizes
    firsts = [sum(upper[:row]) for row in range(rules.rows)]
    columns, size = firsts[-1] + last, rules.column_size
    in_columns = [columns + column * size + depth for depth in range(size) for column in range(rules.columns)]
    in_peaks = [
        firsts[row] + peak * (row + 1) + number
        for peak in range(rules.peaks)
        for row in range(rules.rows - 1)
        for number in range(row + 1)
    ]
    return [*in_columns, *in_peaks, *range(firsts[-1], columns)]
