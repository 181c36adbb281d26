"""The engine of Camelot. Nothing needs to be searched:

- Where a number card lies does not matter. Play on sixteen slots without names; a slot that a King ends in is called a
  corner afterwards, and likewise for Queens and Jacks, of which there are as many as slots for them.
- Removing more never hurts, since a value can leave with one other value only.

So after P cards, as few as possible are left when each value has been paired off with its partner; play can go on iff
that is fewer than the sixteen slots. A deck can be won iff this holds for P = 16 … 51. See
``docs/decisions/0006-camelot.md``.
"""

import numpy as np

from dealmill.pipeline.games.batch import Bytes, Numbers, Results, Solved, Texts, run_kernel
from dealmill.pipeline.games.camelot.layout import CARDS, VALUES
from dealmill.pipeline.games.contract import NO_LIMIT
from dealmill.pipeline.games.kernel import kernel
from dealmill.pipeline.games.verdict import Verdict

WINNABLE = int(Verdict.WINNABLE)
UNWINNABLE = int(Verdict.UNWINNABLE)
UNDECIDED = int(Verdict.UNDECIDED)

SLOTS = 16
TEN, FIVE = 10, 5
PIPS = np.zeros(128, dtype=np.int64)
"""The pips of a card by its symbol; those of the court come behind ten."""
for pip, symbol in enumerate(VALUES, start=1):
    PIPS[ord(symbol)] = pip
JACK, QUEEN, KING = 11, 12, 13
PLACES = np.array([list(b"ehil"), list(b"bcno"), list(b"admp"), list(b"fgjk")], dtype=np.uint8)
"""The slots of Jacks, Queens and Kings, and the four that only number cards can lie in."""
FREE = len(PLACES) - 1
EMPTY = 0
BLANK, DASH = ord(" "), ord("-")

LONGEST_EVIDENCE = 256
"""52 slots dealt to, 40 cleared, and two signs around each of at most 22 removals and 37 dealing phases."""


def winnable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Whether any play wins; each deck is one node."""
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
    """The least number of cards after which all sixteen slots must be full; 0 if there is none."""
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
    """Play on slots without names, written as bytes 0 … 15, which get their names when the play is over."""
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
    """Remove all that can be removed, but hold something back for the last phase.

    A phase in which nothing can be removed loses, and the last cards dealt may be court cards only; so while there
    are cards in the deck, stop as soon as the rest of it fits in.
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
    """The first later slot whose card adds up to ten with that of `slot`; `slot` itself for a ten; -1 for none."""
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
    """Write the names of the slots into a play, by the court cards that lie there at its end; pairs in order."""
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
