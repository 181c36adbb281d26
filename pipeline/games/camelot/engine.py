"""The engine of Camelot, which needs no search:

- The slot of a number card does not matter. So the engine plays on sixteen unnamed slots and names them at the end: a
  slot with a King becomes a corner, and likewise for Queens and Jacks. There are as many slots for each as cards.
- Removing more cards never hurts, since each value can be removed with one other value only.

So it plays each deck once: it deals until the board is full, removes all cards that can be removed, and so on. If the
deck is dealt to the end, that play wins. If nothing can be removed from a full board, no play can continue after that
number of cards. See ``docs/decisions/0006-camelot.md``.

The board is a word with four bits per slot, so one operation compares all slots with a rank. A slot is the index of its
lowest bit, 0, 4, … 60, and a set of slots is a word with these bits. Indexes are unsigned: for a signed index, compiled
code checks at each access whether it counts from the end.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.game import NO_LIMIT
from dealmill.kernels import Bytes, Numbers, Results, Solved, Texts, count_bits, inlined, kernel, lowest_bit, run_kernel
from dealmill.pipeline.games.camelot.layout import CARDS, VALUES
from dealmill.verdicts import Verdict

WINNABLE = int(Verdict.WINNABLE)
UNWINNABLE = int(Verdict.UNWINNABLE)
UNDECIDED = int(Verdict.UNDECIDED)

RANKS = np.zeros(128, dtype=np.uint64)
"""The rank of a card by its symbol: 1 to 10, and 11 to 13 for the court cards (Jack, Queen, King)."""
RANKS[list(VALUES.encode("ascii"))] = np.arange(1, len(VALUES) + 1)
FIVE, TEN, JACK = np.uint64(5), np.uint64(10), np.uint64(11)
PLACES = np.frombuffer(b"ehilbcnoadmpfgjk", dtype=np.uint8)
"""The names of slots by kind, four each: for Jacks, for Queens, for Kings, and for number cards only."""
FREE = np.uint64(3)
"""The last of these kinds."""
FIRST_PLACES = np.uint64(0xC840)
"""The index in `PLACES` of the first slot of each kind, in four bits each."""

DECK, SLOTS = np.uint64(CARDS), np.uint64(16)
EVERY_SLOT = np.uint64(0x1111_1111_1111_1111)
LOWER_THREE = np.uint64(0x7777_7777_7777_7777)
"""The three lower bits of each slot."""
RANK = np.uint64(15)
"""The four bits of one slot."""
SLOT_BITS = np.uint64(2)
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
BLANK, DASH, DIGIT = ord(" "), ord("-"), ord("0")

LONGEST_EVIDENCE = 256
"""52 slots dealt to, 40 slots cleared, and two characters for each of at most 22 removals and 37 dealing phases."""
MAX_PAIRS = 18
"""Tens leave alone, the other 36 number cards in pairs."""


class Scratch(NamedTuple):
    """Arrays that are allocated once for many decks."""

    names: Bytes
    """The byte to write for each byte of a play: the names of the slots 0 … 15, which differ from deck to deck; all
    other bytes stand for themselves."""
    pairs: NDArray[np.uint64]
    """The offsets in the evidence of the slots cleared in pairs."""


def winnable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Decide whether any play wins; each deck counts as one node."""
    return run_kernel(_solve_each, layouts, max_nodes, LONGEST_EVIDENCE)


@kernel
def _solve_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    scratch = Scratch(np.arange(256).astype(np.uint8), np.empty(MAX_PAIRS + 1, dtype=np.uint64))
    end = ZERO
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - np.int64(end) < LONGEST_EVIDENCE:
            return i
        results.nodes[i] = min(limit, 1)
        if limit < 1:
            results.verdicts[i] = UNDECIDED
        else:
            results.verdicts[i], end = _play(text, np.uint64(starts[i]), scratch, results.evidence, end)
        results.ends[i] = end
    return len(results.verdicts)


@inlined
def _play(text: Bytes, deck: np.uint64, scratch: Scratch, evidence: Bytes, start: np.uint64) -> tuple[int, np.uint64]:
    """Play the deck at ``text[deck]`` and write the evidence; return the verdict and the new end.

    Until they are named, slots are bytes 0 … 15.
    """
    board = dealt = pairs = ZERO
    end = start
    while True:
        board, dealt, end = _deal(text, deck, board, dealt, evidence, end)
        board, pairs, end = _remove(board, DECK - dealt, scratch, pairs, evidence, end)
        if dealt == DECK:
            _name_slots(board, scratch, pairs, evidence, start, end)
            return WINNABLE, end
        if _slots_with(ZERO, board) == ZERO:
            evidence[start] = DIGIT + dealt // TEN
            evidence[start + ONE] = DIGIT + dealt % TEN
            return UNWINNABLE, start + TWO
        evidence[end] = BLANK
        end += ONE


@inlined
def _deal(
    text: Bytes, deck: np.uint64, board: np.uint64, dealt: np.uint64, evidence: Bytes, end: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Deal to the empty slots in order; return the new board, number of cards dealt, and end."""
    empty = _slots_with(ZERO, board)
    while empty and dealt < DECK:
        slot = lowest_bit(empty)
        empty &= empty - ONE
        board |= RANKS[text[deck + dealt]] << slot
        dealt += ONE
        evidence[end] = slot >> SLOT_BITS
        end += ONE
    return board, dealt, end


@inlined
def _remove(
    board: np.uint64, in_deck: np.uint64, scratch: Scratch, pairs: np.uint64, evidence: Bytes, end: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Remove all cards that can be removed, but keep some for the last phase; return the new board, number of pairs
    removed, and end. A slot is cleared with the first later slot whose card adds up to ten with its own.

    A phase in which nothing is removed loses, and the last cards dealt may all be court cards. So while there are cards
    in the deck, stop as soon as they fit on the board.
    """
    waiting = _removable(board)
    while waiting and (in_deck == ZERO or count_bits(_slots_with(ZERO, board)) < in_deck):
        slot = lowest_bit(waiting)
        waiting &= waiting - ONE
        rank = board >> slot & RANK
        partners = ONE << slot if rank == TEN else _slots_with(TEN - rank, board) & waiting
        if partners:
            partner = lowest_bit(partners)
            is_pair = np.uint64(partner != slot)
            evidence[end] = BLANK
            evidence[end + ONE] = DASH
            evidence[end + TWO] = slot >> SLOT_BITS
            evidence[end + THREE] = partner >> SLOT_BITS  # written in any case, but not counted for a ten
            scratch.pairs[pairs] = end + TWO
            pairs += is_pair
            end += THREE + is_pair
            board &= ~(RANK << slot | RANK << partner)
            waiting &= ~(ONE << partner)
    return board, pairs, end


@inlined
def _removable(board: np.uint64) -> np.uint64:
    """Return the slots with tens, and those with other cards for which there is a partner on another slot."""
    fives = _slots_with(FIVE, board)
    slots = _slots_with(TEN, board)
    slots |= fives if fives & (fives - ONE) else ZERO
    for rank in range(ONE, FIVE):
        low, high = _slots_with(np.uint64(rank), board), _slots_with(TEN - rank, board)
        slots |= low | high if (low != ZERO) & (high != ZERO) else ZERO
    return slots


@inlined
def _slots_with(rank: np.uint64, board: np.uint64) -> np.uint64:
    """Return the set of slots with this rank; 0 is the rank of an empty slot."""
    differences = board ^ rank * EVERY_SLOT
    # Adding 7 to the lower three bits carries into the highest bit unless they are zero.
    nonzero = (differences & LOWER_THREE) + LOWER_THREE | differences
    return ~nonzero >> THREE & EVERY_SLOT


@inlined
def _name_slots(
    board: np.uint64, scratch: Scratch, pairs: np.uint64, evidence: Bytes, start: np.uint64, end: np.uint64
) -> None:
    """Replace slot numbers in a play by names, which follow from the court cards at its end; sort each pair."""
    names = scratch.names
    next_places = FIRST_PLACES
    for number in range(SLOTS):
        rank = board >> (number << SLOT_BITS) & RANK
        kind = (rank - JACK if rank else FREE) << SLOT_BITS
        names[number] = PLACES[next_places >> kind & RANK]
        next_places += ONE << kind
    for at in range(start, end):
        evidence[at] = names[evidence[at]]
    for pair in range(pairs):
        at = scratch.pairs[pair]
        first, second = evidence[at], evidence[at + ONE]
        evidence[at], evidence[at + ONE] = min(first, second), max(first, second)
