"""A backup that is taken while workers are at work holds everything, and a run goes on in it; on both databases."""

import sqlite3
import subprocess
from pathlib import Path

import pytest

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run, list_runs
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import a_run, a_source, an_audit, dealer, do_runs
from tests.servers import Postgres

LEASE = 60.0


def backed_up(database: Database, folder: Path, request: pytest.FixtureRequest) -> Database:
    """A backup of a store, restored as docs/database.md says."""
    if database.embedded:
        sqlite3.connect(database.url.database or "").execute("VACUUM INTO ?", [str(folder / "backup.db")])
        return open_store(f"sqlite:///{folder / 'backup.db'}")
    server: Postgres = request.getfixturevalue("postgres")
    source, restored, dump = database.url.set(drivername="postgresql"), server.new_database(), folder / "dealmill.dump"
    for program, *arguments in (
        ("pg_dump", "--format", "custom", "--file", str(dump), source.render_as_string(hide_password=False)),
        ("pg_restore", "--no-owner", "--dbname", restored, str(dump)),
    ):
        subprocess.run([server.programs / program, *arguments], check=True)
    return open_store(restored)


def test_a_backup_holds_everything_and_a_run_goes_on_in_it(
    database: Database, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    texts = dealer("memory")(1, 1, 3_000)
    a_run(database, "memory/two-pass", texts)
    number = insert_run(
        database, a_source(database, "memory/two-pass", texts), "memory/incremental", "1", 9, chunk=1_000
    )
    taken, *_ = leases.pending(database, SOLVING, installed_engines(), 9)
    job = SOLVING_JOBS.claim(database, taken, "at work", LEASE)
    assert job is not None

    restored = backed_up(database, tmp_path, request)
    assert [(run.solved, run.leased) for run in list_runs(restored)] == [(3_000, 0), (0, 1)]
    leases.expire(restored, SOLVING, "at work", "it is none of the copy's")
    leases.free_expired(restored, SOLVING)
    assert SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    for each in (database, restored):
        do_runs(each)
    original, copy = find_run(database, number), find_run(restored, number)
    assert copy.finished
    assert fingerprint_of(restored, number, copy.items) == fingerprint_of(database, number, original.items)
    assert all(an_audit(restored, run).clean for run in list_runs(restored))
