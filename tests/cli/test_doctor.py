"""The doctor finds what is wrong, says what to do, changes nothing, and keeps secrets."""

import json
import re
import sqlite3
from collections import namedtuple
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealmill.cli import dealmill as commands
from dealmill.cli import operate
from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.store.database import connections as database
from dealmill.pipeline.store.database.connections import Database, server_version
from dealmill.pipeline.system.settings import Settings
from tests.servers import Postgres, dealmill

CHECKS = ["versions", "games", "engines", "kernels", "database", "tables", "clock"]


def examined(cwd: Path, env: dict[str, str]) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code, and state and finding of every check."""
    ran = dealmill("doctor", "--json", cwd=cwd, env=env)
    assert "secret" not in ran.stdout + ran.stderr
    assert ran.stderr == ""
    return ran.returncode, {row["check"]: (row["state"], row["details"]) for row in json.loads(ran.stdout)}


def test_every_check_passes_in_a_new_folder_and_nothing_is_created(tmp_path: Path) -> None:
    code, checks = examined(tmp_path, {})
    assert (code, {state for state, _ in checks.values()}) == (0, {"ok"}), checks
    assert list(checks) == ["versions", "games", "engines", "kernels", "database", "disk", "broker"]
    assert "dealmill run creates it" in checks["database"][1]
    assert "memory/two-pass 1" in checks["engines"][1]
    for check in ("games", "engines", "kernels"):
        assert "games of the family patience" in checks[check][1] and "klondike" not in checks[check][1]
    assert not list(tmp_path.iterdir())


def test_every_check_passes_for_a_server_with_tables(postgres: Postgres, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": postgres.new_database()}
    code, checks = examined(tmp_path, env)
    assert (code, checks["tables"][0]) == (1, "failed")
    assert "create them with: dealmill db upgrade" in checks["tables"][1]
    assert dealmill("db", "upgrade", cwd=tmp_path, env=env).returncode == 0
    code, checks = examined(tmp_path, env)
    assert (code, {state for state, _ in checks.values()}) == (0, {"ok"}), checks
    assert list(checks) == [*CHECKS, "broker"]
    assert "postgresql 18" in checks["database"][1]


@pytest.mark.slow
def test_all_failed_checks_are_reported_together(tmp_path: Path) -> None:
    env = {
        "DEALMILL_DATABASE_URL": "postgresql://u:secret@127.0.0.1:1/d",
        "DEALMILL_BROKER_URL": "redis://:secret@127.0.0.1:1/0",
        "XDG_CACHE_HOME": "/proc/none",
    }
    code, checks = examined(tmp_path, env)
    wrong = {check: told for check, (state, told) in checks.items() if state == "failed"}
    assert (code, list(wrong)) == (1, ["kernels", "database", "tables", "clock", "broker"])
    assert "name another cache folder with XDG_CACHE_HOME" in wrong["kernels"]
    assert "or else DEALMILL_DATABASE_URL?" in wrong["database"]
    assert "is DEALMILL_BROKER_URL right?" in wrong["broker"]


def test_passwords_that_everybody_can_read_are_reported(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("DEALMILL_WEB_TOKEN=secret\nDEALMILL_WORKERS=2\n")
    file.chmod(0o644)
    code, checks = examined(tmp_path, {})
    assert (code, checks["settings"]) == (
        1,
        ("failed", "every user of this machine can read .env, which has DEALMILL_WEB_TOKEN: chmod 600 .env"),
    )
    file.chmod(0o640)
    code, checks = examined(tmp_path, {})
    assert (code, checks["settings"][0]) == (0, "ok")


def test_empty_settings_count_as_unset(tmp_path: Path) -> None:
    code, checks = examined(tmp_path, {f"DEALMILL_{field.upper()}": "" for field in Settings.__dataclass_fields__})
    assert (code, {state for state, _ in checks.values()}) == (0, {"ok"}), checks
    assert "not configured" in checks["broker"][1]


def test_the_help_names_every_setting() -> None:
    text = CliRunner().invoke(commands, ["--help"]).output
    assert set(re.findall(r"DEALMILL_\w+", text)) == {
        f"DEALMILL_{field.upper()}" for field in Settings.__dataclass_fields__
    }


def test_a_password_in_the_query_of_a_url_is_not_shown(postgres: Postgres, tmp_path: Path) -> None:
    _, checks = examined(tmp_path, {"DEALMILL_DATABASE_URL": f"{postgres.new_database()}&password=secret"})
    assert (checks["database"][0], "postgresql 18" in checks["database"][1]) == ("ok", True)


@pytest.mark.slow
def test_a_database_whose_texts_are_not_checked_is_refused(postgres: Postgres, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": postgres.new_database(encoding="SQL_ASCII")}
    _, checks = examined(tmp_path, env)
    assert {check for check, (state, _) in checks.items() if state == "failed"} == {"database", "tables", "clock"}
    assert "has the encoding SQL_ASCII" in checks["database"][1]
    for command in (("db", "upgrade"), ("run", "deal:memory:seed=1:1-100"), ("status",), ("work", "--drain")):
        refused = dealmill(*command, cwd=tmp_path, env=env)
        assert (refused.returncode, refused.stderr) == (1, f"dealmill: {checks['database'][1]}\n")


@pytest.mark.slow
def test_the_encoding_of_clients_is_not_that_of_the_shell(postgres: Postgres, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": postgres.new_database(), "PGCLIENTENCODING": "SQL_ASCII"}
    for command in (("db", "upgrade"), ("run", "deal:memory:seed=1:1-100"), ("doctor",)):
        ran = dealmill(*command, cwd=tmp_path, env=env)
        assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("file", ["none/x.db", f"{'x' * 300}.db", "file/x.db"])
def test_a_database_in_an_impossible_place_is_reported(file: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, checks = examined(tmp_path, {"DEALMILL_DATABASE_URL": f"sqlite:///{tmp_path}/{file}"})
    assert (code, checks["database"][0]) == (1, "failed"), checks
    assert checks["disk"][0] == ("failed" if file.startswith("none") else "ok")


def test_a_database_of_another_version_fails_the_check(tmp_path: Path) -> None:
    assert dealmill("db", "upgrade", "0010", cwd=tmp_path).returncode == 0
    code, checks = examined(tmp_path, {})
    assert (code, checks["tables"][0]) == (1, "failed")
    assert "upgrade it with: dealmill db upgrade" in checks["tables"][1]
    with sqlite3.connect(tmp_path / "dealmill.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "newer (9999)" in examined(tmp_path, {})[1]["tables"][1]


def test_a_wrong_clock_and_a_full_disk_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(operate.doctor).exit_code == 0
    assert dealmill("db", "upgrade", cwd=tmp_path).returncode == 0
    monkeypatch.setattr("dealmill.pipeline.store.database.connections.time.time", lambda: 0.0)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("dealmill.workers.health.shutil.disk_usage", lambda _folder: usage(10, 5, 5))
    ran = CliRunner().invoke(operate.doctor, ["--json"])
    wrong = {row["check"]: row["details"] for row in json.loads(ran.output) if row["state"] == "failed"}
    assert (ran.exit_code, list(wrong)) == (1, ["clock", "disk"])
    assert "behind the database's; synchronize both by NTP" in wrong["clock"]
    assert "free some disk space" in wrong["disk"]


def test_an_unsupported_version_of_sqlite_is_refused(sqlite_store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server_version(sqlite_store) == f"sqlite {sqlite3.sqlite_version}"
    monkeypatch.setattr(database, "LEAST_SQLITE", (99, 1))
    with pytest.raises(StoreError, match=r"uses SQLite 3\.[0-9.]+, but Dealmill needs 99\.1 or newer"):
        server_version(sqlite_store)
