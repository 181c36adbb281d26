"""The engine of Hi-Q: the statement's greedy play on a bitboard (see `board`)."""

import numpy as np

from pipeline.games.batch import Bytes, Numbers, Results, Solved, Texts, run_kernel
from pipeline.games.contract import NO_LIMIT, Verdict
from pipeline.games.hi_q import board as tables
from pipeline.games.hi_q.board import BITS, DE_BRUIJN, NAME_ROOM, ROW
from pipeline.games.hi_q.layout import HOLES
from pipeline.games.kernel import kernel

SCORED = int(Verdict.SCORED)
UNDECIDED = int(Verdict.UNDECIDED)

PEG = ord("X")
LONGEST_EVIDENCE = NAME_ROOM * HOLES

BOARD = np.uint64(tables.BOARD)
SIGNS = tables.sign_bits()
CONCERNED = tables.jump_holes()
NAMES, NAME_LENGTHS = tables.jump_names()
HOLE_NUMBERS = tables.hole_numbers()
BIT_NUMBERS = tables.bit_numbers()
MULTIPLIER, TOP_SIX = np.uint64(DE_BRUIJN), np.uint64(BITS - 6)
ONE, TWO = np.uint64(1), np.uint64(2)
ONE_ROW, TWO_ROWS = np.uint64(ROW), np.uint64(2 * ROW)


def greedy(layouts: Texts, limit: int = NO_LIMIT) -> Solved:
    """Play each board to its end; the value is the sum of the holes with pegs, a node is a position."""
    return run_kernel(_play_each, layouts, limit, LONGEST_EVIDENCE)


@kernel
def _play_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    end = 0
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - end < LONGEST_EVIDENCE:
            return i
        board = _read(text[starts[i] : starts[i + 1]])
        start = end
        positions = 1
        jump = _next_jump(board)
        while jump >= 0 and positions < limit:
            board ^= CONCERNED[jump]
            positions += 1
            for k in range(NAME_ROOM):  # all of it, because a branch on the length costs more
                results.evidence[end + k] = NAMES[jump, k]
            end += NAME_LENGTHS[jump]
            jump = _next_jump(board)
        end = max(start, end - 1)  # without the blank behind the last jump
        results.nodes[i] = min(positions, limit)
        results.values[i] = _sum_of_holes(board)
        results.verdicts[i] = SCORED if jump < 0 and positions <= limit else UNDECIDED
        results.ends[i] = end
    return len(results.verdicts)


@kernel
def _read(layout: Bytes) -> np.uint64:
    board = np.uint64(0)
    for place in range(len(SIGNS)):
        if layout[place] == PEG:
            board |= SIGNS[place]
    return board


@kernel
def _next_jump(board: np.uint64) -> int:
    """The preferred one of the jumps that the board allows; -1 if there is none."""
    empty = BOARD & ~board
    from_below = empty & board << ONE_ROW & board << TWO_ROWS
    from_right = empty & board << ONE & board << TWO
    from_left = empty & board >> ONE & board >> TWO
    from_above = empty & board >> ONE_ROW & board >> TWO_ROWS
    targets = from_below | from_right | from_left | from_above
    if targets == 0:
        return -1
    target = targets & (~targets + ONE)
    not_below = from_below & target == 0
    not_right = not_below & (from_right & target == 0)
    not_left = not_right & (from_left & target == 0)
    return int(BITS * (np.int64(not_below) + np.int64(not_right) + np.int64(not_left)) + _bit_number(target))


@kernel
def _bit_number(bit: np.uint64) -> int:
    return int(BIT_NUMBERS[bit * MULTIPLIER >> TOP_SIX])


@kernel
def _sum_of_holes(board: np.uint64) -> int:
    total = 0
    while board:
        rest = board & (board - ONE)
        total += HOLE_NUMBERS[_bit_number(board ^ rest)]
        board = rest
    return total
