"""Progress on standard error: messages, and a progress bar on a terminal, or a line a minute elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import dealmill
from dealmill.cli.output import tell
from dealmill.pipeline.printable import printable
from dealmill.pipeline.system.log_lines import without_time

if TYPE_CHECKING:
    from dealmill.pipeline.progress.events import Event, Progress, Step


SECONDS_PER_LINE = 60.0
"""The time between two lines about the progress where there is no terminal."""
BAR = 16
"""The width of the bar, which leaves room for what is being done, percent, rate and time on 60 columns."""


@contextmanager
def shown_progress(store: "dealmill.Store | None" = None, *, timed: bool = False) -> "Iterator[Progress]":
    """Show progress while the `with` block runs. With a `store`, also show the first rejects of each source. What
    workers write on a terminal, which shows it at once, has its time only if it is `timed`."""
    from dealmill.cli.events import Sources, show  # imports all events, which help texts do not need
    from dealmill.pipeline.progress.events import words

    if not sys.stderr.isatty():
        lines = _Lines()
        yield lambda event: show(event, store, tell, lines.tell)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(BAR),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False, table_column=rest),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True, expand=True) as bar:
        task = bar.add_task("", total=None, rate="", note="")
        titles = {""}
        sources = Sources()

        def say(message: str) -> None:
            line = message if timed else without_time(message)
            bar.console.print(printable(line), markup=False, highlight=False, soft_wrap=True)

        def draw(step: "Step") -> None:
            title, rate, note = words(step)
            title += sources.place(step)
            new = title not in titles  # draw a new title immediately, not at the next refresh
            titles.add(title)
            bar.update(
                task,
                description=title,
                completed=step.done,
                total=step.total,
                rate=rate,
                note=printable(note),
                refresh=new,
            )

        def take(event: "Event") -> None:
            sources.count(event)
            show(event, store, say, draw)

        yield take


class _Lines:
    """Progress as a line from time to time, the first one after as long a time."""

    def __init__(self) -> None:
        self.due = time.monotonic() + SECONDS_PER_LINE

    def tell(self, step: "Step") -> None:
        """Print a line about a step, unless there was one shortly before."""
        from dealmill.pipeline.progress.events import words

        if time.monotonic() >= self.due:
            self.due = time.monotonic() + SECONDS_PER_LINE
            title, rate, note = words(step)
            share = f"{100 * step.done // step.total} %" if step.total else ""
            tell(" ".join(filter(None, [f"{title}:", share, rate, f"({note})" if note else ""])))
