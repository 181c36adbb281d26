"""A damaged record affects only itself: it is reported, and all others are still served, exported, compared and
audited."""

import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

import dealmill
from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.store import database, leases, revisions
from dealmill.pipeline.store.database import Database, database_url, engine_for
from dealmill.workers import tasks, working
from tests.faults.checks import FORMS, Checks, Said, said
from tests.faults.prepared import drop_checks, few_pauses, prepare, work_here
from tests.faults.records import DAMAGES, ITEM, PACKED, ROWS, RUN, SQLITE, Damage
from tests.judging import each_verdict_checked_once
from tests.servers import Postgres

pytestmark = pytest.mark.timeout(60)
CASES = [
    pytest.param(damage, storage, database, id=f"{damage.name}, {storage}, {database}")
    for damage in DAMAGES
    for storage in damage.storages
    for database in damage.databases
]
MOST_MEMORY = 5 * 2**30
"""The limit of this process's address space in bytes. Libraries reserve more than they use."""
SAME_DEALS = {ROWS: 3, PACKED: 1}
"""The run to compare with, for the run of each storage."""


@pytest.fixture(scope="module", autouse=True)
def _remembered() -> Iterator[None]:
    """Check the verdicts that no damage has changed only once."""
    with each_verdict_checked_once():
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a prepared store."""
    found = tmp_path_factory.mktemp("prepared") / "store.db"
    store = Database(database_url(f"sqlite:///{found}"))
    revisions.upgrade(store)
    prepare(store)
    store.close()
    drop_checks(found)
    return found


@pytest.fixture(scope="module")
def template(postgres_server: Postgres) -> str:
    """Return the name of a prepared database."""
    store = Database(database_url(postgres_server.new_database(lasting=True)))
    revisions.upgrade(store)
    prepare(store)
    store.close()
    assert store.url.database is not None
    return store.url.database


@pytest.fixture
def url(request: pytest.FixtureRequest, database: str, tmp_path: Path) -> Iterator[str]:
    """Return the URL of a copy of the prepared store, for one test."""
    if database == SQLITE:
        shutil.copy(request.getfixturevalue("file"), tmp_path / "store.db")
        found = f"sqlite:///{tmp_path / 'store.db'}"
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        found = postgres.new_database(template=request.getfixturevalue("template"))
    yield found
    if database != SQLITE:
        engine_for(database_url(found), None, None).dispose()


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


@pytest.fixture(autouse=True)
def _little_memory() -> Iterator[None]:
    """Limit the address space: a changed number must not exhaust the memory of the machine."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, before[1]))
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
    monkeypatch.setattr(tasks, "configured_store", lambda: Database(database_url(url)))
    monkeypatch.setattr(leases, "PAUSES", (0.0,))
    monkeypatch.setattr(database, "pauses", few_pauses)
    monkeypatch.setattr(tasks.logger, "error", note)
    return raised


@pytest.mark.parametrize(("damage", "storage", "database"), CASES)
def test_one_damaged_record(
    damage: Damage,
    storage: str,
    database: str,
    url: str,
    troubles: list[str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    inflict(url, damage, storage)
    number = RUN[storage]
    with dealmill.open(url) as store:
        steps: dict[str, Callable[[], object]] = {
            "status": lambda: [run.id for run in store.status()],
            "query": lambda: list(store.find_run(number).results()),
            "show": lambda: store.result(f"{number}:{ITEM}").verdict.word,
            **{
                form: lambda form=form: store.find_run(number).export(tmp_path / f"out.{form}")  # type: ignore[misc]
                for form in FORMS
            },
            "diff": lambda: list(store.find_run(number).diff(store.find_run(SAME_DEALS[storage]))),
            "rerun": lambda: list(store.find_run(number).rerun()),
            "audit": lambda: store.find_run(number).audit(),
            "log": store.log,
            "rejects": lambda: list(store.rejects(source=2)),
            "workers": store.workers,
            "others": lambda: list(store.find_run(4).results(retracted=True)),
        }
        found = {name: said(step) for name, step in steps.items()}
        wrong = [
            *(f"{name}: {one.error!r}" for name, one in found.items() if not _ours(one.error)),
            *(f"a job: {trouble}" for trouble in troubles),
            *Checks(damage, storage, store, found).all(),
        ]
    cells = {name: str(one) for name, one in found.items()}
    cells["audit"] = _audited(found["audit"])
    record_property(
        "row", {"case": damage.name, "storage": storage, "database": database, **cells, "ok": "NO" if wrong else "yes"}
    )
    assert not wrong, "\n".join(wrong)


def _ours(error: Exception | None) -> bool:
    return error is None or isinstance(error, DealmillError)


def _audited(said: Said) -> str:
    if not isinstance(said.value, dealmill.Audit):
        return str(said)
    status = said.value.status
    return f"{status.judged} judged, {status.invalid} invalid, {status.faults} faults"
