"""The interface of a storage of verdicts, and the types of its methods."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, exists, false, func, not_, or_, select

from dealmill.pipeline.arguments import MAX_INTEGER
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.evidence.referee import Judgement
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.measures import Measure
from dealmill.pipeline.results.result import RecordedVerdict, Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, jobs, judgements
from dealmill.pipeline.store.filters import BEHIND, Filter, Ordering
from dealmill.pipeline.store.runs.finding import list_runs
from dealmill.pipeline.store.runs.jobs import MAX_ITEMS_PER_JOB
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.storages.arrow import COLUMNS
from dealmill.pipeline.store.storages.audit_scans import AuditScan

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Numbers

ResultColumns = Mapping[str, Sequence[Any]]
"""Stored results as columns of equal length, in the order of `COLUMNS`. Verdicts are their codes."""


def result_columns(columns: Sequence[Sequence[Any]]) -> ResultColumns:
    """Return the results in columns that are in the order of `COLUMNS`; further columns are left out. Without columns,
    there are no results."""
    return dict(zip(COLUMNS, columns or [()] * len(COLUMNS), strict=False))


def results_at(columns: ResultColumns, indexes: Iterable[int]) -> ResultColumns:
    """Return the results with these indexes, counted from 0."""
    return {name: [column[index] for index in indexes] for name, column in columns.items()}


NO_RESULTS = result_columns([])


@dataclass(frozen=True, slots=True)
class Page:
    """Results of a run in the order in which they were read.

    Reading continues beyond position `end`; it is None if there are no more results. `judgements` has the newest
    judgement of each result if the filter has an outcome of audits, and is empty otherwise.
    """

    run: RunStatus
    columns: ResultColumns
    end: int | None
    judgements: Sequence[Judgement] = ()

    def __len__(self) -> int:
        return len(self.columns["position"])

    @property
    def results(self) -> list[Result]:
        """The results."""
        fields: dict[str, Iterable[Any]] = {
            **self.columns,
            "verdict": map(Verdict, self.columns["verdict"]),
            "engine": repeat(self.run.engine),
            "run": repeat(self.run.id),
            "judgement": self.judgements or repeat(None),
            "checked_as": repeat(self.run.checked_as),
            "rules": repeat(self.run.rules),
        }
        return list(map(Result, *(fields[name] for name in Result.__match_args__)))

    @property
    def table(self) -> dict[str, Sequence[Any]]:
        """The results by the names of the columns of a query. Verdicts are their codes."""
        return {
            "run": [self.run.id] * len(self),
            "engine": [self.run.engine] * len(self),
            **self.columns,
            "audit": [judgement.outcome.word for judgement in self.judgements],
            "step": [judgement.step for judgement in self.judgements],
            "reason": [judgement.reason for judgement in self.judgements],
        }


class BlockSummary(NamedTuple):
    """The digest of a block, and the number of each verdict and sums of values in it; None if they are not stored."""

    digest: bytes
    sums: tuple[int, ...] | None


class SolvedJob(Protocol):
    """The results of a job, ready to be written."""

    @property
    def stop(self) -> int:
        """The position after the last item that was solved, which may come before the end of the job."""

    @property
    def totals(self) -> Mapping[str, int]:
        """The totals of the job: the number of verdicts by word, and of those that are ``unproved``; ``value_sum`` and
        ``nodes``."""

    @property
    def distributions(self) -> Mapping[str, object]:
        """The distributions of the values and node counts (see `dealmill.pipeline.store.distributions.histograms`)."""

    @property
    def cpu_seconds(self) -> float:
        """The processor seconds that the engine took; NaN if that is not known."""

    def write(self, connection: Connection) -> None:
        """Write the results, in the transaction that marks the job done."""


class VerdictStorage(ABC):
    """A storage of verdicts. `choice.storage_of` has one object for all runs of a kind.

    Threads
        An object has no state, so any number of threads and processes may call it. Two of them never write the same
        items: whoever writes holds the lease of their job.
    Transactions
        A method that takes a `Database` reads in short transactions of its own, one for each page or block, and none is
        open while it deals or solves. A method that takes a `Connection` belongs to the transaction of its caller.
        Nothing is written but by `SolvedJob.write`, in the transaction that marks the job done: all of its verdicts,
        totals, digests and sums, or nothing.
    Order
        Verdicts come in order of position, and each at most once, also while others are added. A page that is followed
        by another one says where it ended; what is stored later at an earlier position does not appear. Of a finished
        run, no position is left out: a missing or damaged verdict raises a `DamagedError`.
    Repetition
        Solving the same items again gives the same verdicts, values and evidence, so a job may be done twice; the
        second one to finish writes nothing.
    """

    stores_valid_judgements: bool
    """Whether audits store the judgements of valid verdicts too, rather than only those of other outcomes."""
    audits_end_within_blocks: bool
    """Whether a job of an audit may end within a block."""

    @abstractmethod
    def check_deals(self, run: PlannedRun) -> None:
        """Check that the layouts of a run are those that it had when it was planned, if they must be dealt again.

        Raises
        ------
        DamagedError
            If the recorded range of deals is damaged.
        VersionError
            If another version of the generator is installed.
        """

    @abstractmethod
    def count_items(self, connection: Connection, source: Source) -> tuple[int, bool]:
        """Return the number of items that a run over a source starts with, and whether that is final. A source that is
        being read stays locked until the end of the transaction, so its reader waits.

        Raises
        ------
        NotFoundError
            If the source was deleted after it had been read.
        """

    @abstractmethod
    def items_per_job(self, items: int) -> int:
        """Return the number of items of each job of a run of `items` items, without knowing how long one takes. It is a
        multiple of the block size."""

    @abstractmethod
    def check_readable(self, run: PlannedRun) -> object:
        """Check that the whole record of a run can be read with this installation.

        Raises
        ------
        VersionError
            If the items must be solved again, but another version of the engine or of the generator is installed.
        """

    @abstractmethod
    def prepare(self, run: PlannedRun) -> None:
        """Load and compile everything needed to solve jobs of a run."""

    @abstractmethod
    def prepare_audit(self, run: PlannedRun) -> None:
        """Load and compile everything needed to audit a run.

        Raises
        ------
        CacheError
            If compiled engines cannot be cached.
        """

    @abstractmethod
    def solve(self, database: Database, run: PlannedRun, first: int, stop: int) -> SolvedJob:
        """Solve the items `[first, stop)` of a job, or, if that takes long, some at the beginning."""

    @abstractmethod
    def give_up(self, database: Database, run: PlannedRun, first: int, stop: int, error: str) -> SolvedJob:
        """Return the verdict ``failed`` for the items `[first, stop)`, with this error."""

    @abstractmethod
    def page(
        self,
        database: Database,
        run: RunStatus,
        filter_: Filter,
        after: int,
        limit: int,
        *,
        before: int = BEHIND,
        backwards: bool = False,
    ) -> Page:
        """Return the first `limit` verdicts between the positions `after` and `before` (both exclusive) that match
        `filter_`; if `backwards`, the last ones, last position first.

        Raises
        ------
        DamagedError
            If one of them, or one before it that is needed to find them, cannot be read.
        VersionError
            If the items must be solved again, but another version of the engine or of the generator is installed.
        """

    def ordered(
        self, database: Database, numbers: Sequence[int], filter_: Filter, ordering: Ordering, limit: int
    ) -> Iterator[Result]:
        """Yield verdicts of these runs that match `filter_`, among them the first `limit` in the given order. Memory
        grows with `limit` only.

        Raises
        ------
        DamagedError
            If one of them, or one that is needed to find them, cannot be read.
        VersionError
            If the items must be solved again, but another version of the engine or of the generator is installed.
        """

        def results(run: RunStatus) -> Iterator[Result]:
            after: int | None = 0
            while after is not None:
                page = self.page(database, run, filter_, after, BLOCK)
                yield from page.results
                after = page.end

        for run in list_runs(database, numbers):
            yield from nsmallest(limit, results(run), ordering.key)

    def node_counts(self, database: Database, run: RunStatus, filter_: Filter) -> Counter[tuple[int, int]]:
        """Return the number of verdicts of a run that match `filter_`, by verdict and node count. See `ordered` for
        errors."""
        counts, after = Counter[tuple[int, int]](), 0 if run.items else None
        while after is not None:
            page = self.page(database, run, filter_, after, BLOCK)
            counts.update(zip(page.columns["verdict"], page.columns["nodes"], strict=True))
            after = page.end
        return counts

    @abstractmethod
    def block_sums(self, database: Database, run: RunStatus) -> "tuple[Numbers, Numbers]":
        """Return the number of each verdict in each block (blocks × verdicts), and the sums of the values and of their
        squares (blocks × 2), from the first block up to the first one that is not whole, solved and sound."""

    @abstractmethod
    def block_summaries(self, database: Database, run: RunStatus) -> Mapping[int, BlockSummary]:
        """Return the digests of all solved blocks, by number, and their sums if these are stored."""

    @abstractmethod
    def recorded_verdicts(self, database: Database, run: RunStatus, first: int, stop: int) -> list[RecordedVerdict]:
        """Return the verdicts on the items `[first, stop)`, which start a block and lie within it.

        Raises
        ------
        DamagedError
            If one of them cannot be read.
        VersionError
            If the items must be solved again, but another version of the engine or of the generator is installed.
        """

    @abstractmethod
    def recorded_evidence(
        self, connection: Connection, run: PlannedRun, positions: Sequence[int]
    ) -> Iterator[tuple[int, object, object]]:
        """Yield the position, verdict and evidence of those items at these positions that have evidence on record. The
        values are not checked."""

    @abstractmethod
    def scan(self, database: Database, run: PlannedRun, count: int, positions: range) -> AuditScan:
        """Read the record of a stretch of a run of `count` items, for an audit. If items are solved again and that
        takes long, the stretch ends with an earlier block."""

    @abstractmethod
    def sample(self, database: Database, run: PlannedRun, count: int, positions: Sequence[int]) -> AuditScan:
        """Read the record of single items at sorted positions, for an audit; as for `scan`, maybe only of the first
        ones."""

    @abstractmethod
    def last_recorded_position(self, connection: Connection, run: PlannedRun) -> int:
        """Return the last position of any row of a run: a changed count must not make an audit check 2⁶² items."""


def newest_judgement() -> ColumnElement[bool]:
    """Return the condition that a judgement is the newest one of its verdict."""
    newer = judgements.alias("newer")
    return ~exists().where(
        newer.c.run_id == judgements.c.run_id,
        newer.c.position == judgements.c.position,
        newer.c.audit_id > judgements.c.audit_id,
    )


def next_job(
    connection: Connection, run: int, filter_: Filter, after: int, before: int, *, backwards: bool
) -> tuple[int, int] | None:
    """Return the range `[first, stop)` of the first finished job between the positions `after` and `before` (both
    exclusive) that may have a matching verdict, or of the last one if `backwards`; None if there is none."""
    if after + 1 >= before:
        return None
    where = {"run": run, "behind": after - MAX_ITEMS_PER_JOB, "after": after, "last": before - 1}
    bounded = {order.measure: ends for order, ends in filter_.ranges.items() if order.measure.bounds}
    for measure, (low, high) in bounded.items():
        where |= {f"low_{measure.bounds}": low, f"high_{measure.bounds}": high}
    query = _next_job(filter_.verdict, tuple(bounded), backwards)
    job = connection.execute(query, where).one_or_none()
    return None if job is None else (job.first, job.stop)


@lru_cache
def _next_job(verdicts: tuple[Verdict, ...], measures: tuple[Measure, ...], backwards: bool) -> Select[int, int]:
    """Select the job of `next_job` for a filter by these verdicts, and by ranges of numbers that jobs bound."""
    without_match = list[ColumnElement[bool]]()  # each condition rules out a match, and is NULL if a total is missing
    if verdicts:
        without_match.append(and_(*(jobs.c[verdict.word] == 0 for verdict in verdicts)))
    for measure in measures:
        if measure.counted:
            without_match.append(jobs.c[measure.counted] == 0)
        least = jobs.c[f"least_{measure.bounds}"]  # an invalid number, the greatest in SQLite, rules nothing out
        without_match.append(and_(least > bindparam(f"high_{measure.bounds}"), least <= MAX_INTEGER))
        without_match.append(jobs.c[f"greatest_{measure.bounds}"] < bindparam(f"low_{measure.bounds}"))
    return (
        select(jobs.c.first, jobs.c.stop)
        .where(
            jobs.c.run_id == bindparam("run"),
            jobs.c.first > bindparam("behind"),  # a job is not longer, so few rows are read
            jobs.c.first <= bindparam("last"),
            jobs.c.stop - 1 > bindparam("after"),
            jobs.c.state == DONE,
            not_(func.coalesce(or_(false(), *without_match), false())),
        )
        .order_by(jobs.c.first.desc() if backwards else jobs.c.first)
        .limit(1)
    )
