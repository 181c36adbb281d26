"""Commands that run in the background, in forked processes."""

import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tests.forks.request import Kind, Request

Streams = tuple[IO[bytes], IO[bytes], IO[bytes]]
"""Standard input, output and error."""


class ForkedCommand:
    """A running command ``dealmill`` from the fork server at an address. Its attributes and methods are those of
    `subprocess.Popen`.

    ``/proc`` shows the command line and the environment of the server for it.
    """

    def __init__(self, server: str, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], streams: Streams):
        self.args = ["dealmill", *arguments]
        self.returncode: int | None = None
        self._channel = socket.socket(socket.AF_UNIX)
        self._channel.connect(server)
        variables = [f"{name}={value}" for name, value in env.items()]
        Request(Kind.COMMAND, [stream.fileno() for stream in streams], str(cwd), arguments, variables).send(
            self._channel
        )
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
