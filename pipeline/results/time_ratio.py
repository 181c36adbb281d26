"""How much longer one side takes than another, from pairs of times."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, median

Z = NormalDist().inv_cdf(0.975)
"""What an interval with a confidence of 95 % has on each side, in standard deviations."""
LEAST_CONFIDENT = 6
"""The least number of ratios of which an interval has a confidence of 95 %."""


@dataclass(frozen=True, slots=True)
class TimeRatio:
    """The time of the other side divided by that of the first: the median of `count` ratios, one for each layout or
    job, and the interval from `low` to `high` in which the median lies with 95 % confidence.

    The interval assumes nothing about the distribution of the ratios, and shows how much they vary. Of fewer than six
    ratios, it goes from the least to the greatest, which is less certain.
    """

    ratio: float
    low: float
    high: float
    count: int

    def words(self, thing: str) -> str:
        """Return the ratio in words; `thing` says of what each of the ratios is, such as a layout."""
        if self.count == 1:
            return f"{self.ratio:.3f} for a single {thing}"
        confidence = "with 95 % confidence" if self.count >= LEAST_CONFIDENT else "each"
        return f"median of {self.count:,} {thing}s {self.ratio:.3f}, {self.low:.3f} to {self.high:.3f} {confidence}"


def time_ratio_of(pairs: Iterable[tuple[float, float]]) -> TimeRatio | None:
    """Return the ratio of the second to the first of pairs of times, leaving out pairs in which the clock did not tick;
    None if there are no others."""
    ratios = sorted(right / left for left, right in pairs if left > 0 and right > 0)
    if not ratios:
        return None
    left_out = _left_out(len(ratios))
    return TimeRatio(median(ratios), ratios[left_out], ratios[-1 - left_out], len(ratios))


def _left_out(count: int) -> int:
    """Return how many of the sorted numbers an interval of their median leaves out at each end.

    The number of those below the true median is binomial with the probability 1/2; its normal approximation, without a
    correction for whole numbers, leaves out a little too few.
    """
    return max(int(count / 2 - Z * sqrt(count) / 2) - 1, 0)
