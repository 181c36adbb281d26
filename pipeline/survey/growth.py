"""How a survey grows: by stages, until its interval is narrow enough. From nothing, how far depends on what comes out
and on nothing else, so the same survey comes to the same number of deals on every machine."""

import re
from dataclasses import dataclass
from math import ceil, inf
from numbers import Real

from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.queue.solving import LONGEST, grow, pace
from dealmill.pipeline.store.runs.plan import plan_run
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.sources.writing import open_deals
from dealmill.pipeline.survey.estimate import Estimate

FIRST_STAGE = 20_000
MOST_GROWTH = 10
"""Times the deals of the stage before: the first ones may all have been won, and do not tell how fast others are."""
MARGIN = 1.002
"""More than the interval so far says that it takes, so that chance does not add a stage."""
FIRST_CHUNK = 5_000
JOB_SECONDS = 2.0
"""What a job is to take: far more than to claim and to finish it, far less than anybody would mind to lose."""


@dataclass(frozen=True, slots=True)
class Width:
    """How narrow an interval is to be: half of its width, in units of the value or as a part of it. The winnability is
    a share already."""

    half: float
    relative: bool = False

    @classmethod
    def parse(cls, width: str | float) -> "Width":
        """``0.1%`` or ``0.001``, also as a number; with a per cent sign it is a part of a mean value.

        Raises
        ------
        UsageError
        """
        if isinstance(width, Real) and not isinstance(width, bool) and 0 < width < inf:
            return cls(float(width))
        match = re.fullmatch(r"(\d{0,9}(?:\.\d{1,12})?) ?(%)?", str(width), re.ASCII)
        if not isinstance(width, str) or not match or not match[1] or float(match[1]) == 0:
            raise UsageError(f"{width!r} is not a width; write 0.1% or 0.001")
        return cls(float(match[1]) / (100 if match[2] else 1), relative=bool(match[2]))

    def of(self, estimate: "Estimate") -> float:
        """The same in units of what is estimated."""
        return self.half * abs(estimate.value) if self.relative and estimate.scored else self.half


def open_survey(store: Database, deals: DealRange, engine: str, max_nodes: int | None) -> RunStatus:
    """The survey of deals without end by an engine of their game (its full name); a new one if the store has none.

    Raises
    ------
    UsageError
        If the parameters of the deals do not go together.
    RetractedError
        If the engine's version was retracted.
    """
    deals.check_parameters()
    _, found = find_engine(engine)
    source = open_deals(store, deals)
    number = plan_run(store, source, engine, found.version, max_nodes, storage=Storage.PACKED, why="survey")
    return find_run(store, number)


def wanted_deals(found: Estimate | None, goal: Width | int) -> int:
    """How many deals a survey is to have next, so that its interval becomes narrow enough or it gets so many deals; as
    many as it has if that is so.

    Raises
    ------
    StoreError
        If no number of deals would be enough, since too many are unknown.
    """
    if isinstance(goal, int):
        return min(_whole_blocks(goal), FIRST_STAGE) if found is None else max(_whole_blocks(goal), found.deals)
    if found is None:
        return FIRST_STAGE
    return min(_deals_for(found, goal.of(found)), found.deals * MOST_GROWTH)


def _deals_for(found: Estimate, goal: float) -> int:
    deals, half = found.deals, found.interval.half_width
    if half <= goal:
        return deals
    floor = 0.0 if found.scored else found.unknown / deals / 2
    if floor >= goal:
        raise StoreError(
            f"{found.unknown:,} of {deals:,} deals are undecided or have failed, which alone makes the interval wider "
            "than that: a higher --max-nodes may decide them"
        )
    more = ((half - floor) / (goal - floor)) ** 2 * MARGIN
    return _whole_blocks(ceil(deals * more))


def _whole_blocks(deals: int) -> int:
    return -(-deals // BLOCK) * BLOCK


def ask_for(store: Database, run: RunStatus, deals: int) -> None:
    """Have a survey grow to as many deals, in jobs that take a worker `JOB_SECONDS`, as far as is known."""
    known = pace(store, run.id)
    chunk = FIRST_CHUNK if known is None else int(known * JOB_SECONDS) // BLOCK * BLOCK
    grow(store, run.id, deals, min(max(chunk, BLOCK), LONGEST))
