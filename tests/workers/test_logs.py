"""What real workers log: JSON lines that name run and job."""

import json
from pathlib import Path

import pytest

from pipeline.deals import parse_deal_range
from tests.servers import dealmill

ROOT = Path(__file__).parent.parent.parent
SABOTAGE = Path(__file__).parent / "sabotage"
SOURCE = "deal:memory:seed=9:1-50"


def test_json_lines_name_run_and_job(tmp_path: Path) -> None:
    bad = list(parse_deal_range(SOURCE))[6].text
    env = {
        "PYTHONPATH": f"{SABOTAGE}:{ROOT}",
        "DEALMILL_TEST_DEADLY": f"{bad}=0",
        "DEALMILL_WORKERS": "1",
        "DEALMILL_LOG_FORMAT": "json",
    }
    ran = dealmill("run", SOURCE, "--json", cwd=tmp_path, env=env)
    assert (ran.returncode, json.loads(ran.stdout)[0]["failed"]) == (0, 1), ran.stderr
    logged = [json.loads(line) for line in ran.stderr.splitlines() if line.startswith("{")]
    [failed] = [line for line in logged if "failed on" in line["event"]]
    assert failed["event"].startswith("memory/two-pass failed on ")
    assert (failed["level"], failed["logger"], failed["run"], failed["job"]) == ("error", "pipeline.solve", 1, 1)
    assert "ValueError" in failed["exception"]
    assert failed["timestamp"].endswith("Z") and failed["process"] > 0


def test_what_the_command_says_of_its_workers_is_in_the_same_form(monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.settings import Settings
    from workers import logs

    assert logs.line_of("the broker is away") == "the broker is away"
    monkeypatch.setattr(logs, "settings", lambda: Settings(log_format="json"))
    told = json.loads(logs.line_of("the broker is away"))
    assert (told["event"], told["level"]) == ("the broker is away", "warning")
