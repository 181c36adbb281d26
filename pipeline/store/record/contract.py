"""What every storage of verdicts can do, and the shapes in which it gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from sqlalchemy import ColumnElement, Connection, exists

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import judgements
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus

ALL = (-(2**62), 2**62)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which verdicts are asked for; ranges include both ends. A verdict without a value is in no narrower range.

    `audit` is what the newest audit of a verdict said; verdicts that were never audited have no outcome.
    """

    verdicts: tuple[Verdict, ...] = ()
    values: tuple[int, int] = ALL
    nodes: tuple[int, int] = ALL
    audit: Outcome | None = None


def newest_judgement() -> ColumnElement[bool]:
    """Whether no later audit has judged the same verdict, of a row of judgements."""
    newer = judgements.alias("newer")
    return ~exists().where(
        newer.c.run_id == judgements.c.run_id,
        newer.c.position == judgements.c.position,
        newer.c.audit_id > judgements.c.audit_id,
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with the record of the items `first` to `last`."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class Page:
    """Results in the order of their positions, and what could not be read among them. The next page begins behind
    position `end`; None if there are no more."""

    results: list[Result]
    faults: list[Fault]
    end: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """What a run says of a layout; `position` is None where it does not have the layout, `verdict` where it has none
    on it. A `fault` is why it cannot be read."""

    position: int | None
    verdict: Verdict | None
    value: int | None
    evidence: str | None
    fault: str | None = None


class Item(NamedTuple):
    """An item as an audit reads it, of which nothing is presumed: its layout with the digest on record, if that is a
    row; whether its job is done, so that a verdict is `due`; and the verdict on record (None where there is none).
    Where evidence is not kept, value and evidence are what comes out `again`, with the verdict that comes with them."""

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
    """A job: its range, its state, and if it begins in the stretch, what it counted beside what its verdicts come to:
    to nothing while it is not done."""

    first: int
    stop: int
    state: int
    totals: Mapping[str, object]
    counted: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A block whose jobs are done, or one of a source: the digest on record (None if there is none), and that of its
    rows."""

    first: int
    stop: int
    recorded: bytes | None
    found: bytes


@dataclass(frozen=True, slots=True)
class Stretch:
    """All that is on record of the items at these `positions`, which are in order.

    There are the jobs that overlap a stretch, and the blocks that begin in it; of a sample nobody asks for jobs, and
    there are the blocks that had to be solved again. `strays` are positions of rows that belong to no item, or to no
    job that has written them; those behind the end of the run are in its first stretch. Where layouts are rows,
    `source_blocks` are the blocks of the source that begin in the stretch. `damaged` says of rows that hold what is
    never written what that is.
    """

    positions: Sequence[int]
    items: list[Item]
    jobs: list[JobRecord] | None
    blocks: list[BlockRecord]
    strays: list[int]
    source_blocks: list[BlockRecord] = field(default_factory=list)
    damaged: list[Fault] = field(default_factory=list)


class Found(Protocol):
    """What came out of a job, ready to be written."""

    @property
    def totals(self) -> Mapping[str, int]:
        """What is counted on the job: its verdicts by word, the sum of its values, its nodes."""

    def write(self, connection: Connection) -> None:
        """Write it in the transaction that marks the job done."""


class Record(Protocol):
    """A storage of verdicts: a module, for all runs that are stored so."""

    KEEPS_VALID: bool
    """Whether audits keep a row of every valid verdict, and not of objections alone."""

    def check_readable(self, run: PlannedRun) -> object:
        """See that all that the record says can be read here.

        Raises
        ------
        VersionError
            If it takes another version of an engine or of the deals to solve again what is not kept.
        """

    def prepare(self, run: PlannedRun) -> None:
        """Load and compile all that it takes to solve jobs of a run."""

    def solve(self, store: Database, run: PlannedRun, first: int, stop: int) -> Found:
        """Solve the items from `first` to before `stop`."""

    def give_up(self, store: Database, run: PlannedRun, first: int, stop: int, trouble: str) -> Found:
        """Say of these items that they have failed, because of `trouble`."""

    def page(self, store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> Page:
        """The next wanted verdicts behind position `after`, at most `most`.

        Raises
        ------
        VersionError
            If what is not kept is solved otherwise here.
        """

    def marks(self, store: Database, run: RunStatus) -> Mapping[int, bytes]:
        """Of blocks, by number, their digest and another one of the verdicts as they are stored; as far as blocks are
        solved. Of blocks that say the same, these are equal."""

    def said(self, store: Database, run: RunStatus, first: int, stop: int, *, bare: bool) -> list[Said] | None:
        """What is said of the items from `first` to before `stop`, which begin a block and lie in it; None if what is
        not kept cannot be solved again as it was. Verdicts alone (`bare`) can always be read."""

    def stretch(self, store: Database, run: PlannedRun, count: int, positions: range) -> Stretch:
        """What is on record of a stretch of a run that has so many items."""

    def sample(self, store: Database, run: PlannedRun, count: int, positions: Sequence[int]) -> Stretch:
        """What is on record of single items, whose positions are in order."""
