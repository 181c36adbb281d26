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
