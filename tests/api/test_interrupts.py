"""Long work that is interrupted from Python: nothing is left running, nothing is lost, the same call resumes it."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import dealmill
from dealmill import progress
from tests.api.processes import MARK, children_with, temporary_folder
from tests.forks.slow import JOB_SECONDS
from tests.servers import clean_environment

COUNT = 200_000
SOURCE = f"deal:memory:seed=6:1-{COUNT}"
ENGINE = "memory/incremental"
LONGER_COUNT = 5 * COUNT
LONGER = f"deal:memory:seed=6:1-{LONGER_COUNT}"
"""For workers that do not sleep: on a busy machine, they could finish the other one before it is interrupted."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str | None:
    """The fingerprint of the run that nobody interrupts."""
    with dealmill.open(f"sqlite:///{tmp_path_factory.mktemp('undisturbed') / 'a.db'}") as store:
        return store.run(SOURCE, engine=ENGINE).fingerprint


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for everything that work leaves in the folder for temporary files. Workers sleep in each job, so that
    interrupts come before the end."""
    monkeypatch.setenv(JOB_SECONDS, "0.2")
    with temporary_folder() as folder:
        yield folder


def check_nothing_is_left(temporary: Path) -> None:
    """Check that neither processes nor files of interrupted work are left."""
    assert not children_with(str(temporary))
    assert list(temporary.iterdir()) == []


def while_reading(event: progress.Event) -> None:
    if isinstance(event, progress.Ingesting) and event.done:
        raise KeyboardInterrupt


def while_solving(event: progress.Event) -> None:
    if isinstance(event, progress.Solving) and event.done:
        raise ZeroDivisionError


def from_then_on(first: progress.Progress) -> progress.Progress:
    """Raise from the event on at which `first` raises, also while the workers are being stopped."""
    broken = False

    def fail(event: progress.Event) -> None:
        nonlocal broken
        try:
            first(event)
        except (KeyboardInterrupt, ZeroDivisionError):
            broken = True
        if broken:
            raise ZeroDivisionError

    return fail


@pytest.mark.parametrize(
    ("interrupt", "error", "read"),
    [
        (while_reading, KeyboardInterrupt, False),
        (while_solving, ZeroDivisionError, True),
        pytest.param(from_then_on(while_reading), ZeroDivisionError, False, marks=pytest.mark.slow),
        pytest.param(from_then_on(while_solving), ZeroDivisionError, True, marks=pytest.mark.slow),
    ],
    ids=["while reading", "while solving", "from reading on", "from solving on"],
)
def test_an_exception_from_a_callback_ends_the_work_and_the_same_call_resumes_it(
    interrupt: progress.Progress,
    error: type[BaseException],
    read: bool,
    undisturbed: str,
    temporary: Path,
    tmp_path: Path,
) -> None:
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        if read:  # else little may be left to solve when reading ends
            store.ingest(SOURCE)
        with pytest.raises(error):
            store.run(SOURCE, engine=ENGINE, progress=interrupt)
        check_nothing_is_left(temporary)
        before = store.find_run().status()
        assert not before.finished
        with closing(sqlite3.connect(tmp_path / "a.db")) as database:
            held = database.execute("SELECT count(*) FROM jobs WHERE state = 2 AND leased_until > 0").fetchone()
        assert held == (0,)
        continued: list[progress.Continued] = []

        def note(event: progress.Event) -> None:
            if isinstance(event, progress.Continued):
                continued.append(event)

        run = store.run(SOURCE, engine=ENGINE, progress=note)
        assert (run.id, run.fingerprint) == (1, undisturbed)
        assert [event.solved for event in continued] == ([before.solved] if before.solved else [])


def test_an_interrupted_audit_and_survey_are_resumed(temporary: Path, tmp_path: Path) -> None:
    def at_once(event: progress.Event) -> None:
        raise KeyboardInterrupt

    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                store.survey("memory", count=2_000, progress=at_once)
        run = store.survey("memory", count=2_000)
        with pytest.raises(KeyboardInterrupt):
            run.audit(progress=at_once)
        check_nothing_is_left(temporary)
        audit = run.audit()
        assert (audit.valid, audit.status.id, audit.status.valid) == (True, 1, 2_000)


SCRIPT = f"""
import dealmill, os, sys
def send_signal(event):
    if isinstance(event, dealmill.progress.Ingesting) and event.accepted > {LONGER_COUNT} // 2:
        os.kill(os.getpid(), int(sys.argv[2]))
with dealmill.open(sys.argv[1]) as store:
    store.run("{LONGER}", engine="{ENGINE}", progress=send_signal)
"""
"""A script that sends itself a signal when half of the layouts are read: on a busy machine, one sent by this process,
or as soon as something is solved, could come after the run has ended."""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_script_ends_at_a_signal_and_the_next_call_resumes_its_run(
    number: signal.Signals, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    dealmill.db.upgrade(url)
    env = clean_environment({"DEALMILL_LEASE_SECONDS": "3", MARK: str(temporary), "TMPDIR": str(temporary)})
    command = [sys.executable, "-c", SCRIPT, url, str(int(number))]
    script = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
    with dealmill.open(url) as store:
        assert script.returncode == -number
        assert (b"KeyboardInterrupt" in script.stderr) == (number is signal.SIGINT)
        assert not children_with(str(temporary))
        assert store.find_run().status().solved < LONGER_COUNT
        monkeypatch.delenv(JOB_SECONDS)
        resumed = store.run(LONGER, engine=ENGINE)
        assert resumed.id == 1
        fingerprint = resumed.fingerprint
    with dealmill.open(f"sqlite:///{tmp_path / 'undisturbed.db'}") as store:
        assert store.run(LONGER, engine=ENGINE).fingerprint == fingerprint
    assert list(temporary.iterdir()) == []


def test_a_second_interrupt_does_not_leave_workers_behind(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first comes from the callback; the second while the workers are given time to end."""
    waited = subprocess.Popen.wait

    def interrupted(process: "subprocess.Popen[str]", timeout: float | None = None) -> int:
        if timeout is None:
            return waited(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store, pytest.raises(KeyboardInterrupt):
        store.run(SOURCE, engine=ENGINE, progress=while_solving)
    check_nothing_is_left(temporary)


class Cleared:
    """An interrupt arrives while it is cleared away, so that Python ignores it."""

    def __del__(self) -> None:
        raise KeyboardInterrupt


def test_an_interrupt_that_python_ignores_still_ends_the_work(temporary: Path, tmp_path: Path) -> None:
    before = sys.unraisablehook
    cleared = 0

    def clear_away(event: progress.Event) -> None:
        nonlocal cleared
        if isinstance(event, progress.Ingesting):
            cleared += 1
            Cleared()

    with dealmill.open(f"sqlite:///{tmp_path / 'a.db'}") as store, pytest.raises(KeyboardInterrupt):
        store.run(SOURCE, engine=ENGINE, progress=clear_away)
    assert cleared == 1
    assert sys.unraisablehook is before
    assert not children_with(str(temporary))


class Interrupting:
    """A value that is interrupted when the driver of SQLite asks for it."""

    def __conform__(self, _protocol: object) -> str:
        raise KeyboardInterrupt


def test_an_interrupted_statement_holds_no_lock_while_its_traceback_exists(tmp_path: Path) -> None:
    """As a notebook keeps it; SQLite closes a connection only when all of its statements are gone."""
    file = tmp_path / "a.db"
    dealmill.db.upgrade(f"sqlite:///{file}")
    with dealmill.open(f"sqlite:///{file}") as store:
        with pytest.raises(KeyboardInterrupt) as raised, store._database.writing() as connection:
            insert = "INSERT INTO engines (name, version) VALUES (?, ?)"
            connection.exec_driver_sql(insert, [("a", "1"), ("b", Interrupting())])
        assert raised.tb
        with closing(sqlite3.connect(file, timeout=0)) as second:
            second.execute("BEGIN IMMEDIATE")
            assert second.execute("SELECT count(*) FROM engines").fetchone() == (0,)
