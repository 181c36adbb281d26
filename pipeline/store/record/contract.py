"""The interface of a storage of verdicts, and its data types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from sqlalchemy import ColumnElement, Connection, exists

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.filters import BEHIND, Filter, Ordering
from dealmill.pipeline.store.runs import PlannedRun, RunStatus
from dealmill.pipeline.store.tables import judgements


def newest_judgement() -> ColumnElement[bool]:
    """Return the condition that a judgement is the newest one of its verdict."""
    newer = judgements.alias("newer")
    return ~exists().where(
        newer.c.run_id == judgements.c.run_id,
        newer.c.position == judgements.c.position,
        newer.c.audit_id > judgements.c.audit_id,
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in the record of the items `first` to `last` (both inclusive)."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class Page:
    """Results in the order in which they were read, and faults for those that cannot be read. Reading continues beyond
    position `end`; None if there are no more results."""

    results: list[Result]
    faults: list[Fault]
    end: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """The verdict of a run on a layout. `position` is None if the run does not have the layout, `verdict` if it has no
    verdict on it. `fault` says why the verdict cannot be read."""

    position: int | None
    verdict: Verdict | None
    value: int | None
    evidence: str | None
    fault: str | None = None


class Item(NamedTuple):
    """An item as read by an audit, before any check.

    `digest` is the recorded digest of the layout, None for a packed run. `due` says whether its job is done, so that it
    must have a verdict. `verdict` is the recorded one, None if there is none. A packed run has no recorded evidence:
    its `value` and `evidence` come from solving the item again, and `again` is the verdict of that.
    """

    position: int
    layout: str
    digest: bytes | None
    due: bool
    verdict: int | None
    value: int | None
    evidence: str | None
    again: int | None = None


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as read by an audit: its range `[first, stop)`, its state, and its recorded `totals`.

    If the job starts in the stretch, `counted` has the totals computed from its verdicts, zero while it is not done;
    otherwise it is empty.
    """

    first: int
    stop: int
    state: int
    totals: Mapping[str, object]
    counted: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A block of a source, or a block of a run whose jobs are done: its range `[first, stop)`, the `recorded` digest
    (None if there is none), and the digest `found` by computing it again."""

    first: int
    stop: int
    recorded: bytes | None
    found: bytes


@dataclass(frozen=True, slots=True)
class Stretch:
    """The record of the items at the sorted `positions`, as read by an audit.

    `jobs` overlap the stretch, and `blocks` start in it. For a sample, `jobs` is None, and `blocks` are those that had
    to be solved again. `strays` are the positions of rows that belong to no item, or to no finished job; those outside
    the run are reported in its first stretch. If layouts are stored as rows, `source_blocks` are the blocks of the
    source that start in the stretch. `damaged` has a fault for each row with invalid values.
    """

    positions: Sequence[int]
    items: list[Item]
    jobs: list[JobRecord] | None
    blocks: list[BlockRecord]
    strays: list[int]
    source_blocks: list[BlockRecord] = field(default_factory=list)
    damaged: list[Fault] = field(default_factory=list)


class Found(Protocol):
    """The results of a job, ready to be written."""

    @property
    def stop(self) -> int:
        """The position after the last item that was solved, which may come before the end of the job."""

    @property
    def totals(self) -> Mapping[str, int]:
        """The totals of the job: the number of verdicts by word, ``value_sum`` and ``nodes``."""

    @property
    def spread(self) -> Mapping[str, object]:
        """The distributions of the values and node counts (see `dealmill.pipeline.store.histograms`)."""

    def write(self, connection: Connection) -> None:
        """Write the results, in the transaction that marks the job done."""


class Record(Protocol):
    """The interface of a storage of verdicts, implemented by the modules `rows` and `packed`."""

    KEEPS_VALID: bool
    """Whether audits store the judgements of valid verdicts too, rather than only those of other outcomes."""

    def check_readable(self, run: PlannedRun) -> object:
        """Check that the whole record of a run can be read with this installation.

        Raises
        ------
        VersionError
            If the items must be solved again, but another version of the engine or of the generator is installed.
        """

    def prepare(self, run: PlannedRun) -> None:
        """Load and compile everything needed to solve jobs of a run."""

    def solve(self, store: Database, run: PlannedRun, first: int, stop: int) -> Found:
        """Solve the items `[first, stop)`, or some at the beginning if the engine is a program."""

    def give_up(self, store: Database, run: PlannedRun, first: int, stop: int, trouble: str) -> Found:
        """Return the verdict ``failed`` for the items `[first, stop)`, with `trouble` as the error."""

    def page(
        self,
        store: Database,
        run: RunStatus,
        wanted: Filter,
        after: int,
        most: int,
        *,
        before: int = BEHIND,
        backwards: bool = False,
    ) -> Page:
        """Return the first `most` verdicts between the positions `after` and `before` (both exclusive) that match
        `wanted`; if `backwards`, the last ones, last position first.

        Raises
        ------
        VersionError
            If the items must be solved again, but another version of the engine or of the generator is installed.
        """

    def ordered(self, store: Database, run: RunStatus, wanted: Filter, ordering: Ordering, most: int) -> Page:
        """Return the first `most` verdicts in the given order that match `wanted`. Memory grows with `most` only.

        Raises
        ------
        VersionError
            If the items must be solved again, but another version of the engine or of the generator is installed.
        """

    def marks(self, store: Database, run: RunStatus) -> Mapping[int, bytes]:
        """Return the marks of all solved blocks, by block number. A mark is the digest of a block followed by a digest
        of its stored verdicts. Blocks with the same contents have equal marks."""

    def said(self, store: Database, run: RunStatus, first: int, stop: int, *, bare: bool) -> list[Said] | None:
        """Return the verdicts on the items `[first, stop)`, which start a block and lie within it. Return None if they
        cannot be solved again with the recorded result. With `bare`, return verdicts without value and evidence, which
        can always be read."""

    def stretch(self, store: Database, run: PlannedRun, count: int, positions: range) -> Stretch:
        """Read the record of a stretch of a run of `count` items, for an audit."""

    def sample(self, store: Database, run: PlannedRun, count: int, positions: Sequence[int]) -> Stretch:
        """Read the record of single items at sorted positions, for an audit."""
