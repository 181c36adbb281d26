"""Write an archive of runs."""

import json
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from dealmill.pipeline.archive import about
from dealmill.pipeline.archive.bag import BagWriter
from dealmill.pipeline.archive.provenance import path_of, provenance
from dealmill.pipeline.archive.record import BLOCKS, RESULTS, RULES, RUN, ArchivedRun, path_in
from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.outputs.checker.writing import checker_path, export_with_checker
from dealmill.pipeline.progress.events import Progress, silent
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import find_source
from dealmill.pipeline.store.storages.item_blocks import blocks_from, fingerprint_of
from dealmill.pipeline.system.atomic import atomic_file

SUFFIX = ".zip"
BLOCKS_AT_ONCE = 1_000


def write_archive(
    database: Database,
    runs: Sequence[RunStatus],
    path: Path,
    report: Callable[[Path], None],
    *,
    force: bool = False,
    progress: Progress = silent,
) -> None:
    """Write finished runs to a zip file; `report` writes the report on them. Results are written to temporary files
    beside it first, since each has a checker with its digest.

    Below ``data/``, the same runs give the same bytes, whatever their numbers, and wherever they were solved.

    Raises
    ------
    UsageError
        If the path has another suffix.
    StoreError
        If a run has no fingerprint.
    DamagedError
        If a result cannot be read.
    OutputError
        If the file cannot be written.
    """
    if path.suffix.lower() != SUFFIX:
        raise UsageError(f"{path} must end in {SUFFIX}: an archive is a zip file")
    archived = [_archived(database, run) for run in runs]
    digest = sha256("".join(run.fingerprint for run in archived).encode()).hexdigest()
    folder = f"dealmill-{digest[:12]}"
    with (
        atomic_file(path, force, database.owns) as file,
        TemporaryDirectory(dir=path.parent) as parts,
        BagWriter(file, folder) as bag,
    ):
        for number, (run, record) in enumerate(zip(runs, archived, strict=True), start=1):
            _write_run(bag, database, number, run, record, Path(parts), progress)
        report(report_file := Path(parts) / about.REPORT)
        _copy(bag, report_file, about.REPORT)
        bag.write(about.README, about.readme(archived))
        bag.write(about.CITATION, about.citation(archived))
        bag.write(about.REQUIREMENTS, about.requirements())
        for number, run in enumerate(runs, start=1):
            bag.write(path_of(number), provenance(database, run))
        bag.write(about.CRATE, about.crate(archived, max(run.seen or run.now for run in runs), bag.paths))


def _archived(database: Database, run: RunStatus) -> ArchivedRun:
    fingerprint = fingerprint_of(database, run.id, run.items)
    if fingerprint is None:
        raise StoreError(
            f"run {run.id} has no fingerprint, because results of it are missing, or are to be tried again with: "
            f"dealmill retry {run.id}"
        )
    return ArchivedRun.of(run, find_source(database, run.source), fingerprint)


def _write_run(
    bag: BagWriter,
    database: Database,
    number: int,
    run: RunStatus,
    record: ArchivedRun,
    parts: Path,
    progress: Progress,
) -> None:
    bag.write(path_in(number, RUN), record.text())
    if run.rules is not None:
        bag.write(path_in(number, RULES), run.rules.text)
    if not record.stores_results:
        bag.write_lines(path_in(number, BLOCKS), _block_lines(database, run))
        return
    results = parts / RESULTS
    export_with_checker(database, run, results, numbered=False, force=True, progress=progress)
    _copy(bag, results, path_in(number, RESULTS))
    _copy(bag, checker_path(results), path_in(number, checker_path(results).name))


def _block_lines(database: Database, run: RunStatus) -> Iterator[str]:
    """Yield the digest and the sums of each block of a finished run, in JSON."""
    for first in range(1, run.items + 1, BLOCKS_AT_ONCE * BLOCK):
        stop = min(first + BLOCKS_AT_ONCE * BLOCK, run.items + 1)
        with database.reading() as connection:
            blocks = blocks_from(connection, run.id, run.items, first, stop)
        for _, digest, sums, _ in blocks:
            yield json.dumps({"digest": digest and digest.hex(), **sums}) + "\n"


def _copy(bag: BagWriter, file: Path, path: str) -> None:
    with file.open("rb") as content:
        bag.copy(path, content)
