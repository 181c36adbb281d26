"""A server that runs commands in forked processes: it imports once what each command would spend most of its time on.

A forked command is a process like any other, with its own working directory, environment, streams, signals and exit
code; it starts with the modules of this server and without any other state. Only the seed of Python's hashes is the
same for all commands of a server.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from dealmill.workers.local.processes import die_with_parent

ROOT = Path(__file__).parents[1]
SERVER = "import sys; from tests.forkserver import serve; serve(sys.argv[1]); from dealmill.cli import main; main()"
CLIENT = Path(__file__).with_name("forked.py")
PRELOADED = (
    *("celery.apps.worker", "celery.concurrency.prefork", "celery.worker", "kombu.transport.redis", "redis"),
    *("numba", "numba.core.registry", "psycopg", "rich.progress", "sqlalchemy.dialects.sqlite"),
    *("dealmill.pipeline.settings", "dealmill.pipeline.store.audits.jobs"),
)
"""Modules that are slow to import, and whose import does not read any settings."""


def serve(address: str) -> None:
    """Answer `forked.py`, and return in each forked process, in the place of the new command."""
    from dealmill.cli import COMMANDS

    die_with_parent()
    for name in (*PRELOADED, *(f"dealmill.cli.{module}" for module in COMMANDS.values())):
        import_module(name)
    assert "dealmill.workers.app" not in sys.modules  # it reads the settings when it is imported
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    while True:
        client, _ = listener.accept()
        if not os.fork():
            break
        client.close()
    listener.close()
    _wait_for_command(client)


def _wait_for_command(client: socket.socket) -> None:
    """Fork the command, tell the client its exit status, and end; return in the command."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    die_with_parent()
    _, streams, _, _ = socket.recv_fds(client, 1, 3)
    with client.makefile("rb") as request:
        folder, count, *words = map(os.fsdecode, request.read().split(b"\0"))
    if command := os.fork():
        _, status = os.waitpid(command, 0)
        client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    client.close()
    die_with_parent()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variable.split("=", 1) for variable in words[int(count) :])
    sys.argv[1:] = words[: int(count)]


@contextmanager
def running_forkserver(environment: dict[str, str]) -> Iterator[str]:
    """Run a server for the duration of the `with` block, and yield its address."""
    with tempfile.TemporaryDirectory(prefix="dealmill-fork-") as folder:
        address = f"{folder}/socket"
        pipes = subprocess.PIPE  # as those of the commands: Python finds out about its streams when it starts
        command = [sys.executable, "-c", SERVER, address]
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipes, stdout=pipes, stderr=pipes) as server:
            while server.poll() is None and not Path(address).exists():
                time.sleep(0.01)
            try:
                yield address
            finally:
                server.kill()
