"""What a higher node limit would decide, estimated from the node counts on record, or known of the engine.

Of the layouts whose search took some number of nodes, about the same share is decided before it has taken ten times as
many, whatever the number: the distribution of node counts is close to a Pareto distribution. So the share of those that
were decided in the last part of the searches, below the limit, says what to expect above it.
"""

from dataclasses import dataclass
from math import inf, log
from typing import NamedTuple

from dealmill.pipeline.arguments import VERDICT_NUMBERS
from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import duration
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.distributions.histograms import histogram_of
from dealmill.pipeline.store.runs.status import RunStatus

FACTOR = 10
"""How many times as high a limit is that is worth a try."""
LEAST_DECIDED = 5
"""The least number of layouts decided near the limit from which anything is estimated."""


@dataclass(frozen=True, slots=True)
class HigherLimit:
    """A higher node limit for the `undecided` layouts of a run, about how many of them it decides, and about what this
    costs in processor seconds. `command` are the words that follow ``dealmill``.

    If neither can be estimated, both are None, and the limit is that of runs that name none, which may be None, too.
    """

    undecided: int
    max_nodes: int | None
    decided: int | None
    cpu_seconds: float | None
    command: str

    @property
    def effect(self) -> str:
        """What the command does, in words, before it is named."""
        if self.decided is None or self.cpu_seconds is None:
            limit = "no limit" if self.max_nodes is None else f"its usual limit of {self.max_nodes:,} nodes"
            return f"the run's limit was lower than needed; search the {self.undecided:,} again with {limit}, by:"
        time = duration(self.cpu_seconds)
        return f"perhaps {self.decided:,} of {self.undecided:,} are decided, in about {time} of processor time, by:"


@dataclass(frozen=True, slots=True)
class Tail:
    """The searches of a run that reached its node `limit` undecided.

    The share of them that is undecided at `factor` times the limit is ``factor ** -exponent``. `cpu_seconds` are those
    of a node.
    """

    undecided: int
    limit: int
    exponent: float
    cpu_seconds: float

    def undecided_at(self, factor: float) -> float:
        """Return how many are undecided at `factor` times the limit."""
        return self.undecided * float(factor**-self.exponent)

    def factor_for(self, undecided: float) -> float:
        """Return how many times the limit leaves so many of them undecided."""
        return (self.undecided / undecided) ** (1 / self.exponent) if undecided > 0 else inf

    def cost_at(self, factor: float) -> float:
        """Return the processor seconds of searching all of them with `factor` times the limit."""
        return self.undecided * self.limit * _mean_nodes(self.exponent, factor) * self.cpu_seconds


def tail_of(database: Database, run: RunStatus) -> Tail | None:
    """Return what the undecided searches of a run would do beyond its limit.

    None if that cannot be estimated: the run is not finished, has no undecided layouts, no limit or no costs on record,
    some of its searches gave up before the limit, or too few of the others came near to it.

    Raises
    ------
    DamagedError
        If the recorded counts or distributions are damaged.
    """
    searches = _searches_at_limit(database, run)
    return None if searches is None else _tail(run, searches)


def higher_limit(database: Database, run: RunStatus) -> HigherLimit | None:
    """Return what a node limit ten times as high would decide; or, if too few searches came near to the limit to tell,
    the limit of runs that name none, if that is higher, or the engine decides everything without one.

    None if neither is known (see `tail_of`), or the engine of the run is not installed here.

    Raises
    ------
    DamagedError
        If the recorded counts or distributions are damaged.
    """
    searches = _searches_at_limit(database, run)
    if searches is None:
        return None
    try:
        game, engine = find_engine(run.referee_engine)
    except NotFoundError:
        return None
    option = [] if engine is game.engines[0] else ["--engine", run.engine]
    words, tail = ["run", f"query:{run.id}:verdict=undecided", *option], _tail(run, searches)
    if tail is None:
        is_enough = engine.complete if engine.max_nodes is None else engine.max_nodes > searches.limit
        return HigherLimit(searches.undecided, engine.max_nodes, None, None, " ".join(words)) if is_enough else None
    if tail.limit * FACTOR not in VERDICT_NUMBERS:
        return None
    words += ["--max-nodes", str(tail.limit * FACTOR)]
    decided = round(tail.undecided - tail.undecided_at(FACTOR))
    return HigherLimit(tail.undecided, tail.limit * FACTOR, decided, tail.cost_at(FACTOR), " ".join(words))


class SearchesAtLimit(NamedTuple):
    """How many searches of a run reached its node `limit` undecided, and how many took at least `near` nodes."""

    limit: int
    undecided: int
    near: int
    reached: int


def _searches_at_limit(database: Database, run: RunStatus) -> SearchesAtLimit | None:
    """Return how many searches of a run came near to its limit; None if no higher limit would help, or nothing is known
    of it."""
    limit = run.max_nodes
    if run.retracted is not None or run.checked_as is not None or not run.finished or not run.cpu_seconds:
        return None
    undecided = run.counts.get(Verdict.UNDECIDED, 0)
    histogram = histogram_of(database, run.id, "nodes") if undecided else None
    if histogram is None or limit is None:
        return None
    near = 1 << max((limit // 8).bit_length() - 1, 0)  # where a bar begins, at an eighth to a sixteenth of the limit
    if sum(bar.count for bar in histogram.bars if bar.high >= limit) < undecided:
        return None
    return SearchesAtLimit(limit, undecided, near, sum(bar.count for bar in histogram.bars if bar.low >= near))


def _tail(run: RunStatus, searches: SearchesAtLimit) -> Tail | None:
    """Return what the undecided searches of a run would do beyond its limit; None if too few came near to it."""
    limit, undecided, near, reached = searches
    if reached - undecided < LEAST_DECIDED or near >= limit:
        return None
    exponent = log(reached / undecided) / log(limit / near)
    return Tail(undecided, limit, exponent, (run.cpu_seconds or 0) / run.nodes)


def _mean_nodes(exponent: float, factor: float) -> float:
    """Return the mean nodes, in units of the old limit, of searches that pass it and stop at `factor` times as many, if
    the share that goes on is the number of nodes to the power of -`exponent`: 1 plus its integral up to `factor`."""
    rest = 1 - exponent
    return 1 + (log(factor) if abs(rest) < 1e-9 else (factor**rest - 1) / rest)
