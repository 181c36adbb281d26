"""Shuffled decks by number: with the streams of numbered deals, and as programs of the field shuffle.

A deck is a list of cards such as ``6H``; the programs deal from its end.
"""

from collections.abc import Callable
from random import Random

import numpy as np

from dealmill.pipeline.games.philox import open_stream, shuffle

RANKS = "A23456789TJQK"
FIRST_PYSOL = 32_000
"""PySolFC deals lower numbers as Microsoft does."""
WORD = 2**32 - 1
SPARE_WORDS = 64
"""Random words beyond one for each card, in place of those that are rejected, about one in 10⁸."""


def shuffled(deck: list[str], seed: int, number: int) -> list[str]:
    """Shuffle with the stream of a deal; see `dealmill.pipeline.games.philox`."""
    stream, order = np.empty(8, dtype=np.uint64), np.arange(len(deck), dtype=np.uint8)
    open_stream(stream, np.uint64(seed), np.uint64(number))
    shuffle(stream, order, len(deck))
    return [deck[card] for card in order]


def shuffled_by_solvitaire(deck: list[str], number: int) -> list[str]:
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


def shuffled_by_microsoft(number: int) -> list[str]:
    """Shuffle as Microsoft's FreeCell does: each time, a random card is dealt, and the last one takes its place. The
    card that is dealt first is the last one of the result.

    The random numbers are those of ``rand`` in Microsoft's C library: 15 bits of a linear congruential generator, whose
    state is the number of the deal. Freecell Solver and PySol go on beyond 31 bits: bit 15 is set then, and beyond 32
    bits, there are 16 bits plus 1.
    """
    return _shuffled([rank + suit for rank in RANKS for suit in "CDHS"], _choices_of_microsoft(number))


def shuffled_by_pysol(number: int, decks: int = 1) -> list[str]:
    """Shuffle one or two decks as PySolFC does, from `FIRST_PYSOL` on: Python's generator of random numbers, a Mersenne
    Twister. Before, two decks are in another order at first than Microsoft's one."""
    deck = [rank + suit for suit in "CSHD" for rank in RANKS] * decks
    if number < FIRST_PYSOL:
        return shuffled_by_microsoft(number) if decks == 1 else _shuffled(deck, _choices_of_microsoft(number))
    random = Random(number)  # noqa: S311 -- numbered deals
    return _shuffled(deck, lambda count: int(random.random() * count))


def _choices_of_microsoft(number: int) -> Callable[[int], int]:
    """Return what draws a number less than another one, as Microsoft's FreeCell does."""
    state = number & WORD

    def choice(count: int) -> int:
        nonlocal state
        state = (214013 * state + 2531011) & WORD
        random = (state >> 16) + 1 if number > WORD else state >> 16 & 0x7FFF | (number >> 31) << 15
        return random % count

    return choice


def _shuffled(deck: list[str], choice: Callable[[int], int]) -> list[str]:
    """Shuffle from the last card on: each changes places with one of those up to it."""
    for last in range(len(deck) - 1, 0, -1):
        chosen = choice(last + 1)
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck
