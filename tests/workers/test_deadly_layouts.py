"""Layouts that kill the process that solves them, with a real worker: they fail alone, and all others are solved."""

import json
import re
from pathlib import Path

import pytest

from dealmill.pipeline.games.deals import parse_deal_range
from tests.servers import dealmill

ROOT = Path(__file__).parent.parent.parent
SABOTAGE = Path(__file__).parent / "sabotage"
SOURCE = "deal:memory:seed=9:1-64"
DEADLY = {20: ("9", "SIGKILL"), 60: ("11", "SIGSEGV")}


@pytest.fixture(params=["sqlite", "postgresql"])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Settings for a fresh database of each kind, and for workers that die of two layouts."""
    layouts = [layout.text for layout in parse_deal_range(SOURCE)]
    deadly = " ".join(f"{layouts[number - 1]}={signal}" for number, (signal, _) in DEADLY.items())
    sabotaged = {"PYTHONPATH": f"{SABOTAGE}:{ROOT}", "DEADLY_LAYOUTS": deadly}
    if request.param == "sqlite":
        return sabotaged
    database = {"DEALMILL_DATABASE_URL": request.getfixturevalue("postgres").new_database()}
    assert dealmill("db", "upgrade", cwd=tmp_path, env=database).returncode == 0
    return {**sabotaged, **database}


@pytest.mark.long
def test_a_layout_that_kills_its_worker_fails_alone(env: dict[str, str], tmp_path: Path) -> None:
    ran = dealmill("run", SOURCE, "--json", cwd=tmp_path, env=env)
    assert ran.returncode == 1, ran.stderr
    assert "failures to retry:   dealmill retry 1" in ran.stderr
    [summary] = json.loads(ran.stdout)
    assert (summary["scored"], summary["failed"]) == (62, 2)
    failed = json.loads(dealmill("query", "1", "--verdict", "failed", "--json", cwd=tmp_path, env=env).stdout)
    assert [row["item"] for row in failed] == [f"1:{number}" for number in DEADLY]
    for row, (number, signal) in zip(failed, DEADLY.values(), strict=True):
        assert (
            row["evidence"]
            == f"retryable: gave up after 5 attempts: Worker exited prematurely: signal {number} ({signal})"
        )
    assert re.search(r"signal 9 \(SIGKILL\): job \d+ of run 1, items 20 to 20, is tried again", ran.stderr), ran.stderr
    told = dealmill("status", "1", cwd=tmp_path, env=env).stderr
    for row in failed:
        assert f"1 failed, first {row['item']}: {row['evidence']}\n" in told
    assert "list them with: dealmill query 1 --verdict failed\n" in told
    entries = json.loads(dealmill("log", "--since", "yesterday", "--json", cwd=tmp_path, env=env).stdout)
    assert entries[0]["what"] == "run"
    deaths = [entry["why"] for entry in entries if entry["what"] == "death"]
    assert "run 1, items 60 to 60: Worker exited prematurely: signal 11 (SIGSEGV)" in deaths
    assert json.loads(dealmill("log", "--since", "2999-01-01", "--json", cwd=tmp_path, env=env).stdout) == []
    [status] = json.loads(dealmill("status", "1", "--json", cwd=tmp_path, env=env).stdout)
    assert status["layouts"] == status["solved"] + status["pending"] == 64
    assert (status["pending"], status["failed"], status["fingerprint"]) == (0, 2, None)
    audit = dealmill("audit", "1", cwd=tmp_path, env=env)
    assert "62 valid, 0 invalid, 2 without evidence; 0 faults" in audit.stderr, audit.stderr
    sound = {key: value for key, value in env.items() if key.startswith("DEALMILL_DATABASE")}
    rerun = dealmill("rerun", "1", "--json", cwd=tmp_path, env=sound)
    assert rerun.returncode == 3
    assert [row["item"] for row in json.loads(rerun.stdout)] == [f"1:{number}" for number in DEADLY]
    assert dealmill("retry", "1", cwd=tmp_path, env=sound).returncode == 0
    first, second = json.loads(dealmill("status", "--json", cwd=tmp_path, env=sound).stdout)
    assert first["fingerprint"] == second["fingerprint"] is not None


@pytest.mark.parametrize("env", ["sqlite"], indirect=True)
def test_a_deal_of_a_survey_that_kills_its_worker_fails_alone(env: dict[str, str], tmp_path: Path) -> None:
    ran = dealmill("survey", "memory", "--seed", "9", "--count", "3000", "--json", cwd=tmp_path, env=env)
    assert ran.returncode == 1, ran.stderr
    [row] = json.loads(ran.stdout)
    assert (row["deals"], row["scored"], row["failed"]) == (3_000, 2_998, 2)
    failed = json.loads(dealmill("query", "1", "--verdict", "failed", "--json", cwd=tmp_path, env=env).stdout)
    assert [row["line"] for row in failed] == list(DEADLY)
    assert failed[0]["evidence"] == "retryable: gave up after 5 attempts: Worker exited prematurely: signal 9 (SIGKILL)"
    audit = dealmill("audit", "1", cwd=tmp_path, env=env)
    assert "2,998 valid, 0 invalid, 2 without evidence; 0 faults" in audit.stderr, audit.stderr
    assert dealmill("retry", "1", cwd=tmp_path).returncode == 0
    [status] = json.loads(dealmill("status", "1", "--json", cwd=tmp_path).stdout)
    assert (status["scored"], len(status["fingerprint"])) == (3_000, 64)
    audit = dealmill("audit", "1", cwd=tmp_path)
    assert "3,000 valid, 0 invalid, 0 without evidence; 0 faults" in audit.stderr, audit.stderr
