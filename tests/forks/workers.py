"""Workers from a fork server, for `subprocess` and for all that uses it."""

import ctypes
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from tests.forks.request import Kind, Request

PR_SET_CHILD_SUBREAPER = 36
MODULE = "dealmill.workers"
ADOPTING = Lock()


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
            with _adopting_orphans():
                request.send(channel)
                return int(channel.recv(16))

    subprocess._fork_exec = fork_exec  # type: ignore[attr-defined]


@contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Be the new parent of orphaned descendants for the duration of the `with` block, which one thread at a time
    enters."""
    prctl = ctypes.CDLL(None).prctl
    with ADOPTING:
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        try:
            yield
        finally:
            prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
