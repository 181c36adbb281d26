"""The search of all patiences, depth first, with an explicit stack and a table of the positions that were visited.

Without `LITERAL`, it leaves out moves that are never needed:

- A card that no card can need as a place goes to its foundation at once (`settle`).
- Part of a run moves only if the card below it can go to its foundation then (`PARTIAL`).
- Positions in which not even the relaxed game is won are lost (`is_lost`, `RELAXED`).

Where these hold is decided from the rules, see `dealmill.pipeline.games.patience.engine`. With `LITERAL`, it visits all
positions, which are what the referee counts; also those of an easier game, in which some cards are `IDLE`: as soon as
they can be lifted, they become `ABSENT`. `LIFTED` are the cards that a search could lift.
"""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.search.choices import (
    list_moves,
)
from dealmill.pipeline.games.patience.search.moves import (
    do,
    undo,
)
from dealmill.pipeline.games.patience.search.relaxed import (
    is_lost,
)
from dealmill.pipeline.games.patience.search.settling import (
    settle,
)
from dealmill.pipeline.games.patience.search.words import (
    BARE,
    DONE,
    DRAW,
    EVERY,
    FIRST_TABLE,
    FRAME,
    FRAMES,
    HASH,
    IDLE,
    IN_STOCK,
    LEFT,
    LIFTED,
    LIMIT,
    LITERAL,
    LOST,
    MOST_FRAMES,
    MOST_MOVES,
    MOVES,
    NODES,
    OPEN,
    OTHER_TABLE,
    OUT_OF_NODES,
    OWN_DRAW,
    OWN_PASSES,
    PASSES,
    PASSES_LEFT,
    POSITION_END,
    RELAXED,
    ROOM,
    START,
    STORED,
    TABLE,
    TABLE_SIZE,
    TO_HOLE,
    TURNED,
    WON,
    Words,
    word,
)


@inlined
def _clear_table(s: Words) -> None:
    s[TABLE_SIZE] = FIRST_TABLE
    s[STORED] = 0
    for at in range(s[TABLE], s[TABLE] + FIRST_TABLE):
        s[at] = 0


@inlined
def slot_of(s: Words, key: int) -> int:
    """Return where a key is in the table, or the free place for it."""
    mask = s[TABLE_SIZE] - 1
    at: int = ((key * word(-7046029254386353131)) >> 20) & mask
    while s[s[TABLE] + at] != 0 and s[s[TABLE] + at] != key:
        at = (at + 1) & mask
    slot: int = s[TABLE] + at
    return slot


@routine
def _grow(s: Words) -> None:
    """Move the table to the other region, four times as large."""
    old, size = s[TABLE], s[TABLE_SIZE]
    s[TABLE], s[OTHER_TABLE] = s[OTHER_TABLE], old
    s[TABLE_SIZE] = 4 * size
    for at in range(s[TABLE], s[TABLE] + 4 * size):
        s[at] = 0
    for at in range(old, old + size):
        if s[at]:
            s[slot_of(s, s[at])] = s[at]


@inlined
def _store(s: Words) -> bool:
    """Store the position; return whether it is new."""
    key = s[HASH] if s[HASH] else word(1)
    slot = slot_of(s, key)
    if s[slot] == key:
        return False
    s[slot] = key
    s[STORED] += 1
    if 5 * s[STORED] > 3 * s[TABLE_SIZE]:
        _grow(s)
    return True


@routine
def search(s: Words, budget: int) -> int:
    """Search from the start of the layout until it is won or lost. It is `OPEN` after `budget` nodes, or if a position
    is too deep; and `OUT_OF_NODES` if the limit of all searches is reached before."""
    stop, unfinished, result = s[NODES] + budget, word(OPEN), word(LOST)
    if stop > s[LIMIT]:
        stop, unfinished = s[LIMIT], word(OUT_OF_NODES)
    for at in range(HASH, POSITION_END):
        s[at] = s[START + at - HASH]
    s[DRAW], s[PASSES] = s[OWN_DRAW], s[OWN_PASSES]
    if s[IDLE] & s[IN_STOCK] and s[DRAW] > 1 and s[TO_HOLE] == 0:
        s[DRAW], s[PASSES], s[TURNED], s[PASSES_LEFT] = 1, 0, 0, 0
    s[LIFTED] = 0 if s[TO_HOLE] else s[IN_STOCK]
    _clear_table(s)
    settle(s)
    if s[LEFT] == 0:
        return word(WON)
    if s[NODES] >= stop:
        return unfinished
    s[NODES] += 1
    _store(s)
    if s[LITERAL] == 0 and s[RELAXED] and is_lost(s):
        return result
    depth, frame = word(0), s[FRAMES]
    s[frame], s[frame + 1], s[frame + 2], s[frame + 3] = 0, 0, list_moves(s, word(0), word(EVERY)), s[DONE]
    while depth >= 0:
        frame = s[FRAMES] + FRAME * depth
        undo(s, s[frame + 3])
        if s[frame + 1] == s[frame + 2]:
            depth -= 1
            continue
        move = s[s[MOVES] + s[frame + 1]]
        s[frame + 1] += 1
        do(s, move & BARE, word(0))
        settle(s)
        if s[LEFT] == 0:
            return word(WON)
        if not _store(s):
            continue
        if s[NODES] >= stop:
            return unfinished
        s[NODES] += 1
        if s[LITERAL] == 0 and s[RELAXED] and is_lost(s):
            continue
        start = s[frame + 2]
        if depth + 1 >= s[MOST_FRAMES] or start + s[ROOM] > s[MOST_MOVES]:
            result = word(OPEN)
            continue
        depth += 1
        frame += FRAME
        s[frame], s[frame + 1], s[frame + 2], s[frame + 3] = start, start, list_moves(s, start, word(EVERY)), s[DONE]
    return result
