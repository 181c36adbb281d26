"""A public figure, what we find for it, and when the two agree.

Numbers that are exact on both sides must be equal, and a rounded one must be right to its last digit. A mean of a
sample, on either side, may be off by `SIGMAS` standard errors of both together; our samples have fixed seeds, so
whether they agree never changes from run to run.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import hypot, sqrt
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

SIGMAS = 3.0
NORMAL_95 = 1.96
"""Half the width of a 95 % confidence interval, in standard errors."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of a sample and its standard error."""

    mean: float
    error: float


Scalar = int | float | Fraction | Estimate
Value = Scalar | tuple[int, ...]


class Part(BaseModel):
    """A part of the published data, which has exactly the fields of its class."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Number(Part):
    """A value by its digits: whole numbers, or one number, maybe a fraction, with half of its 95 % interval."""

    values: tuple[Annotated[str, Field(pattern=r"^-?[0-9]+([./][0-9]+)?$")], ...] = Field(min_length=1)
    half_width: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?$")] | None = None

    @classmethod
    def of(cls, value: Value) -> Self:
        """Return the digits of a value."""
        match value:
            case tuple():
                return cls(values=tuple(map(str, value)))
            case Estimate():
                return cls(values=(f"{value.mean:.3f}",), half_width=f"{NORMAL_95 * value.error:.3f}")
            case float():
                return cls(values=(f"{value:.8g}",))
        return cls(values=(str(value),))

    @property
    def value(self) -> Value:
        """The value of these digits."""
        if len(self.values) > 1:
            return tuple(map(int, self.values))
        value = Fraction(self.values[0])
        return within(float(value), float(self.half_width)) if self.half_width else value

    @property
    def text(self) -> str:
        """The value as it stands in a table."""
        if len(self.values) > 1:
            return ", ".join(self.values)
        [value] = self.values
        if "/" in value:
            return value
        return " ± ".join(f"{Decimal(digits):,}" for digits in (value, self.half_width) if digits)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one game; `tolerance` is what the rounding of theirs, or the nature of the figure, allows.

    `engine` is the full name of the engine that finds ours, None if plain code or another program does.
    """

    game: str
    name: str
    source: str
    theirs: Value
    compute: Callable[[], Value]
    tolerance: float = 0.0
    slow: bool = False
    engine: str | None = None

    def agrees(self, ours: Value) -> bool:
        """Whether what we found confirms the figure."""
        return agree(self.theirs, ours, self.tolerance)


def agree(theirs: Value, ours: Value, tolerance: float) -> bool:
    """Whether two values are equal, up to a tolerance and the errors of samples."""
    if isinstance(theirs, tuple) or isinstance(ours, tuple):
        return (
            isinstance(theirs, tuple)
            and isinstance(ours, tuple)
            and len(ours) == len(theirs)
            and all(agree(*pair, tolerance) for pair in zip(theirs, ours, strict=True))
        )
    allowed = tolerance + SIGMAS * hypot(_error(theirs), _error(ours))
    return -allowed <= _mean(theirs) - _mean(ours) <= allowed


def _mean(number: Scalar) -> int | float | Fraction:
    return number.mean if isinstance(number, Estimate) else number


def _error(number: Scalar) -> float:
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
