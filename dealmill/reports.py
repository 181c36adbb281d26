"""Reports: runs and results as one HTML file."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.results.result import Result
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
