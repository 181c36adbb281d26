"""The real command with full disks and read-only disks."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from tests.servers import ORDINARY_USER, Postgres, clean_environment, dealmill, dealmill_command, running_postgres

SOURCE = "deal:memory:seed=8:1-60000"
WAIT_SECONDS = 120


class Disk:
    """A small disk in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def remount(self, options: str) -> None:
        """Change the mount options."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.folder)], check=True)


@pytest.fixture
def disk() -> Iterator[Disk]:
    with TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]
        if subprocess.run(mount, check=False, capture_output=True).returncode:
            pytest.skip("mounting a disk needs privileges")
        Path(folder).chmod(0o755)
        yield Disk(Path(folder))
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A separate server, which is stopped before its disk is unmounted."""
    with running_postgres() as postgres:
        yield postgres


@pytest.fixture(params=["sqlite", "postgresql"])
def env(request: pytest.FixtureRequest, disk: Disk, tmp_path: Path) -> dict[str, str]:
    """Return the settings for a database on the disk."""
    if request.param == "sqlite":
        return {"DEALMILL_DATABASE_URL": f"sqlite:///{disk.folder / 'dealmill.db'}"}
    postgres: Postgres = request.getfixturevalue("server")
    space = disk.folder / "space"
    space.mkdir()
    subprocess.run(["chown", ORDINARY_USER, str(space)], check=True)
    url = postgres.new_database(folder=space)
    settings = {"DEALMILL_DATABASE_URL": url}
    assert dealmill("db", "upgrade", cwd=tmp_path, env=settings).returncode == 0
    return settings


def test_a_command_waits_while_the_disk_is_full(disk: Disk, env: dict[str, str], tmp_path: Path) -> None:
    told = tmp_path / "told"
    with told.open("wb") as stderr, (tmp_path / "out").open("wb") as stdout:
        running = subprocess.Popen(
            dealmill_command(["run", SOURCE, "--json"]),
            cwd=tmp_path,
            env=clean_environment(env),
            stdout=stdout,
            stderr=stderr,
        )
    deadline = time.monotonic() + WAIT_SECONDS
    while "; waiting for it" not in told.read_text():
        assert running.poll() is None and time.monotonic() < deadline, told.read_text()
        time.sleep(0.1)
    disk.remount("size=300m")
    assert running.wait(WAIT_SECONDS) == 0, told.read_text()
    said = told.read_text()
    assert "full" in said or "No space left on device" in said, said
    assert "Traceback" not in said, said
    [summary] = json.loads((tmp_path / "out").read_text())
    assert summary["scored"] == 60_000
    audit = dealmill("audit", "1", "--sample", "2000", cwd=tmp_path, env=env)
    assert "2,000 valid, 0 invalid, 0 without evidence; 0 faults" in audit.stderr, audit.stderr


def test_a_copy_goes_on_after_its_disk_was_full(disk: Disk, env: dict[str, str], tmp_path: Path) -> None:
    assert dealmill("ingest", SOURCE, cwd=tmp_path).returncode == 0
    refused = dealmill("db", "copy", env["DEALMILL_DATABASE_URL"], cwd=tmp_path)
    assert refused.returncode == 1 and "Traceback" not in refused.stderr, refused.stderr
    assert "full" in refused.stderr or "No space left on device" in refused.stderr, refused.stderr
    assert "the copy is not finished: the same command goes on with it" in refused.stderr, refused.stderr
    disk.remount("size=300m")
    copied = dealmill("db", "copy", env["DEALMILL_DATABASE_URL"], "--json", cwd=tmp_path)
    assert (copied.returncode, json.loads(copied.stdout)["rows"]["items"]) == (0, 60_000), copied.stderr


def test_a_read_only_disk_is_reported_immediately(disk: Disk, tmp_path: Path) -> None:
    disk.remount("size=300m")
    env = {"DEALMILL_DATABASE_URL": f"sqlite:///{disk.folder / 'dealmill.db'}"}
    assert dealmill("ingest", "deal:memory:seed=8:1-100", cwd=tmp_path, env=env).returncode == 0
    disk.remount("ro")
    refused = dealmill("run", "deal:memory:seed=8:1-100", cwd=tmp_path, env=env)
    assert refused.returncode == 1, refused.stderr
    assert refused.stderr.startswith(f"dealmill: the database sqlite:///{disk.folder}/dealmill.db is read-only: ")
    assert refused.stderr.count("\n") == 1, refused.stderr
    disk.remount("rw")
    ran = dealmill("run", "deal:memory:seed=8:1-100", "--json", cwd=tmp_path, env=env)
    assert (ran.returncode, json.loads(ran.stdout)[0]["scored"]) == (0, 100), ran.stderr


def test_a_read_only_database_is_reported_immediately(postgres: Postgres, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": postgres.new_database()}
    assert dealmill("db", "upgrade", cwd=tmp_path, env=env).returncode == 0
    name = database_url(env["DEALMILL_DATABASE_URL"]).database
    with Database(database_url(env["DEALMILL_DATABASE_URL"])).writing() as connection:
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    refused = dealmill("run", "deal:memory:seed=8:1-100", cwd=tmp_path, env=env)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1), refused.stderr
    assert "is read-only: cannot execute INSERT in a read-only transaction" in refused.stderr
