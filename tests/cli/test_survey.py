"""``survey`` with real workers, as a user runs it: to its end, killed and resumed, and queried."""

import json
import re
import signal
from pathlib import Path

import pytest

from tests.cli.running import rows, started, wait_for_layouts
from tests.servers import LONGEST_SECONDS, dealmill

SURVEY = ("survey", "camelot", "--seed", "5")


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, a survey in it, and its report."""
    folder = tmp_path_factory.mktemp("surveyed")
    ran = dealmill(*SURVEY, "--half-width", "0.5%", "--report", "night", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    interval = r"5\d\.\d\d % to 5\d\.\d\d % of deals are winnable, with 95 % confidence"
    assert re.search(rf"^{interval} .*, of which 51\.\d\d % are\); the exact value", ran.stderr, re.M)
    assert "unwinnable layouts:  " in ran.stderr
    assert re.match(
        r"run +engine +deals +winnable +unwinnable +low +high +winnability *\n +1 +camelot/winnable", ran.stdout
    )
    return folder


@pytest.mark.slow
def test_a_finished_survey_is_not_solved_again(surveyed: Path) -> None:
    [row] = rows(*SURVEY, "--half-width", "0.5%", cwd=surveyed)
    assert (row["run"], row["estimate"], row["engine"]) == (1, "winnability", "camelot/winnable")
    low, value, high, half = (float(str(row[key])) for key in ("low", "value", "high", "half_width"))
    assert low < 0.5138 < high and low < value < high and half <= 0.005
    assert row["deals"] == int(str(row["winnable"])) + int(str(row["unwinnable"]))
    for goal in (("--half-width", "0.01"), ("--count", "500")):
        assert rows(*SURVEY, *goal, cwd=surveyed) == [row]


def test_a_survey_says_that_it_has_whole_thousands_of_deals(surveyed: Path) -> None:
    told = dealmill(*SURVEY, "--count", "101", "--max-nodes", "50", cwd=surveyed)
    [command] = re.findall(r"^a survey .*: 1,000 instead of 101; for exactly 101: dealmill (.*)", told.stderr, re.M)
    ran = dealmill(*command.split(), cwd=surveyed)
    assert "camelot/winnable      101 " in ran.stdout and "of all deals, with 95 % confidence" in ran.stderr
    assert "thousands" not in dealmill(*SURVEY, "--count", "2000", cwd=surveyed).stderr


@pytest.mark.slow
def test_the_report_has_the_same_figures_and_the_command_to_repeat_it(surveyed: Path, tmp_path: Path) -> None:
    [row] = rows(*SURVEY, "--half-width", "0.5%", cwd=surveyed)
    data = json.loads((surveyed / "night" / "survey.json").read_text())
    closing = data.pop("closing")
    assert {"run": 1, **data} == row
    assert closing[0]["deals"] == 1_000 and closing[-1]["deals"] == row["deals"]
    assert [closing[-1][key] for key in ("low", "value", "high")] == [row[key] for key in ("low", "value", "high")]
    assert all(point["low"] < point["value"] < point["high"] for point in closing)
    page = (surveyed / "night" / "survey.md").read_text()
    assert str(row["fingerprint"]) in page and "](interval.svg)" in page
    assert (surveyed / "night" / "interval.svg").read_text().startswith("<svg")
    assert (surveyed / "night" / "interval.png").read_bytes().startswith(b"\x89PNG")
    command = re.search(r"```\ndealmill (.*)\n```", page)
    assert command is not None
    [repeated] = rows(*command[1].split(), "--report", "again", cwd=tmp_path)
    assert repeated["fingerprint"] == row["fingerprint"]
    for name in ("survey.md", "survey.json", "table.tex"):
        assert (tmp_path / "again" / name).read_text() == (surveyed / "night" / name).read_text()


def test_deals_of_a_survey_are_queried_like_rows(surveyed: Path) -> None:
    lost = dealmill("query", "1", "--verdict", "unwinnable", "--limit", "150", "--nl", cwd=surveyed)
    results = [json.loads(line) for line in lost.stdout.splitlines()]
    assert len(results) == 150 and {result["verdict"] for result in results} == {"unwinnable"}
    item = str(results[-1]["item"])
    shown = dealmill("show", item, cwd=surveyed)
    assert "referee: valid" in shown.stdout and f"layout: {results[-1]['layout']}" in shown.stdout
    number = item.partition(":")[2]
    dealt = dealmill("deal", "camelot", "--seed", "5", "--count", "1", "--first", number, cwd=surveyed)
    assert dealt.stdout.strip() == results[-1]["layout"]
    audit = dealmill("audit", "1", "--sample", "300", cwd=surveyed)
    assert (audit.returncode, "300 valid, 0 invalid" in audit.stderr) == (0, True)
    [status] = rows("status", "1", cwd=surveyed)
    assert (status["state"], status["source"], len(status["fingerprint"])) == ("finished", "deal:camelot:seed=5:1-", 64)


@pytest.mark.slow
def test_a_killed_survey_is_resumed_with_the_same_result(tmp_path: Path) -> None:
    goal = ("survey", "memory", "--engine", "memory/incremental", "--half-width", "0.02%")
    [whole] = rows(*goal, cwd=tmp_path)
    (tmp_path / "killed").mkdir()
    ended, solved = [], 0
    for stop in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        command = started(*goal, cwd=tmp_path / "killed", env={"DEALMILL_LEASE_SECONDS": "2"})
        solved = wait_for_layouts(tmp_path / "killed", command, more_than=solved)
        command.send_signal(stop)
        command.communicate()
        ended.append(command.returncode)
    assert ended[0] == -signal.SIGKILL
    assert rows(*goal, cwd=tmp_path / "killed") == [whole]
    assert 79.5 < float(str(whole["low"])) < 79.6595 < float(str(whole["high"])) < 79.8


@pytest.mark.slow
def test_a_survey_whose_engine_is_retracted_ends(tmp_path: Path) -> None:
    command = started("survey", "memory", "--count", str(10**10), cwd=tmp_path)
    retract = ("retract", "--engine", "memory/two-pass", "--version", "1", "--why", "wrong")
    wait_for_layouts(tmp_path, command)
    try:
        assert dealmill(*retract, cwd=tmp_path).returncode == 0
        _, stderr = command.communicate(timeout=LONGEST_SECONDS)
    finally:
        command.kill()
    assert command.returncode == 1
    assert "run 1 cannot continue: version 1 of memory/two-pass was retracted (wrong)" in stderr
