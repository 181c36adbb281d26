"""The stopping rule of surveys: a survey grows in stages until its interval is narrow enough.

Starting from nothing, the size of each stage depends only on the results before it. So the same survey ends with the
same number of deals on every machine.
"""

import re
from dataclasses import dataclass
from math import ceil, inf
from numbers import Real

from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.machine import check_limit
from dealmill.pipeline.printable import percentage
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.planning.run_planning import is_planned, plan_run
from dealmill.pipeline.store.runs.jobs import CHUNK, MAX_ITEMS_PER_JOB, grow, pace
from dealmill.pipeline.store.runs.planned import deals_of
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.sources.writing import append_deals, open_deals
from dealmill.pipeline.survey.estimate import Estimate

FIRST_STAGE = 20_000
MOST_GROWTH = 10
"""The most by which a stage can multiply the number of deals: early results may be unrepresentative, for example if all
deals are won, and do not yet show how fast deals are solved."""
MARGIN = 1.002
"""A factor on the estimated number of deals needed, so that random variation does not require another stage."""
FIRST_CHUNK = 5_000
JOB_SECONDS = 2.0
"""The time that a job should take: much longer than claiming and finishing it, and short enough to lose in a crash."""


@dataclass(frozen=True, slots=True)
class Width:
    """The half-width that an interval should reach, in units of the value or, if `relative`, as a part of it.

    For winnability, which is a share, both mean the same.
    """

    half: float
    relative: bool = False

    @classmethod
    def parse(cls, width: str | float, *, scored: bool) -> "Width":
        """Parse ``0.1%`` or ``0.001``, or take a number; with a percent sign, it is relative to a mean value. `scored`
        says whether the engine gives values.

        Raises
        ------
        UsageError
            If it is not a positive width, or the interval of a share would hold every share.
        """
        if isinstance(width, Real) and not isinstance(width, bool) and 0 < width < inf:
            goal = cls(float(width))
        else:
            match = re.fullmatch(r"(\d{0,9}(?:\.\d{1,12})?) ?(%)?", str(width), re.ASCII)
            if not isinstance(width, str) or not match or not match[1] or float(match[1]) == 0:
                raise UsageError(f"{width!r} is not a width; write 0.1% or 0.001")
            goal = cls(float(match[1]) / (100 if match[2] else 1), relative=bool(match[2]))
        if goal.half >= 0.5 and not scored:
            raise UsageError(
                f"a half-width of {width} is no limit for a share, which is at most 1: write less than 50%, such as "
                "0.1% or 0.001"
            )
        return goal

    def of(self, estimate: "Estimate") -> float:
        """Return the half-width in units of the estimated value."""
        value = estimate.value if self.relative and estimate.scored else None
        return self.half if value is None else self.half * abs(value)


def open_survey(database: Database, deals: DealRange, engine: str, max_nodes: int | None) -> RunStatus:
    """Return the survey of a range of deals without an end by an engine (its full name); create it if necessary.

    Surveys of fast engines are compact, and so are those that an earlier version of Dealmill began.
    """
    deals.check_deals()
    _, definition = find_engine(engine)
    source = open_deals(database, deals)
    limit = definition.max_nodes if max_nodes is None else max_nodes
    check_limit(definition, max_nodes)
    plan = (database, source, engine, definition.version, limit)
    compact = definition.fast or is_planned(*plan, storage=Storage.PACKED)
    storage = Storage.PACKED if compact else Storage.ROWS
    return find_run(database, plan_run(*plan, storage=storage, why="survey"))


def next_stage(estimate: Estimate | None, goal: Width | int) -> int:
    """Return the number of deals of a survey's next stage; its current number if it has reached the goal.

    `goal` is the width of the interval, or a number of deals.
    """
    if isinstance(goal, int):
        return min(_whole_blocks(goal), FIRST_STAGE) if estimate is None else max(_whole_blocks(goal), estimate.deals)
    if estimate is None:
        return FIRST_STAGE
    return min(_deals_for(estimate, goal.of(estimate)), estimate.deals * MOST_GROWTH)


def _deals_for(estimate: Estimate, goal: float) -> int:
    deals, half = estimate.deals, estimate.interval.half_width
    if half <= goal:
        return deals
    floor = 0.0 if estimate.scored else estimate.unknown / deals / 2
    if floor >= goal:
        interval = f"{percentage(estimate.interval.low)} to {percentage(estimate.interval.high)}"
        raise StoreError(
            f"{estimate.unknown:,} of {deals:,} deals are undecided or failed, which alone makes the interval wider "
            f"than requested: it is {interval}; a higher --max-nodes may decide them, and --count {deals} shows what "
            "is known"
        )
    more = ((half - floor) / (goal - floor)) ** 2 * MARGIN
    return _whole_blocks(ceil(deals * more))


def _whole_blocks(deals: int) -> int:
    return -(-deals // BLOCK) * BLOCK


def extend_to(database: Database, run: RunStatus, deals: int) -> None:
    """Extend a survey to `deals` deals, in jobs that take a worker about `JOB_SECONDS`, judging by earlier jobs."""
    longest = MAX_ITEMS_PER_JOB
    if run.storage.stores_layouts:
        append_deals(database, deals_of(run), deals)
        longest = CHUNK
    known = pace(database, run.id)
    chunk = FIRST_CHUNK if known is None else int(known * JOB_SECONDS) // BLOCK * BLOCK
    grow(database, run.id, deals, min(max(chunk, BLOCK), longest))
