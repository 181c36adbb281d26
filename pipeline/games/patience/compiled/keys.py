"""What compiled referees of losses share: which keys of positions were met, and how many there are.

Each form of evidence has its own positions and their keys. The list of keys that are reached is also the queue of those
to visit; where the table has whole keys, there is only a queue of the slots of those to visit.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Item, Row, check_memory, compiling, inlined, int64, lowest_bit
from dealmill.verdicts import InvalidEvidence, check_positions

Words = NDArray[np.int64]
Slots = NDArray[np.int32]
CountKeys = Callable[[NDArray[Any], NDArray[Any], Words, int], int]
"""A kernel that counts positions up to a limit, with arrays for their keys or the queue, their hash table, and the
counts that `counted` returns. It returns their number, or one more than the limit if there are more; `WON` if one is
won."""
COMPARED = 2_000
"""How many positions are counted by the moves that lead to them, to compare them with those of plain Python."""
FIRST_ROOM, MORE_ROOM = 25_000_000, 8
"""The positions that are counted at first, more than a search reaches with any default limit, and how many times as
many next: a count that has no room left begins again."""
FREE_BYTES = 500_000_000
"""The memory that a count may reserve without asking whether there is as much."""
SECONDS = 4.0
"""The time that compiling takes, roughly."""
WON = -1


def counted(
    claimed: int,
    key_words: int,
    count_positions: CountKeys,
    game: str = "the game",
    *,
    whole_keys: bool = False,
    first_room: int | None = None,
) -> list[int]:
    """Count positions, whose keys have so many words, with room for as many as are claimed, at first for no more than
    `first_room`, or `FIRST_ROOM`; check their number. `game` is what would be won. The hash table has `whole_keys`, or
    their numbers.

    Return how many positions can be reached without a move, with at most one, with at most two, and so on, up to
    `COMPARED` positions.

    Raises
    ------
    InvalidEvidence
        If a position is won, or there are more or fewer.
    MemoryError
        If there is not enough memory for the positions; it says how much is needed.
    """
    counts, room = np.zeros(COMPARED, dtype=np.int64), min(claimed, first_room or FIRST_ROOM)
    reserve = queue_and_table if whole_keys else keys_and_slots
    with compiling(Path(__file__).parents[1], "the compiled referee of patiences", SECONDS):
        count = int(count_positions(*reserve(room, key_words), counts, room))
    while room < count and room < claimed:
        room = min(claimed, MORE_ROOM * room)
        count = int(count_positions(*reserve(room, key_words), counts, room))
    if count == WON:
        raise InvalidEvidence(1, f"{game} can be won")
    check_positions(count, claimed)
    few: list[int] = counts[(counts > 0) & (counts <= COMPARED)].tolist()
    return few


def keys_and_slots(room: int, key_words: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return arrays for the keys of so many positions, and a table of their numbers."""
    size, slots = key_words * (room + 2), 1 << (5 * room // 3 + 16).bit_length()
    _check_room(8 * size + 4 * slots, room)
    return np.empty(size, dtype=np.int64), np.zeros(slots, dtype=np.int32)


def queue_and_table(room: int, key_words: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return arrays for the queue of so many positions, and a table of their keys."""
    size, slots = room + 2, 4 * room // 3 + 16
    _check_room(4 * size + 8 * key_words * slots, room)
    return np.empty(size, dtype=np.int32), np.zeros((slots, key_words), dtype=np.int64)


def _check_room(needed: int, positions: int) -> None:
    if needed > FREE_BYTES:
        check_memory(needed, f"a count of {positions:,} positions")


@inlined
def bit_of(card: int) -> int:
    return int64(1) << card


@inlined
def first_of(cards: int) -> int:
    return int64(lowest_bit(cards))  # type: ignore[arg-type]


@inlined
def count_of(cards: int) -> int:
    """Return how many cards a set has."""
    count = int64(0)
    while cards:
        cards &= cards - 1
        count += 1
    return count


@inlined
def mixed_key(t: Words, key: Row | Item, size: int) -> int:
    """Return a number of 64 bits that depends on each bit of the key of this size at an offset, the upper half best."""
    mixed = int64(0)
    for part in range(size):
        mixed = (mixed ^ mixed >> 29 ^ t[key + part]) * int64(-7046029254386353131)
    return mixed


@inlined
def first_slot(t: Words, key: Row | Item, size: int, slots: Slots) -> int:
    """Return the slot at which the key of this size at an offset is looked for first."""
    return (mixed_key(t, key, size) >> 24) & (len(slots) - 1)


@inlined
def slot_of(t: Words, key: Row | Item, size: int, keys: Words, slots: Slots) -> int:
    """Return the slot with the number of the key of this size at an offset, from 1, or the free one for it."""
    at = first_slot(t, key, size, slots)
    while slots[at]:
        known, part = size * (int64(slots[at]) - 1), int64(0)
        while part < size and keys[known + part] == t[key + part]:
            part += 1
        if part == size:
            break
        at = (at + 1) & (len(slots) - 1)
    return at


@inlined
def is_new_key(t: Words, key: Row | Item, size: int, keys: Words, slots: Slots, count: int) -> bool:
    """Write the key of this size at an offset as number `count` unless it is among those before; return whether it is
    new."""
    at = slot_of(t, key, size, keys, slots)
    if slots[at]:
        return False
    for part in range(size):
        keys[size * count + part] = t[key + part]
    slots[at] = count + 1
    return True


@inlined
def first_whole_slot(t: Words, key: Row | Item, size: int, table: Words) -> int:
    """Return the slot of a table of whole keys, with any number of slots, at which the key of this size at an offset is
    looked for first."""
    return ((mixed_key(t, key, size) >> 32 & 0xFFFFFFFF) * len(table)) >> 32


@inlined
def whole_slot_of(t: Words, key: Row | Item, size: int, table: Words) -> int:
    """Return the slot with the key of this size at an offset, or the free one for it. The first word of each key is
    larger by one in the table, and 0 in a free slot."""
    slot = first_whole_slot(t, key, size, table)
    while table[slot, 0]:
        part = int64(0)
        while part < size and table[slot, part] == t[key + part] + (part == 0):
            part += 1
        if part == size:
            break
        slot += 1
        if slot == len(table):
            slot = int64(0)
    return slot


@inlined
def is_new_whole_key(t: Words, key: Row | Item, size: int, queue: Slots, table: Words, end: int) -> bool:
    """Write the key of this size at an offset to the table, and its slot to the end of the queue, unless it is known;
    return whether it is new."""
    slot = whole_slot_of(t, key, size, table)
    if table[slot, 0]:
        return False
    for part in range(size):
        table[slot, part] = t[key + part] + (part == 0)
    queue[end] = slot
    return True


@inlined
def read_whole_key(t: Words, key: Row | Item, size: int, table: Words, slot: int) -> None:
    """Write the key of this size in a slot to an offset."""
    for part in range(size):
        t[key + part] = table[slot, part] - (part == 0)
