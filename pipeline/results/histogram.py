"""Histograms of the values and node counts of a run."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record.rows.numbers import first_numbers
from dealmill.pipeline.store.runs.status import RunStatus

Column = Literal["value", "nodes"]
MOST_ITEMS = 20_000
"""The items that a histogram covers: few enough to read them in some milliseconds."""
MOST_BARS = 24


@dataclass(frozen=True, slots=True)
class Bar:
    """The number of verdicts whose value or node count is `low` to `high`, both inclusive."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of the values or node counts of the first `items` items of a run. The bars have no gaps between
    them; those of values are equally wide, those of node counts double in width."""

    column: Column
    items: int
    bars: list[Bar]


def histogram_of(store: Database, run: RunStatus, column: Column) -> Histogram | None:
    """Return the histogram of a run; None if it is packed, or none of its verdicts has such a number."""
    if run.storage is not Storage.ROWS:
        return None
    items = min(run.items, MOST_ITEMS)
    numbers = first_numbers(store, run.id, column, items)
    return Histogram(column, items, bars_of(numbers, doubling=column == "nodes")) if numbers else None


def bars_of(numbers: Sequence[int], *, doubling: bool) -> list[Bar]:
    """Return at most `MOST_BARS` bars of equal width for some numbers; or, if `doubling`, one bar for each power of 2.

    The width is 1, 2 or 5 times a power of ten, and the limits of the bars are multiples of it.
    """
    least, greatest = min(numbers), max(numbers)
    limits = _powers(least, greatest) if doubling else _multiples(least, greatest)
    counts = Counter(bisect_right(limits, number) for number in numbers)
    return [Bar(low, after - 1, counts[place]) for place, (low, after) in enumerate(pairwise(limits), start=1)]


def _multiples(least: int, greatest: int) -> list[int]:
    """Return the starts of the bars, and the end of the last one."""
    widths = (step * 10**power for power in range(20) for step in (1, 2, 5))
    width = next(width for width in widths if greatest // width - least // width < MOST_BARS)
    return [width * start for start in range(least // width, greatest // width + 2)]


def _powers(least: int, greatest: int) -> list[int]:
    """Return the same for node counts, which are not negative: the first bar of all is 0 to 0."""
    return [(1 << bits) >> 1 for bits in range(least.bit_length(), greatest.bit_length() + 2)]
