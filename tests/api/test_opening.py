"""Opening and closing stores, their tables, and the check of the installation."""

import sqlite3
from pathlib import Path

import pytest

import dealmill
from dealmill import Store, StoreError, StoreUnavailable, UsageError
from dealmill.pipeline.store.database.connections import Database
from tests.doing import a_run

SECRET = "hunter2"  # noqa: S105


def test_a_closed_store_and_its_runs_are_refused(database: Database) -> None:
    a_run(database, "memory/two-pass", ["ABBA"])
    opened = Store(database)
    run = opened.find_run(1)
    opened.close()
    opened.close()
    for call in (opened.status, opened.runs, opened.log, run.status, lambda: opened.run("deal:memory:seed=1:1-2")):
        with pytest.raises(UsageError, match="is closed; open it again with"):
            call()
    assert (run.id, run.engine) == (1, "memory/two-pass")


def test_an_exception_closes_a_store_and_is_passed_on(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with pytest.raises(ZeroDivisionError), dealmill.open(url) as opened:
        raise ZeroDivisionError
    with pytest.raises(UsageError, match="is closed"):
        opened.runs()


def test_two_stores_can_be_open_in_one_process(database: Database, tmp_path: Path) -> None:
    a_run(database, "memory/two-pass", ["ABBA"])
    same = dealmill.open(database.url.render_as_string(hide_password=False))
    second = dealmill.open(f"sqlite:///{tmp_path / 'other.db'}")
    Store(database).close()
    assert [run.id for run in same.runs()] == [1]
    with pytest.raises(StoreError, match=r"there is no store in .*other\.db yet"):
        second.runs()
    same.close()
    assert second.queue("deal:memory:seed=1:1-2").id == 1
    second.close()


@pytest.mark.parametrize(
    ("url", "error", "message"),
    [
        ("", StoreError, "the database URL is not valid; write sqlite:///FILE"),
        ("a.db", StoreError, "the database URL is only a name; for a file, write sqlite:///FILE"),
        (Path("a.db"), StoreError, "the database URL is only a name; for a file, write sqlite:///FILE"),
        (3, StoreError, "the database URL is only a name"),
        (f"postgresql://u:{SECRET}@h:port/d", StoreError, "the database URL is not valid"),
        (f"postgresql:///d?password={SECRET}&what=2", StoreError, "the database postgresql"),
        (f"sqlite://u:{SECRET}@h/d", StoreError, "the database URL names no file"),
        ("sqlite:///\udcff", StoreError, "is not UTF-8"),
        (f"mysql://u:{SECRET}@h/d", StoreError, "the database URL starts with mysql"),
        ("sqlite://", StoreError, "names no file"),
        ("sqlite:///:memory:", StoreError, "names no file"),
        ("sqlite:///a\0b", StoreError, "names no file"),
        ("sqlite:////proc/none/a.db", StoreError, "the folder /proc/none does not exist; create it"),
        ("sqlite:////etc", StoreError, "/etc is not a regular file"),
        (f"postgresql://u:{SECRET}@127.0.0.1:1/d", StoreUnavailable, "is the server running"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(
    url: str, error: type[StoreError], message: str
) -> None:
    for use in (dealmill.open, dealmill.db.current):
        with pytest.raises(error, match=message) as refused:
            use(url)
        assert SECRET not in str(refused.value)
        assert refused.value.__suppress_context__ or SECRET not in str(refused.value.__cause__)


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    newest = dealmill.db.upgrade(url)
    dealmill.db.downgrade(url, revision="0010")
    assert dealmill.db.current(url) == "0010"
    with pytest.raises(StoreError, match=r"older version \(0010\); upgrade it with"):
        dealmill.open(url)
    assert dealmill.db.upgrade(url) == newest
    dealmill.open(url).close()
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    for use in (dealmill.open, dealmill.db.upgrade):
        with pytest.raises(StoreError, match=r"newer \(9999\)"):
            use(url)
    with pytest.raises(StoreError, match="none"):
        dealmill.db.upgrade(f"sqlite:///{tmp_path / 'b.db'}", "none")


def test_tables_of_a_server_are_created_only_by_db_upgrade(empty_store: Database) -> None:
    url = empty_store.url.render_as_string(hide_password=False)
    assert dealmill.db.current(url) is None
    if not empty_store.embedded:
        with pytest.raises(StoreError, match="has no tables yet; create them with"):
            dealmill.open(url)
    newest = dealmill.db.upgrade(url)
    with dealmill.open(url) as opened:
        assert opened.runs() == []
    assert dealmill.db.current(url) == newest


def test_a_repr_shows_where_a_store_is_and_no_password(tmp_path: Path) -> None:
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as opened:
        assert str(opened) == f"sqlite:///{tmp_path / 'a.db'}"
        assert repr(opened) == f"<Store sqlite:///{tmp_path / 'a.db'}>"
