"""Distributions of numbers, counted in bars. The distributions of the jobs of a run add up to that of the run.

The limits of bars depend only on the least and the greatest number. They are such that the bars of some numbers never
cross the limits of the bars of more numbers.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Numbers

MOST_BARS = 32

Limits = Callable[[int, int], list[int]]
"""A function from the least and the greatest number to the starts of the bars and the end of the last bar."""


class Distribution(NamedTuple):
    """The number of numbers in each bar that is not empty, by the start of the bar. `least` and `greatest` are None if
    there are no numbers."""

    least: int | None
    greatest: int | None
    counts: Mapping[int, int]


NONE = Distribution(None, None, {})


def equal_bars(least: int, greatest: int) -> list[int]:
    """Return the limits of at most `MOST_BARS` bars of equal width, a power of two."""
    width = 1
    while greatest // width - least // width >= MOST_BARS:
        width *= 2
    return [width * start for start in range(least // width, greatest // width + 2)]


def doubling_bars(least: int, greatest: int) -> list[int]:
    """Return the limits of bars whose width doubles, for numbers that are not negative: 0, 1, 2 to 3, 4 to 7, …"""
    return [(1 << bits) >> 1 for bits in range(least.bit_length(), greatest.bit_length() + 2)]


def distribution_of(numbers: "Numbers", limits: Limits) -> Distribution:
    """Return the distribution of some numbers."""
    import numpy as np

    if not len(numbers):
        return NONE
    least, greatest = int(numbers.min()), int(numbers.max())
    if greatest - least < len(numbers):  # count equal numbers first: finding the bar of each takes ten times as long
        counted = np.bincount(numbers - least)
        found = np.flatnonzero(counted)
        numbers, times = found + least, counted[found]
    else:
        times = np.ones(len(numbers), dtype=np.int64)
    starts = limits(least, greatest)
    places = np.searchsorted(np.array(starts[1:-1], dtype=np.int64), numbers, side="right")
    totals = np.bincount(places, times).astype(np.int64).tolist()
    return Distribution(least, greatest, {start: count for start, count in zip(starts, totals, strict=False) if count})


def sum_of(parts: Iterable[Distribution], limits: Limits) -> Distribution:
    """Return the distribution of the numbers of all parts, whose bars have the same kind of limits."""
    parts = list(parts)
    lows = [part.least for part in parts if part.least is not None]
    highs = [part.greatest for part in parts if part.greatest is not None]
    if not lows:
        return NONE
    least, greatest = min(lows), max(highs)
    starts = limits(least, greatest)
    counts = Counter[int]()
    for part in parts:
        for start, count in part.counts.items():
            counts[starts[bisect_right(starts, start) - 1]] += count
    return Distribution(least, greatest, dict(sorted(counts.items())))
