"""The library of Freecell Solver, called with ctypes.

Each layout is tried with the preset ``lg``, which finds a win of nearly all deals fast. It moves cards in groups and
leaves out other moves, so it cannot prove a loss. A layout that it does not solve is searched with the preset ``fg``,
which moves single cards, up to all positions that can be reached. Their number is the certificate of a loss.

A node is an iteration of either search.
"""

import re
import sys
from collections.abc import Iterator
from ctypes import CDLL, POINTER, byref, c_char_p, c_int, c_ssize_t, c_uint32, c_void_p
from typing import Any

LIBRARY = "libfreecell-solver.so.0"
INSTALL = "install Debian's libfreecell-solver0 and freecell-solver-bin"
FAST, EXHAUSTIVE = b"lg", b"fg"
SOLVED, UNSOLVABLE = 0, 1
MAX_POSITIONS = 1_000_000
"""The most positions that the referee accepts as a certificate."""
NO_LIMIT = 2**62
GAP = re.compile(r"(?<=[HCDS])(?=\w)")
"""The places between two cards of a column."""
TYPES: dict[str, tuple[Any, ...]] = {
    "alloc": (c_void_p,),
    "cmd_line_read_cmd_line_preset": (c_int, c_void_p, c_char_p, c_void_p, POINTER(c_char_p), c_int, c_char_p),
    "limit_iterations_long": (None, c_void_p, c_ssize_t),
    "limit_num_states_in_collection_long": (None, c_void_p, c_ssize_t),
    "solve_board": (c_int, c_void_p, c_char_p),
    "get_num_times_long": (c_ssize_t, c_void_p),
    "get_num_states_in_collection_long": (c_ssize_t, c_void_p),
    "get_next_move": (c_int, c_void_p, POINTER(c_uint32)),
    "get_lib_version": (c_char_p, c_void_p),
    "recycle": (None, c_void_p),
}
"""The types of the result and the arguments of the functions that are called, from ``fcs_user.h`` and ``fcs_cl.h``."""


def load() -> CDLL:
    """Return the library, with its functions by their names in `TYPES`."""
    try:
        library = CDLL(LIBRARY)
    except OSError as error:
        sys.exit(f"{error}; {INSTALL}")
    for name, (result, *arguments) in TYPES.items():
        function = library[f"freecell_solver_user_{name}"]
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


class Search:
    """A search of the library with one of its presets. It is recycled before each board."""

    def __init__(self, library: CDLL, preset: bytes) -> None:
        """Read the preset, which is a file."""
        self.library = library
        self.instance = library.alloc()
        if library.cmd_line_read_cmd_line_preset(self.instance, preset, None, byref(c_char_p()), 2, None):
            sys.exit(f"the preset {preset.decode()} cannot be read; {INSTALL}")
        library.limit_num_states_in_collection_long(self.instance, MAX_POSITIONS + 1)

    def solve(self, board: bytes, limit: int) -> int | None:
        """Search a board up to `limit` nodes and return the result, or None if it takes more."""
        self.library.recycle(self.instance)
        self.library.limit_iterations_long(self.instance, limit + 1)
        result: int = self.library.solve_board(self.instance, board)
        return result if self.nodes <= limit else None

    @property
    def nodes(self) -> int:
        """The nodes that were searched."""
        count: int = self.library.get_num_times_long(self.instance)
        return count

    @property
    def positions(self) -> int:
        """The positions that were found."""
        count: int = self.library.get_num_states_in_collection_long(self.instance)
        return count

    def moves(self) -> str:
        """Return the moves of a win."""
        move, words = c_uint32(), []
        next_move = byref(move)
        while self.library.get_next_move(self.instance, next_move) == 0:
            words.append(WORDS[move.value])
        return " ".join(words)


def answer(layout: str, limit: int, fast: Search, exhaustive: Search) -> dict[str, object]:
    """Return the answer for a layout."""
    board = GAP.sub(" ", layout).replace("/", "\n") + "\n"
    nodes = 0
    for search in (fast, exhaustive):
        result = search.solve(board.encode(), limit - nodes)
        nodes += search.nodes
        if result is None:
            break
        if result == SOLVED:
            return {"verdict": "winnable", "nodes": nodes, "evidence": search.moves()}
        if result == UNSOLVABLE and search is exhaustive and search.positions <= MAX_POSITIONS:
            return {"verdict": "unwinnable", "nodes": nodes, "evidence": str(search.positions)}
    return {"verdict": "undecided", "nodes": min(nodes, limit)}


def _moves() -> Iterator[tuple[tuple[int, int, int, int], str]]:
    """Yield ``fcs_move_t`` as kind, source, target and number of cards, which only moves of columns set, and a word."""
    columns, cells = list(enumerate("12345678")), list(enumerate("abcd"))
    for count in range(14):
        many = f"v{count:x}" if count > 1 else ""
        for number, column in columns:
            yield from (((0, number, goal, count), column + target + many) for goal, target in columns)
            yield from (((1, number, goal, count), column + cell) for goal, cell in cells)
            yield from (((2, source, number, count), cell + column) for source, cell in cells)
            yield from (((4, number, suit, count), f"{column}h") for suit in range(4))
        yield from (((5, number, suit, count), f"{cell}h") for number, cell in cells for suit in range(4))


WORDS = {int.from_bytes(bytes(move), sys.byteorder): word for move, word in _moves()}
"""The words of all moves, by their four bytes in memory."""
