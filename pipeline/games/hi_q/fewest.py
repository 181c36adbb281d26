"""The engine that leaves the fewest pegs: a depth-first search of all plays, on a bitboard (see `board`).

It remembers the boards it has seen, and prefers jumps towards the centre. It ends when a play reaches the bound of the
class of the board, which no play can beat, or when it has seen all boards that can be reached.
"""

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Bytes, Numbers, Results, Solved, Texts, allocating, count_bits, inlined, kernel, run_kernel
from dealmill.pipeline.games.hi_q import board as tables
from dealmill.pipeline.games.hi_q.board import BIT_OF, NAME_ROOM, Boards
from dealmill.pipeline.games.hi_q.engine import (
    NAME_LENGTHS,
    NAMES,
    ONE,
    SCORED,
    THREE,
    TWO,
    UNDECIDED,
    ZERO,
    read_board,
)
from dealmill.pipeline.games.hi_q.layout import HOLES

CERTIFIED = 4_000_000
"""The most boards that a certificate can count. If more can be reached and the bound is not, a board is undecided."""
MAX_BOARDS = 1 << 23
"""The most boards that a search sees, in a table of 128 MB. A board that needs more is undecided."""
FIRST_SLOTS, GROWTH = 1 << 12, 4
SPREADER, SPREAD_BITS = np.uint64(0x9E3779B97F4A7C15), np.uint64(40)
"""Fibonacci hashing: a product with 2⁶⁴ divided by the golden ratio."""

MIDDLE = 3
BY_CLASS = np.frombuffer(b"class", dtype=np.uint8)
LONGEST_EVIDENCE = NAME_ROOM * HOLES
DIGIT, TEN, BLANK = np.uint64(ord("0")), np.uint64(10), ord(" ")


def _preferred() -> tuple[Numbers, Boards, Boards]:
    """Return the numbers of all jumps, in the order in which they are tried, their three holes, and the two with pegs.

    Those come first that leave the pegs nearest to the centre: with d for the square of a hole's distance from it, the
    jumps with the least 2 d(target) − 2 d(source) − d(hole passed over).
    """
    distance = {bit: (row - MIDDLE) ** 2 + (column - MIDDLE) ** 2 for (row, column), bit in BIT_OF.items()}
    order = sorted(tables.jumps(), key=lambda jump: 2 * distance[jump[3]] - 2 * distance[jump[1]] - distance[jump[2]])
    return (
        np.array([number for number, *_ in order], dtype=np.int64),
        np.array([1 << source | 1 << over | 1 << target for _, source, over, target in order], dtype=np.uint64),
        np.array([1 << source | 1 << over for _, source, over, _ in order], dtype=np.uint64),
    )


JUMPS, CONCERNED, PEGS_BEFORE = _preferred()


def _colours() -> Boards:
    """Return the holes of three colours for each direction of diagonals, on which the colours take turns.

    A jump changes the number of pegs of each colour by one.
    """
    colours = np.zeros((2, 3), dtype=np.uint64)
    for (row, column), bit in BIT_OF.items():
        colours[0, (row + column) % 3] |= np.uint64(1 << bit)
        colours[1, (row - column) % 3] |= np.uint64(1 << bit)
    return colours


COLOURS = _colours()


def fewest(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Find the fewest pegs that a play leaves; each board that the search sees is a node."""
    return run_kernel(_solve_each, layouts, max_nodes, LONGEST_EVIDENCE)


@kernel
def _solve_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    play = np.empty(HOLES, dtype=np.int64)
    most_boards = np.uint64(min(limit, MAX_BOARDS))
    end = ZERO
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - np.int64(end) < LONGEST_EVIDENCE:
            return i
        board = read_board(text, np.uint64(starts[i]))
        bound = _bound(board)
        boards, jumps, complete = _search(board, bound, most_boards, play)
        left = count_bits(board) - jumps
        results.nodes[i] = boards
        results.verdicts[i] = UNDECIDED
        if complete and (left == bound or boards <= CERTIFIED):
            results.verdicts[i], results.values[i] = SCORED, left
            end = _write(results.evidence, end, ZERO if left == bound else boards, play[:jumps])
        results.ends[i] = end
    return len(results.verdicts)


@inlined
def _bound(board: np.uint64) -> np.uint64:
    """Return a number of pegs that every play leaves, which depends on the class of the board.

    Each jump changes the parity of all six colours. A single peg is in one of the three colours of a direction, so if
    these have the same parity, two pegs must stay.
    """
    if board == ZERO:
        return ZERO
    for direction in range(2):
        odd = ZERO
        for colour in range(3):
            odd += count_bits(board & COLOURS[direction, colour]) & ONE
        if odd in (ZERO, THREE):
            return TWO
    return ONE


@allocating
def _search(
    board: np.uint64, bound: np.uint64, most_boards: np.uint64, play: Numbers
) -> tuple[np.uint64, np.uint64, bool]:
    """Search all plays of a board, until one leaves `bound` pegs, and set `play` to the jumps of the best one.

    Returns the number of boards seen, at most `most_boards`, the number of jumps, and whether the search was complete.
    """
    seen = np.zeros(FIRST_SLOTS, dtype=np.uint64)
    path = np.empty(HOLES, dtype=np.uint64)  # the boards from the first to the current one
    next_jumps = np.zeros(HOLES, dtype=np.int64)  # for each of them, the next jump to try
    level = jumps = ZERO
    most_jumps = count_bits(board) - bound
    if most_boards == ZERO:
        return ZERO, ZERO, False
    boards, path[ZERO] = ONE, board
    while jumps < most_jumps:
        jump = next_jumps[level]
        while jump < len(JUMPS) and path[level] & CONCERNED[jump] != PEGS_BEFORE[jump]:
            jump += 1
        if jump == len(JUMPS):
            if level == ZERO:
                break
            level -= ONE
            continue
        next_jumps[level] = jump + 1
        after = path[level] ^ CONCERNED[jump]
        if not _enter(seen, after):
            continue
        if boards == most_boards:
            return boards, ZERO, False
        boards += ONE
        level += ONE
        path[level], next_jumps[level] = after, 0
        if level > jumps:
            jumps = level
            for k in range(level):
                play[k] = next_jumps[k] - 1
        if TWO * boards > len(seen):
            seen = _grown(seen)
    return boards, jumps, True


@inlined
def _enter(seen: Boards, board: np.uint64) -> bool:
    """Enter a board into a hash table; return whether it was not there."""
    last = np.uint64(len(seen)) - ONE
    slot = board * SPREADER >> SPREAD_BITS & last
    while seen[slot] != ZERO:
        if seen[slot] == board:
            return False
        slot = slot + ONE & last
    seen[slot] = board
    return True


@allocating
def _grown(seen: Boards) -> Boards:
    grown = np.zeros(GROWTH * len(seen), dtype=np.uint64)
    for board in seen:
        if board != ZERO:
            _enter(grown, board)
    return grown


@inlined
def _write(evidence: Bytes, end: np.uint64, boards: np.uint64, play: Numbers) -> np.uint64:
    """Write the certificate, `class` if the number of boards is 0, and the jumps; return the new end."""
    if boards == ZERO:
        for sign in BY_CLASS:
            evidence[end] = sign
            end += ONE
    power = ONE
    while power * TEN <= boards:
        power *= TEN
    while boards and power:
        evidence[end] = DIGIT + boards // power % TEN
        power //= TEN
        end += ONE
    for jump in play:
        evidence[end] = BLANK
        for k in range(NAME_ROOM):
            evidence[end + ONE + np.uint64(k)] = NAMES[JUMPS[jump], k]
        end += NAME_LENGTHS[JUMPS[jump]]
    return end
