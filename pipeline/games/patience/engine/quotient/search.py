"""The kernel that decides a layout in the quotient: short searches in other orders, and a full one that goes on between
them, depth first. A table holds the positions that were visited, a stack those to visit, and those on the way, which
are complemented.
"""

from dealmill.kernels import Row, inlined, int64, kernel, pointer_to, routine, row_of
from dealmill.pipeline.games.patience.engine.quotient import words as k
from dealmill.pipeline.games.patience.engine.quotient.positions import decode, list_moves, settle
from dealmill.pipeline.games.patience.engine.quotient.relaxed import is_refuted
from dealmill.pipeline.games.patience.engine.quotient.words import Words

FIRST_SLOTS = 1 << 10
FIRST_NODES = 1_000
"""The nodes of the full search before the first round."""
FULL_SEARCH, PROBES, PROBE_NODES = 4_000, 1_000, 500
"""The nodes that the first round spends on the full search, on all short ones, and on each of those."""
MAX_PROBE_NODES = 50_000


@inlined
def _first_slot(key: int, size: int) -> int:
    return ((key * int64(-7046029254386353131)) >> 32 & 0xFFFFFFFF) * size >> 32


@inlined
def slot_of(table: Words, size: int, key: int) -> int:
    """Return where a key is in the table, or the free slot for it."""
    at = _first_slot(key, size)
    while table[at] != 0 and table[at] != key:
        at += 1
        if at == size:
            at = int64(0)
    return at


@routine
def grow(table: Words, size: int, larger: int) -> None:
    """Enlarge the table where it is. Keys that have not found their new slots yet are complemented; one that lies where
    another belongs is the next that looks for its slot."""
    for at in range(size):
        if table[at]:
            table[at] = ~table[at]
    for at in range(size, larger):
        table[at] = 0
    for start in range(size):
        key = table[start]
        if key >= 0:
            continue
        table[start] = 0
        while key < 0:
            at = _first_slot(~key, larger)
            while table[at] > 0:
                at += 1
                if at == larger:
                    at = int64(0)
            key, table[at] = table[at], ~key


@routine
def _begin(q: Words, table: Words, stack: Words, f: Row) -> None:
    """Prepare a search from the first position."""
    for at in range(FIRST_SLOTS):
        table[at] = 0
    q[f + k.SIZE], q[f + k.STORED], q[f + k.TOP] = FIRST_SLOTS, 0, 1
    stack[0] = q[k.FIRST_KEY]


@routine
def _search(q: Words, table: Words, stack: Words, f: Row, budget: int) -> int:
    """Go on with a search until the layout is won or lost, `OPEN` after this many nodes, `OUT_OF_NODES` at the limit,
    or out of room."""
    stop, unfinished = q[k.NODES] + budget, int64(k.OPEN)
    if stop > q[k.LIMIT]:
        stop, unfinished = q[k.LIMIT], int64(k.OUT_OF_NODES)
    while q[f + k.TOP] > 0:
        top = q[f + k.TOP] - 1
        if stack[top] < 0:
            q[f + k.TOP] = top
            continue
        if 5 * q[f + k.STORED] >= 4 * q[f + k.SIZE]:
            larger = min(2 * q[f + k.SIZE], q[f + k.TABLE_ROOM])
            if larger == q[f + k.SIZE]:
                return int64(k.OUT_OF_TABLE)
            grow(table, q[f + k.SIZE], larger)
            q[f + k.SIZE] = larger
        if top + k.MAX_MOVES > q[f + k.STACK_ROOM]:
            return int64(k.OUT_OF_STACK)
        decode(q, stack[top])
        settle(q)
        key, size = q[k.KEY], q[f + k.SIZE]
        slot = slot_of(table, size, key + 1)
        if table[slot]:
            q[f + k.TOP] = top
            continue
        if q[k.NODES] >= stop:
            return unfinished
        table[slot] = key + 1
        q[k.NODES] += 1
        q[f + k.STORED] += 1
        stack[top] = ~key
        if q[k.UP] == q[k.DECK]:
            return int64(k.WON)
        if is_refuted(q):
            q[f + k.TOP] = top
            continue
        list_moves(q)
        top += 1
        for at in range(q[k.CHILD_COUNT]):
            after = q[k.CHILD_KEYS + at]
            if table[slot_of(table, size, after + 1)] == 0:
                stack[top] = after
                top += 1
        q[f + k.TOP] = top
    return int64(k.LOST)


@kernel
def solve(words: Words, table: Words, stack: Words, probe_table: Words, probe_stack: Words, rounds: int) -> int:
    """Decide the layout that was loaded; return one of the constants `WON`, `LOST` and so on.

    The positions of a win are those on the stack that are complemented. No budget depends on the limit, so a smaller
    one changes nothing but where the search ends. It goes on if it is called again: after so many rounds, when it is
    `OPEN`, or with larger arrays if it is out of room.
    """
    q, full, probe = pointer_to(words), row_of(k.FULL), row_of(k.PROBE)
    q[full + k.TABLE_ROOM], q[full + k.STACK_ROOM] = len(table), len(stack)
    q[probe + k.TABLE_ROOM], q[probe + k.STACK_ROOM] = len(probe_table), len(probe_stack)
    table_of_full, stack_of_full = pointer_to(table), pointer_to(stack)
    table_of_probe, stack_of_probe = pointer_to(probe_table), pointer_to(probe_stack)
    if q[k.STOP] == 0:
        q[k.STOP] = FIRST_NODES
        _begin(q, table_of_full, stack_of_full, full)
    while q[k.ROUND] != rounds:
        result = _search(q, table_of_full, stack_of_full, full, q[k.STOP] - q[full + k.STORED])
        if result != k.OPEN:
            return result
        number = q[k.ROUND]
        budget = min(int64(PROBE_NODES) << number, int64(MAX_PROBE_NODES))
        for attempt in range((int64(PROBES) << number) // budget):
            _begin(q, table_of_probe, stack_of_probe, probe)
            q[k.NOISE] = 1_000 * number + 2 * attempt + 1
            result = _search(q, table_of_probe, stack_of_probe, probe, budget)
            if result == k.WON:
                q[k.PROBED] = 1
            if result in (k.WON, k.OUT_OF_NODES):
                return result
        q[k.NOISE] = 0
        q[k.STOP] += int64(FULL_SEARCH) << 2 * number
        q[k.ROUND] += 1
    return int64(k.OPEN)


@kernel
def expand(words: Words, key: int) -> None:
    """List the moves of a position, and the keys of the positions after them, once safe cards have gone up."""
    q = pointer_to(words)
    q[k.NOISE] = 0
    decode(q, key)
    settle(q)
    list_moves(q)
    for at in range(q[k.CHILD_COUNT]):
        decode(q, q[k.CHILD_KEYS + at])
        settle(q)
        q[k.AFTER_KEYS + at] = q[k.KEY]


@kernel
def go_up(words: Words, key: int) -> None:
    """List the safe cards that go up in a position."""
    q = pointer_to(words)
    decode(q, key)
    settle(q)
