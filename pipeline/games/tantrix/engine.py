"""The engine of Tantrix, which lists all legal moves of the player to move."""

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Bytes, Numbers, Results, Solved, Texts, kernel, run_kernel
from dealmill.pipeline.games.tantrix.board import (
    MAX_MOVES,
    MOVE_ROOM,
    MOVE_SHIFT,
    OPEN_ROOM,
    TURNED_HAND,
    ZERO,
    clear,
    empty_field,
    list_moves,
    place,
    turn_hand,
)
from dealmill.pipeline.games.tantrix.notation import (
    BLANK,
    SLASH,
    WHOLE_TILE,
    Words,
    read_space,
    read_tile,
    write_placed,
)
from dealmill.pipeline.games.tantrix.tiles import HAND, MAX_ON_FIELD
from dealmill.verdicts import Verdict

LONGEST_EVIDENCE = len("-100,-100:BBGGRR ") * MAX_MOVES

SCORED = int(Verdict.SCORED)
UNDECIDED = int(Verdict.UNDECIDED)


def legal_moves(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Count and list the legal moves of the player to move; each position counts as one node."""
    return run_kernel(_solve_each, layouts, max_nodes, LONGEST_EVIDENCE)


@kernel
def _solve_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    field = empty_field()
    played = np.empty(MAX_ON_FIELD, dtype=np.uint64)
    open_spaces = np.empty(OPEN_ROOM, dtype=np.uint64)
    hand = np.empty(HAND, dtype=np.uint64)
    turned_hand = np.empty(TURNED_HAND, dtype=np.uint64)
    moves = np.empty(MOVE_ROOM, dtype=np.uint64)
    end = 0
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - end < LONGEST_EVIDENCE:
            return i
        results.nodes[i] = min(limit, 1)
        if limit < 1:
            results.verdicts[i] = UNDECIDED
        else:
            tiles, count = _read(text, starts[i], field, played, open_spaces, hand)
            turn_hand(hand, turned_hand)
            results.values[i] = list_moves(field, open_spaces, count, turned_hand, moves)
            clear(field, played[:tiles])
            clear(field, open_spaces[:count])
            results.verdicts[i] = SCORED
            end = _write(moves, results.values[i], results.evidence, end)
        results.ends[i] = end
    return len(results.verdicts)


@kernel
def _read(text: Bytes, at: int, field: Words, played: Words, open_spaces: Words, hand: Words) -> tuple[int, np.uint64]:
    """Set up the layout whose text starts at `at`; return the numbers of tiles on the field and of open spaces."""
    tiles = 0
    count = ZERO
    while text[at] != SLASH:
        played[tiles], at = read_space(text, at)
        count = place(field, open_spaces, count, played[tiles], read_tile(text, at + 1))
        tiles += 1
        at += len(":BBGGRR ")
    at += len("/ ")
    for i in range(HAND):
        hand[i] = read_tile(text, at + len("BBGGRR ") * i)
    return tiles, count


@kernel
def _write(moves: Words, count: int, evidence: Bytes, end: int) -> int:
    """Write the first `count` moves at `end`, and return the new end."""
    for i in range(count):
        if i > 0:
            evidence[end] = BLANK
            end += 1
        end = write_placed(moves[i] >> MOVE_SHIFT, moves[i] & WHOLE_TILE, evidence, end)
    return end
