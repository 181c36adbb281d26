"""Reports: runs and results as one HTML file, and tables of runs for papers."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.queries.results import unless_retracted
from dealmill.pipeline.system.atomic import atomic_file
from dealmill.pipeline.system.extras import check_extra
from dealmill.runs import Run

SUFFIXES = (".html", ".htm")


def report(
    subjects: Run | Result | Iterable[Run | Result],
    path: str | PathLike[str],
    *,
    retracted: bool = False,
    unfinished: bool = False,
    force: bool = False,
) -> None:
    """Write a report on runs, or on single results, to one ``.html`` file that needs no network and no script.

    The section of a run says how to repeat it and has its figures, the interval of its winnability, histograms, the
    hardest and easiest layouts, up to three proofs step by step, its fingerprint and the seal of its newest audit. That
    of a result is its proof step by step. Runs of any size are read in bounded memory.

    Parameters
    ----------
    subjects
        Runs, results, or both; the runs may be of different games and stores.
    retracted
        Write the report even if the engine version of a run was retracted.
    unfinished
        Write the report even if a run is not finished; it says so.
    force
        Overwrite the file if it exists.

    Raises
    ------
    UsageError
        If there are no subjects, the path has another suffix, the extra ``web`` is not installed, or a script calls
        this outside of ``if __name__ == "__main__":``: the process that draws runs the script, too.
    RetractedError
        If the engine version of a run was retracted, and `retracted` is false.
    UnfinishedError
        If a run is not finished, and `unfinished` is false.
    DamagedError
        If part of a run cannot be read.
    OutputError
        If the file cannot be written.
    """
    check_extra("web")
    from dealmill.web.check import Drawer
    from dealmill.web.report import document

    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{file} must end in .html: a report is an HTML file")
    chosen = [subjects] if isinstance(subjects, Run | Result) else list(subjects)
    if not chosen:
        raise UsageError("name the runs or results of the report")
    drawer = Drawer()
    try:
        drawer.process.start()
        with atomic_file(file, force) as output:
            output.write(document(chosen, drawer, retracted=retracted, unfinished=unfinished).encode())
    finally:
        drawer.close()


def latex_table(
    runs: Run | Iterable[Run],
    path: str | PathLike[str],
    *,
    retracted: bool = False,
    unfinished: bool = False,
    force: bool = False,
) -> int:
    """Write a table of runs to a ``.tex`` file, for the LaTeX package booktabs, and return the number of runs.

    A row has the counts of a run, the share of winnable layouts or the mean value and, if the run is over numbered
    deals, the 95 % confidence interval. Comments have the engines, sources, node limits and fingerprints.

    Parameters
    ----------
    retracted
        Write the table even if the engine version of a run was retracted.
    unfinished
        Write what unfinished runs have.
    force
        Overwrite the file if it exists.

    Raises
    ------
    UsageError
        If there are no runs, or the path has another suffix.
    RetractedError
        If the engine version of a run was retracted, and `retracted` is false.
    UnfinishedError
        If a run is not finished, and `unfinished` is false; or if it has no verdicts yet.
    OutputError
        If the file cannot be written.
    """
    from dealmill.pipeline.survey.latex import latex_table as table

    file = Path(path)
    if file.suffix.lower() != ".tex":
        raise UsageError(f"{file} must end in .tex: the table is LaTeX")
    chosen = [runs] if isinstance(runs, Run) else list(runs)
    if not chosen:
        raise UsageError("name the runs of the table")
    for run in chosen:
        status = unless_retracted(run.status(), retracted=retracted)
        status.check_exportable(unfinished=unfinished, skip_damaged=False)
    text = table([_table_row(run) for run in chosen])
    with atomic_file(file, force) as output:
        output.write(text.encode())
    return len(chosen)


def _table_row(run: Run) -> dict[str, Any]:
    """Return the figures of a run by the names that those of a survey have."""
    from dealmill.pipeline.survey.figures import MEAN, WINNABILITY

    status, share, mean = run.progress, run.winnability, run.mean_interval
    interval = share or mean
    is_sample = interval is not None and status.deals is not None
    return {
        "engine": status.engine,
        "version": status.version,
        "max_nodes": status.max_nodes,
        "source": status.source_name,
        "deals": status.solved,
        **{verdict.word: status.counts.get(verdict, 0) for verdict in Verdict},
        "estimate": WINNABILITY if mean is None else MEAN,
        "low": interval.low if interval and is_sample else None,
        "high": interval.high if interval and is_sample else None,
        "half_width": interval.half_width if interval else 0.0,
        "value": share.share if share else status.mean,
        "fingerprint": run.fingerprint,
    }
