"""The compiled check for canonical layouts of card pairing."""

from typing import NamedTuple

import numpy as np

from dealmill.kernels import Bytes, Mask, Numbers, count_bits, inlined, kernel, routine
from dealmill.pipeline.games.card_pairing.layout import (
    CLASSIC_CARDS,
    COMMA,
    EMPTY,
    LONGEST_SYMBOL,
    MAX_CARDS,
    MAX_STACKS,
    RANKS,
    STACK_NAMES,
    SUITS,
)

BLANK, SEPARATOR, DASH = ord(" "), ord(COMMA), ord(EMPTY)
LONGEST_CLASSIC = CLASSIC_CARDS + len(STACK_NAMES) - 1
LONGEST = MAX_CARDS * (LONGEST_SYMBOL + 1) - 1 + (MAX_STACKS - 1) * 2
"""The length of a layout with all cards in one stack, and all others empty."""

DIGIT = 4
"""The bits of the counter of one rank."""
SHARES = np.zeros(256, dtype=np.uint64)
"""For each symbol, the amount it adds to a word that holds the counters of all ranks; 0 for any other byte."""
for number, symbol in enumerate(RANKS):
    SHARES[ord(symbol)] = 1 << DIGIT * number
ALL_OF_EACH = np.uint64(sum(SUITS << DIGIT * number for number in range(len(RANKS))))
"""The counters of a deck with all ranks: one set bit each."""
FOUR = np.uint64(SUITS)
MAX_CLASSIC_STACKS = np.uint64(len(STACK_NAMES))
ZERO, ONE = np.uint64(0), np.uint64(1)

IN_SYMBOL = np.zeros(256, dtype=np.bool_)
"""Whether a byte can be part of a symbol in list form."""
IN_SYMBOL[list(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] = True
BYTE = np.uint64(8)
SLOT_BITS = MAX_CARDS.bit_length()
SLOTS = 1 << SLOT_BITS
"""The size of a hash table of symbols."""
GOLDEN, HASH_SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - SLOT_BITS)
"""Fibonacci hashing: the highest bits of the product of a symbol and 2⁶⁴ divided by the golden ratio."""


class Seen(NamedTuple):
    """The symbols of a layout in a hash table with open addressing.

    A slot belongs to the layout with index `mark // 2`. If `mark` is odd, its symbol has occurred an odd number of
    times.
    """

    symbols: Numbers
    marks: Numbers


@kernel
def mask(text: Bytes, starts: Numbers, ends: Numbers) -> Mask:
    """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts."""
    canonical = np.empty(len(starts), dtype=np.bool_)
    seen = Seen(np.zeros(SLOTS, dtype=np.uint64), np.full(SLOTS, -1))
    for i in range(len(starts)):
        begin, end = starts[i], ends[i]
        if end - begin <= LONGEST_CLASSIC and is_classic(text, np.uint64(begin), np.uint64(end)):
            canonical[i] = True
        else:
            canonical[i] = end - begin <= LONGEST and _is_other(text, begin, end, seen, i)
    return canonical


@routine
def is_classic(text: Bytes, begin: np.uint64, end: np.uint64) -> bool:
    """Derive the shape from the height of the first stack, and count all ranks at once.

    The counters must add up to the number of cards, so every card must have a rank. An overflow makes the sum smaller:
    16 cards of one rank count as one card of the next rank, or as none.
    """
    first_blank = begin
    while first_blank < end and text[first_blank] != BLANK:
        first_blank += ONE
    height = first_blank - begin
    stacks = (end - begin + ONE) // (height + ONE)
    if stacks < ONE + ONE or stacks > MAX_CLASSIC_STACKS or stacks * (height + ONE) != end - begin + ONE:
        return False
    counters = ZERO
    for at in range(begin, end):
        counters += SHARES[text[at]]
    separated = True
    for at in range(first_blank, end, height + ONE):
        separated &= text[at] == BLANK
    four_of_each = counters & ~ALL_OF_EACH == ZERO and counters != ZERO
    return bool(separated and four_of_each and FOUR * count_bits(counters) == stacks * height)


@kernel
def _is_other(text: Bytes, begin: int, end: int, seen: Seen, layout: int) -> bool:
    for at in range(begin, end):
        if text[at] == SEPARATOR:
            return _is_list(text, begin, end, seen, layout)
    return _is_compact(text, begin, end)


@inlined
def _is_compact(text: Bytes, begin: int, end: int) -> bool:
    odd = ZERO
    cards, stacks, at = 0, 0, begin
    while True:
        bottom = at
        while at < end and SHARES[text[at]]:
            odd ^= SHARES[text[at]]
            at += 1
        cards += at - bottom
        stacks += 1
        if at == bottom:
            if at == end or text[at] != DASH:
                return False
            at += 1
        if at == end:
            return odd == ZERO and 0 < cards <= MAX_CARDS and 1 < stacks <= MAX_STACKS
        if text[at] != BLANK:
            return False
        at += 1


@inlined
def _is_list(text: Bytes, begin: int, end: int, seen: Seen, layout: int) -> bool:
    """Read a text that has a comma. A comma must join two cards; if none does, one must follow the first card."""
    cards, stacks, odd, at = 0, 0, 0, begin
    joined, trailing, compact = False, False, True
    while True:
        stacks += 1
        if at < end and text[at] == DASH:
            at += 1
        else:
            while True:
                first, symbol = at, ZERO
                while at < end and IN_SYMBOL[text[at]]:
                    symbol = symbol << BYTE | np.uint64(text[at])
                    at += 1
                cards += 1
                if not 0 < at - first <= LONGEST_SYMBOL or cards > MAX_CARDS:
                    return False
                odd += _change_of_odd(seen, layout, symbol)
                compact &= at - first == 1 and SHARES[text[first]] != ZERO
                if at == end or text[at] != SEPARATOR:
                    break
                at += 1
                if cards == 1 and (at == end or text[at] == BLANK):
                    trailing = True
                    break
                joined = True
        if at == end:
            return joined != trailing and not compact and odd == 0 and cards > 0 and 1 < stacks <= MAX_STACKS
        if text[at] != BLANK:
            return False
        at += 1


@inlined
def _change_of_odd(seen: Seen, layout: int, symbol: np.uint64) -> int:
    """Count a symbol of a layout, and return the change in the number of symbols that have occurred an odd number of
    times."""
    slot = np.int64(symbol * GOLDEN >> HASH_SHIFT)
    while seen.marks[slot] >> 1 == layout and seen.symbols[slot] != symbol:
        slot = (slot + 1) % SLOTS
    if seen.marks[slot] >> 1 == layout:
        seen.marks[slot] ^= 1
    else:
        seen.symbols[slot] = symbol
        seen.marks[slot] = 2 * layout + 1
    return 1 if seen.marks[slot] & 1 else -1
