"""How many deals must be solved and played for a pack, judging by the first ones.

The number of deals depends only on the results before it, so the same pack is made of the same deals on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.printable import counted, duration

FIRST_DEALS = 100
"""The deals that show how many are needed."""
MAX_STAGE_FACTOR = 10
"""The most by which a stage multiplies the number of deals: a few deals tell little about rare grades."""
ENOUGH_DEALS = 1_000
"""A grade of which so many deals have none is not waited for."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How many of the first `deals` of a game can be chosen of each grade, `counts`, and how many a pack needs."""

    game: str
    deals: int
    counts: Sequence[int]
    sizes: Sequence[int]

    @property
    def deals_needed(self) -> int:
        """About how many deals give each grade its size, in whole hundreds; `deals` if they do. One standard deviation
        more than needed saves a further stage in most cases."""
        pairs = list(zip(self.counts, self.sizes, strict=True))
        if all(count >= size for count, size in pairs):
            return self.deals
        needed = max(size * self.deals / max(count - sqrt(count), 0.5) for count, size in pairs)
        return max(ceil(needed / FIRST_DEALS), self.deals // FIRST_DEALS + 1) * FIRST_DEALS

    @property
    def next_deals(self) -> int:
        """How many deals the next stage has."""
        return min(self.deals_needed, self.deals * MAX_STAGE_FACTOR)

    @property
    def deals_solved(self) -> int:
        """How many deals the stages that follow solve. Each begins with the first deal again, as a run of its own."""
        stages, reached = list[int](), self.deals
        while reached < self.deals_needed:
            reached = min(self.deals_needed, reached * MAX_STAGE_FACTOR)
            stages.append(reached)
        return sum(stages)

    def check_in_reach(self) -> None:
        """Check that no grade is so rare that enough deals have none.

        Raises
        ------
        UsageError
            If one is.
        """
        for grade, (count, size) in enumerate(zip(self.counts, self.sizes, strict=True), start=1):
            if size and not count and self.deals >= ENOUGH_DEALS:
                raise UsageError(
                    f"none of the first {self.deals:,} deals of {self.game} is won and has grade {grade}, of which "
                    f"the pack needs {size:,}: leave this grade out of --by-weekday, choose fewer --grades, or pack a "
                    "run --by nodes"
                )

    def words(self, cpu_seconds: Sequence[float | None], workers: int) -> str:
        """Return how many deals are needed, and how long they take if the first ones took so long, in words."""
        have = ", ".join(
            f"{count:,} of {size:,} of grade {grade}"
            for grade, (count, size) in enumerate(zip(self.counts, self.sizes, strict=True), start=1)
            if size
        )
        known = [seconds for seconds in cpu_seconds if seconds is not None]
        cost = ""
        if len(known) == len(cpu_seconds):
            seconds = sum(known) * self.deals_solved / self.deals / workers
            cost = f", which take about {duration(seconds)} with {counted(workers, 'worker')}"
        first = f"; the next stage has {self.next_deals:,}" if self.deals_needed > self.next_deals else ""
        return f"{self.deals:,} deals have {have}; about {self.deals_needed:,} deals are needed{cost}{first}"
