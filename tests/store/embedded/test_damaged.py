"""The file of an embedded store is damaged."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

import dealmill
from dealmill import DamagedError, StoreError, StoreUnavailable
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.sqlite import error_of
from tests.servers import dealmill as command
from tests.store.embedded.files import execute


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE alembic_version SET version_num = 'zzz'", "holds 'zzz', which is not a valid revision"),
        ("UPDATE alembic_version SET version_num = '0000'", "holds '0000'"),
        ("UPDATE alembic_version SET version_num = ''", "holds ''"),
        ("DELETE FROM alembic_version", "has no rows instead of one"),
        ("INSERT INTO alembic_version VALUES ('0001')", "has 2 rows instead of one"),
        ("DROP TABLE alembic_version", "is missing"),
    ],
)
def test_a_damaged_revision_is_called_that(statement: str, message: str, database: Database) -> None:
    with database.writing() as connection:
        connection.execute(text(statement))
    url = database.url.render_as_string(hide_password=False)
    for use in (dealmill.open, dealmill.db.current, dealmill.db.upgrade):
        with pytest.raises(DamagedError, match=f"alembic_version of the database .* {message}.*restore the database"):
            use(url)
    checks = {check.name: check for check in dealmill.doctor(url)}
    assert message in checks["tables"].details


@pytest.mark.parametrize(("value", "message"), [("NULL", "holds None"), ("x'ff00'", "holds b'"), ("7", "holds '7'")])
def test_a_revision_of_another_type_is_damaged(value: str, message: str, solved: Path) -> None:
    execute(
        solved,
        "DROP TABLE alembic_version; CREATE TABLE alembic_version (version_num VARCHAR(32));"
        f"INSERT INTO alembic_version VALUES ({value})",
    )
    with pytest.raises(DamagedError, match=message):
        dealmill.open(f"sqlite:///{solved}")


def test_a_damaged_file_is_called_that(solved: Path, tmp_path: Path) -> None:
    with solved.open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xff" * (solved.stat().st_size - 4096))
    ran = command("status", cwd=tmp_path)
    assert (ran.returncode, ran.stderr.count("\n")) == (3, 1), ran.stderr
    assert "is damaged: database disk image is malformed; restore it from a backup" in ran.stderr


def test_a_missing_table_is_not_waited_for(solved: Path) -> None:
    execute(solved, "DROP TABLE actions")
    with dealmill.open(f"sqlite:///{solved}") as store, pytest.raises(StoreError, match="no such table") as refused:
        store.log()
    assert not isinstance(refused.value, StoreUnavailable)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_NOMEM])
def test_an_error_of_memory_is_not_taken_for_one_of_the_disk(file: Path, code: int) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    assert str(error_of(file, "sqlite:///a.db", error)) == (
        "the database sqlite:///a.db is not available: disk I/O error; there is not enough memory; if it is limited, "
        "allow more, for example with: ulimit -v unlimited"
    )
