"""The compiled referee of losses such as ``walks * 7276``, written from docs/proofs/holes.md alone.

A position is a row of digits: for each column, and then for each cell, the number of a *pile*, which is the sequence of
ranks that lie there, and the rank on top of the hole. The digits of columns are sorted, and so are those of cells; if
any card may go to an empty column, cells are columns. So positions are compared exactly. The list of positions is also
the queue of those to visit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import inlined, kernel, routine
from dealmill.pipeline.games.patience.compiled.keys import WON, Slots, Words, counted, is_new_key
from dealmill.pipeline.games.patience.rules import RANKS, Rules

DIGITS, DIGIT_BITS = 9, 7
"""The digits of a word, and the bits of each."""
EMPTY = 0


class Start(NamedTuple):
    """The first position: its digits, the first place to which any card may go, and the number of ranks; for each pile
    the one below its top card, and the rank of this card; and for each rank the pile of one such card."""

    digits: Words
    places: int
    ranks: int
    below: Words
    top: Words
    alone: Words


def check_count(rules: Rules, layout: str, positions: int) -> list[int]:
    """Check the claim of a loss with so many positions; return and raise what `counted` does."""
    start = _load(rules, layout)
    words = -(-len(start.digits) // DIGITS)

    def count(keys: Words, slots: Slots, counts: Words, limit: int) -> int:
        first = start._replace(digits=start.digits.copy())  # the digits are those of each position in turn
        return _count(*first, keys.reshape(-1, words), slots, counts, limit)

    return counted(positions, words, count)


def _load(rules: Rules, layout: str) -> Start:
    """Return the first position of a layout."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    piles = [_ranks(column.strip("-")) for column in columns.split("/")]
    in_cells = _ranks(texts.get("cells", ""))
    cells = [in_cells[number : number + 1] for number in range(rules.cells)]
    alone: list[tuple[int, ...]] = [(rank,) for rank in range(rules.ranks)]
    known = sorted({(), *alone, *(pile[:size] for pile in piles for size in range(len(pile) + 1))})
    numbers = {pile: number for number, pile in enumerate(known)}
    [hole] = _ranks(texts["hole"])
    digits = [*(numbers[pile] for pile in (*piles, *cells)), hole]
    return Start(
        np.array(digits, dtype=np.int64),
        0 if rules.spaces == "any" else len(piles),
        rules.ranks,
        np.array([numbers[pile[:-1]] for pile in known], dtype=np.int64),
        np.array([pile[-1] if pile else -1 for pile in known], dtype=np.int64),
        np.array([numbers[pile] for pile in alone], dtype=np.int64),
    )


def _ranks(text: str) -> tuple[int, ...]:
    return tuple(map(RANKS.index, text[::2]))


@routine
def _walk_ends(left: Words, steps: Words, ranks: int, hole: int, end: int) -> bool:
    """Return whether a walk from the hole over the cards that are left can end at a rank. `steps` is room for how often
    it goes from each rank to the next one or back."""
    twice = 0
    for distance in range(ranks):
        rank = (ranks - 1 - distance) % ranks
        term = 2 * left[rank] + (rank == hole) - (rank == end)
        twice += term if distance % 2 == 0 else -term
    before = twice // 2
    for rank in range(ranks):
        before = 2 * left[rank] + (rank == hole) - (rank == end) - before
        if before < 0:
            return False
        steps[rank] = before
    reached = np.int64(0)
    rank = hole
    for _ in range(ranks):
        reached |= np.int64(1) << rank
        if steps[rank] == 0:
            break
        rank = (rank + 1) % ranks
    rank = hole
    for _ in range(ranks):
        reached |= np.int64(1) << rank
        rank = (rank - 1) % ranks
        if steps[rank] == 0:
            break
    missing = 0
    for rank in range(ranks):
        missing += left[rank] and not reached >> rank & 1
    return missing == 0


@inlined
def _write(digits: Words, places: int, key: Words) -> None:
    """Sort the digits before and after the first place, and write them as words."""
    last = len(digits) - 1
    for begin, end in ((0, places), (places, last)):
        for at in range(begin + 1, end):
            digit, slot = digits[at], at
            while slot > begin and digits[slot - 1] > digit:
                digits[slot] = digits[slot - 1]
                slot -= 1
            digits[slot] = digit
    key[:] = 0
    for at in range(len(digits)):
        key[at // DIGITS] |= digits[at] << DIGIT_BITS * (at % DIGITS)


@routine
def _is_new(keys: NDArray[np.int64], slots: Slots, number: int) -> bool:
    """Return whether the key with this number, from 0, differs from those before it; enter it if it does."""
    all_keys, size = keys.reshape(-1), keys.shape[1]
    return is_new_key(all_keys, size * number, size, all_keys, slots, number)


@routine
def _has_walk(left: Words, steps: Words, ranks: int, hole: int) -> bool:
    """Return whether there is a walk from the hole over the cards that are left."""
    end = 0
    while end < ranks and not _walk_ends(left, steps, ranks, hole, end):
        end += 1
    return end < ranks


@routine
def _read(digits: Words, keys: NDArray[np.int64], number: int) -> None:
    """Write the digits of the key with a number."""
    for at in range(len(digits)):
        digits[at] = keys[number, at // DIGITS] >> DIGIT_BITS * (at % DIGITS) & ((1 << DIGIT_BITS) - 1)


@routine
def _count_left(left: Words, digits: Words, below: Words, top: Words) -> None:
    """Write how many cards of each rank are left."""
    left[:] = 0
    for at in range(len(digits) - 1):
        pile = digits[at]
        while pile != EMPTY:
            left[top[pile]] += 1
            pile = below[pile]


@routine
def _may_go_into_hole(left: Words, steps: Words, ranks: int, hole: int, rank: int) -> bool:
    """Return whether a card with this rank may go into the hole, and leaves a walk."""
    if (rank - hole) % ranks not in (1, ranks - 1):
        return False
    left[rank] -= 1
    has_walk = _has_walk(left, steps, ranks, rank)
    left[rank] += 1
    return has_walk


@routine
def _empty_place(digits: Words, places: int) -> int:
    """Return an empty place to which any card may go; -1 if there is none."""
    for at in range(places, len(digits) - 1):
        if digits[at] == EMPTY:
            return at
    return -1


@kernel
def _count(
    digits: Words,
    places: int,
    ranks: int,
    below: Words,
    top: Words,
    alone: Words,
    keys: NDArray[np.int64],
    slots: Slots,
    counts: Words,
    limit: int,
) -> int:
    """Return how many positions are counted, at most `limit` + 1, or `WON` if one is won. Write to `counts` how many
    can be reached without a move, with at most one, and so on, as far as they go."""
    last = len(digits) - 1
    after, left, steps = digits.copy(), np.zeros(ranks, dtype=np.int64), np.zeros(ranks, dtype=np.int64)
    _write(digits, places, keys[0])
    _is_new(keys, slots, 0)
    count, visited, moved, before = 1, 0, 0, 0
    while visited < count:
        if visited == before:  # all positions with one move less are visited
            before = count
            counts[moved] = count
            moved += 1
        _read(digits, keys, visited)
        _count_left(left, digits, below, top)
        hole, space = digits[last], _empty_place(digits, places)
        if left.sum() == 0:
            return WON
        if visited == 0 and not _has_walk(left, steps, ranks, hole):
            return count
        for move in range(2 * last):
            at, pile = move // 2, digits[move // 2]
            if pile == EMPTY:
                continue
            after[:] = digits
            after[at] = below[pile]
            if move % 2:
                if space < 0 or 0 < places <= at:
                    continue
                after[space] = alone[top[pile]]
            else:
                if not _may_go_into_hole(left, steps, ranks, hole, top[pile]):
                    continue
                after[last] = top[pile]
            _write(after, places, keys[count])
            if _is_new(keys, slots, count):
                count += 1
                if count > limit:
                    return count
        visited += 1
    return count
