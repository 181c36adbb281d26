"""Lines in gutters: they join cards and cover none."""

from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.games.pictures import Gutters, Point
from tests.games.drawn import along

CARDS = Gutters(46, 48, 22)
ROWS, COLUMNS = 6, 8

places = st.tuples(st.integers(0, COLUMNS - 1), st.integers(1, ROWS - 1))
ends = st.lists(st.tuples(places, places).filter(lambda end: end[0] != end[1]), max_size=9)


def corner(cell: tuple[int, int]) -> Point:
    return cell[0] * (CARDS.width + CARDS.gap), cell[1] * (CARDS.height + CARDS.gap)


def on_edge(point: Point, cell: tuple[int, int]) -> bool:
    """Whether a point lies next to the middle of the left or right side of a card."""
    x, y = corner(cell)
    return point[1] == y + CARDS.height / 2 and point[0] in (x - 2, x + CARDS.width + 2)


@given(ends)
def test_lines_cover_no_card_and_end_at_their_cards(ends: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    routes = CARDS.routes([(corner(source), corner(target)) for source, target in ends])
    for (source, target), route in zip(ends, routes, strict=True):
        assert on_edge(route[0], source) and on_edge(route[-1], target)
        for x, y in along(route):
            left, top = corner((int(x // (CARDS.width + CARDS.gap)), int(y // (CARDS.height + CARDS.gap))))
            assert not (left < x < left + CARDS.width and top < y < top + CARDS.height)


def test_lines_in_one_gutter_run_side_by_side() -> None:
    """Four lines from the first column to the second, whose ways overlap."""
    ends = [(corner((0, row)), corner((1, 3 - row))) for row in range(4)]
    heights = [route[1][0] for route in CARDS.routes(ends)]
    assert len(set(heights)) == 4
    assert all(CARDS.width + 2 < x < CARDS.width + CARDS.gap - 2 for x in heights)


def test_the_ends_of_lines_do_not_cross_another() -> None:
    """Two lines that go down the same gutter and end at both sides of it: the one that ends on the right runs there."""
    to_the_right, to_the_left = CARDS.routes([(corner((0, 1)), corner((1, 3))), (corner((1, 2)), corner((0, 3)))])
    assert to_the_left[-2][0] < to_the_right[-2][0]


def test_lines_that_do_not_meet_run_in_the_middle() -> None:
    ends = [(corner((0, 1)), corner((0, 2))), (corner((0, 4)), corner((0, 5)))]
    assert {route[1][0] for route in CARDS.routes(ends)} == {CARDS.width + CARDS.gap / 2}
