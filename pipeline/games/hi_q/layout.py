"""Layouts of Hi-Q: the seven rows of the board, `X` for a peg and `O` for an empty hole, as in
``OOO/OOO/OOOXOXO/OOOXOXO/OOOOXOO/OOO/OOO``; or the format of the problem statement.

A file whose first word is a number is in the format of the problem statement: the number of games, then for each game
the numbers of the holes with pegs, followed by a 0. Line breaks have no meaning: a game can span lines or share a line.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from dealmill.game import BadLayout, EachLine, Layout, Line, Reject, read_file, rejected

ROWS = (3, 3, 7, 7, 7, 3, 3)
HOLES = sum(ROWS)
HOLE_NAMES = [str(hole) for hole in range(1, HOLES + 1)]
CANONICAL_LENGTH = HOLES + len(ROWS) - 1
MAX_TOKENS = 1_000
"""The words of one game that are read; a longer game is rejected in any case."""
LONGEST_WORD = 20
"""The characters of each word that are read."""


def read(lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read one canonical board per line, or the problem statement's format. Blank lines and comments are skipped."""
    return read_file(lines, each_line, _read_games)


def each_line(first: str) -> EachLine | None:
    """Return the reader of a file whose first line is `first`; None if that starts with a number."""
    word = first.split(maxsplit=1)[0]
    return None if word.isascii() and word.isdigit() else EachLine(canonical)


def canonical(text: str) -> str:
    """Return a board in capital letters.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a board.
    """
    board = text.strip().upper()
    if len(board) == CANONICAL_LENGTH and not board.strip("XO/"):
        rows = board.split("/")
        if tuple(map(len, rows)) == ROWS:
            return board
    raise BadLayout(_board_reasons(board))


def _board_reasons(board: str) -> list[str]:
    reasons = [f"unknown symbol {symbol!r}" for symbol in sorted(set(board[:MAX_TOKENS]) - set("XO/"))]
    lengths = [len(row) for row in board.split("/", len(ROWS))]
    if len(lengths) != len(ROWS):
        count = "more than 7" if len(lengths) > len(ROWS) else len(lengths)
        reasons.append(f"the number of rows is {count}, expected 7")
    reasons += [
        f"row {row} has {length} holes, expected {expected}"
        for row, (length, expected) in enumerate(zip(lengths, ROWS, strict=False), start=1)
        if length != expected
    ]
    return reasons


def _read_games(first: Line, lines: Iterator[Line]) -> Iterator[Layout | Reject]:
    number, (count, *words) = first[0], first[1].split()
    announced, games = int(count[:18]), 0
    start, holes = number, list[str]()
    while True:
        for word in words:
            if not holes:
                start = number
            if word != "0":
                if len(holes) < MAX_TOKENS:
                    holes.append(word[:LONGEST_WORD])
                continue
            games += 1
            yield _read_game(start, holes, games, announced)
            holes = []
        following = next(lines, None)
        if following is None:
            break
        number, words = following[0], following[1].split()
    if holes:
        games += 1
        reasons = [*_game_reasons(holes, games, announced), "the file ends before the 0 that ends this game"]
        yield rejected(start, " ".join(holes), reasons)
    if games < announced:
        yield rejected(number, "", [f"the first line announces {announced} games, but the file has {games}"])


def _read_game(line: int, holes: list[str], game: int, announced: int) -> Layout | Reject:
    pegs = set(holes)
    if game <= announced and len(pegs) == len(holes) and pegs.issubset(HOLE_NAMES):
        return Layout(line, _board(pegs))
    return rejected(line, " ".join(holes), _game_reasons(holes, game, announced))


def _game_reasons(holes: list[str], game: int, announced: int) -> Iterator[str]:
    if game > announced:
        yield f"this is game {game}, but the first line announces {announced}"
    for word, times in Counter(holes).items():
        if not (word.isascii() and word.isdigit()):
            yield f"{word!r} is not a number"
        elif word not in HOLE_NAMES:
            yield f"there is no hole {word}, expected 1 to {HOLES}"
        elif times > 1:
            yield f"hole {word} occurs {times} times, expected 1"
    if len(holes) == MAX_TOKENS:
        yield f"the game has {MAX_TOKENS} holes or more, expected at most {HOLES}"


def _board(pegs: set[str]) -> str:
    signs = "".join("X" if hole in pegs else "O" for hole in HOLE_NAMES)
    rows, start = [], 0
    for length in ROWS:
        rows.append(signs[start : start + length])
        start += length
    return "/".join(rows)
