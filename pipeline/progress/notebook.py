"""Progress in notebooks."""

import sys
from typing import Any

from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress.events import Event, Message, Step, words


class NotebookProgress:
    """Progress of long-running methods: a line of text below the cell of a Jupyter notebook; nothing anywhere else.

    Each cell has one line, which is updated in place and keeps its last state. Rich would need widgets for this.
    """

    def __init__(self) -> None:
        self._cell: object = None
        self._display: Any = None

    def __repr__(self) -> str:
        return "in_notebook"

    def __call__(self, event: Event, /) -> None:
        """Show an event below the cell that is running."""
        cell = _running_cell()
        if cell is None or not isinstance(event, Step | Message):
            return
        from IPython.display import display

        if cell != self._cell:
            self._cell = cell
            self._display = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        self._display.update({"text/plain": _line(event)}, raw=True)


in_notebook = NotebookProgress()


def _running_cell() -> object:
    """Return the number of the cell that is running in a notebook; None outside notebooks."""
    ipython: Any = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    return shell.execution_count if hasattr(shell, "kernel") else None


def _line(event: Step | Message) -> str:
    if isinstance(event, Message):
        return printable(event.text)
    title, rate, note = words(event)
    done = f"{title}: {event.done:,} of {event.total:,}"
    return " · ".join(printable(part) for part in (done, rate, note) if part) if event.done < event.total else done
