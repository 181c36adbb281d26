"""Progress events as messages."""

from collections.abc import Callable

import dealmill
from dealmill.cli.output import counted
from dealmill.cli.process import check_interrupted
from dealmill.pipeline.progress.events import (
    Continued,
    Event,
    Ingested,
    Ingesting,
    Message,
    OpenFailed,
    Opening,
    Rerunning,
    Step,
)

MAX_MEANT = 1_000_000
"""The greatest number of a single deal with which a range from the first one may be meant."""
SHOWN = 3
"""Rejects shown of a source that was just read; ``dealmill query --rejected`` lists all."""

Say = Callable[[str], object]


def show(event: Event, store: "dealmill.Store | None", say: Say, draw: Callable[[Step], None]) -> None:
    """Draw a step, or print a message for any other event. At a step, raise KeyboardInterrupt if a signal has arrived;
    other events may belong to the end of a command that was interrupted."""
    match event:
        case Step():
            check_interrupted()
            draw(event)
        case Ingested(error=None):
            _tell_source(store, event, say)
        case Ingested(error=error) | OpenFailed(error):
            say(f"dealmill: {error}")
        case Continued():
            say(_continued(event))
        case Rerunning():
            say(f"run {event.run} is a rerun of run {event.repeats}")
        case Message(text):
            say(text)


class Sources:
    """The sources that a command reads: their `number`, and how many of them it has `read`."""

    def __init__(self) -> None:
        self.number = 0
        self.read = 0

    def count(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case Opening(total=number):
                self.number = number
            case Ingested():
                self.read += 1

    def place(self, step: Step) -> str:
        """Return the place of the source that is being read among several, such as `` 2 of 6``."""
        is_one_of_several = isinstance(step, Ingesting) and self.number > 1
        return f" {self.read + 1:,} of {self.number:,}" if is_one_of_several else ""


def _continued(run: Continued) -> str:
    what = f"run {run.run}: {run.engine} on {run.source}"
    if run.finished:
        return f"{what} is already solved"
    total = f"{run.layouts:,}" if run.complete else f"{run.layouts:,} read so far"
    return f"{what} resumes at {run.solved:,} of {total}"


def _tell_source(store: "dealmill.Store | None", read: Ingested, say: Say) -> None:
    """Print the counts of a source and, if it was read just now, its first rejects."""
    source = read.source
    copy = "" if read.name == source.name else f"{read.name} has the same contents as "
    say(
        f"{copy}source {source.id}: {source.name} ({source.game}): {counted(source.accepted, 'layout')}, "
        f"{counted(source.duplicates, 'duplicate')}, {source.rejected:,} rejected"
    )
    deals = (read.new and source.deals) or {}
    last = deals.get("last")
    if isinstance(last, int) and 1 < last <= MAX_MEANT and deals.get("first") == last:
        seed, _, number = source.name.rpartition("-")[0].rpartition(":")
        say(f"  this is a single deal, number {number}; the first {number} deals are {seed}:1-{number}")
    if not source.rejected or not read.new or store is None:
        return
    for _, reject in store.rejects(source=source.id, limit=SHOWN):
        say(f"  {read.name}, line {reject.line}: {'; '.join(reject.reasons)}")
    if source.rejected > SHOWN:
        more = source.rejected - SHOWN
        say(f"  … {more:,} more; count all by reason: dealmill query --source {source.id} --rejected --by-reason")
    if not source.accepted:
        if "column" in deals:
            options = "correct its numbers, or name their column with --number-column"
        else:
            options = "correct it, name another game with --game, or the column of layouts with --layout-column"
        say(f"  {read.name} has no valid layout of {source.game}: {options}")
