"""The stopping rule of surveys: a survey grows in stages until its interval is narrow enough.

Starting from nothing, the size of each stage depends only on the results before it. So the same survey ends with the
same number of deals on every machine.
"""

import re
from dataclasses import dataclass
from math import ceil, inf
from numbers import Real

from dealmill.pipeline.arguments import MAX_ITEMS
from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.machine import check_limit
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import counted, decimal, duration, percentage
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.distributions.higher_limit import tail_of
from dealmill.pipeline.store.planning.run_planning import insert_run, is_planned
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import CHUNK, MAX_ITEMS_PER_JOB, grow, pace
from dealmill.pipeline.store.runs.planned import deals_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.writing import append_deals, open_deals
from dealmill.pipeline.survey.estimate import Estimate, estimate_so_far, estimates_after

FIRST_STAGE = 20_000
"""The deals of the first stage, if the engine is faster than a database. All others begin with a block of deals, which
shows what a survey takes."""
MAX_UNKNOWN = 0.75
"""The most of the half-width that undecided deals may take: from here on, more than 16 times as many deals are needed
as without them."""
ENOUGH_UNKNOWN = 0.5
"""What they take of it with the limit that is proposed: four times as many deals are needed."""
HIGHEST_FACTOR = 1_000
"""How many times as high a limit is that is still proposed."""
MAX_GROWTH = 10
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
    compact = definition.fast or is_planned(*plan, storage=Storage.COMPACT)
    storage = Storage.COMPACT if compact else Storage.ROWS
    return find_run(database, insert_run(*plan, storage=storage, why="survey"))


def next_stage(run: RunStatus, estimate: Estimate | None, goal: Width | int) -> int:
    """Return the number of deals of a survey's next stage; its current number if it has reached the goal.

    `goal` is the width of the interval, or a number of deals.
    """
    first = BLOCK if run.storage.stores_layouts else FIRST_STAGE
    if isinstance(goal, int):
        return min(_whole_blocks(goal), first) if estimate is None else max(_whole_blocks(goal), estimate.deals)
    if estimate is None:
        return first
    return min(deals_for(estimate, goal.of(estimate)), estimate.deals * MAX_GROWTH)


def planned_deals(database: Database, run: RunStatus, goal: Width | int) -> int:
    """Return the number of deals of the first stage towards a goal that is not solved yet, whatever an earlier goal
    made of the plan; of the last stage if all are solved."""
    deals = next_stage(run, None, goal)
    while known := estimates_after(database, run, [deals // BLOCK]):
        further = next_stage(run, known[0], goal)
        if further <= deals:
            break
        deals = further
    return deals


def words_so_far(database: Database, run: RunStatus) -> str | None:
    """Return the interval of the deals of a survey that are solved, in words; None if they are less than a block."""
    estimate = estimate_so_far(database, run)
    return None if estimate is None else f"survey {run.id}: {_so_far(estimate)}"


def deals_for(estimate: Estimate, half_width: float) -> int:
    """Return about how many deals give an interval of this half-width; see `check_in_reach`."""
    deals, half, floor = estimate.deals, estimate.interval.half_width, _floor(estimate)
    if half <= half_width:
        return deals
    more = ((half - floor) / (half_width - floor)) ** 2 * MARGIN
    return _whole_blocks(ceil(deals * more))


def _floor(estimate: Estimate) -> float:
    """Return the half-width that remains, however many deals are solved: that of the undecided ones."""
    return 0.0 if estimate.scored else estimate.unknown / estimate.deals / 2


def growth_of(run: RunStatus, estimate: Estimate, goal: Width) -> str:
    """Return how many deals a survey will need, and what they cost, in words."""
    deals = deals_for(estimate, goal.of(estimate))
    seconds = None if run.cpu_seconds is None else run.cpu_seconds / estimate.deals * (deals - estimate.deals)
    cost = "" if seconds is None or seconds < 1 else f", about {duration(seconds)} of processor time more"
    return f"{_so_far(estimate)}; {_width(estimate, goal)} needs about {deals:,} deals{cost}"


def _so_far(estimate: Estimate) -> str:
    written, interval = decimal if estimate.scored else percentage, estimate.interval
    return (
        f"after {counted(estimate.deals, 'deal')}, the interval is {written(interval.low)} to {written(interval.high)}"
    )


def _width(estimate: Estimate, goal: Width) -> str:
    half = goal.of(estimate)
    return f"a half-width of {decimal(half) if estimate.scored else f'{100 * half:.3g} %'}"


def check_in_reach(database: Database, run: RunStatus, estimate: Estimate, goal: Width) -> None:
    """Check that a number of deals that can be solved makes the interval narrow enough.

    Raises
    ------
    StoreError
        If deals that are undecided or failed take more than `MAX_UNKNOWN` of the half-width. It says which node limit
        would do, and what that costs, if this can be estimated. If more deals are needed than a survey can have.
    """
    half, floor = goal.of(estimate), _floor(estimate)
    if estimate.interval.half_width <= half:
        return
    if floor <= half * MAX_UNKNOWN:
        if (deals := deals_for(estimate, half)) > MAX_ITEMS:
            raise StoreError(
                f"{_so_far(estimate)}; {_width(estimate, goal)} is out of reach: it needs about {deals:,} deals, more "
                f"than a survey can have, {MAX_ITEMS:,}; ask for a wider interval"
            )
        return
    share = "all of" if floor >= half else f"{percentage(floor / half)} of"
    raise StoreError(
        f"{_so_far(estimate)}; {_width(estimate, goal)} is out of reach, because {estimate.unknown:,} deals that are "
        f"undecided or failed take {share} it: {_proposal(database, run, estimate, half)}; or ask for a wider "
        "interval, or for a number of deals with --count"
    )


def _proposal(database: Database, run: RunStatus, estimate: Estimate, half: float) -> str:
    """Return which node limit would do for a half-width, in words."""
    _, engine = find_engine(run.solved_by)
    tail = tail_of(database, run)
    failed = estimate.count(Verdict.FAILED) / estimate.deals
    factor = inf if tail is None else tail.factor_for((2 * half * ENOUGH_UNKNOWN - failed) * estimate.deals)
    if tail is not None and run.cpu_seconds and factor <= HIGHEST_FACTOR:
        limit = _rounded_up(tail.limit * factor)
        free = estimate.interval.half_width - _floor(estimate)
        deals = _whole_blocks(ceil(estimate.deals * (free / (half - half * ENOUGH_UNKNOWN)) ** 2 * MARGIN))
        extra = tail.cost_at(factor) - tail.undecided * tail.limit * tail.cpu_seconds
        seconds = (run.cpu_seconds + extra) / estimate.deals * deals
        return (
            f"about {deals:,} deals with --max-nodes {limit} would do, in about {duration(seconds)} of processor time"
        )
    if run.max_nodes is not None and (engine.max_nodes is None or engine.max_nodes > run.max_nodes):
        default = "there is no limit" if engine.max_nodes is None else f"the limit is {engine.max_nodes:,}"
        return f"leave out --max-nodes {run.max_nodes}, by default {default}"
    return "a higher --max-nodes may decide them"


def _rounded_up(number: float) -> int:
    """Return a number rounded up to two digits."""
    unit: int = 10 ** max(len(str(ceil(number))) - 2, 0)
    return ceil(number / unit) * unit


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
