"""The random number generator of numbered deals, Philox4x64-10.

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11. The generator is counter-based, so any deal
can be generated without the deals before it.

The 64-bit words of deal k of seed s are the output blocks for key (s, 0) and counters (0, k, 0, 0), (1, k, 0, 0), …,
four words per block. A number below n is the high half of word · n; a word whose low half is below 2⁶⁴ mod n is
skipped, so that all numbers are equally likely (Lemire, "Fast random integer generation in an interval", 2019). A
shuffle is Fisher–Yates, from the last position down to the second.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.kernels import kernel

NAME = "philox4x64-10"

Stream = NDArray[np.uint64]
"""Eight words: seed, deal, next block, the four words of the current block, and the number of words used of it."""

SEED, DEAL, BLOCK, WORDS, USED = 0, 1, 2, 3, 7

MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
WEYL_1 = np.uint64(0xBB67AE8584CAA73B)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE = np.uint64(1)
FOUR = np.uint64(4)


@kernel
def high_half(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return the upper 64 bits of a · b."""
    a_low, a_high = a & LOW, a >> HALF
    b_low, b_high = b & LOW, b >> HALF
    middle = a_high * b_low + ((a_low * b_low) >> HALF)
    lower_middle = a_low * b_high + (middle & LOW)
    return a_high * b_high + (middle >> HALF) + (lower_middle >> HALF)


@kernel
def open_stream(stream: Stream, seed: np.uint64, deal: np.uint64) -> None:
    """Set a stream (8 words) to the start of a deal."""
    stream[SEED] = seed
    stream[DEAL] = deal
    stream[BLOCK] = np.uint64(0)
    stream[USED] = FOUR


@kernel
def _refill(stream: Stream) -> None:
    c0, c1, c2, c3 = stream[BLOCK], stream[DEAL], np.uint64(0), np.uint64(0)
    k0, k1 = stream[SEED], np.uint64(0)
    for _ in range(10):
        high_0, low_0 = high_half(MULTIPLIER_0, c0), MULTIPLIER_0 * c0
        high_1, low_1 = high_half(MULTIPLIER_1, c2), MULTIPLIER_1 * c2
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 += WEYL_0
        k1 += WEYL_1
    stream[WORDS], stream[WORDS + 1], stream[WORDS + 2], stream[WORDS + 3] = c0, c1, c2, c3
    stream[BLOCK] += ONE
    stream[USED] = np.uint64(0)


@kernel
def next_word(stream: Stream) -> np.uint64:
    """Return the next 64 random bits."""
    if stream[USED] == FOUR:
        _refill(stream)
    word: np.uint64 = stream[np.int64(stream[USED]) + WORDS]
    stream[USED] += ONE
    return word


@kernel
def below(stream: Stream, bound: int) -> int:
    """Return a random number in `[0, bound)`, where 1 ≤ bound < 2⁶³."""
    n = np.uint64(bound)
    word = next_word(stream)
    if word * n < n:
        threshold = (np.uint64(0) - n) % n
        while word * n < threshold:
            word = next_word(stream)
    return np.int64(high_half(word, n))  # type: ignore[return-value]


@kernel
def shuffle(stream: Stream, cards: NDArray[np.uint8] | NDArray[np.uint16], count: int) -> None:
    """Shuffle the first `count` cards in place."""
    for last in range(count - 1, 0, -1):
        pick = below(stream, last + 1)
        card = cards[last]
        cards[last] = cards[pick]
        cards[pick] = card
