"""The search of all patiences, depth first, with an explicit stack and a table of the positions that were visited.

Without `LITERAL`, it leaves out moves that are never needed:

- A card that no card can need as a place goes to its foundation at once (`settle`).
- Part of a run moves only if the card below it can go to its foundation then (`PARTIAL`).
- Positions in which not even the relaxed game is won are lost (`is_lost`, `RELAXED`).

Where these hold is decided from the rules, see `dealmill.pipeline.games.patience.engine.plain.engine`. With `LITERAL`,
it visits all positions, which are what the referee counts; also those of an easier game, in which some cards are
`IDLE`: as soon as they can be lifted, they become `ABSENT`. `LIFTED` are the cards that a search with `LITERAL` could
lift.
"""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.choices import list_moves, note_lifted
from dealmill.pipeline.games.patience.engine.plain.moves import (
    deal_row,
    do_with_key,
    draw_by_the_rules,
    draw_one_by_one,
    key_after,
    undo,
)
from dealmill.pipeline.games.patience.engine.plain.relaxed import is_lost, stays_open
from dealmill.pipeline.games.patience.engine.plain.settling import settle
from dealmill.pipeline.games.patience.engine.plain.words import Words, first_slot


@inlined
def clear_table(s: Words, size: int) -> None:
    s[k.TABLE_SIZE] = size
    for at in range(s[k.TABLE], s[k.TABLE] + size):
        s[at] = 0


@inlined
def slot_of(s: Words, key: int) -> int:
    """Return where a key is in the table, or the free place for it."""
    at, mask = first_slot(key, s[k.TABLE_SIZE]), s[k.TABLE_SIZE] - 1
    while s[s[k.TABLE] + at] != 0 and s[s[k.TABLE] + at] != key:
        at = (at + 1) & mask
    slot: int = s[k.TABLE] + at
    return slot


@routine
def _grow(s: Words) -> None:
    """Move the table to the other region, four times as large."""
    old, size = s[k.TABLE], s[k.TABLE_SIZE]
    s[k.TABLE], s[k.OTHER_TABLE] = s[k.OTHER_TABLE], old
    clear_table(s, 4 * size)
    for at in range(old, old + size):
        if s[at]:
            s[slot_of(s, s[at])] = s[at]


@inlined
def is_stored(s: Words, key: int) -> bool:
    """Return whether the position with this key is stored: then it was searched, and nothing is to be settled in it."""
    key = key if key else int64(1)
    return bool(s[slot_of(s, key)] == key)


@inlined
def store(s: Words) -> bool:
    """Store the position; return whether it is new."""
    key = s[k.HASH] if s[k.HASH] else int64(1)
    slot = slot_of(s, key)
    if s[slot] == key:
        return False
    s[slot] = key
    s[k.STORED] += 1
    if 5 * s[k.STORED] > 3 * s[k.TABLE_SIZE]:
        _grow(s)
    return True


@inlined
def _choices(s: Words, start: int) -> int:
    """List the moves of the position; return the end of the list."""
    if s[k.LITERAL]:
        note_lifted(s)
    return list_moves(s, start, int64(k.EVERY))


@routine
def go_to_start(s: Words) -> None:
    """Go to the position from which all searches start, without what happens there without a move."""
    for at in range(k.POSITION_SIZE):
        s[k.POSITION + at] = s[k.START + at]
    draw_by_the_rules(s)


@routine
def search(s: Words, budget: int) -> int:
    """Search from the start of the layout until it is won or lost. It is `OPEN` after `budget` nodes, or if all is
    searched but what lies below a position that is `TOO_DEEP`; and `OUT_OF_NODES` if the limit of all searches is
    reached before."""
    stop, unfinished, result = s[k.NODES] + budget, int64(k.OPEN), int64(k.LOST)
    if stop > s[k.LIMIT]:
        stop, unfinished = s[k.LIMIT], int64(k.OUT_OF_NODES)
    go_to_start(s)
    if s[k.IDLE] & s[k.IN_STOCK] and s[k.DRAW] > 1 and s[k.TO_HOLE] == 0:
        draw_one_by_one(s)
        s[k.TURNED] = s[k.PASSES_LEFT] = 0
    s[k.LIFTED] = 0 if s[k.TO_HOLE] else s[k.IN_STOCK]
    clear_table(s, int64(k.FIRST_TABLE) if budget <= k.SHORT_SEARCH else int64(k.LARGER_TABLE))
    s[k.STORED] = s[k.TOO_DEEP] = 0
    settle(s)
    if s[k.LEFT] == 0:
        return int64(k.WON)
    if s[k.NODES] >= stop:
        return unfinished
    s[k.NODES] += 1
    store(s)
    if s[k.LITERAL] == 0 and s[k.RELAXED] and is_lost(s):
        return result
    depth, frame = int64(0), s[k.FRAMES]
    s[frame], s[frame + 1], s[frame + 2], s[frame + 3] = 0, 0, _choices(s, int64(0)), s[k.DONE]
    while depth >= 0:
        frame = s[k.FRAMES] + k.FRAME * depth
        undo(s, s[frame + 3])
        if s[frame + 1] == s[frame + 2]:
            depth -= 1
            continue
        move = s[s[k.MOVES] + s[frame + 1]] & k.BARE
        s[frame + 1] += 1
        if (move >> 12) & 63 == k.DEALT:
            deal_row(s, move)
        else:
            key = key_after(s, move)
            if is_stored(s, key):
                continue
            do_with_key(s, move, key, int64(0))
        is_open = stays_open(s, move)
        settle(s)
        if s[k.LEFT] == 0:
            return int64(k.WON)
        if not store(s):
            continue
        if s[k.NODES] >= stop:
            return unfinished
        s[k.NODES] += 1
        if s[k.LITERAL] == 0 and s[k.RELAXED] and not is_open and is_lost(s):
            continue
        start = s[frame + 2]
        if depth + 1 >= s[k.MAX_FRAMES] or start + s[k.ROOM] > s[k.MAX_MOVES]:
            result = int64(k.OPEN)
            continue
        depth += 1
        frame += k.FRAME
        s[frame], s[frame + 1], s[frame + 2], s[frame + 3] = start, start, _choices(s, start), s[k.DONE]
    s[k.TOO_DEEP] = int64(result == k.OPEN)
    return result
