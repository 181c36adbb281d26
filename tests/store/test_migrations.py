"""Migrations from and to Dealmill 0.1.0, on both databases."""

import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import inspect, select, text

from dealmill.cli import dealmill as commands
from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.store.audits.audit import recorded_faults
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import OLDEST, create_store, open_store
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.database.tables import REVISION, metadata
from dealmill.pipeline.store.database.tables import jobs as jobs_table
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.distributions.histograms import histogram_of
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.job_totals import SPREAD
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.system.settings import settings
from tests.doing import a_run, a_source, alter, an_audit, deal, do_runs
from tests.servers import Postgres
from tests.survey.doing import a_survey


def test_migrations_lead_from_the_first_release_to_the_tables_of_new_stores_and_back(
    empty_store: Database, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    new = f"sqlite:///{tmp_path / 'new.db'}"
    if not empty_store.embedded:
        new = request.getfixturevalue("postgres").new_database()
    with closing(Database(database_url(new))) as created:
        revisions.upgrade(created)
        newest = dumped(created, request)
    revisions.upgrade(empty_store, OLDEST)
    of_first_release = dumped(empty_store, request)
    revisions.upgrade(empty_store)
    assert dumped(empty_store, request) == newest
    assert len(newest) > len(metadata.tables)
    revisions.downgrade(empty_store, OLDEST)
    assert dumped(empty_store, request) == of_first_release
    assert revisions.current(empty_store) == OLDEST


def dumped(database: Database, request: pytest.FixtureRequest) -> list[list[str]]:
    """The statements of a dump of the tables without their rows, each with its parts in order: columns that a migration
    has added stand behind the others."""
    if database.embedded:
        with database.reading() as connection:
            statements = connection.execute(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")).scalars().all()
    else:
        server: Postgres = request.getfixturevalue("postgres")
        command = [server.programs / "pg_dump", "--schema-only", "--dbname", database.url.set(drivername="postgresql")]
        dump = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout
        statements = "\n".join(line for line in dump.splitlines() if not line.startswith(("--", "\\"))).split(";\n")
    return sorted(map(parts_of, statements))


def parts_of(statement: str) -> list[str]:
    """What stands before the outermost brackets, then what they hold, cut at commas and sorted, then the rest.
    Names that PostgreSQL makes up by itself are left out."""
    words = re.sub(r"CONSTRAINT \w+_not_null\d* ", "", " ".join(statement.replace('"', "").split()))
    before, _, rest = words.partition("(")
    inside, _, behind = rest.rpartition(")")
    return [before, *sorted(part.strip() for part in re.split(r",(?![^()]*\))", inside)), behind]


@pytest.mark.slow
def test_migrations_are_not_imported_unless_needed(tmp_path: Path) -> None:
    code = (
        "import sys, dealmill\n"
        f"url = 'sqlite:///{tmp_path}/night.db'\n"
        "assert dealmill.db.upgrade(url) == dealmill.db.upgrade(url) == dealmill.db.current(url)\n"
        "with dealmill.open(url) as store:\n"
        "    store.ingest('deal:memory:seed=1:1-9')\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_migrations_begin_with_the_first_release_and_end_with_the_tables_of_the_code() -> None:
    assert (revisions.revisions()[0], revisions.revisions()[-1]) == (OLDEST, REVISION)


def test_a_failed_migration_changes_nothing(empty_store: Database) -> None:
    with empty_store.rebuilding() as connection:
        connection.execute(text("CREATE TABLE verdicts (anything INTEGER)"))
    with pytest.raises(StoreError):
        revisions.upgrade(empty_store)
    with empty_store.reading() as connection:
        assert "sources" not in inspect(connection).get_table_names()


def test_an_unknown_revision_is_an_error_that_says_so(database: Database) -> None:
    with pytest.raises(StoreError, match="there is no revision nonsense"):
        revisions.upgrade(database, "nonsense")


def test_a_server_is_changed_only_by_db_upgrade(empty_store: Database) -> None:
    url = empty_store.url.render_as_string(hide_password=False)
    if empty_store.embedded:
        create_store(open_store(url))
        assert revisions.current(empty_store) == REVISION
    else:
        with pytest.raises(StoreError, match="dealmill db upgrade"):
            create_store(open_store(url))
        assert revisions.current(empty_store) is None


def test_a_database_newer_than_the_code_is_refused(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"newer \(9999\)"):
        open_store(database.url.render_as_string(hide_password=False))
    with pytest.raises(StoreError, match="newer"):
        revisions.upgrade(database)


def test_distributions_are_counted_for_rows_and_compact_runs_are_solved_again(database: Database) -> None:
    layouts = deal(find_game("hi-q"), 1, 1, 2_500)
    run = a_run(database, "hi-q/greedy", layouts, chunk=1_000)
    survey = a_survey(database, "hi-q/greedy", 2_000)
    insert_run(
        database, a_source(database, "hi-q/greedy", layouts), "hi-q/greedy", "0", None, chunk=1_000
    )  # is not solved
    before, fingerprint = spreads(database), fingerprint_of(database, survey.id, survey.items)
    assert len(before) == 8 and before[2][0] == "500" and before[-1][1:] == (None,) * 6
    assert revisions.check_downgrade(database, "0022") == []
    assert revisions.check_downgrade(database, OLDEST) == [survey.id]
    revisions.downgrade(database, OLDEST)
    revisions.upgrade(database)
    nothing = [(items, *(None,) * 6) for items, *_ in before[3:5]]
    assert spreads(database) == [*before[:3], *nothing, *before[5:]]
    do_runs(database)
    assert spreads(database) == before
    assert fingerprint_of(database, survey.id, survey.items) == fingerprint is not None
    as_of_first_release = ", ".join(f"{name} = NULL" for name in SPREAD if "value" not in name or "counts" in name)
    alter(database, f"UPDATE jobs SET {as_of_first_release} WHERE run_id = {survey.id}")
    for each in (run, survey):
        assert an_audit(database, find_run(database, each.id)).clean
    values, nodes = (histogram_of(database, survey.id, column) for column in ("value", "nodes"))
    assert values is nodes is None
    alter(database, "UPDATE jobs SET least_nodes = 4 WHERE first = 1001")
    assert {fault.first for each in (run, survey) for fault in found_by_audit(database, each)} == {1_001}


def spreads(database: Database) -> list[tuple[Any, ...]]:
    """The number of items of each job, with its distributions."""
    with database.reading() as connection:
        query = select(jobs_table.c.stop - jobs_table.c.first, *(jobs_table.c[name] for name in SPREAD))
        rows = connection.execute(query.order_by(jobs_table.c.id)).all()
    return [(str(items), *spread) for items, *spread in rows]


def found_by_audit(database: Database, run: RunStatus) -> list[Fault]:
    return recorded_faults(database, an_audit(database, find_run(database, run.id)).id)


def test_jobs_whose_engine_did_not_start_are_marked(database: Database) -> None:
    number = insert_run(
        database, a_source(database, "memory/two-pass", ["AABB", "ABAB", "ABBA"]), "memory/two-pass", "1", 9, chunk=1
    )
    revisions.downgrade(database, "0020")
    troubles = ["not begun: ImportError: no engine", "ProgramError: it did not start", "ValueError: ProgramError: no"]
    for job, trouble in enumerate(troubles, start=1):
        alter(database, "UPDATE jobs SET trouble = :why, attempt = 9 WHERE id = :job", why=trouble, job=job)
    revisions.upgrade(database)
    assert [lease.unstarted for lease in leases.stuck(database, SOLVING, [number])] == [True, True, False]


def test_a_migration_is_refused_while_leases_are_held_and_the_run_resumes_afterwards(database: Database) -> None:
    number = insert_run(
        database, a_source(database, "memory/two-pass", ["AABB", "ABAB"]), "memory/two-pass", "1", 9, chunk=1
    )
    first, _ = leases.pending(database, SOLVING, installed_engines(), 9)
    assert SOLVING_JOBS.claim(database, first, "w", 60.0)
    revisions.upgrade(database)  # there is nothing to do
    with pytest.raises(StoreError, match=r"workers hold leases \(1\); stop all commands.* within (59|60) s"):
        revisions.downgrade(database, OLDEST)
    leases.expire(database, SOLVING, "w", "gone")
    revisions.downgrade(database, OLDEST)
    with database.writing() as connection:
        connection.execute(text("UPDATE jobs SET leased_until = 1e12"))
    with pytest.raises(StoreError, match="workers hold leases"):
        revisions.upgrade(database)
    assert revisions.current(database) == OLDEST
    with database.writing() as connection:
        connection.execute(text("UPDATE jobs SET leased_until = 0"))
    revisions.upgrade(database)
    leases.free_expired(database, SOLVING)
    do_runs(database)
    assert find_run(database, number).finished
    assert an_audit(database, find_run(database, number)).clean


def test_results_are_not_written_to_tables_of_another_revision(database: Database) -> None:
    number = insert_run(
        database, a_source(database, "memory/two-pass", ["AABB", "ABAB"]), "memory/two-pass", "1", 9, chunk=1
    )
    first, _ = leases.pending(database, SOLVING, installed_engines(), 9)
    job = SOLVING_JOBS.claim(database, first, "late", 60.0)
    assert job is not None
    leases.expire(database, SOLVING, "late", "its tables were migrated")
    revisions.downgrade(database, OLDEST)
    with pytest.raises(StoreError, match="do not match this version of Dealmill"):
        SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    revisions.upgrade(database)
    leases.free_expired(database, SOLVING)
    do_runs(database)
    assert an_audit(database, find_run(database, number)).clean


@pytest.mark.parametrize("revision", ["base", "0009", "-1", "nonsense"])
def test_a_downgrade_goes_back_to_the_first_release_at_most(sqlite_store: Database, revision: str) -> None:
    with pytest.raises(StoreError, match=f"cannot be downgraded to {revision}; the oldest revision is 0010"):
        revisions.downgrade(sqlite_store, revision)
    assert revisions.current(sqlite_store) == REVISION


COMMANDS = (
    *("status", "status 1", "query 1", "find AABB --game memory", "show 1:1", "log", "export 1 a.csv", "diff 1 1"),
    *("run a.txt --game memory", "ingest a.txt --game memory", "queue deal:memory:seed=1:1-9", "work --drain"),
    *("audit 1", "rerun 1", "retry 1", "survey memory", "web --port 0", "db upgrade", f"db downgrade --yes {OLDEST}"),
    "retract --engine memory/two-pass --version 1 --why wrong",
)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_store_older_than_the_first_release_is_refused_with_what_to_do(
    words: str, sqlite_store: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    alter(sqlite_store, "UPDATE alembic_version SET version_num = '0009'")
    (tmp_path / "a.txt").write_text("AABB\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEALMILL_DATABASE_URL", "sqlite:///store.db")
    settings.cache_clear()
    ran = CliRunner().invoke(commands, words.split())
    settings.cache_clear()
    assert isinstance(ran.exception, StoreError)
    assert str(ran.exception).endswith(
        "store.db is older (0009) than Dealmill 0.1.0 (0010); install that version, upgrade the database with its "
        "dealmill db upgrade, and then use this version again"
    )
    assert revisions.current(sqlite_store) == "0009"


def test_foreign_keys_are_enforced_after_a_migration(empty_store: Database) -> None:
    revisions.upgrade(empty_store)
    with pytest.raises(StoreError, match=r"(?i)foreign key"), empty_store.writing() as connection:
        connection.execute(text("INSERT INTO blocks (run_id, number, digest) VALUES (99, 0, :d)"), {"d": b"d"})
