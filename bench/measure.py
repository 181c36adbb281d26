"""Timing two sides in turn, so that a machine that changes its speed changes it for both."""

from collections.abc import Callable
from statistics import median
from time import perf_counter

ROUNDS = 3


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def in_turn(one: Callable[[], object], other: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Median seconds of both sides, run A B A B …, and the median of the ratios one / other."""
    pairs = [(seconds(one), seconds(other)) for _ in range(rounds)]
    return (
        median(first for first, _ in pairs),
        median(second for _, second in pairs),
        median(first / second for first, second in pairs),
    )


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rounded(number: float) -> str:
    """Two digits that count; more would be noise."""
    if number >= 100:
        return f"{float(f'{number:.2g}'):,.0f}"
    return f"{number:.2g}"
