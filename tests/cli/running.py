"""Run commands: for the rows that they print, on a terminal, and in the background."""

import json
import os
import pty
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import patch

from dealmill.pipeline.errors import NotFoundError, StoreError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.runs.finding import find_run
from tests.servers import LONGEST_SECONDS, clean_environment, dealmill, dealmill_command, start


def rows(*arguments: str, cwd: Path, code: int = 0, env: Mapping[str, str] | None = None) -> Any:
    """Return what a command prints as JSON."""
    ran = dealmill(*arguments, "--json", cwd=cwd, env=env)
    assert ran.returncode == code, ran.stderr
    return json.loads(ran.stdout)


def run_alone(
    *arguments: str,
    cwd: Path,
    script: str = 'exec "$@"',
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a command in an interpreter of its own, by a script of the shell in which it is ``"$@"``."""
    return subprocess.run(
        ["sh", "-c", script, "sh", *dealmill_command(arguments)],
        cwd=cwd,
        env=clean_environment(env),
        text=True,
        errors="replace",
        check=False,
        timeout=LONGEST_SECONDS,
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def on_terminal(*arguments: str, cwd: Path, columns: int = 200, codes: Sequence[int] = (0,)) -> str:
    """Return everything that a command writes to a terminal with `columns` columns."""
    ours, theirs = pty.openpty()
    written = bytearray()

    def read() -> None:
        while True:
            try:
                block = os.read(ours, 1 << 16)
            except OSError:  # the other end was closed
                return
            written.extend(block)

    reader = Thread(target=read)
    reader.start()
    terminal = patch.dict(os.environ, TERM="xterm-256color", COLUMNS=str(columns))
    with terminal, os.fdopen(theirs, "wb") as stream, Path(os.devnull).open("rb") as nothing:
        code = start(*arguments, cwd=cwd, streams=(nothing, stream, stream)).wait(LONGEST_SECONDS)
    reader.join()
    os.close(ours)
    assert code in codes, written
    return written.decode()


def started(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, under: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """Start a command in the background, in an interpreter of its own, as an argument of the command `under`."""
    return subprocess.Popen(
        [*under, *dealmill_command(arguments)],
        preexec_fn=_heed_signals,
        cwd=cwd,
        env=clean_environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _heed_signals() -> None:
    """Undo what a shell has ignored for us, such as SIGHUP under nohup."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)


def solved_layouts(folder: Path) -> int:
    """Return how many layouts of the newest run in a folder have a verdict."""
    try:
        return find_run(Database(database_url(f"sqlite:///{folder / 'dealmill.db'}")), "last").solved
    except (NotFoundError, StoreError):
        return 0  # it has not begun


def wait_for_layouts(folder: Path, process: subprocess.Popen[str], more_than: int = 0) -> int:
    """Wait until more layouts have a verdict, or the command has ended, and return how many have."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while (solved := solved_layouts(folder)) <= more_than and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return solved
