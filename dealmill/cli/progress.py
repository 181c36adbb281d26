"""Progress on standard error, only where a person looks at it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dealmill.cli.output import tell
from dealmill.pipeline.printable import printable


class Bar:
    """A progress bar that shows nothing; messages go to standard error."""

    def update(self, done: int, total: int, note: str) -> None:
        """Show how far the work is."""

    def say(self, message: str) -> None:
        """Tell something that stays."""
        tell(message)


@contextmanager
def progress_bar(title: str) -> Iterator[Bar]:
    """A bar for as long as the `with` block lasts."""
    if not sys.stderr.isatty():
        yield Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None, note="")

        class Shown(Bar):
            def update(self, done: int, total: int, note: str) -> None:
                progress.update(task, completed=done, total=total, note=note)

            def say(self, message: str) -> None:
                progress.console.print(printable(message), markup=False, highlight=False, soft_wrap=True)

        yield Shown()
