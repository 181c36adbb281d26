"""A farm whose database and broker are behind wires, where two commands work on the runs."""

import subprocess
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from redis import Redis
from sqlalchemy import text

from dealmill.pipeline.errors import StoreUnavailable
from dealmill.pipeline.programs.bounds import die_with_parent
from dealmill.pipeline.store.database.connections import patiently
from dealmill.workers.broker import find_server
from tests.faults.farm import UP_SECONDS, Farm
from tests.faults.wire import Wire
from tests.forks.background import ForkedCommand
from tests.servers import Postgres

ITEMS = 1_500
"""The number of items of a run. While faults are to come, another run is planned whenever less than one is left."""
CHUNK = 10
HOSTS = ("one", "other")
JUMPING_CLOCK = """
CREATE SCHEMA faults;
CREATE TABLE faults.jump (seconds integer);
INSERT INTO faults.jump VALUES (0);
CREATE FUNCTION faults.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
    'SELECT pg_catalog.clock_timestamp() + make_interval(secs => seconds) FROM faults.jump';
"""
"""A clock function that hides PostgreSQL's own if its schema comes first in the search path."""


class Scene(Farm):
    """A database, a broker, two commands and their runs. `chance` makes all random decisions, so that a seed reproduces
    roughly the same sequence of events."""

    def __init__(self, folder: Path, postgres: Postgres, seed: int) -> None:
        url = postgres.new_database()
        super().__init__(folder, url, seed, ITEMS, CHUNK)
        self.chance = Random(seed)
        self.postgres = postgres
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.database_name = url.partition("?")[0].rpartition("/")[2]
        self._more_to_come = True
        self.sql(JUMPING_CLOCK)
        self.sql(f"ALTER DATABASE {self.database_name} SET search_path = public, faults, pg_catalog")
        self.database = Wire(folder / "pg" / ".s.PGSQL.5432", postgres.folder / ".s.PGSQL.5432")
        self._start_broker()
        self.broker = Wire(folder / "broker.wire", folder / "broker.sock")
        self.settings |= {
            "DEALMILL_DATABASE_URL": f"postgresql://dealmill@/{self.database_name}?host={folder / 'pg'}",
            "DEALMILL_BROKER_URL": f"redis+socket://{folder / 'broker.wire'}",
            "TMPDIR": str(self.temporary),
        }
        self.hosts: dict[str, ForkedCommand] = {}

    def __enter__(self) -> Self:
        self.keep_up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._broker.kill()
        self._broker.wait()

    def queue(self) -> Redis:
        """Return a client of the broker that bypasses the wire."""
        return Redis(unix_socket_path=str(self.folder / "broker.sock"))

    def sql(self, statement: str) -> None:
        """Execute a statement in the database, bypassing the wire."""

        def change() -> None:
            with self.store.writing() as connection:
                connection.execute(text("SET TRANSACTION READ WRITE"))
                connection.execute(text(statement))

        patiently(change, list[str]().append)

    def set_for_all(self, setting: str) -> None:
        """Change a setting of the database for new connections, and break the existing ones."""
        self.sql(f"ALTER DATABASE {self.database_name} {setting}")
        self.database.cut()

    def keep_up(self) -> None:
        """Restart commands that have ended, and plan another run if too little is left to do."""
        for name in HOSTS:
            if name not in self.hosts or self.hosts[name].poll() is not None:
                self.hosts[name] = self.start("work")
        with suppress(StoreUnavailable):
            if self._more_to_come and self.planned - self.solved() < ITEMS:
                self.plan()

    def new_file(self) -> str:
        """Write a file with the layouts of all runs and return its name. No two files have the same bytes."""
        file = self.folder / f"memory-{len(self.runs)}.txt"
        file.write_text("\n".join(self.layouts) + "\n" * (1 + len(self.runs)))
        return file.name

    def kill_broker(self) -> None:
        """Kill the broker and start an empty one."""
        self._broker.kill()
        self._broker.wait()
        time.sleep(self.chance.uniform(0, 1))
        self._start_broker()

    def _start_broker(self) -> None:
        socket = self.folder / "broker.sock"
        socket.unlink(missing_ok=True)
        options = {"port": "0", "unixsocket": str(socket), "save": "", "dir": str(self.temporary)}
        self._broker = subprocess.Popen(
            [find_server(), *(word for key, value in options.items() for word in (f"--{key}", value))],
            stdout=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        while not socket.exists():
            time.sleep(0.01)

    def end(self) -> None:
        """Wait until all runs are finished, terminate all commands, and check that they exit with 0."""
        self._more_to_come = False
        self.until_solved(self.planned)
        for host in self.hosts.values():
            host.terminate()
            assert host.wait(UP_SECONDS) == 0
