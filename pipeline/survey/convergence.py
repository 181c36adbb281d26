"""The winnability of the first layouts of a run, and how its confidence interval became narrower with more of them."""

from dataclasses import dataclass

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.totals import totals_from_the_first
from dealmill.pipeline.survey.interval import Interval, of_share

GROWTH = 1.1
"""The least factor between the numbers of layouts of two points: ten million layouts give less than 170 points."""


@dataclass(frozen=True, slots=True)
class Point:
    """The share of winnable ones among the first `layouts` layouts of a run, with its 95 % confidence interval.

    Undecided and failed layouts widen the interval: it covers both that none of them can be won, and that all can.
    """

    layouts: int
    share: float
    interval: Interval


def convergence_of(store: Database, run: int) -> list[Point]:
    """Return the winnability after some of the finished jobs of a run, counted from the first layout on."""
    points: list[Point] = []
    last = None
    items = winnable = unwinnable = 0
    for job in totals_from_the_first(store, run):
        items, winnable, unwinnable = items + job.items, winnable + job.winnable, unwinnable + job.unwinnable
        if winnable + unwinnable:
            last = Point(items, winnable / items, of_share(winnable, items - winnable - unwinnable, items))
            if not points or items >= GROWTH * points[-1].layouts:
                points.append(last)
    return points if last is None or last is points[-1] else [*points, last]
