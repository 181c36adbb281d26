"""Files of embedded stores, and commands of a user who may not read and write everything."""

import ctypes
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from tests.servers import clean_environment

DROP_FROM_BOUNDING_SET = 24
IGNORING_PERMISSIONS = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, with which root reads and writes everything."""
READERS = (
    ["status"],
    ["query", "1", "--nl"],
    ["show", "1:1"],
    ["export", "1", "/dev/stdout/a.csv"],
    ["diff", "1", "1"],
    ["log", "--nl"],
    ["audit", "1"],
    ["work", "--drain"],
    ["retract", "--engine", "memory/two-pass", "--version", "1", "--why", "x"],
)


def created(file: Path) -> Database:
    """Create a store in a file."""
    database = Database(database_url(f"sqlite:///{file}"))
    revisions.upgrade(database)
    return database


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files in a folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def lock_up(*paths: Path) -> None:
    """Take away the permissions to write."""
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)


SEVERAL = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from dealmill.cli import main

for sys.argv[1:] in json.load(sys.stdin):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
"""One process, for most of the time of a command goes into starting it."""


def as_ordinary_user(*commands: list[str], cwd: Path, env: dict[str, str] | None = None) -> list[tuple[int, str, str]]:
    """Run commands with the permissions of an ordinary user, also as root. Returns the exit code, standard output and
    standard error of each."""

    def obey() -> None:
        for capability in IGNORING_PERMISSIONS if os.geteuid() == 0 else ():
            if ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0):
                os._exit(99)

    ran = subprocess.run(
        [sys.executable, "-c", SEVERAL],
        cwd=cwd,
        env=clean_environment(env),
        input=json.dumps(commands),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=obey,
    )
    return [tuple(json.loads(line)) for line in ran.stdout.splitlines()]


def execute(file: Path, script: str) -> None:
    """Execute SQL in an SQLite file."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
