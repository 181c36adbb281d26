"""The engine of Camelot, which needs no search:

- The slot of a number card does not matter. So the engine plays on sixteen unnamed slots and names them at the end: a
  slot with a King becomes a corner, and likewise for Queens and Jacks. There are as many slots for each as cards.
- Removing more cards never hurts, since each value can be removed with one other value only.

So after P cards, the fewest cards are left if each value is paired with its partner as often as possible. Play can
continue iff this number is less than sixteen, and a deck is winnable iff that holds for P = 16 … 51. See
``docs/decisions/0006-camelot.md``.
"""

import numpy as np

from dealmill.game import NO_LIMIT, Bytes, Numbers, Results, Solved, Texts, kernel, run_kernel
from dealmill.pipeline.games.camelot.layout import CARDS, VALUES
from dealmill.verdicts import Verdict

WINNABLE = int(Verdict.WINNABLE)
UNWINNABLE = int(Verdict.UNWINNABLE)
UNDECIDED = int(Verdict.UNDECIDED)

SLOTS = 16
TEN, FIVE = 10, 5
PIPS = np.zeros(128, dtype=np.int64)
"""The rank of a card by its symbol: 1 to 10, and 11 to 13 for the court cards (Jack, Queen, King)."""
for pip, symbol in enumerate(VALUES, start=1):
    PIPS[ord(symbol)] = pip
JACK, QUEEN, KING = 11, 12, 13
PLACES = np.array([list(b"ehil"), list(b"bcno"), list(b"admp"), list(b"fgjk")], dtype=np.uint8)
"""The slots of Jacks, of Queens and of Kings, and the four slots for number cards only."""
FREE = len(PLACES) - 1
EMPTY = 0
BLANK, DASH = ord(" "), ord("-")

LONGEST_EVIDENCE = 256
"""52 slots dealt to, 40 slots cleared, and two characters for each of at most 22 removals and 37 dealing phases."""


def winnable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Decide whether any play wins; each deck counts as one node."""
    return run_kernel(_solve_each, layouts, max_nodes, LONGEST_EVIDENCE)


@kernel
def _solve_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    deck = np.empty(CARDS, dtype=np.int64)
    end = 0
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - end < LONGEST_EVIDENCE:
            return i
        results.nodes[i] = min(limit, 1)
        if limit < 1:
            results.verdicts[i] = UNDECIDED
        else:
            for card in range(CARDS):
                deck[card] = PIPS[text[starts[i] + card]]
            failing = _first_failing_prefix(deck)
            if failing:
                results.verdicts[i] = UNWINNABLE
                end = _write_number(failing, results.evidence, end)
            else:
                results.verdicts[i] = WINNABLE
                end = _write_play(deck, results.evidence, end)
        results.ends[i] = end
    return len(results.verdicts)


@kernel
def _first_failing_prefix(deck: Numbers) -> int:
    """Return the least number of cards after which all sixteen slots must be full; 0 if there is none."""
    seen = np.zeros(KING + 1, dtype=np.int64)
    left = 0
    for dealt in range(1, CARDS):
        pip = deck[dealt - 1]
        if pip > TEN:
            left += 1
        elif pip == FIVE:
            left += 1 if seen[FIVE] % 2 == 0 else -1
        elif pip < TEN:
            left += 1 if seen[pip] >= seen[TEN - pip] else -1
        seen[pip] += 1
        if dealt >= SLOTS and left >= SLOTS:
            return dealt
    return 0


@kernel
def _write_play(deck: Numbers, evidence: Bytes, start: int) -> int:
    """Write a winning play and return the new end. Slots are bytes 0 … 15 until they are named at the end."""
    slots = np.zeros(SLOTS, dtype=np.int64)
    end = start
    dealt = 0
    removed = 0
    while dealt < CARDS:
        if dealt:
            end = _write_sign(BLANK, evidence, end)
        for slot in range(SLOTS):
            if slots[slot] == EMPTY and dealt < CARDS:
                slots[slot] = deck[dealt]
                dealt += 1
                end = _write_sign(slot, evidence, end)
        removed, end = _remove(slots, removed, dealt == CARDS, evidence, end)
    _name_slots(slots, evidence[start:end])
    return end


@kernel
def _remove(slots: Numbers, removed: int, deck_is_empty: bool, evidence: Bytes, end: int) -> tuple[int, int]:
    """Remove all cards that can be removed, but keep some for the last phase.

    A phase in which nothing is removed loses, and the last cards dealt may all be court cards. So while there are cards
    in the deck, stop as soon as the rest of the deck fits on the board.
    """
    for slot in range(SLOTS):
        if removed >= CARDS - SLOTS and not deck_is_empty:
            break
        partner = _partner(slots, slot)
        if partner >= 0:
            slots[slot] = EMPTY
            slots[partner] = EMPTY
            end = _write_sign(BLANK, evidence, end)
            end = _write_sign(DASH, evidence, end)
            end = _write_sign(slot, evidence, end)
            removed += 1
            if partner != slot:
                end = _write_sign(partner, evidence, end)
                removed += 1
    return removed, end


@kernel
def _partner(slots: Numbers, slot: int) -> int:
    """Return the first later slot whose card adds up to ten with that in `slot`; `slot` itself for a ten; else -1."""
    pip = slots[slot]
    if pip == TEN:
        return slot
    if EMPTY < pip < TEN:
        for other in range(slot + 1, SLOTS):
            if slots[other] == TEN - pip:
                return other
    return -1


@kernel
def _name_slots(slots: Numbers, play: Bytes) -> None:
    """Replace slot numbers in a play by names, which follow from the court cards at its end; sort each pair."""
    names = np.empty(SLOTS, dtype=np.uint8)
    used = np.zeros(len(PLACES), dtype=np.int64)
    for slot in range(SLOTS):
        kind = slots[slot] - JACK if slots[slot] else FREE
        names[slot] = PLACES[kind, used[kind]]
        used[kind] += 1
    for k in range(len(play)):
        if play[k] < SLOTS:
            play[k] = names[play[k]]
            if k > 1 and play[k - 2] == DASH and play[k - 1] > play[k]:
                play[k - 1], play[k] = play[k], play[k - 1]


@kernel
def _write_sign(sign: int, evidence: Bytes, end: int) -> int:
    evidence[end] = sign
    return end + 1


@kernel
def _write_number(number: int, evidence: Bytes, end: int) -> int:
    end = _write_sign(ord("0") + number // 10, evidence, end)
    return _write_sign(ord("0") + number % 10, evidence, end)
