"""A store with runs of many small jobs, real commands that work on them, and a check of the final state."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import text

from dealmill.pipeline.arguments import MAX_NODES
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database, patiently
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import a_run, a_source, an_audit
from tests.faults.processes import is_worker, processes_in
from tests.forks.background import ForkedCommand
from tests.forks.slow import JOB_SECONDS
from tests.servers import dealmill, start

ENGINE = "memory/two-pass"
SLEEP_SECONDS = 0.1
LEASE_SECONDS = 2
UP_SECONDS = 60
"""Time for commands to start again after a fault and a lease, on a busy machine."""


class Farm:
    """A folder with a store and runs over the same deals, of which every other one is compact. Commands run there with
    two workers and short leases."""

    def __init__(self, folder: Path, url: str, seed: int, items: int, chunk: int) -> None:
        self.folder = folder
        self.store = Database(database_url(url))
        revisions.upgrade(self.store)
        self.settings = {
            "DEALMILL_DATABASE_URL": url,
            "DEALMILL_WORKERS": "2",
            "DEALMILL_LEASE_SECONDS": str(LEASE_SECONDS),
        }
        self._deals = DealRange(find_engine(ENGINE)[0], seed, 1, items, {})
        self.layouts = to_strings(self._deals.texts())
        self.runs: list[int] = []
        self._chunk = chunk
        self.output_file = folder / "output"
        self._started: list[ForkedCommand] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for command in self._started:
            command.wait()

    def plan(self) -> None:
        """Plan another run over the same deals: the first stored as rows, the second compact, and so on. Jobs of
        compact runs are parts of a block."""
        count, version = len(self.runs), find_engine(ENGINE)[1].version
        if count % 2:
            source, storage = deals_source(self.store, self._deals), Storage.COMPACT
        else:
            source, storage = a_source(self.store, ENGINE, self.layouts, f"{count}.txt"), Storage.ROWS
        limit = MAX_NODES - count  # otherwise, it would be the same run as before
        run = insert_run(self.store, source, ENGINE, version, limit, storage=storage, chunk=self._chunk)
        self.runs.append(run)

    @property
    def planned(self) -> int:
        """The number of layouts of all runs."""
        return len(self.layouts) * len(self.runs)

    def start(self, *command: str, env: Mapping[str, str] | None = None) -> ForkedCommand:
        """Start a command in the background, with slow jobs."""
        slowly = {**self.settings, JOB_SECONDS: str(SLEEP_SECONDS), **(env or {})}
        with self.output_file.open("ab") as output, Path(os.devnull).open("rb") as nothing:
            started = start(*command, cwd=self.folder, env=slowly, streams=(nothing, output, output))
        self._started.append(started)
        return started

    def command(self, *command: str, env: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
        """Run a command and wait for its end."""
        return dealmill(*command, cwd=self.folder, env={**self.settings, **(env or {})})

    @property
    def output(self) -> str:
        """The output of the started commands."""
        return self.output_file.read_text(errors="replace")

    def processes(self) -> list[int]:
        """Return the running processes of all commands."""
        return list(processes_in(self.folder))

    def workers(self) -> list[int]:
        """Return the Celery workers."""
        parents = processes_in(self.folder)
        return sorted(process for process, parent in parents.items() if is_worker(process) and not is_worker(parent))

    def children(self) -> list[int]:
        """Return the child processes of the workers."""
        parents = processes_in(self.folder)
        return sorted(process for process, parent in parents.items() if is_worker(process) and is_worker(parent))

    def solved(self) -> int:
        """Return the number of layouts that have a verdict."""

        def count() -> int:
            with self.store.reading() as connection:
                done = text("SELECT coalesce(sum(stop - first), 0) FROM jobs WHERE state = 3")
                return int(connection.execute(done).scalar_one())

        return patiently(count, list[str]().append)

    def keep_up(self) -> None:
        """Do what is to be done again and again while a test waits."""

    def until(self, true: Callable[[], object], seconds: float = UP_SECONDS) -> float:
        """Wait until a condition holds, and return the seconds that it took."""
        begun = time.monotonic()
        while not true():
            self.keep_up()
            waited = time.monotonic() - begun
            assert waited < seconds, f"nothing happened for {waited:.0f} s; the commands said:\n{self.output[-10_000:]}"
            time.sleep(0.05)
        return time.monotonic() - begun

    def until_solved(self, items: int) -> float:
        """Wait until `items` layouts have a verdict, and return the longest wait between two verdicts in seconds."""
        longest = 0.0
        while (now := self.solved()) < items:
            longest = max(longest, self.until(lambda: self.solved() > now, LEASE_SECONDS + UP_SECONDS))
        return longest

    def until_more(self) -> float:
        """Wait until another layout has a verdict, or all have, and return the seconds that it took."""
        now = self.solved()
        return self.until(lambda: self.solved() > now or now == self.planned)

    @cached_property
    def expected(self) -> str | None:
        """The fingerprint of a run that is not disturbed."""
        undisturbed = Database(database_url(f"sqlite:///{self.folder / 'undisturbed.db'}"))
        revisions.upgrade(undisturbed)
        return fingerprint_of(undisturbed, a_run(undisturbed, ENGINE, self.layouts).id, len(self.layouts))

    def check_runs(self) -> None:
        """Check that all runs are finished and have the expected results."""
        for number in self.runs:
            run = find_run(self.store, number)
            assert (run.finished, run.counts) == (True, {Verdict.SCORED: len(self.layouts)})
            assert (run.retried, run.pending, run.leased) == (0, 0, 0)
            assert fingerprint_of(self.store, number, run.items) == self.expected
            audit = an_audit(self.store, run)
            assert (audit.valid, audit.invalid, audit.faults) == (len(self.layouts), 0, 0)

    def stored(self) -> tuple[int, int]:
        """Return the number of stored verdicts, and that of items that have one."""
        with self.store.reading() as connection:
            compact, rows, items = (
                int(connection.execute(text(query)).scalar_one())
                for query in (
                    "SELECT coalesce(sum(scored), 0) FROM blocks",
                    "SELECT count(*) FROM verdicts",
                    "SELECT count(*) FROM (SELECT DISTINCT run_id, position FROM verdicts) AS items",
                )
            )
        return rows + compact, items + compact

    def check(self) -> None:
        """Check that no result is lost or duplicated, and that no traceback was printed."""
        assert self.stored() == (self.planned, self.planned)
        self.check_runs()
        assert "Traceback" not in self.output, self.output
