"""The migrations build the tables that the code speaks of, up and down, on both databases."""

import json
import re
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, select, text

from dealmill.pipeline.deals import parse_deal_range
from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.solve import solve
from dealmill.pipeline.store import leases, revisions
from dealmill.pipeline.store.audits import faults_of, latest_audits
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.histograms import histogram_of
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.jobs import SOLVING, SPREAD, grow
from dealmill.pipeline.store.plans import installed_engines, plan_repetition, plan_run, queue_rerun
from dealmill.pipeline.store.revisions import create_store, open_store
from dealmill.pipeline.store.runs import RunStatus, find_run, list_runs
from dealmill.pipeline.store.stretches import Fault
from dealmill.pipeline.store.tables import REVISION, metadata
from dealmill.pipeline.store.tables import jobs as jobs_table
from dealmill.pipeline.survey.growth import open_survey
from tests.doing import a_run, a_source, an_audit, deal, do_runs
from tests.servers import Postgres
from tests.survey.doing import a_survey, alter


def test_new_tables_are_those_that_all_migrations_leave_behind(
    empty_store: Database, request: pytest.FixtureRequest
) -> None:
    revisions.upgrade(empty_store)
    created = dumped(empty_store, request)
    revisions.downgrade(empty_store, "base")
    assert [statement[0] for statement in dumped(empty_store, request)] != [statement[0] for statement in created]
    revisions.upgrade(empty_store, REVISION)  # and not to the head: that would create them again
    assert dumped(empty_store, request) == created
    assert len(created) > len(metadata.tables)


def dumped(store: Database, request: pytest.FixtureRequest) -> list[list[str]]:
    """The statements of a dump of the tables without their rows, each with its parts in order: columns that a migration
    has added stand behind the others."""
    if store.embedded:
        with store.reading() as connection:
            found = connection.execute(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")).scalars().all()
    else:
        server: Postgres = request.getfixturevalue("postgres")
        command = [server.programs / "pg_dump", "--schema-only", "--dbname", store.url.set(drivername="postgresql")]
        dump = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout
        found = "\n".join(line for line in dump.splitlines() if not line.startswith(("--", "\\"))).split(";\n")
    return sorted(map(parts_of, found))


def parts_of(statement: str) -> list[str]:
    """What stands before the outermost brackets, then what they hold, cut at commas and sorted, then the rest.
    Names that PostgreSQL makes up by itself are left out."""
    words = re.sub(r"CONSTRAINT \w+_not_null\d* ", "", " ".join(statement.replace('"', "").split()))
    before, _, rest = words.partition("(")
    inside, _, behind = rest.rpartition(")")
    return [before, *sorted(part.strip() for part in re.split(r",(?![^()]*\))", inside)), behind]


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


def test_the_code_belongs_to_the_newest_migration() -> None:
    assert revisions.revisions()[-1] == REVISION


def test_a_downgrade_and_upgrade_leave_the_same_tables(store: Database) -> None:
    revisions.downgrade(store, "base")
    assert revisions.current(store) is None
    with store.reading() as connection:
        assert set(inspect(connection).get_table_names()) <= {"alembic_version"}
    revisions.upgrade(store)
    assert revisions.current(store) == REVISION


def test_a_failed_migration_changes_nothing(empty_store: Database) -> None:
    with empty_store.rebuilding() as connection:
        connection.execute(text("CREATE TABLE verdicts (anything INTEGER)"))
    with pytest.raises(StoreError):
        revisions.upgrade(empty_store)
    with empty_store.reading() as connection:
        assert "sources" not in inspect(connection).get_table_names()


def test_an_unknown_revision_is_an_error_that_says_so(store: Database) -> None:
    with pytest.raises(StoreError, match="nonsense"):
        revisions.upgrade(store, "nonsense")


def test_a_server_is_changed_only_by_db_upgrade(empty_store: Database) -> None:
    url = empty_store.url.render_as_string(hide_password=False)
    if empty_store.embedded:
        create_store(open_store(url))
        assert revisions.current(empty_store) == REVISION
    else:
        with pytest.raises(StoreError, match="dealmill db upgrade"):
            create_store(open_store(url))
        assert revisions.current(empty_store) is None


def test_a_database_newer_than_the_code_is_refused(store: Database) -> None:
    with store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"newer \(9999\)"):
        open_store(store.url.render_as_string(hide_password=False))
    with pytest.raises(StoreError, match="newer"):
        revisions.upgrade(store)


OLD_ROWS = (
    "INSERT INTO sources (id, game, name, digest, accepted, duplicates, rejected, complete, created)"
    " VALUES (1, 'memory', 'a.txt', :digest, 1, 0, 0, true, 0)",
    "INSERT INTO layouts (id, digest, text) VALUES (1, :digest, 'AABB')",
    "INSERT INTO items (source_id, position, layout_id, line) VALUES (1, 1, 1, 1)",
    "INSERT INTO engines (id, name, version) VALUES (1, 'memory/two-pass', '1')",
    "INSERT INTO runs (id, source_id, engine_id, node_limit, created) VALUES (7, 1, 1, 9, 0)",
    "INSERT INTO jobs (id, run_id, first, stop, state, attempt, winnable, unwinnable, scored, undecided, failed,"
    " value_sum, nodes) VALUES (1001, 7, 1, 2, 3, 1, 0, 0, 1, 0, 0, 4, 1)",
    "INSERT INTO verdicts (run_id, position, verdict, value, nodes, evidence) VALUES (7, 1, 3, 4, 1, '1 2 3 4')",
)


def test_verdicts_survive_upgrades_and_downgrades(empty_store: Database) -> None:
    revisions.upgrade(empty_store, "0001")
    with empty_store.writing() as connection:
        for row in OLD_ROWS:
            connection.execute(text(row), {"digest": b"d"} if ":digest" in row else {})
    revisions.upgrade(empty_store)
    found = find_run(empty_store, "7")
    with empty_store.reading() as connection:
        assert connection.execute(text("SELECT line, digest, layout FROM items")).all() == [(1, b"d", "AABB")]
    assert (found.solved, found.value_sum, found.repeats, found.retracted) == (1, 4, None, None)
    repetition = plan_repetition(empty_store, found, "1", chunk=1)
    assert find_run(empty_store, repetition).repeats == 7
    with empty_store.writing() as connection:
        connection.execute(text("DELETE FROM actions"))
    revisions.downgrade(empty_store, "0001")
    with empty_store.reading() as connection:
        assert connection.execute(text("SELECT id FROM runs")).scalars().all() == [7]
        joined = text("SELECT position, line, digest, text FROM items JOIN layouts ON id = layout_id")
        assert connection.execute(joined).all() == [(1, 1, b"d", "AABB")]
        assert connection.execute(text("SELECT evidence FROM verdicts")).scalars().all() == ["1 2 3 4"]


def test_a_downgrade_deletes_surveys_and_nothing_else(store: Database) -> None:
    run = a_run(store, "memory/two-pass", ["AABB", "ABAB"])
    an_audit(store, run)
    survey = open_survey(store, parse_deal_range("deal:memory:seed=1:1-"), "memory/two-pass", None)
    grow(store, survey.id, 2_000, 1_000)
    do_runs(store)
    an_audit(store, find_run(store, "2"), sample=5)
    queue_rerun(store, find_run(store, "2"), any_version=False)
    revisions.downgrade(store, "0003")
    revisions.upgrade(store)
    assert [found.id for found in list_runs(store)] == [1]
    [kept] = latest_audits(store).values()
    assert (kept.run, kept.population, kept.valid) == (1, 2, 2)
    with store.reading() as connection:
        for table in ("packs", "verdicts", "blocks", "jobs", "sources", "audits", "actions"):
            count = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar()
            assert count == {"packs": 0, "verdicts": 2, "actions": 2}.get(table, 1), table


def test_a_migration_recomputes_digests_that_match_their_rows(store: Database) -> None:
    layouts = ["AABB", "ABAB", "ABBA"] * 1_000
    run = a_run(store, "memory/two-pass", layouts)
    survey = open_survey(store, parse_deal_range("deal:memory:seed=1:1-"), "memory/two-pass", None)
    grow(store, survey.id, 2_000, 1_000)
    do_runs(store)
    of_rows, of_survey = digests(store, run.id), digests(store, survey.id)
    with store.writing() as connection:
        connection.execute(text("UPDATE verdicts SET value = 7 WHERE position = 1500"))
    revisions.downgrade(store, "0004")
    solved = solve("memory/two-pass", layouts[:1_000])
    before = json.dumps([1, layouts[:1_000], [3] * 1_000, solved.values, solved.evidence], separators=(",", ":"))
    made = digests(store, run.id)
    assert made[0] == blake2b(before.encode(), digest_size=32).digest()
    assert (made[1] == of_rows[1], made[2] == of_rows[2]) == (True, False)
    revisions.upgrade(store)
    assert digests(store, run.id) == of_rows
    assert (len(of_survey), digests(store, survey.id)) == (2, [])
    [fault] = [fault for fault in found_by_audit(store, run) if "digest" in fault.reason]
    assert (fault.first, fault.last) == (1_001, 2_000)
    missing = "no digest of these verdicts is recorded"
    assert found_by_audit(store, survey) == [Fault(1, 1_000, missing), Fault(1_001, 2_000, missing)]


def test_distributions_are_counted_for_rows_and_extremes_kept_for_packs(store: Database) -> None:
    layouts = deal(find_game("hi-q"), 1, 1, 2_500)
    run = a_run(store, "hi-q/greedy", layouts, chunk=1_000)
    survey = a_survey(store, "hi-q/greedy", 2_000)
    plan_run(store, a_source(store, "hi-q/greedy", layouts), "hi-q/greedy", "0", None, chunk=1_000)  # is not solved
    before = spreads(store)
    assert len(before) == 8 and before[2][0] == "500" and before[-1][1:] == (None,) * 6
    revisions.downgrade(store, "0010")
    with store.reading() as connection:
        extremes = connection.execute(text("SELECT least, greatest FROM packs ORDER BY first")).all()
    assert extremes == [row[1:3] for row in before[3:5]]
    revisions.upgrade(store)
    unknown = [(items, least, greatest, None, None, None, None) for items, least, greatest, *_ in before[3:5]]
    assert spreads(store) == [*before[:3], *unknown, *before[5:]]
    for one in (run, survey):
        assert an_audit(store, find_run(store, one.id)).clean
    values, nodes = (histogram_of(store, survey.id, column) for column in ("value", "nodes"))
    assert values is nodes is None
    alter(store, "UPDATE jobs SET least_nodes = 4 WHERE first = 1001")
    assert {fault.first for one in (run, survey) for fault in found_by_audit(store, one)} == {1_001}


def spreads(store: Database) -> list[tuple[Any, ...]]:
    """The number of items of each job, with its distributions."""
    with store.reading() as connection:
        query = select(jobs_table.c.stop - jobs_table.c.first, *(jobs_table.c[name] for name in SPREAD))
        rows = connection.execute(query.order_by(jobs_table.c.id)).all()
    return [(str(items), *spread) for items, *spread in rows]


def digests(store: Database, run: int) -> list[bytes]:
    with store.reading() as connection:
        found = connection.execute(text("SELECT digest FROM blocks WHERE run_id = :run ORDER BY number"), {"run": run})
        return [bytes(digest) for digest in found.scalars()]


def found_by_audit(store: Database, run: RunStatus) -> list[Fault]:
    return faults_of(store, an_audit(store, find_run(store, run.id)).id)


def test_a_migration_is_refused_while_leases_are_held_and_the_run_resumes_afterwards(store: Database) -> None:
    number = plan_run(store, a_source(store, "memory/two-pass", ["AABB", "ABAB"]), "memory/two-pass", "1", 9, chunk=1)
    first, _ = leases.pending(store, SOLVING, installed_engines(), 9)
    assert SOLVING_JOBS.claim(store, first, "w", 60.0)
    revisions.upgrade(store)  # there is nothing to do
    with pytest.raises(StoreError, match=r"workers hold leases \(1\); stop all commands.* within (59|60) s"):
        revisions.downgrade(store, "0003")
    leases.expire(store, SOLVING, first, "w", "gone")
    revisions.downgrade(store, "0003")
    with store.writing() as connection:
        connection.execute(text("UPDATE jobs SET leased_until = 1e12"))
    with pytest.raises(StoreError, match="workers hold leases"):
        revisions.upgrade(store)
    assert revisions.current(store) == "0003"
    with store.writing() as connection:
        connection.execute(text("UPDATE jobs SET leased_until = 0"))
    revisions.upgrade(store)
    leases.free_expired(store, SOLVING)
    do_runs(store)
    assert find_run(store, number).finished
    assert an_audit(store, find_run(store, number)).clean


def test_a_job_is_not_taken_over_tables_of_another_revision(store: Database) -> None:
    plan_run(store, a_source(store, "memory/two-pass", ["AABB", "ABAB"]), "memory/two-pass", "1", 9, chunk=1)
    first, _ = leases.pending(store, SOLVING, installed_engines(), 9)
    revisions.downgrade(store, "0006")
    with pytest.raises(StoreError, match="do not match this version of Dealmill"):
        SOLVING_JOBS.claim(store, first, "began before the migration", 60.0)
    revisions.upgrade(store)  # which waits for no lease
    do_runs(store)
    assert find_run(store, "1").finished


def test_foreign_keys_are_enforced_after_a_migration(empty_store: Database) -> None:
    revisions.upgrade(empty_store)
    with pytest.raises(StoreError, match=r"(?i)foreign key"), empty_store.writing() as connection:
        connection.execute(text("INSERT INTO blocks (run_id, number, digest) VALUES (99, 0, :d)"), {"d": b"d"})
