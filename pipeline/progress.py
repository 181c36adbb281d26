"""The progress of long work, as events: frozen dataclasses that a terminal, a notebook or a test can draw.

Work that takes long calls a `Progress` function with each of them, always in the thread of its caller. If that function
raises an exception, the work ends with it, as it does after Ctrl-C: what is done is stored, and the same call goes on
from there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dealmill.pipeline.errors import InputError
    from dealmill.pipeline.store.sources.stored import Source

__all__ = [
    "Auditing",
    "Continued",
    "Copying",
    "Event",
    "Exporting",
    "Ingested",
    "Ingesting",
    "Message",
    "Opening",
    "Progress",
    "Refused",
    "Repeating",
    "Solving",
    "Step",
    "Surveying",
    "Working",
    "silent",
]


@dataclass(frozen=True, slots=True)
class Step:
    """Work under way: `done` of `total`, in the unit of the event."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Opening(Step):
    """Files and ranges of deals are opened, the next one is `name`; counts them."""

    name: str


@dataclass(frozen=True, slots=True)
class Ingesting(Step):
    """A source is read into the store; counts bytes of a file or deals of a range."""

    source: str
    accepted: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Solving(Step):
    """Runs are solved, at present run number `run`; counts layouts of all of them. `rate` is in layouts a second."""

    run: int
    engine: str
    source: str
    rate: float | None


@dataclass(frozen=True, slots=True)
class Surveying(Step):
    """A survey grows; counts deals. `rate` is in deals a second."""

    run: int
    rate: float | None


@dataclass(frozen=True, slots=True)
class Auditing(Step):
    """An audit is under way; counts verdicts. `invalid` and `faults` are what it has found so far."""

    audit: int
    invalid: int
    faults: int


@dataclass(frozen=True, slots=True)
class Working(Step):
    """Workers do whatever is queued; counts jobs."""


@dataclass(frozen=True, slots=True)
class Exporting(Step):
    """A file is written; counts verdicts."""


@dataclass(frozen=True, slots=True)
class Copying(Step):
    """A store is backed up; counts pages of the database."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """A source was read as far as it can be read; `error` is why not to its end."""

    source: "Source"
    error: "InputError | None" = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A file or a range of deals cannot be opened."""

    error: "InputError"


@dataclass(frozen=True, slots=True)
class Continued:
    """A run was found that an earlier call began: `solved` of the `layouts` read so far have a verdict.

    It is `complete` if its source has been read to the end, and `finished` if there is nothing left to do.
    """

    run: int
    engine: str
    source: str
    solved: int
    layouts: int
    complete: bool
    finished: bool


@dataclass(frozen=True, slots=True)
class Repeating:
    """Run number `run` repeats another one."""

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
    | Exporting
    | Copying
    | Ingested
    | Refused
    | Continued
    | Repeating
    | Message
)

Progress = Callable[[Event], object]
"""Called with every event; what it returns is ignored."""


def silent(_event: Event) -> None:
    """Ignore all progress."""
