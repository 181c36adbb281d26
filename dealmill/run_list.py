"""Lists of runs."""

from typing import TYPE_CHECKING

from dealmill.pipeline.notebook import html_table
from dealmill.pipeline.printable import counted
from dealmill.pipeline.store.arrow import RUN_COLUMNS, Tabular, run_row, table_of_runs
from dealmill.runs import Run

if TYPE_CHECKING:
    import pyarrow

SHOWN = 50
"""Runs that a notebook shows of a list."""


class RunList(list[Run], Tabular):
    """A list of runs, which is also a table: a notebook shows the newest ones, and data frames have a row for each."""

    def to_arrow(self) -> "pyarrow.Table":
        """Return the progress of the runs, as it was read last, as an Arrow table with a row for each run.

        Raises
        ------
        UsageError
            If the extra ``parquet`` is not installed.
        """
        return table_of_runs(run.progress for run in self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        caption = counted(len(self), "run") + (f", of which the last {SHOWN} are shown" if len(self) > SHOWN else "")
        return html_table(RUN_COLUMNS, (run_row(run.progress) for run in self[-SHOWN:]), caption)
