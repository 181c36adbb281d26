"""A PostgreSQL server that goes away and comes back under running commands with real workers."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import Postgres, clean_environment, dealmill, dealmill_command, running_postgres

AWAY = 1.5


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server of its own, for others would miss it."""
    with running_postgres() as found:
        yield found


@pytest.fixture
def env(server: Postgres, tmp_path: Path) -> dict[str, str]:
    """The settings that name an empty database of the server."""
    found = {"DEALMILL_DATABASE_URL": server.new_database(), "DEALMILL_WORKERS": "2", "DEALMILL_LEASE_SECONDS": "3"}
    assert dealmill("db", "upgrade", cwd=tmp_path, env=found).returncode == 0
    return found


def status(cwd: Path, env: dict[str, str]) -> dict[str, int]:
    """The row of the newest run; of one without layouts if there is none yet."""
    found = dealmill("status", "last", "--json", cwd=cwd, env=env)
    return json.loads(found.stdout)[0] if found.returncode == 0 else {"layouts": 0, "solved": 0}


def test_reading_and_solving_wait_for_the_database(server: Postgres, env: dict[str, str], tmp_path: Path) -> None:
    source = "deal:memory:seed=6:1-900000"
    running = subprocess.Popen(
        dealmill_command(["run", source, "--engine", "memory/incremental", "--json"]),
        cwd=tmp_path,
        env=clean_environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for least in ("layouts", "solved"):  # it goes away once while the source is read, and once more later
        begun = status(tmp_path, env)[least]
        while status(tmp_path, env)[least] <= begun:
            assert running.poll() is None
        with server.away():
            time.sleep(AWAY)
            assert running.poll() is None
    out, told = running.communicate(timeout=200)
    assert running.returncode == 0, told
    assert json.loads(out)[0]["scored"] == 900_000
    assert "Traceback" not in told, told
    ours = [line for line in told.splitlines() if line.startswith("the database")]
    assert [line.startswith("the database answers again") for line in ours] == [False, True, False, True], told
    workers = [line for line in told.splitlines() if "Worker" in line]
    assert len(workers) <= 2 * 2 * 4, told
    audit = dealmill("audit", "1", "--sample", "2000", cwd=tmp_path, env=env)
    assert "2,000 valid, 0 invalid, 0 without evidence; 0 faults" in audit.stderr, audit.stderr
