"""Tantrix a second time: brute force on dictionaries, and the numbered deals replayed from their description."""

from functools import cache
from itertools import permutations

from tests.games.streams import PlainStream

NEIGHBOURS = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)]

Cell = tuple[int, int]
Field = dict[Cell, str]
Placement = tuple[Cell, str]


@cache
def all_tiles() -> tuple[str, ...]:
    """Link the sides 0–5 of a hexagon in every way by three different colours, except three links straight across."""
    tiles = set()
    for colours in permutations("RYGB", 3):
        for order in permutations(range(6)):
            sides = [""] * 6
            for k, colour in enumerate(colours):
                sides[order[2 * k]] = sides[order[2 * k + 1]] = colour
            if sides[:3] != sides[3:]:
                tiles.add(min(rotations("".join(sides))))
    return tuple(sorted(tiles))


def rotations(tile: str) -> set[str]:
    return {tile[i:] + tile[:i] for i in range(6)}


def step(cell: Cell, direction: int, times: int = 1) -> Cell:
    dx, dy = NEIGHBOURS[direction % 6]
    return cell[0] + times * dx, cell[1] + times * dy


def facing(field: Field, cell: Cell) -> list[str]:
    """The six colours that face a cell, '' where no tile is."""
    return [field[step(cell, d)][d - 3] if step(cell, d) in field else "" for d in range(6)]


def forced(field: Field, cell: Cell) -> bool:
    return cell not in field and sum(map(bool, facing(field, cell))) >= 3


def controlled(field: Field, cell: Cell) -> bool:
    """Walk back from the cell in all directions, along tiles on one side, until a forced space is met."""
    for back in range(6):
        for flank in (back + 1, back - 1):
            k = 0
            while step(cell, back, k) not in field and step(step(cell, back, k), flank) in field:
                k += 1
                if forced(field, step(cell, back, k)):
                    return True
    return False


def allowed(field: Field, cell: Cell, tile: str) -> bool:
    """Rules 1, 2, 4 and 5."""
    colours = facing(field, cell)
    if cell in field or not any(colours) or controlled(field, cell):
        return False
    if any(colour not in ("", side) for colour, side in zip(colours, tile, strict=True)):
        return False
    after = {**field, cell: tile}
    for d in range(6):
        beside = step(cell, d)
        if forced(after, beside) and facing(after, beside).count(tile[d]) >= 3:
            return False
    return True


def legal_moves(field: Field, hand: list[str]) -> list[Placement]:
    cells = {step(cell, d) for cell in field for d in range(6)} - set(field)
    moves = [
        (cell, placed)
        for cell in cells
        for tile in hand
        for placed in rotations(tile)
        if all(colour in ("", side) for colour, side in zip(facing(field, cell), placed, strict=True))
        and allowed(field, cell, placed)
    ]
    return sorted([move for move in moves if forced(field, move[0])] or moves)


def parse(layout: str) -> tuple[Field, list[str]]:
    left, right = layout.split(" / ")
    field = {}
    for entry in left.split():
        coordinates, tile = entry.split(":")
        x, y = coordinates.split(",")
        field[int(x), int(y)] = tile
    return field, right.split()


@cache
def listed_moves(layout: str) -> str:
    """The legal moves of a layout as evidence."""
    return " ".join(f"{x},{y}:{tile}" for (x, y), tile in legal_moves(*parse(layout)))


def unparse(field: Field, hand: list[str]) -> str:
    tiles = " ".join(f"{x},{y}:{tile}" for (x, y), tile in sorted(field.items()))
    return f"{tiles} / {' '.join(sorted(min(rotations(tile)) for tile in hand))}"


def longest_row() -> str:
    """A layout with 51 tiles in a row, the largest there is, found depth-first."""
    bag = list(all_tiles())

    def extend(row: list[str], left: list[str]) -> list[str] | None:
        if len(row) == 51:
            return row
        for tile in left:
            for placed in sorted(rotations(tile)):
                if not row or placed[4] == row[-1][1]:
                    longer = extend([*row, placed], [spare for spare in left if spare != tile])
                    if longer:
                        return longer
        return None

    row = extend([], bag)
    assert row is not None
    used = {min(rotations(tile)) for tile in row}
    return unparse({(i, 0): tile for i, tile in enumerate(row)}, [tile for tile in bag if tile not in used])


def deal(stream: PlainStream, tiles: int) -> str:
    while True:
        bag = stream.shuffled(all_tiles())
        hands, bag = [bag[:5], bag[5:10]], bag[10:]
        field: Field = {}
        while len(field) < tiles:
            hand = hands[len(field) % 2]
            if field:
                moves = legal_moves(field, hand)
            else:
                moves = sorted(((0, 0), placed) for tile in hand for placed in rotations(tile))
            if not moves:
                break
            cell, placed = moves[stream.below(len(moves))]
            hand.remove(min(rotations(placed)))
            hand.append(bag.pop(0))
            field[cell] = placed
        else:
            return unparse(field, hands[tiles % 2])
