"""Runs of many small jobs, a database and a broker behind wires, and two commands that work on the runs."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from redis import Redis
from sqlalchemy import text

from dealmill.pipeline.errors import StoreUnavailable
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.store import revisions
from dealmill.pipeline.store.blocks import fingerprint_of
from dealmill.pipeline.store.database import Database, database_url, patiently
from dealmill.pipeline.store.plans import plan_run
from dealmill.workers.broker import find_server
from dealmill.workers.processes import die_with_parent
from tests.doing import a_run, a_source, dealer
from tests.faults.processes import is_worker, processes_in
from tests.faults.wire import Wire
from tests.forks.background import ForkedCommand
from tests.forks.slow import JOB_SECONDS
from tests.servers import Postgres, start

ENGINE = "memory/two-pass"
ITEMS = 1_500
"""The number of items of a run. While faults are to come, another run is planned whenever less than one is left."""
CHUNK = 10
SLEEP_SECONDS = 0.1
LEASE_SECONDS = 2
HOSTS = ("one", "other")
UP_SECONDS = 60
"""Time for commands to start again after a fault and a lease, on a busy machine."""
JUMPING_CLOCK = """
CREATE SCHEMA faults;
CREATE TABLE faults.jump (seconds integer);
INSERT INTO faults.jump VALUES (0);
CREATE FUNCTION faults.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
    'SELECT pg_catalog.clock_timestamp() + make_interval(secs => seconds) FROM faults.jump';
"""
"""A clock function that hides PostgreSQL's own if its schema comes first in the search path."""


DONE_ITEMS = "SELECT coalesce(sum(stop - first), 0) FROM jobs WHERE state = 3"


class Scene:
    """A database, a broker, two commands and their runs. `chance` makes all random decisions, so that a seed reproduces
    roughly the same sequence of events."""

    def __init__(self, folder: Path, postgres: Postgres, seed: int) -> None:
        self.chance = Random(seed)
        self.postgres = postgres
        self.runs: list[int] = []
        self._folder = folder
        self._layouts = dealer("memory")(seed, 1, ITEMS)
        self._more_to_come = True
        self._said = (folder / "said.txt").open("ab")
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._prepare(folder)
        self.database = Wire(folder / "pg" / ".s.PGSQL.5432", postgres.folder / ".s.PGSQL.5432")
        self._start_broker()
        self.broker = Wire(folder / "broker.wire", folder / "broker.sock")
        self.hosts: dict[str, ForkedCommand] = {}

    def _prepare(self, folder: Path) -> None:
        direct = self.postgres.new_database()
        self._name = direct.partition("?")[0].rpartition("/")[2]
        self.store = Database(database_url(direct))
        revisions.upgrade(self.store)
        undisturbed = Database(database_url(f"sqlite:///{folder / 'undisturbed.db'}"))
        revisions.upgrade(undisturbed)
        self.expected = fingerprint_of(undisturbed, a_run(undisturbed, ENGINE, self._layouts).id, ITEMS)
        self.sql(JUMPING_CLOCK)
        self.sql(f"ALTER DATABASE {self._name} SET search_path = public, faults, pg_catalog")

    def __enter__(self) -> Self:
        self.keep_up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        for host in self.hosts.values():
            host.wait()
        self._broker.kill()
        self._broker.wait()
        self._said.close()

    # State

    @property
    def items(self) -> int:
        """The number of items of all runs so far."""
        return ITEMS * len(self.runs)

    @property
    def told(self) -> str:
        """The output of all commands."""
        return Path(self._said.name).read_text(errors="replace")

    def queue(self) -> Redis:
        """Return a client of the broker that bypasses the wire."""
        return Redis(unix_socket_path=str(self._folder / "broker.sock"))

    def sql(self, statement: str) -> None:
        """Execute a statement in the database, bypassing the wire."""

        def change() -> None:
            with self.store.writing() as connection:
                connection.execute(text("SET TRANSACTION READ WRITE"))
                connection.execute(text(statement))

        patiently(change, list[str]().append)

    def set_for_all(self, setting: str) -> None:
        """Change a setting of the database for new connections, and break the existing ones."""
        self.sql(f"ALTER DATABASE {self._name} {setting}")
        self.database.cut()

    def processes(self) -> list[int]:
        """Return the running processes of all commands."""
        return list(processes_in(self._folder))

    def workers(self) -> list[int]:
        """Return the Celery workers."""
        found = processes_in(self._folder)
        return sorted(one for one, parent in found.items() if is_worker(one) and not is_worker(parent))

    def children(self) -> list[int]:
        """Return the child processes of the workers."""
        found = processes_in(self._folder)
        return sorted(one for one, parent in found.items() if is_worker(one) and is_worker(parent))

    # Events

    def keep_up(self) -> None:
        """Restart commands that have ended, and plan another run if too little is left to do."""
        for name in HOSTS:
            if name not in self.hosts or self.hosts[name].poll() is not None:
                self.hosts[name] = self.start("work")
        with suppress(StoreUnavailable):
            if self._more_to_come and self.items - self.solved() < ITEMS:
                _, engine = find_engine(ENGINE)
                source = a_source(self.store, ENGINE, self._layouts, f"{len(self.runs)}.txt")
                self.runs.append(plan_run(self.store, source, ENGINE, engine.version, None, chunk=CHUNK))

    def new_file(self) -> str:
        """Write a file with the layouts of all runs and return its name. No two files have the same bytes."""
        file = self._folder / f"memory-{len(self.runs)}.txt"
        file.write_text("\n".join(self._layouts) + "\n" * (1 + len(self.runs)))
        return file.name

    def start(self, *command: str) -> ForkedCommand:
        """Start a command in the background."""
        settings = {
            "DEALMILL_DATABASE_URL": f"postgresql://dealmill@/{self._name}?host={self._folder / 'pg'}",
            "DEALMILL_BROKER_URL": f"redis+socket://{self._folder / 'broker.wire'}",
            "DEALMILL_WORKERS": "2",
            "DEALMILL_LEASE_SECONDS": str(LEASE_SECONDS),
            "TMPDIR": str(self.temporary),
            JOB_SECONDS: str(SLEEP_SECONDS),
        }
        with Path(os.devnull).open("rb") as nothing:
            return start(*command, cwd=self._folder, env=settings, streams=(nothing, self._said, self._said))

    def kill_broker(self) -> None:
        """Kill the broker and start an empty one."""
        self._broker.kill()
        self._broker.wait()
        time.sleep(self.chance.uniform(0, 1))
        self._start_broker()

    def _start_broker(self) -> None:
        place = self._folder / "broker.sock"
        place.unlink(missing_ok=True)
        options = {"port": "0", "unixsocket": str(place), "save": "", "dir": str(self.temporary)}
        self._broker = subprocess.Popen(
            [find_server(), *(word for key, value in options.items() for word in (f"--{key}", value))],
            stdout=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        while not place.exists():
            time.sleep(0.01)

    def until(self, true: Callable[[], object], seconds: float = UP_SECONDS) -> float:
        """Wait until a condition holds, restarting commands meanwhile, and return the seconds that it took."""
        begun = time.monotonic()
        while not true():
            self.keep_up()
            waited = time.monotonic() - begun
            assert waited < seconds, f"nothing happened for {waited:.0f} s; the commands said:\n{self.told[-10_000:]}"
            time.sleep(0.05)
        return time.monotonic() - begun

    def until_solved(self, items: int) -> float:
        """Wait until `items` layouts have a verdict, and return the longest wait between two verdicts in seconds."""
        longest = 0.0
        while (now := self.solved()) < items:
            longest = max(longest, self.until(lambda: self.solved() > now, LEASE_SECONDS + UP_SECONDS))
        return longest

    def solved(self) -> int:
        """Return the number of layouts that have a verdict."""

        def count() -> int:
            with self.store.reading() as connection:
                return int(connection.execute(text(DONE_ITEMS)).scalar_one())

        return patiently(count, list[str]().append)

    def end(self) -> None:
        """Wait until all runs are finished, terminate all commands, and check that they exit with 0."""
        self._more_to_come = False
        self.until_solved(self.items)
        for host in self.hosts.values():
            host.terminate()
            assert host.wait(UP_SECONDS) == 0
