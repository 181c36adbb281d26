"""Fixtures shared by all tests: stores on both databases, on real servers."""

import gc
import os
from collections.abc import Iterator
from math import inf
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import settings

from dealmill.pipeline import solve
from dealmill.pipeline.games.kernels import load_compiler
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import create_tables
from dealmill.pipeline.store.database.urls import database_url
from tests.forks.workers import take_workers_from
from tests.needs import STRICT, announce, count_skips
from tests.servers import RUNNING, Postgres, folder_in_memory, fork_server_for, running_postgres
from tests.statements import share_statements

ABOUT_DATABASES = (
    *("tests/store/", "tests/workers/", "tests/test_whole_way.py", "tests/api/test_opening.py"),
    *("tests/web/test_safety.py", "tests/web/test_searches.py"),
)
"""The tests that `make test` runs on both databases. All others that use PostgreSQL are part of `make test-slow`."""

ON_BOTH_DATABASES = (
    *ABOUT_DATABASES,
    *("tests/contract/", "tests/docs/test_sql.py", "tests/faults/", "tests/results/", "tests/test_fingerprint.py"),
    *("tests/cli/test_db.py", "tests/cli/test_doctor.py", "tests/cli/test_interrupt.py", "tests/test_rerun.py"),
)
"""The tests that use PostgreSQL as well as SQLite, in either target. All others are about what stands on the store,
which is the same on both."""

SLOW = (
    *("tests/deploy/test_native_start.py", "tests/faults/", "tests/install/", "tests/mutation/"),
    *("tests/checker/test_programs.py", "tests/fuzz/test_kernels.py"),
    *("tests/plugins/test_farm.py", "tests/store/test_upgrade.py", "tests/workers/test_database_away.py"),
    *("tests/fuzz/test_files.py", "tests/games/camelot/test_exact.py", "tests/golden/"),
    *("tests/contract/test_every_column.py", "tests/workers/test_deadly_layouts.py"),
    *("tests/games/card_pairing/test_figures.py", "tests/games/memory/test_figures.py"),
    "tests/test_public_figures.py",
)
"""The tests that only `make test-slow` runs, in addition to those that are marked as slow."""

settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")
take_workers_from(fork_server_for)
share_statements()
solve.PART_SECONDS = inf  # jobs are done whole in this process, however busy it is


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A PostgreSQL server that runs for the whole session."""
    with running_postgres(within=folder_in_memory()) as server:
        yield server


@pytest.fixture
def postgres(postgres_server: Postgres) -> Iterator[Postgres]:
    """A PostgreSQL server, without the databases that a test has created after the test."""
    yield postgres_server
    postgres_server.drop_databases()


@pytest.fixture(scope="session")
def tables(postgres_server: Postgres) -> str:
    """The name of a PostgreSQL database with tables, which is copied: that takes half as long as creating them."""
    database = with_tables(Database(database_url(postgres_server.new_database(lasting=True))))
    database.close()
    assert database.url.database is not None
    return database.url.database


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> str:
    """The name of each kind of database on which a test runs."""
    return str(request.param)


@pytest.fixture
def empty_store(request: pytest.FixtureRequest, backend: str, tmp_path: Path) -> Iterator[Database]:
    """A database without tables, on SQLite and on PostgreSQL."""
    if backend == "sqlite":
        url = f"sqlite:///{tmp_path / 'store.db'}"
    else:
        url = request.getfixturevalue("postgres").new_database()
    database = Database(database_url(url))
    yield database
    database.close()


@pytest.fixture
def database(request: pytest.FixtureRequest, backend: str) -> Iterator[Database]:
    """A store with tables, on SQLite and on PostgreSQL."""
    if backend == "sqlite":
        yield request.getfixturevalue("sqlite_store")
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        url = postgres.new_database(template=request.getfixturevalue("tables"))
        database = Database(database_url(url))
        yield database
        database.close()


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with tables, which is copied: that takes a sixth of the time of creating them."""
    file = tmp_path_factory.mktemp("tables") / "store.db"
    with_tables(Database(database_url(f"sqlite:///{file}"))).close()
    return file


@pytest.fixture
def sqlite_store(sqlite_tables: Path, tmp_path: Path) -> Iterator[Database]:
    """A store with tables on SQLite, which accepts any value in any column."""
    database = Database(database_url(f"sqlite:///{copyfile(sqlite_tables, tmp_path / 'store.db')}"))
    yield database
    database.close()


def with_tables(database: Database) -> Database:
    """Create the tables and return the store."""
    with database.rebuilding() as connection:
        create_tables(connection)
    return database


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests that take a store on one database or on both, unless they name it."""
    named = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "backend" in metafunc.fixturenames and "backend" not in named:
        both = metafunc.definition.nodeid.startswith(ON_BOTH_DATABASES)
        metafunc.parametrize("backend", ["sqlite", "postgresql"] if both else ["sqlite"], indirect=True)


def parameters(item: pytest.Item) -> list[object]:
    """Return the parameters of a test."""
    return (
        list(item.callspec.params.values()) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else []
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run one process more than there are processors, because tests wait for other processes for much of the time."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests as slow by their files and databases. Begin with the long tests, so that no process is left with one
    of them at the end."""
    for item in items:
        second_database = "postgresql" in parameters(item) and not item.nodeid.startswith(ABOUT_DATABASES)
        if second_database or item.nodeid.startswith(SLOW):
            item.add_marker("slow")
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Exempt what is loaded by now from garbage collection, which would look at all of it again and again, and collect
    less often."""
    load_compiler()
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say how long a run of a target takes and what it skips, in the first line."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and session.config.args_source.name != "ARGS":
        announce(reporter, session.config.option.markexpr)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Stop the servers that were started when they were first needed. Fail if a test was skipped that must not be."""
    RUNNING.close()
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if STRICT and exitstatus == pytest.ExitCode.OK and reporter and reporter.getreports("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables recorded by tests in all processes. Then print how many tests were skipped, and why."""
    if count_skips(terminalreporter) and STRICT:
        terminalreporter.write_line("TEST_SKIPS=fail: this run fails, because tests were skipped", red=True)
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if name == "table":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line(str(value))
