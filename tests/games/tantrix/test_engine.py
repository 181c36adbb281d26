"""The engine against the second implementation, on legal and on wild positions."""

from random import Random

import pytest

from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.tantrix.layout import read
from dealmill.pipeline.games.tantrix.rules import check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer, solver
from tests.games.tantrix import naive

deal = dealer("tantrix")

SOLVE = solver("tantrix/legal-moves")


def assert_all_agree(layouts: list[str]) -> None:
    batch = SOLVE(layouts)
    assert set(batch.verdicts) == {Verdict.SCORED}
    assert set(batch.nodes) == {1}
    for layout, value, evidence in zip(layouts, batch.values, batch.evidence, strict=True):
        moves = naive.legal_moves(*naive.parse(layout))
        assert value == len(moves), layout
        assert evidence == " ".join(f"{x},{y}:{tile}" for (x, y), tile in moves), layout
        check("legal-moves", layout, Verdict.SCORED, value, evidence)


@pytest.mark.slow
@pytest.mark.parametrize("tiles", [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20])
def test_positions_of_legal_play(tiles: int) -> None:
    assert_all_agree(deal(2005, 1, 60, tiles=tiles))


def wild_position(random: Random, tiles: int) -> str:
    """Matching tiles that are joined, on a narrow field and by no rule of play, so that spaces with four, five and six
    tiles around and three links of a colour occur; and any hand.
    """
    bag = list(naive.all_tiles())
    random.shuffle(bag)
    field = {(0, 0): bag.pop()}
    cells = [(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    for _ in range(60):
        cell = random.choice(cells)
        colours = naive.facing(field, cell)
        if len(field) < tiles and cell not in field and any(colours):
            fits = [
                (tile, placed)
                for tile in bag
                for placed in sorted(naive.rotations(tile))
                if all(colour in ("", side) for colour, side in zip(colours, placed, strict=True))
            ]
            if fits:
                tile, field[cell] = random.choice(fits)
                bag.remove(tile)
    return naive.unparse(field, bag[:5])


def has_crowded_space(field: naive.Field) -> bool:
    """Whether four tiles or more are around an empty space."""
    around = {naive.step(cell, d) for cell in field for d in range(6)} - set(field)
    return any(naive.facing(field, cell).count("") <= 2 for cell in around)


@pytest.mark.slow
def test_positions_of_no_legal_play() -> None:
    random = Random(56)
    layouts = [wild_position(random, random.randint(2, 18)) for _ in range(150)]
    assert all(isinstance(entry, Layout) for entry in read(enumerate(layouts)))
    crowded = sum(has_crowded_space(naive.parse(layout)[0]) for layout in layouts)
    assert crowded > 20
    assert_all_agree(layouts)


def test_a_long_row_of_all_tiles() -> None:
    """51 tiles in a row are the largest field, and reach furthest from the centre."""
    row = naive.longest_row()
    (entry,) = read([(1, row)])
    assert isinstance(entry, Layout)
    assert max(x for x, _ in naive.parse(row)[0]) == 50
    assert_all_agree([row])
