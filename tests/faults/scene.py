"""Runs of thousands of small jobs, a database and a broker behind wires, and two commands that work on them."""

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
from dealmill.pipeline.store.database import migrate
from dealmill.pipeline.store.database.connections import Database, database_url
from dealmill.pipeline.store.database.patience import patiently
from dealmill.pipeline.store.record.blocks import fingerprint_of
from dealmill.pipeline.store.runs.plan import plan_run
from dealmill.workers.local.broker import find_server
from dealmill.workers.local.processes import die_with_parent
from tests.doing import a_run, a_source, dealer
from tests.faults.processes import is_worker, marked
from tests.faults.wire import Wire
from tests.servers import Postgres, clean_environment, dealmill_command

ENGINE = "memory/two-pass"
ITEMS = 5_000
"""Of a run. As soon as less than one is left to do, there is another, as long as faults are to come."""
CHUNK = 10
LEASE_SECONDS = 2
HOSTS = ("one", "other")
UP_SECONDS = 60
"""After a fault and the lease, time for commands to start again on a machine that has much else to do."""
JUMPING_CLOCK = """
CREATE SCHEMA faults;
CREATE TABLE faults.jump (seconds integer);
INSERT INTO faults.jump VALUES (0);
CREATE FUNCTION faults.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
    'SELECT pg_catalog.clock_timestamp() + make_interval(secs => seconds) FROM faults.jump';
"""
"""A clock that is found before that of PostgreSQL itself, if the path says so."""


DONE_ITEMS = "SELECT coalesce(sum(stop - first), 0) FROM jobs WHERE state = 3"


class Scene:
    """`chance` says what happens when, so that a seed makes much the same happen again."""

    def __init__(self, folder: Path, postgres: Postgres, seed: int) -> None:
        self.chance = Random(seed)
        self.postgres = postgres
        self.runs: list[int] = []
        self._folder = folder
        self._layouts = dealer("memory")(seed, 1, ITEMS)
        self._more_to_come = True
        self._mark = f"MARK_OF_SCENE={folder}"
        self._said = (folder / "said.txt").open("ab")
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._prepare(folder)
        self.database = Wire(folder / "pg" / ".s.PGSQL.5432", postgres.folder / ".s.PGSQL.5432")
        self._start_broker()
        self.broker = Wire(folder / "broker.wire", folder / "broker.sock")
        self.hosts: dict[str, subprocess.Popen[bytes]] = {}

    def _prepare(self, folder: Path) -> None:
        direct = self.postgres.new_database()
        self._name = direct.partition("?")[0].rpartition("/")[2]
        self.store = Database(database_url(direct))
        migrate.upgrade(self.store)
        undisturbed = Database(database_url(f"sqlite:///{folder / 'undisturbed.db'}"))
        migrate.upgrade(undisturbed)
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

    # What there is

    @property
    def items(self) -> int:
        """Of all runs so far."""
        return ITEMS * len(self.runs)

    @property
    def told(self) -> str:
        """What all commands have said."""
        return Path(self._said.name).read_text(errors="replace")

    def queue(self) -> Redis:
        """The broker, directly."""
        return Redis(unix_socket_path=str(self._folder / "broker.sock"))

    def sql(self, statement: str) -> None:
        """Change something in the database, directly."""

        def change() -> None:
            with self.store.writing() as connection:
                connection.execute(text("SET TRANSACTION READ WRITE"))
                connection.execute(text(statement))

        patiently(change, list[str]().append)

    def set_for_all(self, setting: str) -> None:
        """Set something for everybody who connects to the database from now on, which all have to do anew."""
        self.sql(f"ALTER DATABASE {self._name} {setting}")
        self.database.cut()

    def processes(self) -> list[int]:
        """All that commands have started and is still there."""
        return list(marked(self._mark))

    def workers(self) -> list[int]:
        """The Celery workers."""
        found = marked(self._mark)
        return sorted(one for one, parent in found.items() if is_worker(one) and not is_worker(parent))

    def children(self) -> list[int]:
        """The processes in which workers solve."""
        found = marked(self._mark)
        return sorted(one for one, parent in found.items() if is_worker(one) and is_worker(parent))

    # What happens

    def keep_up(self) -> None:
        """Start again what has ended, and see that there is enough to do."""
        for name in HOSTS:
            if name not in self.hosts or self.hosts[name].poll() is not None:
                self.hosts[name] = self.start("work")
        with suppress(StoreUnavailable):
            if self._more_to_come and self.items - self.solved() < ITEMS:
                _, engine = find_engine(ENGINE)
                source = a_source(self.store, ENGINE, self._layouts, f"{len(self.runs)}.txt")
                self.runs.append(plan_run(self.store, source, ENGINE, engine.version, None, chunk=CHUNK))

    def new_file(self) -> str:
        """The name of a file with the layouts that all runs are over; no other is the same to a byte."""
        file = self._folder / f"memory-{len(self.runs)}.txt"
        file.write_text("\n".join(self._layouts) + "\n" * (1 + len(self.runs)))
        return file.name

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a command."""
        settings = {
            "DEALMILL_DATABASE_URL": f"postgresql://dealmill@/{self._name}?host={self._folder / 'pg'}",
            "DEALMILL_BROKER_URL": f"redis+socket://{self._folder / 'broker.wire'}",
            "DEALMILL_WORKERS": "2",
            "DEALMILL_LEASE_SECONDS": str(LEASE_SECONDS),
            "MARK_OF_SCENE": str(self._folder),
            "TMPDIR": str(self.temporary),
        }
        return subprocess.Popen(
            dealmill_command(command),
            cwd=self._folder,
            env=clean_environment(settings),
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            preexec_fn=die_with_parent,
        )

    def kill_broker(self) -> None:
        """End the broker; a new one knows nothing of what it held."""
        self._broker.kill()
        self._broker.wait()
        time.sleep(self.chance.uniform(0, 1))
        self._start_broker()

    def _start_broker(self) -> None:
        place = self._folder / "broker.sock"
        place.unlink(missing_ok=True)
        options = {"port": "0", "unixsocket": str(place), "save": "", "dir": str(self._folder)}
        self._broker = subprocess.Popen(
            [find_server(), *(word for key, value in options.items() for word in (f"--{key}", value))],
            stdout=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        while not place.exists():
            time.sleep(0.01)

    def until(self, true: Callable[[], object], seconds: float = UP_SECONDS) -> float:
        """Wait until something is so, with all commands kept up; how many seconds that took."""
        begun = time.monotonic()
        while not true():
            self.keep_up()
            waited = time.monotonic() - begun
            assert waited < seconds, f"nothing happened for {waited:.0f} s; the commands said:\n{self.told[-10_000:]}"
            time.sleep(0.05)
        return time.monotonic() - begun

    def until_solved(self, items: int) -> float:
        """Wait until so many layouts have a verdict; the longest wait for the next ones, in seconds."""
        longest = 0.0
        while (now := self.solved()) < items:
            longest = max(longest, self.until(lambda: self.solved() > now, LEASE_SECONDS + UP_SECONDS))
        return longest

    def solved(self) -> int:
        """How many layouts have a verdict."""

        def count() -> int:
            with self.store.reading() as connection:
                return int(connection.execute(text(DONE_ITEMS)).scalar_one())

        return patiently(count, list[str]().append)

    def end(self) -> None:
        """Wait for the end of all runs, and have all commands end as they should."""
        self._more_to_come = False
        self.until_solved(self.items)
        for host in self.hosts.values():
            host.terminate()
            assert host.wait(UP_SECONDS) == 0
