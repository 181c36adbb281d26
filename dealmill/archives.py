"""Archives: runs in one file, which can be checked without a store and read into another one."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.progress.events import Progress
from dealmill.pipeline.progress.notebook import in_notebook
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queries.results import unless_retracted
from dealmill.pipeline.system.extras import check_extra
from dealmill.reports import report
from dealmill.runs import Run

if TYPE_CHECKING:
    from dealmill.pipeline.archive.checking import CheckedArchive


def archive(
    runs: Run | Iterable[Run],
    path: str | PathLike[str],
    *,
    retracted: bool = False,
    force: bool = False,
    progress: Progress = in_notebook,
) -> None:
    """Write finished runs of a store to one ``.zip`` file that can be checked without it; see `check_archive`.

    The file is a bag (BagIt 1.0). It has the results with their evidence, a checker for those of each run, rules of
    games, a report, what to cite, and a description for catalogues (RO-Crate 1.1). Below ``data/``, the same runs give
    the same bytes, whatever their numbers in the store. Of a survey that does not store its deals, it has the digests
    and sums of its blocks. Runs of any size are written in bounded memory.

    Parameters
    ----------
    runs
        The runs, of one store; they are numbered from 1 in the archive.
    retracted
        Write the archive even if the engine version of a run was retracted.
    force
        Overwrite the file if it exists.

    Raises
    ------
    UsageError
        If there are no runs, they are of several stores, the path has another suffix, or the extra ``web`` is not
        installed, which makes the report.
    RetractedError
        If the engine version of a run was retracted, and `retracted` is false.
    UnfinishedError
        If a run is not finished.
    DamagedError
        If part of a run cannot be read.
    OutputError
        If the file cannot be written.
    """
    from dealmill.pipeline.archive.writing import write_archive

    check_extra("web")
    chosen, database = _of_one_store(runs)
    for run in chosen:
        unless_retracted(run.status(), retracted=retracted).check_exportable(unfinished=False)
    write_archive(
        database,
        [run.progress for run in chosen],
        Path(path),
        lambda file: report(chosen, file, retracted=retracted),
        force=force,
        progress=progress,
    )


def add_to_archive(runs: Run | Iterable[Run], path: str | PathLike[str]) -> None:
    """Add to an archive who audited and repeated the same results in another store, where, when and with which version.

    Anyone who has read an archive into a store and audited it there can add this to it. The archive gets a file for
    each run in its folder ``provenance/``, with the seals of the audits; nothing below ``data/`` changes.

    Raises
    ------
    InputError
        If the file cannot be read, is not an archive, or was changed.
    UsageError
        If there are no runs, they are of several stores, or the archive has no run with the engine, the version and the
        fingerprint of a run, or the same notes on it already.
    StoreError
        If a run has no finished audit.
    OutputError
        If the file cannot be written.
    """
    from dealmill.pipeline.archive.adding import add_provenance  # loads the compiler

    chosen, database = _of_one_store(runs)
    add_provenance(database, [run.status() for run in chosen], Path(path))


def _of_one_store(runs: Run | Iterable[Run]) -> tuple[list[Run], Database]:
    """Return runs as a list, and the database of their store."""
    chosen = [runs] if isinstance(runs, Run) else list(runs)
    if not chosen:
        raise UsageError("name the runs of the archive")
    database = chosen[0]._database
    if any(run._database != database for run in chosen):
        raise UsageError("the runs are of several stores; write an archive of each")
    return chosen, database


def check_archive(path: str | PathLike[str], *, progress: Progress = in_notebook) -> "CheckedArchive":
    """Check an archive with nothing but its file: that no file was changed, the fingerprints are those of the results,
    numbered deals are those that they are said to be, and the referees prove all results that are stored.

    Raises
    ------
    InputError
        If the file cannot be read, or is not an archive.
    NotFoundError
        If the game or the engine of a run is not installed.
    """
    from dealmill.pipeline.archive.checking import check_archive  # loads the compiler

    return check_archive(Path(path), progress=progress)
