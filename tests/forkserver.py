"""A server that runs commands in forked processes: it imports once what each command would spend most of its time on.

A forked command is a process like any other, with its own working directory, environment, streams, signals and exit
code. It starts with the modules of this server and no other state; so does its first Celery worker. What differs from a
new interpreter: all of them share the seed of Python's hashes, and /proc shows the command line of the server.
"""

import atexit
import gc
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from dealmill.workers.local.processes import die_with_parent

ROOT = Path(__file__).parents[1]
CLIENT = Path(__file__).with_name("forked.py")
SERVER = f"import sys; sys.path.append({str(ROOT)!r}); from tests.forkserver import serve; serve(sys.argv[1])()"
WORKER_NAME = "dealmill-worker"
"""The name of forked workers and their children in ``/proc/PID/comm``."""
MODULES = (
    *("celery.apps.worker", "celery.backends.base", "celery.bin.worker", "celery.concurrency.prefork"),
    *("celery.events.receiver", "celery.fixups.django", "kombu.transport.pyamqp", "kombu.transport.redis"),
    *("numpy.ma", "numpy.typing", "rich.progress", "sqlalchemy.dialects.sqlite"),
    *("dealmill.db", "dealmill.layouts", "dealmill.progress", "dealmill.stores", "dealmill.surveys"),
    *("dealmill.pipeline.answer", "dealmill.pipeline.results.export", "dealmill.pipeline.store.record.jobs"),
)
"""Modules that most commands import, and whose import reads no settings."""


def serve(address: str) -> Callable[[], object]:
    """Answer `forked.py`. Return in each forked process, with what it is to do."""
    from dealmill.cli import COMMANDS, main
    from dealmill.pipeline.games.kernel import load_compiler

    die_with_parent()
    for name in (*MODULES, *(f"dealmill.cli.{module}" for module in COMMANDS.values())):
        import_module(name)
    with suppress(ModuleNotFoundError):  # an extra, which some tests hide
        import_module("psycopg")
    load_compiler()
    gc.freeze()  # a collection in a forked process would copy all memory
    assert "dealmill.workers.app" not in sys.modules  # it reads the settings when it is imported
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{address}-not-yet")
    listener.listen()
    Path(f"{address}-not-yet").rename(address)  # now clients can connect
    while True:
        client, _ = listener.accept()
        if not os.fork():
            break
        client.close()
    listener.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    die_with_parent()
    arguments = _begin_command(client)
    ours, its = socket.socketpair()
    if spare := os.fork():
        its.close()
        _fork_worker(spare, ours)
        sys.argv[:] = ["dealmill", *arguments]
        return partial(_end_quickly, main)
    ours.close()
    _wait_to_be_a_worker(its)
    return partial(_end_quickly, partial(runpy.run_module, "dealmill.workers", run_name="__main__", alter_sys=True))


def _end_quickly(run: Callable[[], object]) -> None:
    """Run a command or a worker. When it exits, end the process as the interpreter would, except that it does not
    destroy all modules and objects: most of them are shared with the server, and that would copy them first."""
    try:
        run()
    except SystemExit as exiting:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(exiting.code or 0))


def _begin_command(client: socket.socket) -> list[str]:
    """Fork the command, tell the client its number and its exit status, and end. In the command, return its
    arguments."""
    _, streams, _, _ = socket.recv_fds(client, 1, 3)
    with client.makefile("rb") as request:
        folder, count, *words = map(os.fsdecode, request.read().split(b"\0"))
    if command := os.fork():
        client.sendall(b"%8d" % command)
        _, status = os.waitpid(command, 0)
        with suppress(BrokenPipeError):  # nobody waits for it
            client.sendall(b"%d" % os.waitstatus_to_exitcode(status))
        os._exit(0)
    client.close()
    die_with_parent()
    os.chdir(folder)
    _take_over(streams, words[int(count) :])
    return words[: int(count)]


def _take_over(streams: list[int], variables: list[str]) -> None:
    """Replace the standard streams and the environment of this process."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update((name, value) for name, _, value in (variable.partition("=") for variable in variables))


def _fork_worker(spare: int, channel: socket.socket) -> None:
    """Have `subprocess` take the process `spare`, which waits at the other end of `channel`, for the first worker."""
    real: Callable[..., int] = subprocess._fork_exec  # type: ignore[attr-defined]

    def fork_exec(*given: Any) -> int:
        command, variables, stdin, stdout, stderr = given[0], given[5], given[6], given[9], given[11]
        if b"dealmill.workers" not in map(os.fsencode, command):
            return real(*given)
        subprocess._fork_exec = real  # type: ignore[attr-defined]
        socket.send_fds(channel, [b"\0"], [stdin, stdout, stderr])
        arguments = list(map(os.fsencode, command[command.index("dealmill.workers") + 1 :]))
        channel.sendall(b"\0".join([b"%d" % len(arguments), *arguments, *variables]))
        channel.shutdown(socket.SHUT_WR)
        channel.recv(1)  # it has a session of its own, as it would have when `subprocess` returns
        channel.close()
        return spare

    subprocess._fork_exec = fork_exec  # type: ignore[attr-defined]


def _wait_to_be_a_worker(channel: socket.socket) -> None:
    """Return when a worker is to be started, as ``python -P -W … -m dealmill.workers`` would be; else end with the
    command."""
    die_with_parent()
    started, streams, _, _ = socket.recv_fds(channel, 1, 3)
    if not started:
        os._exit(0)
    with channel.makefile("rb") as request:
        count, *words = map(os.fsdecode, request.read().split(b"\0"))
    os.setsid()
    channel.send(b"\0")
    channel.close()
    Path("/proc/self/comm").write_text(WORKER_NAME)
    _take_over(streams, words[int(count) :])
    sys.argv[1:] = words[: int(count)]
    warnings.filterwarnings("ignore", "unknown setting", UserWarning)


@contextmanager
def running_forkserver(environment: dict[str, str]) -> Iterator[str]:
    """Run a server for the duration of the `with` block, and yield its address."""
    with tempfile.TemporaryDirectory(prefix="dealmill-fork-") as folder:
        address = f"{folder}/socket"
        pipes = subprocess.PIPE  # as those of the commands: Python finds out about its streams when it starts
        command = [sys.executable, "-P", "-c", SERVER, address]
        with subprocess.Popen(command, env=environment, stdin=pipes, stdout=pipes, stderr=pipes) as server:
            while server.poll() is None and not Path(address).exists():
                time.sleep(0.01)
            try:
                yield address
            finally:
                server.kill()
