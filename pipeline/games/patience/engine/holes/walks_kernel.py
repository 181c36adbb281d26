"""The search of games such as Black Hole: depth first, by ranks alone, through positions from which a walk is possible.

Columns are nodes of a tree: each node is a sequence of ranks, the lowest card first, and its parent the sequence
without the last one, so columns with equal ranks are one node. A position is hashed as the sum of words for its
columns, for cards that are parked (in a cell, or in an empty column that any card may go to), and for the rank on top
of the hole. A column with one card counts as that card parked where cards may go to empty columns.

A *walk* is an order in which all cards that are left could go into the hole if none lay on another. With n(r) cards of
rank r left, the hole at rank h and the end of the walk at rank t, it makes e(r) steps between the ranks r and r + 1, in
either direction, so e(r-1) + e(r) = 2 n(r) + [r = h] - [r = t]. Around an odd number of ranks, that has one solution
for each t. There is a walk if, for some t, no e(r) is negative and its steps are connected; see docs/proofs/holes.md.
"""

from dealmill.kernels import Fields, count_bits, inlined, int64, kernel, pointer_to, routine
from dealmill.pipeline.games.patience.engine.plain.words import Words, first_slot
from dealmill.rules_files import MAX_COLUMNS

MAX_NODES, MAX_STEPS = 64, 128
ROOM = 64
"""The moves of a position: each column's top into the hole, or parked, and each parked rank into the hole."""
ARRAY = Fields()
RANKS, COLUMNS, PLACES, SPACES, LIMIT = ARRAY.words(5)
"""The rules, and the node limit. `PLACES` are the cells."""
HOLE, HASH, PARKED_COUNT, EMPTY_COUNT, LEFT, DEPTH, NODES, TABLE_LIMIT = ARRAY.words(8)
"""The position and the search."""
LEFT_OF, PARKED, EVEN, HOLE_KEY, PARKED_KEY = ARRAY.rows(5, 13)
"""One word for each rank: how many cards are left and how many parked, the ranks an even number of steps after it, and
words for the hash."""
NODE_OF = ARRAY.row(MAX_COLUMNS)
"""The node of each column."""
PARENT, RANK, NODE_KEY = ARRAY.rows(3, MAX_NODES)
"""One word for each node."""
MOVES_BEGIN, MOVES_END, MOVE = ARRAY.rows(3, MAX_STEPS)
"""For each step of the path that is searched: its moves that are not tried yet, and the one that was played."""
MOVES = ARRAY.size
"""The moves of all steps follow, with room for those of each."""
SIZE = MOVES + MAX_STEPS * ROOM
WON, LOST, OUT_OF_NODES, OUT_OF_ROOM = 1, 2, 3, 4
ROOT = 0
INTO_HOLE, PARK, FROM_PARKED = range(3)
"""Kinds of moves, with a column, or with the rank of a parked card."""


@inlined
def _count(bits: int) -> int:
    return int64(count_bits(bits))  # type: ignore[arg-type]


@routine
def _is_open(s: Words) -> bool:
    """Return whether there is a walk over the cards that are left.

    `steps` is twice e(r) for a walk without the last term; the end at t takes 1 from it an even number of steps after
    t, and adds 1 an odd number.
    """
    ranks, hole = s[RANKS], s[HOLE]
    steps, sign, present = int64(0), int64(1), int64(0)
    for back in range(ranks):
        rank = ranks - back if back else int64(0)
        steps += sign * (2 * s[LEFT_OF + rank] + (rank == hole))
        sign = -sign
    once, less = int64(0), int64(0)
    for rank in range(ranks):
        if rank:
            steps = 2 * (2 * s[LEFT_OF + rank] + (rank == hole)) - steps
        if steps < -1:
            return False
        once |= int64(steps == 1) << rank
        less |= int64(steps == -1) << rank
        present |= int64(s[LEFT_OF + rank] > 0) << rank
    for end in range(ranks):
        if less & s[EVEN + end] == 0 and _is_connected(s, once & s[EVEN + end] | less, present):
            return True
    return False


@inlined
def _is_connected(s: Words, cuts: int, present: int) -> bool:
    """Return whether all ranks that are present are joined to that of the hole by steps that are not cut. A bit of
    `cuts` is the step from this rank to the next one."""
    if _count(cuts) <= 1:
        return True
    ranks, rank = s[RANKS], s[HOLE]
    joined = int64(1) << rank
    while cuts >> rank & 1 == 0:
        rank = rank + 1 if rank + 1 < ranks else int64(0)
        joined |= int64(1) << rank
    rank = s[HOLE]
    while True:
        rank = rank - 1 if rank else ranks - 1
        if cuts >> rank & 1:
            break
        joined |= int64(1) << rank
    return bool(present & ~joined == 0)


@inlined
def _put_on_hole(s: Words, rank: int) -> None:
    s[HASH] += s[HOLE_KEY + rank] - s[HOLE_KEY + s[HOLE]]
    s[HOLE] = rank
    s[LEFT_OF + rank] -= 1
    s[LEFT] -= 1


@inlined
def _play(s: Words, move: int) -> None:
    kind, number = move & 3, move >> 2 & 31
    if kind == FROM_PARKED:
        s[PARKED + number] -= 1
        s[PARKED_COUNT] -= 1
        s[HASH] -= s[PARKED_KEY + number]
        _put_on_hole(s, number)
        return
    node = s[NODE_OF + number]
    under = s[PARENT + node]
    s[NODE_OF + number] = under
    s[EMPTY_COUNT] += under == ROOT
    s[HASH] += s[NODE_KEY + under] - s[NODE_KEY + node]
    if kind == INTO_HOLE:
        _put_on_hole(s, s[RANK + node])
    else:
        s[PARKED + s[RANK + node]] += 1
        s[PARKED_COUNT] += 1
        s[HASH] += s[PARKED_KEY + s[RANK + node]]


@inlined
def _take_back(s: Words, move: int) -> None:
    kind, number, node, hole = move & 3, move >> 2 & 31, move >> 7 & 127, move >> 14
    if kind != PARK:
        s[LEFT_OF + s[HOLE]] += 1
        s[LEFT] += 1
        s[HASH] += s[HOLE_KEY + hole] - s[HOLE_KEY + s[HOLE]]
    if kind == FROM_PARKED:
        s[PARKED + number] += 1
        s[PARKED_COUNT] += 1
        s[HASH] += s[PARKED_KEY + number]
    else:
        under = s[NODE_OF + number]
        s[EMPTY_COUNT] -= under == ROOT
        s[NODE_OF + number] = node
        s[HASH] += s[NODE_KEY + node] - s[NODE_KEY + under]
        if kind == PARK:
            s[PARKED + s[RANK + node]] -= 1
            s[PARKED_COUNT] -= 1
            s[HASH] -= s[PARKED_KEY + s[RANK + node]]
    s[HOLE] = hole


@inlined
def _add(s: Words, end: int, score: int, kind: int, number: int, node: int) -> int:
    s[end] = score << 32 | s[HOLE] << 14 | node << 7 | number << 2 | kind
    return end + 1


@routine
def _list_moves(s: Words, start: int) -> int:
    """Write the moves from `start` on, the most promising last; return the end."""
    end, ranks, hole = start, s[RANKS], s[HOLE]
    above = hole + 1 if hole + 1 < ranks else int64(0)
    below = hole - 1 if hole else ranks - 1
    places = s[PLACES] + (s[EMPTY_COUNT] if s[SPACES] else int64(0)) - s[PARKED_COUNT]
    for number in range(s[COLUMNS]):
        column = int64(number)
        node = s[NODE_OF + column]
        if node == ROOT:
            continue
        rank = s[RANK + node]
        if rank in (above, below):
            end = _add(s, end, int64(100) + _depth(s, node) - s[LEFT_OF + rank], int64(INTO_HOLE), column, node)
        if places > 0 and (s[SPACES] == 0 or s[PARENT + node] != ROOT):
            end = _add(s, end, int64(20), int64(PARK), column, node)
    for step in range(2):
        rank = below if step else above
        if s[PARKED + rank] and (step == 0 or above != below):
            end = _add(s, end, int64(90), int64(FROM_PARKED), rank, int64(0))
    for at in range(start + 1, end):
        move = s[at]
        slot = at
        while slot > start and s[slot - 1] >> 32 > move >> 32:
            s[slot] = s[slot - 1]
            slot -= 1
        s[slot] = move
    return end


@inlined
def _depth(s: Words, node: int) -> int:
    depth = int64(0)
    while node != ROOT:
        node = s[PARENT + node]
        depth += 1
    return depth


@inlined
def _store(s: Words, table: Words, size: int) -> bool:
    """Store the position; return whether it is new."""
    key = s[HASH] if s[HASH] else int64(1)
    at = first_slot(key, size)
    while table[at] and table[at] != key:
        at = (at + 1) & (size - 1)
    if table[at]:
        return False
    table[at] = key
    return True


@kernel
def move_table(old: Words, new: Words) -> None:
    """Copy the keys of a table to an empty one."""
    for key in old:
        if key:
            at = first_slot(key, len(new))
            while new[at]:
                at = (at + 1) & (len(new) - 1)
            new[at] = key


@kernel
def search(words: Words, table: Words) -> int:
    """Search on; return one of the constants `WON` and so on. The moves of a win are in `MOVE`, `DEPTH` of them, and
    the positions of a loss are the nodes. If it is `OUT_OF_ROOM`, it goes on with a larger table."""
    s, size = pointer_to(words), int64(len(table))
    if s[NODES] == 0:
        if s[LEFT] == 0:
            return WON
        _store(s, table, size)
        s[NODES] = 1
        s[MOVES_BEGIN + 0] = MOVES
        s[MOVES_END + 0] = _list_moves(s, int64(MOVES)) if _is_open(s) else int64(MOVES)
    while s[DEPTH] >= 0:
        depth = s[DEPTH]
        if s[MOVES_END + depth] == s[MOVES_BEGIN + depth]:
            if depth:
                _take_back(s, s[MOVE + depth - 1])
            s[DEPTH] -= 1
            continue
        if 5 * s[NODES] >= 3 * size:
            return OUT_OF_ROOM
        s[MOVES_END + depth] -= 1
        move = s[s[MOVES_END + depth]] & ((int64(1) << 32) - 1)
        _play(s, move)
        if s[LEFT] == 0:
            s[MOVE + depth] = move
            s[DEPTH] += 1
            return WON
        if (move & 3 != PARK and not _is_open(s)) or not _store(s, table, size):
            _take_back(s, move)
            continue
        if s[NODES] >= s[LIMIT]:
            return OUT_OF_NODES
        s[NODES] += 1
        s[MOVE + depth] = move
        s[DEPTH] += 1
        start = int64(MOVES) + ROOM * (depth + 1)
        s[MOVES_BEGIN + depth + 1] = start
        s[MOVES_END + depth + 1] = _list_moves(s, start)
    return LOST
