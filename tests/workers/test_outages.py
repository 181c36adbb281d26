"""What operators learn of a database and a broker that refuse workers: from their log, and from ``doctor --worker``."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from redis import Redis

from dealmill.workers.broker import LocalBroker
from tests.forks.background import ForkedCommand
from tests.forks.slow import JOB_SECONDS
from tests.servers import LONGEST_SECONDS, Postgres, dealmill, running_postgres, start
from tests.workers.test_metrics import free_port, scraped

BEGIN = "the server refuses this user or password; correct the URL"


@pytest.fixture
def server() -> Iterator[Postgres]:
    """A server that asks the user `worker` for a password, which is `first`."""
    with running_postgres() as postgres:
        rules = postgres.data / "pg_hba.conf"
        rules.write_text(f"local all worker scram-sha-256\n{rules.read_text()}")
        sql(postgres, "CREATE ROLE worker LOGIN PASSWORD 'first'")
        sql(postgres, "CREATE DATABASE farm OWNER worker")
        sql(postgres, "SELECT pg_reload_conf()")
        yield postgres


def sql(server: Postgres, statement: str) -> None:
    """Execute a statement as the superuser."""
    with psycopg.connect(host=str(server.folder), user="dealmill", dbname="postgres", autocommit=True) as connection:
        connection.execute(statement)


def change_password(server: Postgres, password: str) -> None:
    """Change the password of the workers, and end their connections."""
    sql(server, f"ALTER ROLE worker PASSWORD '{password}'")
    sql(server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'worker'")


@pytest.fixture
def broker() -> Iterator[tuple[str, Redis]]:
    """A broker, and a connection past Celery."""
    with TemporaryDirectory() as folder, LocalBroker(Path(folder)) as running:
        yield running.url, Redis(unix_socket_path=f"{folder}/broker.sock")


def until(true: Callable[[], bool], log: Path) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while not true():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.5)


def failed_checks(folder: Path, env: dict[str, str]) -> dict[str, str]:
    """Return the failed checks of the workers of this machine, with what they say."""
    ran = dealmill("doctor", "--worker", "--json", cwd=folder, env=env)
    failed = {row["check"]: row["details"] for row in json.loads(ran.stdout) if row["state"] == "failed"}
    assert ran.returncode == (1 if failed else 0)
    return failed


def outages(folder: Path, env: dict[str, str]) -> list[dict[str, str]]:
    """Return the outages on record, oldest first."""
    entries = json.loads(dealmill("log", "--since", "yesterday", "--json", cwd=folder, env=env).stdout)
    return [entry for entry in entries if entry["what"] == "outage"]


def work(folder: Path, env: dict[str, str]) -> tuple[ForkedCommand, Path]:
    """Start workers, and return their command and its log."""
    log = folder / "log"
    with log.open("ab") as output, Path(os.devnull).open("rb") as nothing:
        return start("work", cwd=folder, env=env, streams=(nothing, output, output)), log


def of_store(port: int) -> dict[str, float]:
    """Return the metrics of the store that do not grow with time."""
    samples = {name.removeprefix("dealmill_"): value for (name, _), value in scraped(port).items()}
    names = ("database_up", "broker_up", "jobs_pending", "jobs_running")
    return {name: samples[name] for name in names if name in samples}


@pytest.mark.long
def test_workers_and_their_health_check_say_what_is_wrong(
    server: Postgres, broker: tuple[str, Redis], tmp_path: Path
) -> None:
    broker_url, redis = broker
    env = {
        "DEALMILL_DATABASE_URL": f"postgresql://worker:first@/farm?host={server.folder}",
        "DEALMILL_BROKER_URL": broker_url,
        "DEALMILL_WORKERS": "1",
        "DEALMILL_METRICS_PORT": str(port := free_port()),
        JOB_SECONDS: "3600",
    }
    assert dealmill("db", "upgrade", cwd=tmp_path, env=env).returncode == 0
    assert list(failed_checks(tmp_path, env)) == ["workers"]
    for source in ("deal:memory:seed=1:1-9", "deal:memory:seed=2:1-9"):
        assert dealmill("queue", source, cwd=tmp_path, env=env).returncode == 0
    working, log = work(tmp_path, env)
    until(lambda: not failed_checks(tmp_path, env), log)
    until(lambda: of_store(port) == {"database_up": 1, "broker_up": 1, "jobs_pending": 1, "jobs_running": 1}, log)

    change_password(server, "second")
    until(lambda: log.read_text().count(BEGIN) == 1, log)
    assert of_store(port) == {"database_up": 0, "broker_up": 1}
    failed = failed_checks(tmp_path, env)
    assert BEGIN in failed.pop("database")
    assert set(failed) == {"tables", "workers", "work"}
    reasons = [line.partition(" the database ")[2] for line in log.read_text().splitlines() if " the database " in line]
    assert len(reasons) == len(set(reasons)), reasons  # each reason once, not at each attempt
    change_password(server, "first")
    until(lambda: "the database is available again" in log.read_text(), log)

    redis.config_set("requirepass", "secret")
    redis.client_kill_filter(_type="normal", skipme=True)
    until(lambda: "the broker refuses this user or password; correct DEALMILL_BROKER_URL" in log.read_text(), log)
    assert of_store(port)["broker_up"] == 0
    assert "the broker refuses this user or password" in failed_checks(tmp_path, env)["broker"]
    redis.config_set("requirepass", "")
    until(lambda: "the broker is available again" in log.read_text(), log)
    until(lambda: not failed_checks(tmp_path, env), log)
    until(lambda: len(outages(tmp_path, env)) == 2, log)  # the log is a line ahead of the store
    database, broker_away = outages(tmp_path, env)
    assert "password authentication failed" in database["why"]
    assert "the broker refuses this user or password" in broker_away["why"]  # before that, its own words, which vary
    assert database["when"] <= database["until"] <= broker_away["until"]
    working.terminate()
    assert working.wait(60) == 0
    assert list(failed_checks(tmp_path, env)) == ["workers"]  # it has taken its report back
    assert "Traceback" not in log.read_text()
