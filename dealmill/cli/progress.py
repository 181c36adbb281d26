"""Progress on standard error: messages always, a progress bar only on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import dealmill
from dealmill.cli.output import tell
from dealmill.pipeline.printable import printable

if TYPE_CHECKING:
    from dealmill.pipeline.progress import Progress, Step


@contextmanager
def shown_progress(store: "dealmill.Store | None" = None) -> "Iterator[Progress]":
    """Show progress while the `with` block runs. With a `store`, also show the first rejects of each source."""
    from dealmill.cli.events import show, words  # imports all events, which help texts do not need

    if not sys.stderr.isatty():
        yield lambda event: show(event, store, tell, _no_bar)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, note="")
        titles = {""}

        def say(message: str) -> None:
            bar.console.print(printable(message), markup=False, highlight=False, soft_wrap=True)

        def draw(step: "Step") -> None:
            title, note = words(step)
            new = title not in titles  # draw a new title immediately, not at the next refresh
            titles.add(title)
            bar.update(
                task, description=title, completed=step.done, total=step.total, note=printable(note), refresh=new
            )

        yield lambda event: show(event, store, say, draw)


def _no_bar(_step: "Step") -> None:
    """Draw nothing."""
