"""Workers from a fork server, for `subprocess` and for all that uses it."""

import ctypes
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.forks.request import Kind, Request

PR_SET_CHILD_SUBREAPER = 36
MODULE = "dealmill.workers"


def take_workers_from(server: Callable[[list[str]], str]) -> None:
    """Have `subprocess` take the processes for Celery workers from the fork server at an address that depends on their
    environment, a list of ``NAME=VALUE``.

    They are children of this process, as if it had started them: for the moment, the kernel makes it the parent of
    descendants whose own parents end.
    """
    real: Callable[..., int] = subprocess._fork_exec  # type: ignore[attr-defined]

    def fork_exec(*given: Any) -> int:
        command, folder, variables = list(map(os.fsdecode, given[0])), given[4], given[5]
        if MODULE not in command:
            return real(*given)
        stdin, stdout, stderr = given[6], given[9], given[11]
        arguments = [str(os.getpid()), *command[command.index(MODULE) + 1 :]]
        decoded = list(map(os.fsdecode, variables))
        request = Request(Kind.WORKER, [stdin, stdout, stderr], folder or str(Path.cwd()), arguments, decoded)
        with socket.socket(socket.AF_UNIX) as channel:
            channel.connect(server(decoded))
            _adopt_orphans(True)
            try:
                request.send(channel)
                return int(channel.recv(16))
            finally:
                _adopt_orphans(False)

    subprocess._fork_exec = fork_exec  # type: ignore[attr-defined]


def _adopt_orphans(adopt: bool) -> None:
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)
