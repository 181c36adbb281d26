"""Fixtures shared by all tests: stores on both databases, on real servers."""

import gc
import os
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import settings

from dealmill.pipeline.games.kernels import load_runtime
from dealmill.pipeline.solving import solve
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import create_tables
from dealmill.pipeline.store.database.urls import database_url
from tests.forks.workers import take_workers_from
from tests.needs import STRICT, announce, count_skips
from tests.selection import ON_BOTH_DATABASES, QUICK_ON_POSTGRESQL, SELECTION, SLOW, SLOW_TESTS, is_quick
from tests.servers import RUNNING, Postgres, folder_in_memory, fork_server_for, running_postgres
from tests.statements import share_statements

TESTS = Path(__file__).parent
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
    named = {name for mark in metafunc.definition.iter_markers("parametrize") for name in names_of(mark)}
    if "backend" in metafunc.fixturenames and "backend" not in named:
        both = metafunc.definition.nodeid.startswith(ON_BOTH_DATABASES)
        metafunc.parametrize("backend", ["sqlite", "postgresql"] if both else ["sqlite"], indirect=True)


def names_of(parametrize: pytest.Mark) -> Sequence[str]:
    """Return the names of the arguments that a mark gives."""
    names: str | Sequence[str] = parametrize.args[0]
    return names.split(",") if isinstance(names, str) else names


def parameters(item: pytest.Item) -> list[object]:
    """Return the parameters of a test."""
    return (
        list(item.callspec.params.values()) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else []
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read which tests are selected."""
    SELECTION.read(config)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Do not import files without a selected test."""
    if collection_path.is_relative_to(TESTS):
        return SELECTION.leaves_out(nodeid_of(collection_path)) or None
    return None


def nodeid_of(path: Path) -> str:
    """Return a path in the form in which `SLOW` has it: that of a folder ends with a slash."""
    return f"tests/{path.relative_to(TESTS).as_posix()}{'/' * path.is_dir()}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run one process more than there are processors if slow tests are selected: the long ones, which come first in one
    process, wait for other processes, leases and timeouts for much of the time."""
    return (os.cpu_count() or 1) + (0 if is_quick(config) else 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests as slow by their files and databases. Begin with the long tests, so that no process is left with one
    of them at the end."""
    for item in items:
        second_database = "postgresql" in parameters(item) and not item.nodeid.startswith(QUICK_ON_POSTGRESQL)
        if second_database or item.nodeid.startswith((*SLOW, *SLOW_TESTS)):
            item.add_marker("slow")
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Exempt what is loaded by now from garbage collection, which would look at all of it again and again, and collect
    less often."""
    load_runtime()
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
