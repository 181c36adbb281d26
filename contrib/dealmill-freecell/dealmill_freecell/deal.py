"""Numbered deals of FreeCell: those of Microsoft for seed 0, shuffled decks for other seeds.

Microsoft's deals are numbered from 1 to 1,000,000 in its FreeCell for Windows XP; Freecell Solver and PySol go on to
2³³ − 1 in the way that is computed here.

In both, the cards are dealt in rows, onto the columns from left to right.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.game import UsageError
from dealmill.kernels import Texts, open_stream, shuffle, texts_from_rows

MICROSOFT = 0
"""The seed of Microsoft's deals."""
LAST_DEAL = 2**33 - 1
RANKS, SUITS = b"A23456789TJQK", b"CDHS"
CARDS, COLUMNS = 52, 8
DECK = np.frombuffer(b"".join(bytes((rank, suit)) for rank in RANKS for suit in SUITS), dtype=np.uint8).reshape(-1, 2)
"""Cards as two letters, in the order of Microsoft's deck."""

Decks = NDArray[np.uint8]
"""N × 52: cards as indexes of `DECK`, in the order of dealing."""


def deal(seed: int, first: int, count: int) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`.

    Raises
    ------
    UsageError
        If Microsoft's generator has no such deals.
    """
    if seed == MICROSOFT and not 1 <= first <= first + count - 1 <= LAST_DEAL:
        raise UsageError(f"seed 0 has Microsoft's deals, with numbers from 1 to {LAST_DEAL}; use another seed for more")
    decks = _microsoft(first, count) if seed == MICROSOFT else _shuffled(seed, first, count)
    columns = [DECK[decks[:, column::COLUMNS]].reshape(count, -1) for column in range(COLUMNS)]
    slash = np.full((count, 1), ord("/"), dtype=np.uint8)
    parts = [part for column in columns for part in (slash, column)]
    return texts_from_rows(np.concatenate(parts[1:], axis=1))


def _microsoft(first: int, count: int) -> Decks:
    """Return Microsoft's decks.

    The numbers are those of ``rand`` in Microsoft's C library: 15 bits of a linear congruential generator, whose state
    is the number of the deal. Beyond 31 bits, bit 15 is set, and beyond 32 bits, there are 16 bits plus 1.
    """
    numbers = np.arange(first, first + count, dtype=np.int64)
    state = numbers & 0xFFFFFFFF
    decks = np.tile(np.arange(CARDS, dtype=np.uint8), (count, 1))
    rows = np.arange(count)
    for left in range(CARDS, 0, -1):
        state = (state * 214013 + 2531011) & 0xFFFFFFFF
        random = (state >> 16) & 0x7FFF
        random = np.where(numbers < 2**31, random, random | 0x8000)
        random = np.where(numbers < 2**32, random, ((state >> 16) & 0xFFFF) + 1)
        chosen = random % left
        decks[rows, chosen], decks[rows, left - 1] = decks[rows, left - 1], decks[rows, chosen]
    return decks[:, ::-1]


def _shuffled(seed: int, first: int, count: int) -> Decks:
    """Return decks shuffled with Philox."""
    decks = np.tile(np.arange(CARDS, dtype=np.uint8), (count, 1))
    stream = np.empty(8, dtype=np.uint64)
    for number, deck in enumerate(decks, start=first):
        open_stream(stream, np.uint64(seed), np.uint64(number))
        shuffle(stream, deck, CARDS)
    return decks
