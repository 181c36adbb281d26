"""Figures of Hi-Q (POJ 1525) and of peg solitaire on its board, from the central start."""

from functools import partial

from bench.reproduce.figures import Figure
from bench.reproduce.peg_solitaire import MAX_JUMPS, fewest_moves, reducible_boards, spread, still_winnable
from bench.reproduce.samples import statement_values

GAME = "Hi-Q"
DURANGO_BILL = "durangobill.com/Peg33.html"
FEW_JUMPS = 12

# fmt: off
A112737 = (
    1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312, 89927, 229614, 517854, 1022224, 1753737, 2598215, 3312423, 3626632,
    3413313, 2765623, 1930324, 1160977, 600372, 265865, 100565, 32250, 8688, 1917, 348, 50, 7, 2,
)
"""Positions after each number of jumps, up to the symmetries of the board."""
A112738 = (1, 1, 2, 8, 38, 164, 635, 2089, 6174, 16020, 35749, 68326, 112788, 162319, 204992, 230230)
"""Those of them from which one peg in the centre can still be reached; the other half mirrors this one."""
# fmt: on


def positions(jumps: int) -> tuple[int, ...]:
    """After 0 … `jumps` jumps."""
    return spread(jumps).counts()


def all_positions() -> int:
    """After any number of jumps."""
    return sum(positions(MAX_JUMPS))


def winnable_positions() -> tuple[int, ...]:
    """After each number of jumps, half of the game."""
    boards = spread(MAX_JUMPS).boards
    return tuple(still_winnable(boards, jumps) for jumps in range(len(A112738)))


def games() -> int:
    """Sequences of jumps after which there is no other."""
    return sum(spread(MAX_JUMPS).ended)


def solutions() -> int:
    """Sequences of jumps that leave one peg, in the centre."""
    return spread(MAX_JUMPS).solutions


def shortest_dead_end() -> int:
    """The jumps after which a game can be over at the earliest."""
    return next(jumps for jumps, games in enumerate(spread(FEW_JUMPS).ended) if games)


FIGURES = [
    Figure(
        GAME,
        "samples of the statement",
        "Mid-Atlantic 1996",
        (51, 0, 561, 98),
        partial(statement_values, "hi-q/greedy"),
        engine="hi-q/greedy",
    ),
    Figure(
        GAME,
        f"positions after 0 … {FEW_JUMPS} jumps",
        "OEIS A112737",
        A112737[: FEW_JUMPS + 1],
        partial(positions, FEW_JUMPS),
    ),
    Figure(GAME, "jumps to the shortest dead end", DURANGO_BILL, 6, shortest_dead_end),
    Figure(
        GAME,
        "positions after each number of jumps, in full",
        "OEIS A112737",
        A112737,
        partial(positions, MAX_JUMPS),
        slow=True,
    ),
    Figure(GAME, "positions in all", "OEIS A112737", 23_475_688, all_positions, slow=True),
    Figure(GAME, "winnable positions after 0 … 15 jumps", "OEIS A112738", A112738, winnable_positions, slow=True),
    Figure(GAME, "games", DURANGO_BILL, 577_116_156_815_309_849_672, games, slow=True),
    Figure(
        GAME, "fewest moves, of one or more jumps by a peg", "Bergholt 1912, Beasley 1964", 18, fewest_moves, slow=True
    ),
    Figure(
        GAME,
        "boards that can be reduced to one peg or none",
        "earlier program, a table of all boards",
        2_274_448_868,
        reducible_boards,
        slow=True,
    ),
    Figure(GAME, "solutions", DURANGO_BILL, 40_861_647_040_079_968, solutions, slow=True),
]
