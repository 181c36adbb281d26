"""What notebooks show: progress, and tables of results and runs."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from time import monotonic
from typing import Any

from dealmill.pipeline.printable import printable
from dealmill.pipeline.progress import Event, Message, Step, words


class NotebookProgress:
    """Progress of long-running methods: a bar below the cell of a Jupyter notebook; nothing anywhere else.

    Each cell has one bar, which is updated in place. The text of its last state stays in the notebook.
    """

    def __init__(self) -> None:
        self._cell: object = None
        self._display: Any = None
        self._title = ""
        self._began = 0.0
        self._first = 0
        self._message = ""

    def __repr__(self) -> str:
        return "in_notebook"

    def __call__(self, event: Event, /) -> None:
        """Draw an event below the cell that is running."""
        cell = _running_cell()
        if cell is None or not isinstance(event, Step | Message):
            return
        from IPython.display import display

        if cell != self._cell:
            self._cell, self._title, self._message = cell, "", ""
            self._display = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        if isinstance(event, Message):
            self._message = printable(event.text)
        else:
            self._display.update(self._drawn(event), raw=True)

    def _drawn(self, step: Step) -> dict[str, str]:
        """Return the bar of a step as HTML and as text."""
        title, rate, note = words(step)
        if title != self._title or step.done < self._first:
            self._title, self._began, self._first = title, monotonic(), step.done
        plain = f"{title}: {step.done:,} of {step.total:,}"
        parts = [plain]
        if step.done < step.total:
            parts += [f"{step.done / step.total:.0%}", rate, self._time_left(step), note]
        text = " · ".join(escape(printable(part)) for part in [*parts, self._message] if part)
        bar = f'<progress value="{step.done}" max="{max(step.total, 1)}" style="width: 16em"></progress>'
        return {"text/html": f"{bar} {text}", "text/plain": plain}

    def _time_left(self, step: Step) -> str:
        done = step.done - self._first
        if not done:
            return ""
        seconds = (monotonic() - self._began) / done * (step.total - step.done)
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes:,} min {rest} s left" if minutes else f"{rest} s left"


in_notebook = NotebookProgress()


def _running_cell() -> object:
    """Return the number of the cell that is running in a notebook; None outside notebooks."""
    ipython: Any = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    return shell.execution_count if hasattr(shell, "kernel") else None


def html_table(columns: Sequence[str], rows: Iterable[Mapping[str, object]], caption: str) -> str:
    """Return rows as an HTML table with a caption. Columns that are empty in all rows are left out."""
    listed = list(rows)
    shown = [name for name in columns if any(row.get(name) not in (None, "", 0, []) for row in listed)]
    head = "".join(f"<th>{escape(name)}</th>" for name in shown)
    body = "".join(f"<tr>{''.join(_cell(row.get(name)) for name in shown)}</tr>" for row in listed)
    note = f'<caption style="caption-side: top; text-align: left">{escape(printable(caption))}</caption>'
    return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    match value:
        case None:
            text = ""
        case list():
            text = printable(", ".join(map(str, value)))
        case float():
            text = f"{value:,.3f}"
        case datetime():
            text = f"{value.astimezone():%Y-%m-%d %H:%M}"
        case _:
            text = printable(str(value))
    side = "right" if isinstance(value, int | float) else "left"
    return f'<td style="text-align: {side}">{escape(text)}</td>'
