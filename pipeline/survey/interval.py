"""Confidence intervals of 95 per cent."""

from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054
"""The 97.5 per cent quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of what lies between its ends."""
        return (self.high - self.low) / 2


def of_share(hits: int, unknown: int, count: int) -> Interval:
    """Where a share lies of which `count` were drawn: `hits` have it, and nobody knows of `unknown` others.

    The score interval of Wilson ("Probable inference, the law of succession, and statistical inference", 1927), widened
    to hold what it would be if none of the unknown were hits, and if all were.
    """
    return Interval(_wilson(hits, count)[0], _wilson(hits + unknown, count)[1])


def of_mean(count: int, total: int, squares: int) -> Interval:
    """Where a mean lies of which `count` values were drawn (at least one), by their sum and that of their squares."""
    mean = total / count
    reach = Z * deviation(count, total, squares) / sqrt(count)
    return Interval(mean - reach, mean + reach)


def deviation(count: int, total: int, squares: int) -> float:
    """The standard deviation estimated from a sample; 0 of a single value. The sums are whole, so nothing is lost where
    values lie close together."""
    return sqrt((count * squares - total * total) / (count * (count - 1))) if count > 1 else 0.0


def _wilson(hits: int, count: int) -> tuple[float, float]:
    if not count:
        return 0.0, 1.0
    share = hits / count
    centre = share + Z * Z / (2 * count)
    reach = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    whole = 1 + Z * Z / count
    low, high = (centre - reach) / whole, (centre + reach) / whole
    return min(max(low, 0.0), share), max(min(high, 1.0), share)  # rounding must not leave the share outside
