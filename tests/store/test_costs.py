"""What the engine of a run cost, in both storages: of the attempts that were stored, and whatever the column holds."""

import json
import re
import socket
import sqlite3
import time
from math import comb, inf, nan
from pathlib import Path

import pytest
from sqlalchemy import text, update

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Solved, Texts
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.results.time_ratio import TimeRatio, time_ratio_of
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage, jobs
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.runs.workers import machines_of, worker_name
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import LEASE, a_source, an_audit, deal, do_runs
from tests.servers import dealmill
from tests.web.conftest import client_of

ENGINE = "memory/two-pass"
DEALS = DealRange(find_game("memory"), 3, 1, 5_000, {"pairs": 2})
BURNT = 0.01
"""Processor seconds of each call of an engine."""
each_storage = pytest.mark.parametrize("storage", Storage, ids=lambda storage: storage.word)


@pytest.fixture
def burning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the engine take processor time."""
    solve = load(ENGINE)

    def burn(layouts: Texts, max_nodes: int | None = None) -> Solved:
        end = time.process_time() + BURNT
        while time.process_time() < end:
            pass
        return solve(layouts, max_nodes)

    monkeypatch.setattr(solving, "load", lambda _name: burn)


def planned(database: Database, storage: Storage) -> int:
    """Plan a run of five jobs. Those of rows are small: on a busy machine, each of their layouts is solved alone."""
    if storage is Storage.COMPACT:
        return insert_run(database, deals_source(database, DEALS), ENGINE, "1", None, storage=storage, chunk=1_000)
    source = a_source(database, ENGINE, deal(DEALS.game, 3, 1, 500, pairs=2))
    return insert_run(database, source, ENGINE, "1", None, storage=storage, chunk=100)


def changed(database: Database, run: int, value: object) -> RunStatus:
    """The run after a job was changed behind the back of the store."""
    with database.writing() as connection:
        connection.execute(update(jobs).where(jobs.c.run_id == run, jobs.c.first == 1).values(cpu_seconds=value))
    return find_run(database, run)


@each_storage
@pytest.mark.usefixtures("burning")
def test_a_run_costs_what_its_jobs_cost(database: Database, storage: Storage) -> None:
    run = planned(database, storage)
    assert find_run(database, run).cpu_seconds is None
    begun = time.process_time()
    do_runs(database)
    status = find_run(database, run)
    assert status.cpu_seconds is not None
    assert status.jobs * BURNT <= status.cpu_seconds <= time.process_time() - begun
    fingerprint = fingerprint_of(database, run, status.items)
    less = changed(database, run, 0.0)
    assert less.cpu_seconds is not None
    assert less.cpu_seconds <= status.cpu_seconds - BURNT
    assert fingerprint_of(database, run, status.items) == fingerprint
    assert an_audit(database, less).clean


@each_storage
@pytest.mark.parametrize("value", [None, nan, inf, -1.0, 1e300], ids=str)
def test_a_cost_that_cannot_be_right_is_no_cost_and_no_fault(
    database: Database, storage: Storage, value: object
) -> None:
    check_damaged_cost(database, storage, value, is_fault=False)


def check_damaged_cost(database: Database, storage: Storage, value: object, *, is_fault: bool) -> None:
    run = planned(database, storage)
    do_runs(database)
    damaged = changed(database, run, value)
    assert damaged.cpu_seconds is None
    assert diff(database, damaged, damaged).cost_ratio is None
    assert an_audit(database, damaged).clean is not is_fault


@each_storage
@pytest.mark.parametrize("value", ["'many'", "x'ff'"])
def test_text_in_place_of_a_cost_is_no_cost_and_a_fault(sqlite_store: Database, storage: Storage, value: str) -> None:
    """PostgreSQL takes only numbers into the column."""
    check_damaged_cost(sqlite_store, storage, text(value), is_fault=True)


@pytest.mark.usefixtures("burning")
def test_the_cost_is_that_of_the_attempt_that_was_stored(database: Database) -> None:
    run = planned(database, Storage.ROWS)
    [first, *_] = leases.pending(database, SOLVING, installed_engines(), 10)
    late = SOLVING_JOBS.claim(database, first, "gone", LEASE)
    assert late is not None
    results = SOLVING_JOBS.do(database, late)
    leases.release(database, SOLVING, late.lease, "trouble")
    with database.writing() as connection:
        connection.execute(update(jobs).values(leased_until=None))
    again = SOLVING_JOBS.claim(database, first, f"{worker_name(7)}", LEASE)
    assert again is not None
    given_up = SOLVING_JOBS.give_up(database, again, "trouble")
    assert not SOLVING_JOBS.finish(database, late, results)
    assert SOLVING_JOBS.finish(database, again, given_up)
    assert find_run(database, run).cpu_seconds == 0.0
    assert machines_of(database, run) == [worker_name(7).partition(":")[0]]


def test_a_diff_compares_costs_per_layout(database: Database) -> None:
    source = a_source(database, ENGINE, deal(DEALS.game, 3, 1, 3, pairs=2))
    runs = [insert_run(database, source, ENGINE, "1", limit, chunk=2) for limit in (10**6, 10**7)]
    do_runs(database)
    with database.writing() as connection:
        for run, cost in zip(runs, (2.0, 3.0), strict=True):
            connection.execute(update(jobs).where(jobs.c.run_id == run).values(cpu_seconds=cost))
    left, right = (find_run(database, run) for run in runs)
    assert (left.cpu_seconds, right.cpu_seconds) == (4.0, 6.0)
    assert diff(database, left, right).cost_ratio == 1.5
    assert diff(database, left, right).machines == ([], [])


def test_a_diff_compares_the_times_of_jobs_that_cover_the_same_layouts(database: Database) -> None:
    """The jobs of one run are split in the other, one is longer, one has no time on record, and one took none."""
    source = a_source(database, ENGINE, deal(DEALS.game, 3, 1, 24, pairs=2))
    left, right = (
        insert_run(database, source, ENGINE, "1", limit, chunk=chunk) for limit, chunk in ((9**9, 4), (9**8, 2))
    )
    do_runs(database)
    with database.writing() as connection:
        for run, costs in ((left, {}), (right, {1: 0.5, 3: 2.5, 17: nan, 21: 0.0, 23: 0.0})):
            connection.execute(update(jobs).where(jobs.c.run_id == run).values(cpu_seconds=1.0))
            for first, cost in costs.items():
                job = update(jobs).where(jobs.c.run_id == run, jobs.c.first == first)
                connection.execute(job.values(cpu_seconds=cost))
        connection.execute(update(jobs).where(jobs.c.run_id == left, jobs.c.first == 9).values(stop=14))
    compared = diff(database, find_run(database, left), find_run(database, right))
    assert compared.time_ratio == TimeRatio(2.0, 2.0, 3.0, 3), "positions 1 to 4, 5 to 8 and 13 to 16"
    other = a_source(database, ENGINE, deal(DEALS.game, 3, 1, 24, pairs=2), name="b.txt")
    elsewhere = insert_run(database, other, ENGINE, "1", None)
    do_runs(database)
    assert diff(database, find_run(database, left), find_run(database, elsewhere)).time_ratio is None


@pytest.mark.parametrize("count", [1, 2, 5, 6, 9, 25, 150, 1_001])
def test_the_interval_of_a_median_has_the_confidence_of_the_binomial_distribution(count: int) -> None:
    ratio = time_ratio_of([(2.0, 2.0 * number) for number in range(count, 0, -1)] + [(0.0, 1.0), (1.0, 0.0)])
    assert ratio is not None and (ratio.count, ratio.ratio) == (count, (count + 1) / 2)
    assert ratio.low + ratio.high == count + 1
    outside = 2 * sum(comb(count, below) for below in range(round(ratio.low))) / 2**count
    assert outside <= 0.05 or (count < 6 and ratio.low == 1)
    assert count < 25 or outside > 0.01, "it is not much wider than necessary"
    assert time_ratio_of([(0.0, 1.0)]) is None


def test_a_comparison_fails_if_the_whole_interval_of_times_is_above_the_limit(tmp_path: Path) -> None:
    for limit in ("7", "8"):
        assert dealmill("run", "deal:memory:seed=1:1-90", "--max-nodes", limit, cwd=tmp_path).returncode == 0
    with sqlite3.connect(tmp_path / "dealmill.db") as connection:
        connection.execute("UPDATE jobs SET cpu_seconds = run_id * run_id")
    for limit, code in (("3.9", 3), ("4", 0)):
        ran = dealmill("diff", "1", "2", "--summary", "--fail-on", f"time={limit}", cwd=tmp_path)
        assert (ran.returncode, "by jobs: 4.000 for a single job" in ran.stderr) == (code, True)
        assert ("the time grows by a factor of at least 4.000, more than 3.9" in ran.stderr) == (code == 3)
    with sqlite3.connect(tmp_path / "dealmill.db") as connection:
        connection.execute("UPDATE jobs SET cpu_seconds = NULL")
    ran = dealmill("diff", "1", "2", "--fail-on", "time=9", cwd=tmp_path)
    assert ran.returncode == 3 and "no times were compared: there are none on record" in ran.stderr
    bench = ("bench-engine", "memory/two-pass", "--baseline", "two-pass", "--fail-on", "lost,time=0.001")
    ran = dealmill(*bench, cwd=tmp_path)
    assert (ran.returncode, "ratio of time: median of 150 layouts" in ran.stderr) == (3, True)


def test_commands_and_pages_show_costs(tmp_path: Path) -> None:
    for limit in ("7", "8"):
        assert dealmill("run", "deal:memory:seed=1:1-90", "--max-nodes", limit, cwd=tmp_path).returncode == 0
    [row] = json.loads(dealmill("status", "1", "--json", cwd=tmp_path).stdout)
    assert 0 <= row["cpu_seconds"] < 60
    machine = socket.gethostname()
    shown = dealmill("status", "1", cwd=tmp_path).stderr
    assert re.search(rf"run 1 took (less than )?\d+\.\d\d s of processor time on {machine}\n", shown)
    compared = dealmill("diff", "1", "2", "--summary", cwd=tmp_path).stderr
    assert re.search(rf"processor time: \S+ s on {machine}, then \S+ s on {machine}; ratio per layout \d", compared)
    with client_of(f"sqlite:///{tmp_path / 'dealmill.db'}") as pages:
        assert pages.get("/api/runs/1").json()["cpu_seconds"] == pytest.approx(row["cpu_seconds"], abs=1e-3)
        assert f" s on {machine}</dd>" in pages.get("/runs/1").text
