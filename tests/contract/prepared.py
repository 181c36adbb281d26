"""The store in which records are damaged, with rows in every table; and work in this process."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.ingest.sources import deals_reading
from dealmill.pipeline.progress.events import Progress, silent
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.job_kinds import KINDS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_rerun
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from dealmill.workers import tasks, working
from tests.doing import an_audit, dealer, do_runs

DEALS = 1_100
CHUNK = 1_000
ENGINE = "memory/two-pass"
OTHER_ENGINE = "card-pairing/winnable"
OTHERS = 20
ROUNDS = 3 * leases.ATTEMPTS
"""The most rounds of work. A job that is not done after them never will be, because workers give up earlier."""


def prepare(database: Database) -> None:
    """Fill a store: runs 1 and 2 over the same deals, as rows and compact; run 3, a rerun of run 1; audits of runs 1
    and 2; and run 4 over a file with rejects, with a retracted engine."""
    reading = deals_reading(database, parse_deal_range(f"deal:memory:seed=8:1-{DEALS}"))
    reading.finish(silent)
    versions = dict(installed_engines())
    for storage in (Storage.ROWS, Storage.COMPACT):
        insert_run(database, reading.source, ENGINE, versions[ENGINE], None, chunk=CHUNK, storage=storage)
    do_runs(database)
    queue_rerun(database, find_run(database, 1), any_version=False)
    do_runs(database)
    for number in (1, 2):
        an_audit(database, find_run(database, number))
    layouts = dealer("card-pairing")(1, 1, OTHERS)
    bad = Reject(OTHERS + 1, "garbage", ("it is too short", "it has other cards"))
    file = open_source(database, "card-pairing", "cards.txt", b"cards")
    entries: list[Layout | Reject] = [*(Layout(line, text) for line, text in enumerate(layouts, 1)), bad]
    insert_run(
        database,
        complete(database, append(database, file, Entries.of(entries))),
        OTHER_ENGINE,
        versions[OTHER_ENGINE],
        None,
    )
    do_runs(database)
    retract(database, OTHER_ENGINE, versions[OTHER_ENGINE], "miscounts")


def drop_checks(file: Path) -> None:
    """Remove the NOT NULL constraints from an SQLite file. SQLite does not check types in any case."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")


class NeverDone(Exception):
    """A command would wait forever."""


def few_pauses() -> Iterator[float]:
    """Yield the pauses of `dealmill.pipeline.store.database.connections` for a database that is available."""
    yield from (0.0,) * ROUNDS
    raise NeverDone("waits for the database, which is available")


def work_here(
    database: Database,
    check: working.NextInstallation,
    progress: Progress,
    readings: Sequence[Reading] = (),
    **_more: bool,
) -> None:
    """Do the work of `dealmill.workers.working.work_until_done`, without a broker and worker processes."""
    for reading in readings:
        reading.finish(progress)
    for _ in range(ROUNDS):
        installation = check()
        if installation is None:
            return
        for name, kind in KINDS.items():
            leases.free_expired(database, kind.jobs)
            for number in leases.pending(database, kind.jobs, installation.engines(database), 1_000):
                tasks.do_job(name, number)
    raise NeverDone("waits for jobs that are never done")
