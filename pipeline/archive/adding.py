"""Add to an archive what another store says of the same results: who audited and repeated them."""

from collections.abc import Sequence
from pathlib import Path

from dealmill.pipeline.archive import about
from dealmill.pipeline.archive.bag import DECLARATION, INFO, MANIFEST, TAG_MANIFEST, Bag, BagWriter
from dealmill.pipeline.archive.checking import read_runs
from dealmill.pipeline.archive.provenance import path_of, paths_of, provenance
from dealmill.pipeline.errors import InputError, StoreError, UsageError
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.system.atomic import atomic_file

REPLACED = {DECLARATION, INFO, MANIFEST, TAG_MANIFEST, about.CRATE}
"""The files that are written again, since they list the others."""


def add_provenance(database: Database, runs: Sequence[RunStatus], path: Path) -> None:
    """Add the notes on audited runs of a store to an archive of the same results. Nothing below ``data/`` changes.

    Raises
    ------
    InputError
        If the file cannot be read, is not an archive, or was changed.
    UsageError
        If the archive has no run with the engine, the version and the fingerprint of a run, or has the same notes.
    StoreError
        If a run has no finished audit.
    OutputError
        If the file cannot be written.
    """
    with Bag(path) as bag:
        if problem := next(bag.problems(), None):
            raise InputError(f"{path}: {problem}; nothing was added")
        archived = {
            (run.engine, run.version, run.fingerprint): number for number, (run, _) in enumerate(read_runs(bag), 1)
        }
        notes, paths = dict[str, str](), [*bag.paths]
        audits = latest_audits(database, [run.id for run in runs])
        for run in runs:
            key = (run.engine, run.version, fingerprint_of(database, run.id, run.items))
            if key not in archived:
                raise UsageError(
                    f"run {run.id} is none of {path}: no run there has its engine, version and fingerprint"
                )
            if run.id not in audits or not audits[run.id].finished:
                raise StoreError(f"run {run.id} has no finished audit to add; audit it first: dealmill audit {run.id}")
            text = provenance(database, run)
            if any(bag.read(each) == text for each in paths_of(archived[key], bag.paths)):
                raise UsageError(f"{path} has these notes on run {run.id} already; nothing was added")
            paths.append(path_of(archived[key], paths))
            notes[paths[-1]] = text
        with atomic_file(path, True, database.owns) as file, BagWriter(file, bag.folder) as copy:
            _copy(bag, copy, notes)


def _copy(bag: Bag, copy: BagWriter, notes: dict[str, str]) -> None:
    """Copy a bag with more files."""
    crate = bag.read(about.CRATE)
    for path in bag.paths:
        if path not in REPLACED:
            copy.write_blocks(path, bag.blocks(path))
    for path, text in notes.items():
        copy.write(path, text)
        crate = about.added_to(crate, path)
    copy.write(about.CRATE, crate)
