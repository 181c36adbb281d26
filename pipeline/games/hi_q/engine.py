"""The engine of Hi-Q: the statement's greedy play on a bitboard, hole h in bit h - 1."""

from collections.abc import Sequence

import numpy as np

from pipeline.games.batch import Bytes, Numbers, Results, solve_batch
from pipeline.games.contract import NO_LIMIT, Batch, Verdict
from pipeline.games.hi_q.layout import HOLES, ROWS
from pipeline.games.kernel import kernel

SCORED = int(Verdict.SCORED)
UNDECIDED = int(Verdict.UNDECIDED)

PEG = ord("X")
SLASH = ord("/")
LONGEST_EVIDENCE = len("33-33 ") * HOLES


def _jumps() -> list[tuple[int, int, int]]:
    """Source, jumped and target hole of the 76 jumps, in the order in which the statement prefers them."""
    widest = max(ROWS)
    hole_at: dict[tuple[int, int], int] = {}
    for row, length in enumerate(ROWS):
        for column in range(length):
            hole_at[row, column + (widest - length) // 2] = len(hole_at)
    jumps = [
        (hole, hole_at[row + down, column + right], hole_at[row + 2 * down, column + 2 * right])
        for (row, column), hole in hole_at.items()
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
        if (row + 2 * down, column + 2 * right) in hole_at
    ]
    return sorted(jumps, key=lambda jump: (-jump[2], -jump[0]))


JUMPS = _jumps()
CONCERNED = np.array([1 << source | 1 << over | 1 << target for source, over, target in JUMPS], dtype=np.uint64)
"""The three holes of each jump; flipping them plays it."""
PEGS_BEFORE = np.array([1 << source | 1 << over for source, over, _ in JUMPS], dtype=np.uint64)
NAMES = np.array([list(f"{f'{source + 1}-{target + 1}':<5} ".encode()) for source, _, target in JUMPS], dtype=np.uint8)
NAME_LENGTHS = np.array([len(f"{source + 1}-{target + 1}") for source, _, target in JUMPS])


def greedy(layouts: Sequence[str], limit: int = NO_LIMIT) -> Batch:
    """Play each board to its end; the value is the sum of the holes with pegs, a node is a position."""
    return solve_batch(_play_each, layouts, limit, LONGEST_EVIDENCE)


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
            if end > start:
                results.evidence[end] = ord(" ")
                end += 1
            for k in range(NAME_LENGTHS[jump]):
                results.evidence[end] = NAMES[jump, k]
                end += 1
            jump = _next_jump(board)
        results.nodes[i] = min(positions, limit)
        results.values[i] = _sum_of_holes(board)
        results.verdicts[i] = SCORED if jump < 0 and positions <= limit else UNDECIDED
        results.ends[i] = end
    return len(results.verdicts)


@kernel
def _read(layout: Bytes) -> np.uint64:
    board = np.uint64(0)
    hole = np.uint64(1)
    for sign in layout:
        if sign != SLASH:
            if sign == PEG:
                board |= hole
            hole <<= np.uint64(1)
    return board


@kernel
def _next_jump(board: np.uint64) -> int:
    """The preferred one of the jumps that the board allows; -1 if there is none."""
    for jump in range(len(CONCERNED)):
        if board & CONCERNED[jump] == PEGS_BEFORE[jump]:
            return jump
    return -1


@kernel
def _sum_of_holes(board: np.uint64) -> int:
    total = 0
    for hole in range(HOLES):
        if board >> np.uint64(hole) & np.uint64(1):
            total += hole + 1
    return total
