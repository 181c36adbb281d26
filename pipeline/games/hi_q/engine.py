"""The engine `greedy` of Hi-Q: the play of the problem statement, on a bitboard (see `board`)."""

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Bytes, Numbers, Results, Solved, Texts, inlined, kernel, lowest_bit, run_kernel
from dealmill.pipeline.games.hi_q import board as tables
from dealmill.pipeline.games.hi_q.board import BITS, NAME_ROOM, ROW
from dealmill.pipeline.games.hi_q.layout import HOLES
from dealmill.verdicts import Verdict

SCORED = int(Verdict.SCORED)
UNDECIDED = int(Verdict.UNDECIDED)

PEG = ord("X")
LONGEST_EVIDENCE = NAME_ROOM * HOLES

BOARD = np.uint64(tables.BOARD)
SIGNS = tables.sign_bits()
CONCERNED = tables.jump_holes()
NAMES, NAME_LENGTHS = tables.jump_names()
HOLE_NUMBERS = tables.hole_numbers()
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
ONE_DIRECTION = np.uint64(BITS)
NO_JUMP = np.uint64(len(CONCERNED))
ONE_ROW, TWO_ROWS = np.uint64(ROW), np.uint64(2 * ROW)


def greedy(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Play each board to its end; the value is the sum of the holes with pegs, and each position is a node."""
    return run_kernel(_play_each, layouts, max_nodes, LONGEST_EVIDENCE)


@kernel
def _play_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    evidence = results.evidence
    end = ZERO
    for i in range(first, len(results.verdicts)):
        if len(evidence) - np.int64(end) < LONGEST_EVIDENCE:
            return i
        board = read_board(text, np.uint64(starts[i]))
        start = end
        positions = 1
        jump = _next_jump(board)
        while jump != NO_JUMP and positions < limit:
            board ^= CONCERNED[jump]
            positions += 1
            for k in range(NAME_ROOM):  # all bytes, because a branch on the length costs more
                evidence[end + np.uint64(k)] = NAMES[jump, k]
            end += NAME_LENGTHS[jump]
            jump = _next_jump(board)
        decided = jump == NO_JUMP and positions <= limit
        if not decided:
            end = start
        elif end > start:
            end -= ONE  # without the space after the last jump
        results.nodes[i] = min(positions, limit)
        results.values[i] = _sum_of_holes(board)
        results.verdicts[i] = SCORED if decided else UNDECIDED
        results.ends[i] = end
    return len(results.verdicts)


@inlined
def read_board(text: Bytes, begin: np.uint64) -> np.uint64:
    """Return the board that a canonical layout shows."""
    board = ZERO
    for index in range(len(SIGNS)):
        if text[begin + np.uint64(index)] == PEG:
            board |= SIGNS[index]
    return board


@inlined
def _next_jump(board: np.uint64) -> np.uint64:
    """Return the preferred one of the possible jumps, or `NO_JUMP`."""
    empty = BOARD & ~board
    from_below = empty & board << ONE_ROW & board << TWO_ROWS
    from_right = empty & board << ONE & board << TWO
    from_left = empty & board >> ONE & board >> TWO
    from_above = empty & board >> ONE_ROW & board >> TWO_ROWS
    targets = from_below | from_right | from_left | from_above
    if targets == ZERO:
        return NO_JUMP
    target = targets & (~targets + ONE)
    not_below = from_below & target == ZERO
    not_right = not_below & (from_right & target == ZERO)
    not_left = not_right & (from_left & target == ZERO)
    return ONE_DIRECTION * (np.uint64(not_below) + np.uint64(not_right) + np.uint64(not_left)) + lowest_bit(target)


@inlined
def _sum_of_holes(board: np.uint64) -> int:
    total = 0
    while board:
        total += HOLE_NUMBERS[lowest_bit(board)]
        board &= board - ONE
    return total
