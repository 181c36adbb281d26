"""The compiled referee of losses by positions of the quotient, written from docs/proofs/klondike.md.

It shares no code with the engine. Of the plain referee, it uses only what that says of the form of layouts and
evidence; of the compiled referee of other losses, how positions are stored and compared.
"""

import numpy as np

from dealmill.kernels import int64, kernel, load_ahead, pointer_to, routine, row_of
from dealmill.pipeline.games.patience.compiled.keys import (
    WON,
    Slots,
    Words,
    counted,
    first_whole_slot,
    is_new_whole_key,
    read_whole_key,
    whole_slot_of,
)
from dealmill.pipeline.games.patience.compiled.quotient_positions import (
    copy_key,
    look,
    read_key,
    settle,
    write_key,
    write_keys_after,
)
from dealmill.pipeline.games.patience.compiled.quotient_relaxed import is_refuted
from dealmill.pipeline.games.patience.compiled.quotient_words import (
    AT_ONCE,
    DECK,
    KEY,
    KEYS_AFTER,
    SIZE,
    UP,
    VISITED,
    WORDS,
    load,
)
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss
from dealmill.pipeline.games.patience.rules import Rules


def check_quotient(rules: Rules, layout: str, loss: QuotientLoss) -> list[int]:
    """Check the claim of a loss; return and raise what `counted` does."""
    t = np.zeros(SIZE, dtype=np.int64)
    load(t, rules, layout)
    game = "the easier game" if rules.move == "card" else "the game"
    return counted(loss.positions, int(t[WORDS]), lambda *arrays: _count(t.copy(), *arrays), game, whole_keys=True)


@routine
def _visit(t: Words, queue: Slots, table: Words, number: int, moves: int) -> int:
    """Visit a position of the queue, write the keys after its moves behind those of other positions, `moves` in all,
    and ask for their slots. Return how many keys there are then; `WON` if the position is won."""
    size = t[WORDS]
    read_whole_key(t, row_of(VISITED), size, table, int64(queue[number]))
    copy_key(t, row_of(VISITED))
    read_key(t)
    look(t)
    if t[UP] == t[DECK]:
        return int64(WON)
    if is_refuted(t):
        return moves
    end = write_keys_after(t, moves)
    for move in range(moves, end):
        load_ahead(table, size * first_whole_slot(t, KEYS_AFTER + size * move, size, table))
    return end


@routine
def _visit_together(t: Words, queue: Slots, table: Words, first: int, number: int, end: int, room: int) -> int:
    """Visit so many positions of the queue from the first, and write those that were not reached before to its `end`.
    Return how many these are, no more than `room` + 1; `WON` if one that is visited is won.
    """
    moves, new = int64(0), int64(0)
    for at in range(first, first + number):
        moves = _visit(t, queue, table, at, moves)
        if moves == WON:
            return int64(WON)
    for move in range(moves):
        copy_key(t, KEYS_AFTER + t[WORDS] * move)
        if table[whole_slot_of(t, row_of(KEY), t[WORDS], table), 0]:
            continue  # a position that was reached, from which no safe card goes up
        settle(t)
        new += is_new_whole_key(t, row_of(KEY), t[WORDS], queue, table, end + new)
        if new > room:
            break
    return new


@kernel
def _count(words: Words, queue: Slots, table: Words, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as long as they are few.

    After that, the latest positions are visited first: what they lead to is more likely to be in the cache. Several are
    visited at once, so that most of the slots that they ask for have come when they are compared. The table has whole
    keys, not their numbers, so that a key is compared where it is looked for.
    """
    t = pointer_to(words)
    write_key(t)
    settle(t)
    count, visited, steps, before, new = int64(0), int64(0), int64(0), int64(0), int64(0)
    count += is_new_whole_key(t, row_of(KEY), t[WORDS], queue, table, count)
    while visited < count <= min(limit, len(counts)):
        if visited == before:  # all positions with one move less are visited
            before = count
            counts[steps] = count
            steps += 1
        new = _visit_together(t, queue, table, visited, int64(1), count, limit - count)
        if new == WON:
            return new
        visited += 1
        count += new
    left = count
    while visited < left and count <= limit:
        number = min(left - visited, int64(AT_ONCE))
        left -= number
        new = _visit_together(t, queue, table, left, number, left, limit - count)
        if new == WON:
            return new
        left += new
        count += new
    return count
