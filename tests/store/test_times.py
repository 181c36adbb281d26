"""How long runs were worked on, on both databases and in both storages, whatever happens to their jobs."""

import time
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import update

from dealmill.outcomes import summarise
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.ingest.sources import deals_reading, deals_source
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Control, Storage, jobs, runs
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.run_planning import queue_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.controls import control
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.job_kind import Job
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from tests.doing import do_runs, pending, queue_stored
from tests.survey.doing import MEMORY

DEALS = DealRange(find_engine(MEMORY)[0], 7, 1, 30, {"pairs": 5})
LEASE = 5.0
ROUNDED = 0.002
"""The clock of SQLite counts milliseconds."""

Instant = tuple[float, float]
"""The time before and after something happened."""


class Clock:
    """A clock that passes quickly: all that is on record happened earlier."""

    def __init__(self, database: Database) -> None:
        self._store = database
        self.passed = 0.0

    def now(self) -> float:
        return time.time() + self.passed

    def sleep(self, seconds: float) -> None:
        earlier = {name: jobs.c[name] - seconds for name in ("leased_until", "started", "finished")}
        with self._store.writing() as connection:
            connection.execute(update(jobs).values(**earlier))
            connection.execute(update(runs).values(started=runs.c.started - seconds))
        self.passed += seconds


class Workers:
    """Workers that claim jobs, finish them, die or are silent. `first_claim` and `last_result` say when."""

    def __init__(self, database: Database, clock: Clock, chance: Random) -> None:
        self._store, self._clock, self._chance = database, clock, chance
        self.held: list[Job] = []
        self.first_claim: Instant | None = None
        self.last_result: Instant = (0.0, 0.0)

    def claim(self) -> None:
        for number in self._chance.sample(numbers := pending(self._store), min(len(numbers), 1)):
            before = self._clock.now()
            job = SOLVING_JOBS.claim(self._store, number, f"worker {number}", LEASE)
            assert job is not None
            self.first_claim = self.first_claim or (before, self._clock.now())
            self.held.append(job)

    def finish(self) -> None:
        if self.held:
            job, before = self.held.pop(self._chance.randrange(len(self.held))), self._clock.now()
            if SOLVING_JOBS.finish(self._store, job, SOLVING_JOBS.do(self._store, job)):
                self.last_result = (before, self._clock.now())

    def die(self) -> None:
        if self.held:
            job = self.held.pop()
            leases.expire(self._store, SOLVING, f"worker {job.lease.id}", "killed")
            leases.free_expired(self._store, SOLVING)

    def be_silent(self) -> None:
        """Let all leases expire. Those who hold them finish later."""
        self._clock.sleep(LEASE + 1)
        leases.free_expired(self._store, SOLVING)


@pytest.mark.parametrize("storage", Storage)
@pytest.mark.parametrize("pause", [2.0, 10_000.0])
def test_the_time_of_a_run_is_that_from_its_first_claim_to_its_last_result_and_that_of_its_reading(
    database: Database, storage: Storage, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "PART_SECONDS", -1.0)  # each job leaves items to others
    chance, clock = Random(repr((storage, pause))), Clock(database)
    reading = deals_reading(database, DEALS)
    source = reading.source if storage is Storage.ROWS else deals_source(database, DEALS)
    number = queue_stored(database, source, MEMORY, None, storage)
    before = time.monotonic()
    reading.finish(lambda _event: None)
    read = time.monotonic() - before
    clock.sleep(1_000)  # the workers do the jobs of other runs
    workers = Workers(database, clock, chance)
    steps = [workers.claim] * 4 + [workers.finish] * 3 + [workers.die, workers.be_silent]
    while not (run := find_run(database, number)).finished:
        chance.choice(steps)()
        clock.sleep(chance.uniform(0, 1))
        if chance.random() < 0.1:
            control(database, run, Control.PAUSED)
            clock.sleep(pause)
            control(database, run, Control.ACTIVE)
    assert workers.first_claim and run.started and run.seconds
    started = run.started.timestamp() + clock.passed
    assert workers.first_claim[0] - ROUNDED <= started <= workers.first_claim[1] + ROUNDED
    assert run.reading_seconds <= (read if storage is Storage.ROWS else 0)
    assert (run.reading_seconds > 0) == (storage is Storage.ROWS)
    least = workers.last_result[0] - workers.first_claim[1]
    most = workers.last_result[1] - workers.first_claim[0]
    assert least - 2 * ROUNDED <= run.seconds - run.reading_seconds <= most + 2 * ROUNDED
    if run.seconds - run.reading_seconds <= 60:
        assert run.rate == pytest.approx(run.solved / run.seconds)


def test_the_speed_after_a_pause_is_that_since_then(database: Database) -> None:
    clock, chance = Clock(database), Random(1)
    number = queue_stored(database, deals_source(database, DEALS), MEMORY, None)
    workers = Workers(database, clock, chance)
    workers.claim()
    clock.sleep(10_000)
    leases.free_expired(database, SOLVING)
    while pending(database):
        workers.claim()
        clock.sleep(2)
        workers.finish()
    run = find_run(database, number)
    assert run.seconds and run.seconds > 10_000
    assert 4 <= run.recent_seconds < 10
    assert run.rate == run.items / run.recent_seconds


def test_a_source_that_was_read_before_does_not_count(database: Database) -> None:
    reading = deals_reading(database, DEALS)
    reading.finish(lambda _event: None)
    number = queue_run(database, reading.source, MEMORY, None)
    do_runs(database)
    run = find_run(database, number)
    assert (run.finished, run.reading_seconds) == (True, 0)


def test_the_speed_of_several_runs_is_that_in_the_time_that_they_cover(database: Database) -> None:
    run = find_run(database, queue_stored(database, deals_source(database, DEALS), MEMORY, None))

    def recent(end: float, seconds: float) -> RunStatus:
        return replace(run, seen=run.now + timedelta(seconds=end), recent=100, recent_seconds=seconds)

    [summary] = summarise([recent(12, 10), recent(100, 8), recent(10, 10)], [])
    assert summary.rate == pytest.approx(300 / 20)
