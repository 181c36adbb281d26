"""Commands that run in the background, in forked processes."""

import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tests.forks.request import Kind, Request
from tests.servers import clean_environment, fork_server, read_at_start


class ForkedCommand:
    """A running command ``dealmill`` without standard input. Its attributes and methods are those of
    `subprocess.Popen`.

    ``/proc`` shows the command line and the environment of the server for it.
    """

    def __init__(
        self, arguments: Sequence[str], *, cwd: Path, env: dict[str, str], stdout: IO[bytes], stderr: IO[bytes]
    ) -> None:
        self.args = ["dealmill", *arguments]
        self.returncode: int | None = None
        self._channel = socket.socket(socket.AF_UNIX)
        self._channel.connect(fork_server(read_at_start(env)))
        variables = [f"{name}={value}" for name, value in clean_environment(env).items()]
        with Path(os.devnull).open("rb") as nothing:
            streams = [nothing.fileno(), stdout.fileno(), stderr.fileno()]
            Request(Kind.COMMAND, streams, str(cwd), arguments, variables).send(self._channel)
        self.pid = int(self._channel.recv(8))

    def poll(self) -> int | None:
        """Return the exit code, or None if the command is still running."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the command and return its exit code.

        Raises
        ------
        subprocess.TimeoutExpired
            If it has not ended after `timeout` seconds.
        """
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            self._channel.settimeout(timeout)
            try:
                self.returncode = int(self._channel.recv(16))
            except (BlockingIOError, TimeoutError):
                return None
            self._channel.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the command has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)
