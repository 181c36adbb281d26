"""Progress events: frozen dataclasses that a terminal, a notebook or a test can display.

A function that takes long calls a `Progress` function with each event, always in the thread of its caller. If that
function raises an exception, the work stops and raises it, as after Ctrl-C: finished work is stored, and the same call
continues from there.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from dealmill.pipeline.printable import counted

if TYPE_CHECKING:
    from dealmill.pipeline.errors import InputError
    from dealmill.pipeline.store.sources.source import Source

__all__ = [
    "Auditing",
    "CheckingArchive",
    "Choosing",
    "Continued",
    "Copying",
    "CopyingRows",
    "Event",
    "Exporting",
    "Finished",
    "Ingested",
    "Ingesting",
    "Message",
    "OpenFailed",
    "Opening",
    "Progress",
    "Rerunning",
    "Searching",
    "Solving",
    "Step",
    "Surveying",
    "Working",
    "silent",
]


@dataclass(frozen=True, slots=True)
class Step:
    """Work in progress: `done` of `total`, in the unit of the event."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Opening(Step):
    """Files and ranges of deals are being opened, `name` next. Unit: sources."""

    name: str


@dataclass(frozen=True, slots=True)
class Ingesting(Step):
    """A source is being read into the store. Unit: bytes of a file, deals of a range, or layouts of a
    query."""

    source: str
    accepted: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Solving(Step):
    """Runs are being solved, currently run number `run`. Unit: layouts of all runs; `rate` is in layouts per second."""

    run: int
    engine: str
    source: str
    rate: float | None


@dataclass(frozen=True, slots=True)
class Surveying(Step):
    """A survey is growing. Unit: deals; `rate` is in deals per second."""

    run: int
    rate: float | None


@dataclass(frozen=True, slots=True)
class Auditing(Step):
    """An audit is in progress. Unit: verdicts; `invalid` and `faults` are the numbers found so far. It `waits` while
    the workers do jobs of other runs first."""

    audit: int
    invalid: int
    faults: int
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Working(Step):
    """Workers are processing the queue. Unit: jobs."""


@dataclass(frozen=True, slots=True)
class Exporting(Step):
    """A file is being written. Unit: verdicts."""


@dataclass(frozen=True, slots=True)
class CheckingArchive(Step):
    """An archive is being checked, its run number `run` at the moment. Unit: results of that run."""

    run: int


@dataclass(frozen=True, slots=True)
class Choosing(Step):
    """Results are being read to choose layouts for a pack. Unit: layouts of a run."""


@dataclass(frozen=True, slots=True)
class Searching(Step):
    """A layout is searched for in a store of more than ten million. Unit: layouts."""


@dataclass(frozen=True, slots=True)
class Copying(Step):
    """A store is being backed up. Unit: pages of the database."""


@dataclass(frozen=True, slots=True)
class CopyingRows(Step):
    """A store is being copied into another database, and its `table` at the moment. Unit: rows of all tables."""

    table: str


@dataclass(frozen=True, slots=True)
class Ingested:
    """A source was read, up to its end or up to the point where `error` stopped it.

    `name` is the name under which it was read now; a copy of a file has the source of the file. If it had been
    completely read before, nothing is `new`.
    """

    source: "Source"
    name: str
    new: bool
    error: "InputError | None" = None


@dataclass(frozen=True, slots=True)
class OpenFailed:
    """A file or a range of deals cannot be opened."""

    error: "InputError"


@dataclass(frozen=True, slots=True)
class Continued:
    """A run that an earlier call began is continued: `solved` of the `layouts` read so far have a verdict.

    It is `complete` if its source has been read to the end, and `finished` if nothing is left to do.
    """

    run: int
    engine: str
    source: str
    solved: int
    layouts: int
    complete: bool
    finished: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that the call solves is finished, now or from an earlier call."""

    run: int
    engine: str
    source: str


@dataclass(frozen=True, slots=True)
class Rerunning:
    """Run number `run` is a rerun of run number `repeats`."""

    run: int
    repeats: int


@dataclass(frozen=True, slots=True)
class Message:
    """A line from the workers, the broker or the database."""

    text: str


Event = (
    Opening
    | Ingesting
    | Solving
    | Surveying
    | Auditing
    | Working
    | CheckingArchive
    | Exporting
    | Choosing
    | Searching
    | Copying
    | CopyingRows
    | Ingested
    | OpenFailed
    | Continued
    | Finished
    | Rerunning
    | Message
)


class Progress(Protocol):
    """A function that is called with every event. Its return value is ignored."""

    def __call__(self, event: Event, /) -> object:
        """Take an event."""


def silent(_event: Event, /) -> None:
    """Ignore all events."""


def words(step: Step) -> tuple[str, str, str]:
    """Return the title, the rate and the note of the progress bar for a step."""
    title, rate, note = type(step).__name__.lower(), "", ""
    match step:
        case Opening():
            note = step.name
        case Ingesting():
            title, note = "reading", f"{step.accepted:,} layouts, {step.rejected:,} rejected, {step.source}"
        case Solving():
            rate, note = _rate(step.rate), f"{step.engine} on {step.source}"
        case Surveying():
            rate, note = _rate(step.rate), f"{step.done:,} deals"
        case Auditing():
            wrong = f", {step.invalid:,} invalid, {counted(step.faults, 'fault')}" if step.invalid + step.faults else ""
            note = "waits for the jobs of other runs" if step.waits else f"{step.done:,} verdicts{wrong}"
        case Working():
            left = step.total - step.done
            title, note = (
                ("working", f"{counted(left, 'job')} left") if left else ("waiting", "for jobs; end with Ctrl-C")
            )
        case CheckingArchive():
            title, note = "checking", f"{step.done:,} results of run {step.run}"
        case Exporting():
            note = f"{step.done:,} verdicts"
        case Choosing() | Searching():
            note = f"{step.done:,} layouts"
        case Copying():
            note = f"{step.done:,} pages"
        case CopyingRows():
            title, note = "copying", f"{step.done:,} rows, {step.table}"
    return title, rate, note


def _rate(rate: float | None) -> str:
    if not rate:
        return ""
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s"
