"""A public figure, what we find for it, and when the two agree.

Numbers that are exact on both sides must be equal, and a rounded one must be right to its last digit. A mean of a
sample, on either side, may be off by `SIGMAS` standard errors of both together; our samples have fixed seeds, so
whether they agree never changes from run to run.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import hypot, sqrt

SIGMAS = 3.0
NORMAL_95 = 1.96
"""Half the width of a 95 % confidence interval, in standard errors."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a sample and its standard error."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {NORMAL_95 * self.error:.3f}"


Number = int | float | Fraction | Estimate
Value = Number | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one game; `tolerance` is what the rounding of theirs, or the nature of the figure, allows."""

    game: str
    name: str
    source: str
    theirs: Value
    compute: Callable[[], Value]
    tolerance: float = 0.0
    slow: bool = False

    def agrees(self, ours: Value) -> bool:
        """Whether what we found confirms the figure."""
        if isinstance(self.theirs, tuple) or isinstance(ours, tuple):
            return (
                isinstance(self.theirs, tuple)
                and isinstance(ours, tuple)
                and len(ours) == len(self.theirs)
                and all(map(self._is_near, self.theirs, ours))
            )
        return self._is_near(self.theirs, ours)

    def _is_near(self, theirs: Number, ours: Number) -> bool:
        allowed = self.tolerance + SIGMAS * hypot(_error(theirs), _error(ours))
        return -allowed <= _mean(theirs) - _mean(ours) <= allowed


def _mean(number: Number) -> int | float | Fraction:
    return number.mean if isinstance(number, Estimate) else number


def _error(number: Number) -> float:
    return number.error if isinstance(number, Estimate) else 0.0


def within(mean: float, half_width: float) -> Estimate:
    """A published mean with its 95 % confidence interval."""
    return Estimate(mean, half_width / NORMAL_95)


def mean_of(histogram: Mapping[int, int], scale: float = 1) -> Estimate:
    """The mean of a sample, given how often each value occurs; `scale` 100 makes a share of ones a percentage."""
    count = sum(histogram.values())
    mean = sum(value * times for value, times in histogram.items()) / count
    variance = sum((value - mean) ** 2 * times for value, times in histogram.items()) / (count - 1)
    return Estimate(scale * mean, scale * sqrt(variance / count))


def extremes_of(histogram: Counter[int]) -> tuple[int, int]:
    """The least and the largest value of a sample."""
    return min(histogram), max(histogram)


def shown(value: Value) -> str:
    """A value as it stands in the table."""
    match value:
        case tuple():
            return ", ".join(map(str, value))
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.8g}"
    return str(value)
