"""A run of thousands of small jobs, a database and a broker behind wires, and two commands that work on it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from redis import Redis
from sqlalchemy import text

from pipeline.deals import parse_deal_range
from pipeline.errors import StoreAway
from pipeline.games import find_engine
from pipeline.games.contract import NO_LIMIT
from pipeline.ingest import deals_reading
from pipeline.store import migrate
from pipeline.store.blocks import fingerprint_of
from pipeline.store.database import Store, database_url
from pipeline.store.runs import Run, find_run, plan_run
from tests.doing import a_run
from tests.faults.processes import is_worker, marked
from tests.faults.wire import Wire
from tests.servers import Postgres, clean_environment, dealmill_command
from workers.broker import find_server
from workers.processes import die_with_parent

ENGINE = "memory/two-pass"
CHUNK = 10
LEASE_SECONDS = 2
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


DONE_ITEMS = "SELECT coalesce(sum(stop - first), 0) FROM jobs WHERE run_id = :run AND state = 3"


class Scene:
    """`items` layouts; `chance` says what happens when, so that a seed makes it happen again."""

    def __init__(self, folder: Path, postgres: Postgres, items: int, seed: int) -> None:
        self.chance = Random(seed)
        self.items = items
        self.postgres = postgres
        self._folder = folder
        self._deals = f"deal:memory:seed={seed}:1-{items}"
        self._mark = f"DEALMILL_SCENE={folder}"
        self._said = (folder / "said.txt").open("ab")
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._plan(folder)
        self.database = Wire(folder / "pg" / ".s.PGSQL.5432", postgres.folder / ".s.PGSQL.5432")
        self._start_broker()
        self.broker = Wire(folder / "broker.wire", folder / "broker.sock")
        self._commands = {"run": ("run", self._deals), "work": ("work",)}
        self.hosts: dict[str, subprocess.Popen[bytes]] = {}

    def _plan(self, folder: Path) -> None:
        direct = self.postgres.new_database()
        self._name = direct.partition("?")[0].rpartition("/")[2]
        self.store = Store(database_url(direct))
        migrate.upgrade(self.store)
        deals = parse_deal_range(self._deals)
        with deals_reading(self.store, deals) as reading:
            reading.finish(lambda *_: None, print)
        _, engine = find_engine(ENGINE)
        self._run = plan_run(self.store, reading.source, ENGINE, engine.version, NO_LIMIT, CHUNK)
        undisturbed = Store(database_url(f"sqlite:///{folder / 'undisturbed.db'}"))
        migrate.upgrade(undisturbed)
        layouts = [layout.text for layout in deals]
        self.expected = fingerprint_of(undisturbed, a_run(undisturbed, ENGINE, layouts).id, self.items)
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
    def run(self) -> Run:
        """The run as the database has it."""
        return find_run(self.store, str(self._run))

    @property
    def told(self) -> str:
        """What all commands have said."""
        return Path(self._said.name).read_text(errors="replace")

    def queue(self) -> Redis:
        """The broker, directly."""
        return Redis(unix_socket_path=str(self._folder / "broker.sock"))

    def sql(self, statement: str) -> None:
        """Change something in the database, directly."""
        with self.store.writing() as connection:
            connection.execute(text("SET TRANSACTION READ WRITE"))
            connection.execute(text(statement))

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
        """Start again what has ended."""
        for name, command in self._commands.items():
            if name not in self.hosts or self.hosts[name].poll() is not None:
                self.hosts[name] = self.start(*command)

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a command that works on the run."""
        settings = {
            "DEALMILL_DATABASE_URL": f"postgresql://dealmill@/{self._name}?host={self._folder / 'pg'}",
            "DEALMILL_BROKER_URL": f"redis+socket://{self._folder / 'broker.wire'}",
            "DEALMILL_WORKERS": "2",
            "DEALMILL_LEASE_SECONDS": str(LEASE_SECONDS),
            "DEALMILL_SCENE": str(self._folder),
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
        while (now := self.solved()) < min(items, self.items):
            longest = max(longest, self.until(lambda: self.solved() > now, LEASE_SECONDS + UP_SECONDS))
        return longest

    def solved(self) -> int:
        """How many layouts have a verdict; none as long as the database is away."""
        try:
            with self.store.reading() as connection:
                return int(connection.execute(text(DONE_ITEMS), {"run": self._run}).scalar_one())
        except StoreAway:
            return 0

    def end(self) -> None:
        """Wait for the end of the run, and have all commands end as they should."""
        self.until_solved(self.items)
        self.hosts["run"].wait(UP_SECONDS)
        self.hosts["work"].terminate()
        self.hosts["work"].wait(UP_SECONDS)
