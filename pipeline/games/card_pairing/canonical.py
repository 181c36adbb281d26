"""The compiled check for canonical layouts of card pairing."""

import numpy as np

from dealmill.game import Bytes, Mask, Numbers, count_bits, inlined, kernel
from dealmill.pipeline.games.card_pairing.layout import MOST_CARDS, RANKS, STACK_NAMES, SUITS

BLANK = ord(" ")
LONGEST = MOST_CARDS + len(STACK_NAMES) - 1

DIGIT = 4
"""The bits of the counter of one rank."""
SHARES = np.zeros(256, dtype=np.uint64)
"""For each symbol, the amount it adds to a word that holds the counters of all ranks; 0 for any other byte."""
for number, symbol in enumerate(RANKS):
    SHARES[ord(symbol)] = 1 << DIGIT * number
ALL_OF_EACH = np.uint64(sum(SUITS << DIGIT * number for number in range(len(RANKS))))
"""The counters of a deck with all ranks: one set bit each."""
FOUR = np.uint64(SUITS)
MOST_STACKS = np.uint64(len(STACK_NAMES))
ZERO, ONE = np.uint64(0), np.uint64(1)


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        canonical[i] = ends[i] - starts[i] <= LONGEST and _is_layout(text, np.uint64(starts[i]), np.uint64(ends[i]))
    return canonical


@inlined
def _is_layout(text: Bytes, begin: np.uint64, end: np.uint64) -> bool:
    """Derive the shape from the height of the first stack, and count all ranks at once.

    The counters must add up to the number of cards, so every card must have a rank. An overflow makes the sum smaller:
    16 cards of one rank count as one card of the next rank, or as none.
    """
    first_blank = begin
    while first_blank < end and text[first_blank] != BLANK:
        first_blank += ONE
    height = first_blank - begin
    stacks = (end - begin + ONE) // (height + ONE)
    if stacks < ONE + ONE or stacks > MOST_STACKS or stacks * (height + ONE) != end - begin + ONE:
        return False
    counters = ZERO
    for at in range(begin, end):
        counters += SHARES[text[at]]
    separated = True
    for at in range(first_blank, end, height + ONE):
        separated &= text[at] == BLANK
    four_of_each = counters & ~ALL_OF_EACH == ZERO and counters != ZERO
    return bool(separated and four_of_each and FOUR * count_bits(counters) == stacks * height)
