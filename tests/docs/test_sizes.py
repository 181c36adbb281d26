"""The rows of docs/sizes.md for small sizes are computed again; the others take minutes."""

import pytest

from bench.sizes import PAGE, SIZES, solved

SMALL = [(height, ranks) for height, numbers in SIZES.items() for ranks in numbers if ranks <= 20]


@pytest.mark.slow
@pytest.mark.parametrize(("height", "ranks"), SMALL)
def test_the_shares_by_size_are_those_of_the_page(height: int, ranks: int) -> None:
    assert f"| {' | '.join(solved(height, ranks).row)} |\n" in PAGE.read_text()
