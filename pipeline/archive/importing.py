"""Read an archive into a store: the results of each run become those of a run there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from dealmill.pipeline.archive.bag import Bag
from dealmill.pipeline.archive.checking import game_and_deals, read_runs
from dealmill.pipeline.archive.record import RESULTS, ArchivedRun, path_in
from dealmill.pipeline.errors import InputError, OutputError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.cells import LayoutColumn, LayoutTable
from dealmill.pipeline.ingest.files import Reopen
from dealmill.pipeline.ingest.verdict_files import ImportEngine, VerdictTable, import_table
from dealmill.pipeline.progress.events import Message, Progress
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of


def import_archive(database: Database, file: str, progress: Progress) -> Iterator[RunStatus]:
    """Store the runs of an archive one by one, and yield them. Runs whose deals are not stored are left out and named.

    Raises
    ------
    InputError
        If the file cannot be read, is not an archive, was changed, or has no results; or if the results of a run do not
        have the fingerprint that it says, and then the run is stored.
    NotFoundError
        If the game or the engine of a run is not installed.
    """
    for record, table in _archived_verdicts(file, progress):
        run = import_table(database, table, record.max_nodes, progress)
        if fingerprint_of(database, run.id, run.items) != record.fingerprint:
            raise InputError(
                f"{table.name} does not have the results of {record.engine} with the fingerprint "
                f"{record.fingerprint}: see what is wrong with: dealmill archive --check {file}; delete the run with: "
                f"dealmill delete {run.id}"
            )
        yield run


def _archived_verdicts(file: str, progress: Progress) -> Iterator[tuple[ArchivedRun, VerdictTable]]:
    """Yield the runs of an archive, each with its results as a file of verdicts that can be read until the next one is
    asked for. See `import_archive` for those that are left out, and for errors."""
    path = Path(file)
    with Bag(path) as bag:
        if problem := next(bag.problems(), None):
            raise InputError(f"{path}: {problem}; nothing of it is stored")
        runs = read_runs(bag)
        if not any(run.stores_results for run, _ in runs):
            raise InputError(f"{path} has no results: solve its deals again with the commands in its README.md")
        checked = [game_and_deals(number, *of_run) for number, of_run in enumerate(runs, start=1)]
        for number, ((run, _), (game, _)) in enumerate(zip(runs, checked, strict=True), start=1):
            if not run.stores_results:
                progress(Message(f"{path}: the deals of run {number} are not stored; solve them with: {run.command}"))
                continue
            engine = ImportEngine.of(game, run.engine, run.version, run.checked_as, {})
            engine = replace(engine, words={**engine.words, Verdict.FAILED.word: int(Verdict.FAILED)})
            results = path_in(number, RESULTS)
            with _copied(bag, results) as content:
                table = LayoutTable(f"{path.name}/{results}", LayoutColumn(game), _reopened(content))
                yield run, VerdictTable(engine, table)


@contextmanager
def _copied(bag: Bag, path: str) -> Iterator[BinaryIO]:
    """Open a file of an archive, copied to a temporary one.

    Raises
    ------
    OutputError
        If there is no room for it.
    """
    with TemporaryFile() as file:
        try:
            for block in bag.blocks(path):
                file.write(block)
            file.seek(0)
        except OSError as error:
            raise OutputError(f"{path} cannot be copied to a temporary file: {error.strerror or error}") from error
        yield file


def _reopened(file: BinaryIO) -> Reopen:
    """Return a function that goes back to the start of a file."""

    @contextmanager
    def reopen() -> Iterator[BinaryIO]:
        file.seek(0)
        yield file

    return reopen
