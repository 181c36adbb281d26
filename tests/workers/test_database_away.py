"""A PostgreSQL server that goes away and comes back under running commands with real workers."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.store.database.connections import Database, patiently
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.runs.finding import find_run
from tests.servers import Postgres, clean_environment, dealmill, dealmill_command, running_postgres

AWAY = 1.5
BACK = "the database is available again"


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server of its own, for others would miss it."""
    with running_postgres() as postgres:
        yield postgres


@pytest.fixture
def env(server: Postgres, tmp_path: Path) -> dict[str, str]:
    """The settings that name an empty database of the server."""
    settings = {"DEALMILL_DATABASE_URL": server.new_database(), "DEALMILL_WORKERS": "2", "DEALMILL_LEASE_SECONDS": "3"}
    assert dealmill("db", "upgrade", cwd=tmp_path, env=settings).returncode == 0
    return settings


def reached(env: dict[str, str], what: str) -> int:
    """How many items the newest run has, or how many are solved."""
    try:
        run = patiently(
            partial(find_run, Database(database_url(env["DEALMILL_DATABASE_URL"])), "last"), list[str]().append
        )
    except NotFoundError:
        return 0  # it has not begun
    return run.items if what == "read" else run.solved


@pytest.mark.long
def test_reading_and_solving_resume_when_the_database_is_back(
    server: Postgres, env: dict[str, str], tmp_path: Path
) -> None:
    count = 300_000
    source = f"deal:memory:seed=6:1-{count}"
    file = tmp_path / "told.txt"
    with file.open("w") as stderr:
        running = subprocess.Popen(
            dealmill_command(["run", source, "--engine", "memory/incremental", "--json"]),
            cwd=tmp_path,
            env=clean_environment(env),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )

    def ours() -> list[str]:
        """What the command itself has said of the database."""
        lines = [re.sub(r"^\d+-\d\d-\d\d \d\d:\d\d:\d\d ", "", line) for line in file.read_text().splitlines()]
        return [line for line in lines if line.startswith("the database")]

    def until(true: Callable[[], bool]) -> None:
        while not true():
            assert running.poll() is None, file.read_text()
            time.sleep(0.01)

    def go_away(what: str) -> None:
        begun, said = reached(env, what), len(ours())
        until(lambda: reached(env, what) > begun)
        with server.away():
            until(lambda: len(ours()) > said)
            time.sleep(AWAY)
        until(lambda: ours()[-1] == BACK and len(ours()) > said)

    go_away("read")
    go_away("solved")
    out, _ = running.communicate(timeout=200)
    told = file.read_text()
    assert running.returncode == 0, told
    assert json.loads(out)[0]["scored"] == count
    assert "Traceback" not in told, told
    assert ours().count(BACK) == 2 and ours()[-1] == BACK, told
    outages = "\n".join(ours()).split(BACK)
    assert all(len(set(outage.split("\n"))) == len(outage.split("\n")) for outage in map(str.strip, outages)), told
    workers = [line for line in told.splitlines() if "Worker" in line]
    assert len(workers) <= 2 * 2 * 4, told
    audit = dealmill("audit", "1", "--sample", "2000", cwd=tmp_path, env=env)
    assert "2,000 valid, 0 invalid, 0 without evidence; 0 faults" in audit.stderr, audit.stderr
