"""The count of the positions that can be reached, for losses with more of them than plain Python visits in a moment.

The game is in `positions` and `moves`. The list of positions that are reached is also the queue of those to visit.
"""

from collections.abc import Callable

from dealmill.kernels import inlined, int64, kernel
from dealmill.pipeline.games.patience.compiled.keys import WON, Slots, Words, counted
from dealmill.pipeline.games.patience.compiled.moves import list_moves, play, settle
from dealmill.pipeline.games.patience.compiled.positions import (
    change_key,
    copy_key,
    encode,
    is_known,
    is_new,
    locate_cards,
    read_key,
    turning_of,
)
from dealmill.pipeline.games.patience.compiled.words import (
    ABSENT,
    COMPLETE,
    COUNTED,
    DECK,
    FILLS,
    IDLE,
    LEVEL,
    MOVES,
    TO_COLUMNS,
    UP,
    WORDS,
    loaded,
)
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.rules import Rules

Count = Callable[[Words, Words, Slots, Words, int], int]
"""A kernel that counts positions, with the arguments and the result of `_count`."""


def check_count(rules: Rules, layout: str, loss: CountedLoss, count_positions: Count | None = None) -> list[int]:
    """Check that no position can be won, and that the number of positions is the one that the evidence claims, as the
    kernel of this module counts them, or another one. Return and raise what `counted` does."""
    t = loaded(rules, layout, loss)
    kernel = count_positions or _count
    game = "the easier game" if t[IDLE] else "the game"
    return counted(loss.positions, int(t[WORDS]), lambda *arrays: kernel(t.copy(), *arrays), game)


@inlined
def note_count(t: Words, counts: Words, visited: int, count: int) -> None:
    """Write how many positions can be reached with one move more once all others are visited."""
    if visited == t[COUNTED]:
        t[COUNTED] = count
        if t[LEVEL] < len(counts):
            counts[t[LEVEL]] = count
        t[LEVEL] += 1


@kernel
def _count(t: Words, keys: Words, slots: Slots, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as far as they go.

    In most games, the key after a move differs from that of the position in one card and in what is turned, before
    idle cards become absent. If it is known, none does, and the move need not be played.
    """
    is_quiet = t[FILLS] == 0 and t[TO_COLUMNS] == 0 and t[COMPLETE] == 0
    settle(t)
    encode(t)
    count, visited = int64(0), int64(0)
    count += is_new(t, keys, slots, count)
    while visited < count:
        note_count(t, counts, visited, count)
        read_key(t, keys, visited)
        locate_cards(t)
        if t[DECK] & ~(t[UP] | t[ABSENT]) == 0:
            return int64(WON)
        moves, played, turning = list_moves(t), int64(0), turning_of(t)
        for number in range(moves):
            move = t[MOVES + number]
            if is_quiet:
                copy_key(t, keys, visited)
                change_key(t, move, turning)
            if is_quiet and t[IDLE] == 0:
                count += is_new(t, keys, slots, count)
            elif not (is_quiet and is_known(t, keys, slots)):
                t[MOVES + played] = move
                played += 1
            if count > limit:
                return count
        for number in range(played):
            play(t, keys, visited, t[MOVES + number])
            settle(t)
            encode(t)
            count += is_new(t, keys, slots, count)
            if count > limit:
                return count
        visited += 1
    return count
