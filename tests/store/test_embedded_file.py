"""The file of an embedded store: deleted, replaced, foreign, damaged or read-only, and what its URL may say."""

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

import dealmill
from dealmill import DamagedError, ReplacedError, Store, StoreError, StoreUnavailable
from dealmill.pipeline.store.database import migrate
from dealmill.pipeline.store.database.connections import Database, database_url
from dealmill.pipeline.store.database.opening import open_store
from dealmill.pipeline.store.database.tables import REVISION
from dealmill.pipeline.store.sources.writing import open_source
from tests.doing import a_run
from tests.servers import clean_environment, dealmill_command
from tests.servers import dealmill as command

DROP_FROM_BOUNDING_SET = 24
IGNORING_PERMISSIONS = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, with which root reads and writes everything."""
READERS = (
    ["status"],
    ["query", "1", "--nl"],
    ["show", "1:1"],
    ["export", "1", "/dev/stdout/a.csv"],
    ["diff", "1", "1"],
    ["log", "--nl"],
    ["audit", "1"],
    ["work", "--drain"],
    ["retract", "--engine", "memory/two-pass", "--version", "1", "--why", "x"],
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "dealmill.db"


@pytest.fixture
def solved(file: Path) -> Iterator[Path]:
    """The file of a store with one run, closed."""
    store = created(file)
    a_run(store, "memory/two-pass", ["ABBA", "AABB"])
    store.close()
    yield file
    for path in (file, file.parent):
        path.chmod(0o755)


def created(file: Path) -> Database:
    store = Database(database_url(f"sqlite:///{file}"))
    migrate.upgrade(store)
    return store


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def lock_up(*paths: Path) -> None:
    """Take away the permissions to write."""
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)


SEVERAL = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from dealmill.cli import main

for sys.argv[1:] in json.load(sys.stdin):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
"""One process, for most of the time of a command goes into starting it."""


def as_ordinary_user(*commands: list[str], cwd: Path, env: dict[str, str] | None = None) -> list[tuple[int, str, str]]:
    """Run commands with the permissions of an ordinary user, also as root. Returns the exit code, standard output and
    standard error of each."""

    def obey() -> None:
        for capability in IGNORING_PERMISSIONS if os.geteuid() == 0 else ():
            if ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0):
                os._exit(99)

    ran = subprocess.run(
        [sys.executable, "-c", SEVERAL],
        cwd=cwd,
        env=clean_environment(env),
        input=json.dumps(commands),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=obey,
    )
    return [tuple(json.loads(line)) for line in ran.stdout.splitlines()]


# Deleted or replaced


def test_a_deleted_file_is_noticed_by_readers_and_writers(file: Path) -> None:
    store = created(file)
    open_source(store, "memory", "a.txt", b"a")
    file.unlink()
    for use in (store.reading, store.browsing, store.writing, store.rebuilding):
        with pytest.raises(ReplacedError, match=r"dealmill\.db was deleted or replaced while it was open"), use():
            pytest.fail("it was not noticed")
    assert not file.exists()


def test_what_is_committed_into_a_deleted_file_is_an_error(file: Path) -> None:
    store = created(file)
    with pytest.raises(ReplacedError), store.writing() as connection:
        connection.execute(text("DELETE FROM actions"))
        file.unlink()


def test_another_file_in_its_place_is_left_alone(file: Path, tmp_path: Path) -> None:
    store = created(file)
    created(tmp_path / "other.db").close()
    (tmp_path / "other.db").rename(file)
    before = file.read_bytes()
    with pytest.raises(ReplacedError), store.reading():
        pytest.fail("it was not noticed")
    assert file.read_bytes() == before
    store.close()
    again = open_store(f"sqlite:///{file}")
    open_source(again, "memory", "a.txt", b"a")
    again.close()


def test_a_file_that_comes_back_is_used_again(file: Path) -> None:
    store = created(file)
    file.rename(file.with_name("away"))
    with pytest.raises(ReplacedError):
        open_source(store, "memory", "a.txt", b"a")
    file.with_name("away").rename(file)
    assert open_source(store, "memory", "a.txt", b"a").id == 1


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_deleted_file_beside_it_is_noticed(suffix: str, file: Path) -> None:
    store = created(file)
    open_source(store, "memory", "a.txt", b"a")
    file.with_name(f"{file.name}{suffix}").unlink()
    for use in (store.reading, store.writing):
        with pytest.raises(ReplacedError, match=rf"dealmill\.db{suffix} was deleted"), use():
            pytest.fail("it was not noticed")


def test_the_last_connection_of_another_process_does_no_harm(file: Path) -> None:
    store = created(file)
    open_source(store, "memory", "a.txt", b"a")
    with closing(sqlite3.connect(file)) as other:
        other.execute("SELECT * FROM sources").fetchall()
    assert open_source(store, "memory", "b.txt", b"b").id == 2


def test_a_store_stays_with_its_file_when_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with dealmill.open("sqlite:///a.db") as store:
        store.queue("deal:memory:seed=1:1-2")
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert len(store.runs()) == 1
        with dealmill.open("sqlite:///a.db") as other, pytest.raises(StoreError, match="there is no store in"):
            other.runs()
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("replace", [False, True])
def test_a_run_whose_file_is_deleted_ends_with_one_sentence(replace: bool, file: Path, tmp_path: Path) -> None:
    with (tmp_path / "told").open("wb") as told:
        running = subprocess.Popen(
            dealmill_command(["run", "deal:memory:seed=8:1-200000"]),
            cwd=tmp_path,
            env=clean_environment({"DEALMILL_WORKERS": "2"}),
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
        )
    wait_for(lambda: file.exists() and solved_layouts(file) > 0)
    for path in tmp_path.glob("dealmill.db*"):
        path.unlink()
    if replace:
        created(file).close()
    out, _ = running.communicate(timeout=60)
    said = (tmp_path / "told").read_text()
    assert (running.returncode, out) == (1, ""), said
    assert f"dealmill: {file} was deleted or replaced while it was open" in said.splitlines()[-1]
    assert "Traceback" not in said
    assert file.exists() == replace


def solved_layouts(file: Path) -> int:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM verdicts").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def wait_for(met: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# Missing, empty, foreign


def test_readers_create_nothing(file: Path, tmp_path: Path) -> None:
    for make in (None, Path.touch, lambda file: execute(file, "PRAGMA user_version=7")):
        if make:
            make(file)
        before = contents(tmp_path)
        with dealmill.open(f"sqlite:///{file}") as store:
            for use in (store.runs, store.status, store.log, store.workers, store.work, lambda: store.query(run=1)):
                with pytest.raises(StoreError, match=r"no store in .*dealmill\.db yet; create one with: dealmill run"):
                    use()
        assert dealmill.db.current(f"sqlite:///{file}") is None
        with pytest.raises(StoreError, match="has no tables, so there is nothing to downgrade"):
            dealmill.db.downgrade(f"sqlite:///{file}", revision="base")
        database = {check.name: check for check in dealmill.doctor(f"sqlite:///{file}")}["database"]
        assert (database.passed, "there is no store in" in database.found) == (True, True)
        assert contents(tmp_path) == before


def test_reading_commands_say_that_there_is_no_store(file: Path, tmp_path: Path) -> None:
    said = f"dealmill: there is no store in {file} yet; create one with: dealmill run FILE…\n"
    assert as_ordinary_user(*READERS, cwd=tmp_path) == [(1, "", said)] * len(READERS)
    assert not list(tmp_path.iterdir())


def test_a_command_that_stores_something_creates_the_store(file: Path, tmp_path: Path) -> None:
    file.touch()
    assert command("run", "none.txt", cwd=tmp_path).returncode == 1
    assert file.stat().st_size == 0
    ran = command("queue", "deal:memory:seed=1:1-9", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "1\n"), ran.stderr
    assert command("db", "current", cwd=tmp_path).stdout == f"{REVISION}\n"


def test_two_commands_create_one_store(tmp_path: Path) -> None:
    both = [
        subprocess.Popen(
            dealmill_command(["queue", f"deal:memory:seed={seed}:1-9"]),
            cwd=tmp_path,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 2)
    ]
    told = [process.communicate(timeout=60) for process in both]
    assert sorted(out for out, _ in told) == ["1\n", "2\n"], told


FOREIGN = {
    "of another program": lambda file: execute(file, "CREATE TABLE notes (a)"),
    "of another program that uses Alembic": lambda file: execute(
        file,
        "CREATE TABLE runs (a); CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('7')",
    ),
    "in WAL mode": lambda file: execute(file, "PRAGMA journal_mode=WAL; CREATE TABLE notes (a)"),
    "a text": lambda file: file.write_text("ABBA\n"),
    "a long text": lambda file: file.write_text("ABBA\n" * 10_000),
}


def execute(file: Path, script: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)


@pytest.mark.parametrize("make", FOREIGN.values(), ids=FOREIGN)
def test_a_file_of_something_else_is_never_changed(make: Callable[[Path], None], file: Path, tmp_path: Path) -> None:
    make(file)
    before = contents(tmp_path)
    url = f"sqlite:///{file}"
    for use in (dealmill.open, dealmill.db.current, dealmill.db.upgrade):
        with pytest.raises(StoreError, match="is not a Dealmill store") as refused:
            use(url)
        assert not isinstance(refused.value, StoreUnavailable)
        assert contents(tmp_path) == before
    with pytest.raises(StoreError, match="is not a Dealmill store"):
        dealmill.db.downgrade(url, revision="base")
    checks = {check.name: check for check in dealmill.doctor(url)}
    assert "is not a Dealmill store" in checks["tables"].found
    assert contents(tmp_path) == before


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="pipe is not a regular file"):
        dealmill.open(f"sqlite:///{tmp_path / 'pipe'}")
    with pytest.raises(StoreError, match="does not exist; create it"):
        dealmill.open(f"sqlite:///{tmp_path / 'none' / 'a.db'}")


# Read-only


@pytest.mark.parametrize("locked", ["the file", "the folder", "both"])
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_store_that_cannot_be_written_to_is_read(locked: str, journal: str, solved: Path, tmp_path: Path) -> None:
    execute(solved, f"PRAGMA journal_mode={journal}")
    lock_up(*{"the file": [solved], "the folder": [tmp_path], "both": [solved, tmp_path]}[locked])
    before = contents(tmp_path)
    for code, _, err in as_ordinary_user(
        ["status"], ["query", "1"], ["show", "1:1"], ["diff", "1", "1"], ["log"], ["db", "current"], cwd=tmp_path
    ):
        assert code == 0, err
    for code, out, err in as_ordinary_user(
        ["run", "deal:memory:seed=1:1-9"], ["audit", "1"], ["db", "downgrade", "--yes", "base"], cwd=tmp_path
    ):
        assert (code, out, err.count("\n")) == (1, "", 1), err
        assert f"is read-only: attempt to write a readonly database; are {solved} and its folder writable" in err
    assert contents(tmp_path) == before


def test_a_store_that_somebody_writes_is_read_with_its_newest_changes(solved: Path, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{solved}")
    open_source(store, "memory", "b.txt", b"b")
    lock_up(*tmp_path.iterdir(), tmp_path)
    [(code, _, err)] = as_ordinary_user(["query", "--rejected", "--source", "b.txt"], cwd=tmp_path)
    assert code == 0, err
    tmp_path.chmod(0o755)


def test_changes_that_cannot_be_read_without_writing_are_told(solved: Path, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{solved}")
    open_source(store, "memory", "b.txt", b"b")
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("dealmill.db", "dealmill.db-wal"):
        shutil.copy(tmp_path / name, copy)
    lock_up(*copy.iterdir(), copy)
    [(code, _, err)] = as_ordinary_user(["status"], cwd=copy)
    assert (code, err.count("\n")) == (1, 1), err
    assert "dealmill.db cannot be read without writing, because dealmill.db-wal holds changes" in err
    copy.chmod(0o755)


def test_a_store_that_changes_while_it_is_read_as_one_that_does_not_is_told(solved: Path) -> None:
    reader = open_store(f"sqlite:///{solved}?mode=ro")
    with pytest.raises(StoreUnavailable, match="was changed while it was being read; try again"), reader.reading():
        execute(solved, "DELETE FROM actions")
    with reader.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM actions")).scalar() == 0


# The revision


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE alembic_version SET version_num = 'zzz'", "holds 'zzz', which is not a valid revision"),
        ("UPDATE alembic_version SET version_num = '0000'", "holds '0000'"),
        ("UPDATE alembic_version SET version_num = ''", "holds ''"),
        ("DELETE FROM alembic_version", "has no rows instead of one"),
        ("INSERT INTO alembic_version VALUES ('0001')", "has 2 rows instead of one"),
        ("DROP TABLE alembic_version", "is missing"),
    ],
)
def test_a_damaged_revision_is_called_that(statement: str, found: str, store: Database) -> None:
    with store.writing() as connection:
        connection.execute(text(statement))
    url = store.url.render_as_string(hide_password=False)
    for use in (dealmill.open, dealmill.db.current, dealmill.db.upgrade):
        with pytest.raises(DamagedError, match=f"alembic_version of the database .* {found}.*restore the database"):
            use(url)
    checks = {check.name: check for check in dealmill.doctor(url)}
    assert found in checks["tables"].found


@pytest.mark.parametrize(("value", "found"), [("NULL", "holds None"), ("x'ff00'", "holds b'"), ("7", "holds '7'")])
def test_a_revision_of_another_type_is_damaged(value: str, found: str, solved: Path) -> None:
    execute(
        solved,
        "DROP TABLE alembic_version; CREATE TABLE alembic_version (version_num VARCHAR(32));"
        f"INSERT INTO alembic_version VALUES ({value})",
    )
    with pytest.raises(DamagedError, match=found):
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


# URLs


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
    refused = (["run", "deal:memory:seed=1:1-9"], ["db", "downgrade", "--yes", "base"], ["audit", "1"], ["work"])
    [(code, out, _), *rest] = as_ordinary_user(["query", "1", "--nl"], *refused, cwd=tmp_path, env=env)
    assert (code, '"verdict": "scored"' in out) == (0, True)
    for code, out, err in rest:
        assert (code, out, err.count("\n")) == (1, "", 1), err
        assert f"opens {solved} read-only; remove ?mode=ro" in err
    assert contents(tmp_path) == before
    with pytest.raises(StoreError, match="read-only"):
        dealmill.db.upgrade(f"sqlite:///{tmp_path / 'none.db'}?mode=ro")
    with Store(open_store(env["DEALMILL_DATABASE_URL"])) as store, closing(sqlite3.connect(solved)) as other:
        other.execute("UPDATE actions SET why = 'seen at once'")
        other.commit()
        assert "seen at once" in {action.why for action in store.log()}
