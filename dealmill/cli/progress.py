"""The progress of long work on standard error: messages always, a bar only on a terminal."""

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
def shown(store: "dealmill.Store | None" = None) -> "Iterator[Progress]":
    """Show progress for as long as the `with` block lasts. With a `store`, the rejects of a source are shown, too."""
    from dealmill.cli.events import show, words  # loads all events, which the help text of a command has no use for

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
            new = title not in titles  # drawn at once, else only at the next tick of the bar
            titles.add(title)
            bar.update(
                task, description=title, completed=step.done, total=step.total, note=printable(note), refresh=new
            )

        yield lambda event: show(event, store, say, draw)


def _no_bar(_step: "Step") -> None:
    """Draw nothing."""
