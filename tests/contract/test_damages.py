"""Every reader survives every damage of the catalogue: it names what is damaged, or gives what it gave before. All
other results can be exported, and an audit finds the damage."""

import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy import text

import dealmill
from dealmill.pipeline.store.database import connections as database
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database, engine_for
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.runs import leases
from dealmill.web.app import application
from dealmill.workers import tasks, working
from tests.contract.checks import Checks
from tests.contract.damages import DAMAGES, ITEM, ROWS, RUN, SQLITE, Cost, Damage, is_quick
from tests.contract.prepared import drop_checks, few_pauses, prepare, work_here
from tests.contract.readers import Reading, broken_promises, read_all, take, visited
from tests.judging import each_verdict_checked_once
from tests.servers import Postgres
from tests.servers import dealmill as dealmill_command

CASES = [
    pytest.param(
        damage,
        storage,
        database,
        id=f"{damage.name}, {storage}, {database}",
        marks=() if is_quick(number, storage, damage.storages) else pytest.mark.slow,
    )
    for number, damage in enumerate(DAMAGES)
    for database in damage.databases
    for storage in damage.storages
    if database == SQLITE or SQLITE not in damage.databases or is_quick(number, storage, damage.storages)
]
"""On PostgreSQL, a damage that SQLite has in both storages is in one of them, in turn."""
MAX_MEMORY = 5 * 2**30
"""The limit of this process's address space in bytes. Libraries reserve more than they use."""


@pytest.fixture(scope="module", autouse=True)
def _remembered() -> Iterator[None]:
    """Check the verdicts that no damage has changed only once."""
    with each_verdict_checked_once():
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a prepared store."""
    path = tmp_path_factory.mktemp("prepared") / "store.db"
    database = Database(database_url(f"sqlite:///{path}"))
    revisions.upgrade(database)
    prepare(database)
    database.close()
    drop_checks(path)
    return path


@pytest.fixture(scope="module")
def template(postgres_server: Postgres) -> str:
    """Return the name of a prepared database."""
    database = Database(database_url(postgres_server.new_database(lasting=True)))
    revisions.upgrade(database)
    prepare(database)
    database.close()
    assert database.url.database is not None
    return database.url.database


@pytest.fixture
def url(request: pytest.FixtureRequest, database: str, tmp_path: Path) -> Iterator[str]:
    """Return the URL of a copy of the prepared store, for one test."""
    if database == SQLITE:
        shutil.copy(request.getfixturevalue("file"), tmp_path / "store.db")
        copy = f"sqlite:///{tmp_path / 'store.db'}"
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        copy = postgres.new_database(template=request.getfixturevalue("template"))
    yield copy
    if database != SQLITE:
        engine_for(database_url(copy), None, None).dispose()


def inflict(url: str, damage: Damage, storage: str) -> None:
    """Change a record directly in the database."""
    parsed = database_url(url)
    values = dict(damage.values or {})
    if parsed.get_backend_name() == SQLITE:
        with closing(sqlite3.connect(str(parsed.database))) as file, file:  # foreign keys are off
            changed = file.execute(damage.statement(storage), values).rowcount
    else:
        with Database(parsed).writing() as connection:
            changed = connection.execute(text(damage.statement(storage)), values).rowcount
    assert changed > 0


@pytest.fixture(scope="module")
def pages(file: Path) -> Iterator[FastAPI]:
    """Return the application, which takes longer to build than to serve the pages of a store."""
    with dealmill.open(f"sqlite:///{file}") as store:
        yield application(store, hosts=["testserver"])


@pytest.fixture(autouse=True)
def _little_memory() -> Iterator[None]:
    """Limit the address space: a changed number must not exhaust the memory of the machine."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture
def troubles(url: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Do jobs in this process, and return a list of their errors that are not errors of Dealmill."""
    raised: list[str] = []

    def note(_message: str, *told: object, exc_info: bool = False) -> None:
        if exc_info:
            raised.append(str(told[-1]))

    monkeypatch.setattr(working, "work_until_done", work_here)
    monkeypatch.setattr(tasks, "configured_database", lambda: Database(database_url(url)))
    monkeypatch.setattr(leases, "PAUSES", (0.0,))
    monkeypatch.setattr(database, "pauses", few_pauses)
    monkeypatch.setattr(tasks.logger, "error", note)
    return raised


@pytest.fixture(scope="module")
def before() -> dict[tuple[str, str], dict[str, Reading]]:
    """Return what readers gave before any damage, by database and storage, as soon as it is known."""
    return {}


@pytest.mark.parametrize(("damage", "storage", "database"), CASES)
def test_one_damaged_record(
    damage: Damage,
    storage: str,
    database: str,
    url: str,
    before: dict[tuple[str, str], dict[str, Reading]],
    pages: FastAPI,
    troubles: list[str],
    tmp_path: Path,
) -> None:
    number = RUN[storage]
    with dealmill.open(url) as store:
        if (database, storage) not in before:
            before[database, storage] = read_all(store, number)
    inflict(url, damage, storage)
    with dealmill.open(url) as store:
        after = read_all(store, number)
        if damage.name == "item deleted":
            del after["find"]  # a layout without a row is not found
        steps: dict[str, Callable[[], object]] = {
            "export": lambda: store.find_run(number).export(tmp_path / "out.csv", skip_damaged=True),
            "pages": lambda: visited(pages, store, number),
            "rerun": lambda: list(store.find_run(number).rerun()),
            "audit": lambda: store.find_run(number).audit(),
            "workers": store.workers,
        }
        readings = {name: take(step) for name, step in steps.items()}
        wrong = [
            *broken_promises(before[database, storage], after, changed=damage.cost in (Cost.CHANGED, Cost.RUN)),
            *(f"a job: {trouble}" for trouble in troubles),
            *Checks(damage, storage, store, readings).all(),
        ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["evidence not UTF-8", "run storage 7"])
def test_the_exit_code_of_a_command_tells_of_damage(name: str, file: Path, tmp_path: Path) -> None:
    shutil.copy(file, tmp_path / "dealmill.db")
    [damage] = [each for each in DAMAGES if each.name == name and ROWS in each.storages]
    inflict(f"sqlite:///{tmp_path / 'dealmill.db'}", damage, ROWS)
    for command in (("query", "1", "--csv"), ("show", f"1:{ITEM}"), ("export", "1", "out.csv"), ("audit", "1")):
        ran = dealmill_command(*command, cwd=tmp_path)
        assert (ran.returncode, "Traceback" in ran.stderr) == (3, False), (command, ran.stderr)
        assert f"1:{ITEM}" in ran.stdout + ran.stderr or "run 1" in ran.stderr, (command, ran.stderr)
