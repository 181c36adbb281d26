"""A fleet of workers whose jobs sleep: what it costs PostgreSQL to have jobs claimed and finished.

Workers are threads here, each with a connection of its own, as a worker process has one. They do all that a worker does
with a message about a job of a compact run, except that they sleep in place of solving it.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from unittest.mock import patch

from bench.measure import table
from bench.scale_servers import cpu_seconds, new_store
from dealmill.pipeline.evidence.digests import BLOCK, block_of
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.job_kinds import KINDS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.job_kind import Job
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.planned import deals_of
from dealmill.pipeline.store.sources.writing import open_deals
from dealmill.pipeline.store.storages.compact_solving import SolvedBlocks, solve_blocks
from dealmill.pipeline.store.storages.solving_jobs import SolvingJobs
from dealmill.workers import tasks
from tests.servers import Postgres

ENGINE = "memory/two-pass"
WARM, LEAST, COUNT = 12, 5, 1_200
"""Jobs: of each worker before it is measured, since a connection is slow until it has plans; of each then; of all."""
STEADY = 60
"""Jobs a second that all workers together do, which leaves this machine some time."""
LOADS = [(workers, workers / STEADY) for workers in (10, 100, 400)] + [(workers, 0.0) for workers in (2, 32)]
"""Numbers of workers, and how long they sleep: at last, no longer than the machine makes them wait."""


@dataclass(frozen=True)
class Sleeping(SolvingJobs):
    """A kind of jobs: compact ones of a block each, but whoever does one sleeps, and finds the same as all others."""

    seconds: Callable[[], float]
    blocks: SolvedBlocks

    def do(self, database: Database, job: Job) -> SolvedBlocks:
        """Sleep."""
        time.sleep(self.seconds())
        first, [block] = job.lease.first, self.blocks.blocks
        return replace(self.blocks, run=job.lease.parent, first=first, blocks=[block._replace(number=block_of(first))])


def plan_jobs(database: Database, count: int, seed: int = 1) -> int:
    """The number of a new compact run of so many jobs, of a block each."""
    source = open_deals(database, parse_deal_range(f"deal:memory:seed={seed}:1-{count * BLOCK}"))
    _, engine = find_engine(ENGINE)
    return insert_run(database, source, ENGINE, engine.version, None, storage=Storage.COMPACT, chunk=BLOCK)


def sleeping(server: Postgres) -> str:
    """A row for each number of workers."""
    rows = [_row(server, workers, sleep) for workers, sleep in LOADS]
    return table(["workers", "sleep, s", "jobs/s", "PostgreSQL, CPU ms/job", "workers, CPU ms/job"], rows)


def _row(server: Postgres, workers: int, sleep: float) -> list[str]:
    store = new_store(server)
    count = max(COUNT // workers, LEAST) * workers
    run = plan_jobs(store, count + WARM * workers)
    numbers = leases.pending(store, SOLVING, installed_engines(), count + WARM * workers)
    planned = find_run(store, run)
    solution = solve_blocks(deals_of(planned), planned, 1, BLOCK + 1, {})
    url = store.url.render_as_string(hide_password=False)
    times: list[tuple[float, float, float]] = []
    start, ended = (threading.Barrier(workers, action=lambda: times.append(_now(server))) for _ in range(2))

    def work(worker: int) -> None:
        here.url = f"{url}&application_name={worker}"  # each has a connection of its own
        mine = numbers[worker::workers]
        for number in mine[:WARM]:
            tasks.do_job.run("solve", number)
        start.wait()
        time.sleep(sleep * worker / workers)
        here.sleep = sleep
        for number in mine[WARM:]:
            tasks.do_job.run("solve", number)
        ended.wait()
        open_store(here.url).close()

    here = threading.local()
    kinds = patch.dict(KINDS, solve=Sleeping(lambda: getattr(here, "sleep", 0.0), solution))
    opened = patch.object(tasks, "configured_database", lambda: open_store(here.url))
    with kinds, opened, ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    elapsed, *used = (after - before for before, after in zip(*times, strict=True))
    if find_run(store, run).done != len(numbers):
        raise RuntimeError("some jobs were not done")
    store.close()
    return [str(workers), f"{sleep:.1f}", f"{count / elapsed:.0f}", *(f"{each / count * 1e3:.2f}" for each in used)]


def _now(server: Postgres) -> tuple[float, float, float]:
    """The time, and the processor seconds of the server and of this process."""
    return time.perf_counter(), cpu_seconds(server.process.pid), time.process_time()
