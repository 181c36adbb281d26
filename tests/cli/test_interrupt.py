"""Signals are heeded even where the exception that they raise is lost: to a library, or to the interpreter."""

import os
import signal
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Self, TypeVar

import pytest

from dealmill.cli import process
from dealmill.cli.progress import shown_progress
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.ingest.sources import deals_reading
from dealmill.pipeline.progress.events import Event, Finished, Progress, Working
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.stores import Store
from dealmill.workers import working
from dealmill.workers.working import solve_runs, work_until_done
from tests.doing import do_runs

DEALS = 200_000
SOURCE = f"deal:memory:seed=1:1-{DEALS}"


T = TypeVar("T")


class SwallowingFarm:
    """A farm in which a signal arrives, and its exception is lost."""

    def __init__(self, *_: object, **_more: object) -> None:
        self.ticks = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def tick(self, **_: bool) -> None:
        """What a library may do."""
        self.ticks += 1
        assert self.ticks == 1
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)

    def patiently(self, step: Callable[[], T]) -> T:
        """Call a step."""
        return step()


@pytest.fixture(autouse=True)
def _as_in_a_command(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)}
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(process, "_interrupted", type(process._interrupted)())
    monkeypatch.setattr(working, "Farm", SwallowingFarm)
    process.handle_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Cleared:
    """What is told to end while it is cleared away."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)


def by_itself() -> None:
    Cleared()


def by_a_weak_reference() -> None:
    references = []  # else the reference is gone before what it refers to
    thing = SwallowingFarm()
    references.append(weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGTERM)))
    del thing


@pytest.mark.parametrize("clear_away", [by_itself, by_a_weak_reference])
def test_a_signal_during_a_finalizer_ends_the_command(
    clear_away: Callable[[], None], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        clear_away()
        time.sleep(10)
    assert capfd.readouterr().err == ""


def test_other_exceptions_that_python_ignores_are_printed(capfd: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("told")

    Broken()
    assert "ValueError: told" in capfd.readouterr().err


def never(progress: Progress) -> Installation:
    progress(Working(0, 1))
    return Installation()


def test_a_signal_while_workers_solve_ends_the_wait(database: Database) -> None:
    with pytest.raises(KeyboardInterrupt), shown_progress() as progress:
        work_until_done(database, partial(never, progress), progress)


def test_a_signal_while_a_source_is_read_ends_the_reading(database: Database) -> None:
    reading = deals_reading(database, parse_deal_range(SOURCE))
    with pytest.raises(KeyboardInterrupt), shown_progress() as progress:
        work_until_done(database, partial(never, progress), progress, [reading])
    assert 0 < reading.source.accepted < DEALS


@pytest.mark.parametrize("finishing", [True, False])
def test_an_interruption_gives_the_result_if_the_last_job_is_finished(
    finishing: bool, sqlite_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that are stopped get a moment to finish their jobs."""
    run, events = Store(sqlite_store).queue("deal:memory:seed=1:1-5"), list[Event]()

    def interrupted(*_: object, **_more: object) -> None:
        if finishing:
            do_runs(sqlite_store)
        raise KeyboardInterrupt

    monkeypatch.setattr(working, "work_until_done", interrupted)
    if not finishing:
        with pytest.raises(KeyboardInterrupt):
            solve_runs(sqlite_store, [run.id], events.append)
        return
    [status] = solve_runs(sqlite_store, [run.id], events.append)
    assert (status.finished, [event.run for event in events if isinstance(event, Finished)]) == (True, [run.id])
