"""Hi-Q played on a grid of characters, straight from the statement."""

NUMBERS = [
    [0, 0, 1, 2, 3, 0, 0],
    [0, 0, 4, 5, 6, 0, 0],
    [7, 8, 9, 10, 11, 12, 13],
    [14, 15, 16, 17, 18, 19, 20],
    [21, 22, 23, 24, 25, 26, 27],
    [0, 0, 28, 29, 30, 0, 0],
    [0, 0, 31, 32, 33, 0, 0],
]


def lines() -> list[list[int]]:
    """Every three holes in a row, in both directions."""
    rows = NUMBERS + [list(column) for column in zip(*NUMBERS, strict=True)]
    threes = [row[start : start + 3] for row in rows for start in range(5)]
    threes = [three for three in threes if 0 not in three]
    return threes + [three[::-1] for three in threes]


LINES = lines()


def play(pegs: set[int]) -> tuple[int, list[tuple[int, int]]]:
    """The sum at the end, and the jumps as (source, target)."""
    pegs = set(pegs)
    jumps: list[tuple[int, int]] = []
    while True:
        possible = [three for three in LINES if three[0] in pegs and three[1] in pegs and three[2] not in pegs]
        if not possible:
            return sum(pegs), jumps
        source, over, target = max(possible, key=lambda three: (three[2], three[0]))
        pegs -= {source, over}
        pegs.add(target)
        jumps.append((source, target))


def reachable(pegs: set[int]) -> set[frozenset[int]]:
    """All boards that some play leads to, this one among them."""
    boards = {frozenset(pegs)}
    waiting = list(boards)
    while waiting:
        board = waiting.pop()
        for source, over, target in LINES:
            if source in board and over in board and target not in board:
                after = board - {source, over} | {target}
                if after not in boards:
                    boards.add(after)
                    waiting.append(after)
    return boards


def bound_of_class(pegs: set[int]) -> int:
    """The least pegs on a board that differs from this one by flips of three holes in a line; at most 2."""
    basis = dict[int, int]()  # by its highest bit, so that each flip of a line is a sum of these

    def reduced(flips: int) -> int:
        while flips and flips.bit_length() in basis:
            flips ^= basis[flips.bit_length()]
        return flips

    for line in LINES:
        if rest := reduced(sum(1 << hole for hole in line)):
            basis[rest.bit_length()] = rest
    board = sum(1 << hole for hole in pegs)
    if not pegs:
        return 0
    return 1 if any(not reduced(board ^ 1 << hole) for row in NUMBERS for hole in row if hole) else 2


def is_fewest(pegs: set[int], evidence: str) -> bool:
    """Whether evidence is a certificate and a play that leaves the fewest pegs."""
    certificate, *jumps = evidence.split(" ")
    board = set(pegs)
    for jump in jumps:
        over = next((line[1] for line in LINES if jump == f"{line[0]}-{line[2]}"), None)
        if over is None:
            return False
        source, target = map(int, jump.split("-"))
        if not {source, over} <= board or target in board:
            return False
        board = board - {source, over} | {target}
    boards = reachable(pegs)
    if certificate == "class":
        return len(board) == bound_of_class(pegs)
    return certificate == str(len(boards)) and len(board) == min(map(len, boards))
