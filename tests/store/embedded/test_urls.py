"""The URL of the file of an embedded store."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import dealmill
from dealmill import Store, StoreError
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.database.urls import database_url
from tests.store.embedded.files import as_ordinary_user, contents


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("my store.db", "my store.db"),
        ("my%20store.db", "my store.db"),
        ("a%23b.db", "a#b.db"),
        ("a%3Fb.db", "a?b.db"),
        ("100%25.db", "100%.db"),
        ("ä.db", "ä.db"),
    ],
)
def test_the_url_of_a_file_means_what_it_means_to_sqlite(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with dealmill.open(f"sqlite:///{name}") as store:
        store.queue("deal:memory:seed=1:1-2")
        handed_on = store._database.url.render_as_string(hide_password=False)
    assert [path.name for path in tmp_path.iterdir()] == [file]
    assert database_url(handed_on).database == file


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a#b.db", "contains a #"),
        ("x.db?timeout=5", "for a file, the only option is"),
        ("x.db?immutable=1", "for a file, the only option is"),
        ("x.db?mode=rw", "for a file, the only option is"),
        ("x.db?mode=ro&mode=rw", "for a file, the only option is"),
        ("x.db?mode=ro&cache=shared", "for a file, the only option is"),
        ("file:x.db?uri=true", "contains a file: URI"),
        ("file:x.db", "contains a file: URI"),
        ("a%FFb.db", "is not UTF-8"),
        ("a%0Ab.db", "not printable"),
    ],
)
def test_a_url_that_sqlite_would_read_otherwise_is_refused(
    name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for use in (dealmill.open, dealmill.db.upgrade, dealmill.doctor):
        with pytest.raises(StoreError, match=why):
            use(f"sqlite:///{name}")
    assert not list(tmp_path.iterdir())


def test_a_url_may_open_a_store_for_reading_only(solved: Path, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": f"sqlite:///{solved}?mode=ro"}
    before = contents(tmp_path)
    refused = (["run", "deal:memory:seed=1:1-9"], ["db", "downgrade", "--yes", "0010"], ["audit", "1"], ["work"])
    [(code, out, _), *rest] = as_ordinary_user(["query", "1", "--nl"], *refused, cwd=tmp_path, env=env)
    assert (code, '"verdict": "scored"' in out) == (0, True)
    for code, out, err in rest:
        assert (code, out, err.count("\n")) == (1, "", 1), err
        assert f"opens {solved} read-only; remove ?mode=ro" in err
    assert contents(tmp_path) == before
    with pytest.raises(StoreError, match="read-only"):
        dealmill.db.upgrade(f"sqlite:///{tmp_path / 'none.db'}?mode=ro")
    with Store(open_store(env["DEALMILL_DATABASE_URL"])) as store, closing(sqlite3.connect(solved)) as connection:
        connection.execute("UPDATE actions SET why = 'seen at once'")
        connection.commit()
        assert "seen at once" in {action.why for action in store.log()}


def test_a_password_with_an_at_sign_is_refused_without_showing_it() -> None:
    with pytest.raises(StoreError, match="has an @: write it as %40") as refused:
        database_url("postgresql://user:sec@ret@127.0.0.1:1/d")
    assert "ret" not in str(refused.value)
    assert database_url("postgresql://user:sec%40ret@127.0.0.1:1/d").password == "sec@ret"  # noqa: S105
