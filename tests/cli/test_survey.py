"""``survey`` with real workers, as its user runs it: to the end, killed and gone on with, and asked for its deals."""

import json
import re
import signal
import time
from pathlib import Path

import pytest

from tests.cli.test_run import solved, started
from tests.servers import dealmill

SURVEY = ("survey", "camelot", "--seed", "5")


def said(*arguments: str, cwd: Path, code: int = 0) -> dict[str, object]:
    """The one row that a command prints as JSON."""
    ran = dealmill(*arguments, "--json", cwd=cwd)
    assert ran.returncode == code, ran.stderr
    [row] = json.loads(ran.stdout)
    assert isinstance(row, dict)
    return row


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, a survey in it, and its report."""
    folder = tmp_path_factory.mktemp("surveyed")
    ran = dealmill(*SURVEY, "--half-width", "0.3%", "--report", "night", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"^51\.\d\d % of deals are winnable, with 95 % confidence 5\d\.\d\d % to 5", ran.stderr, re.M)
    assert "unwinnable layouts:  " in ran.stderr
    assert re.match(
        r"run +engine +deals +winnable +unwinnable +winnability +low +high *\n +1 +camelot/winnable", ran.stdout
    )
    return folder


def test_a_finished_survey_is_not_solved_again(surveyed: Path) -> None:
    row = said(*SURVEY, "--half-width", "0.3%", cwd=surveyed)
    assert (row["run"], row["estimate"], row["engine"]) == (1, "winnability", "camelot/winnable")
    low, value, high, half = (float(str(row[key])) for key in ("low", "value", "high", "half_width"))
    assert low < 0.5138 < high and low < value < high and half <= 0.003
    assert row["deals"] == int(str(row["winnable"])) + int(str(row["unwinnable"]))
    assert said(*SURVEY, "--half-width", "0.01", cwd=surveyed) == row
    assert said(*SURVEY, "--count", "500", cwd=surveyed) == row


def test_the_report_has_the_same_figures_and_the_command_to_repeat_it(surveyed: Path, tmp_path: Path) -> None:
    row = said(*SURVEY, "--half-width", "0.3%", cwd=surveyed)
    data = json.loads((surveyed / "night" / "survey.json").read_text())
    closing = data.pop("closing")
    assert {"run": 1, **data} == row
    assert closing[0]["deals"] == 1_000 and closing[-1]["deals"] == row["deals"]
    assert [closing[-1][key] for key in ("low", "value", "high")] == [row[key] for key in ("low", "value", "high")]
    assert all(point["low"] < point["value"] < point["high"] for point in closing)
    page = (surveyed / "night" / "survey.md").read_text()
    assert str(row["fingerprint"]) in page and "](interval.svg)" in page
    assert (surveyed / "night" / "interval.svg").read_text().startswith("<?xml")
    assert (surveyed / "night" / "interval.png").read_bytes().startswith(b"\x89PNG")
    command = re.search(r"```\ndealmill (.*)\n```", page)
    assert command is not None
    again = said(*command[1].split(), "--report", "again", cwd=tmp_path)
    assert again["fingerprint"] == row["fingerprint"]
    for name in ("survey.md", "survey.json"):
        assert (tmp_path / "again" / name).read_text() == (surveyed / "night" / name).read_text()


def test_deals_of_a_survey_are_queried_like_rows(surveyed: Path) -> None:
    lost = dealmill("query", "1", "--verdict", "unwinnable", "--limit", "150", "--nl", cwd=surveyed)
    rows = [json.loads(line) for line in lost.stdout.splitlines()]
    assert len(rows) == 150 and {row["verdict"] for row in rows} == {"unwinnable"}
    item = str(rows[-1]["item"])
    shown = dealmill("show", item, cwd=surveyed)
    assert "referee: valid" in shown.stdout and f"layout: {rows[-1]['layout']}" in shown.stdout
    number = item.partition(":")[2]
    dealt = dealmill("deal", "camelot", "--seed", "5", "--count", "1", "--first", number, cwd=surveyed)
    assert dealt.stdout.strip() == rows[-1]["layout"]
    audit = dealmill("audit", "1", "--sample", "300", cwd=surveyed)
    assert (audit.returncode, "300 valid, 0 invalid" in audit.stderr) == (0, True)
    [status] = json.loads(dealmill("status", "1", "--json", cwd=surveyed).stdout)
    assert (status["state"], status["source"], len(status["fingerprint"])) == ("finished", "deal:camelot:seed=5:1-", 64)


def test_a_killed_survey_is_resumed_with_the_same_result(tmp_path: Path) -> None:
    goal = ("survey", "memory", "--engine", "memory/incremental", "--half-width", "0.01%")
    whole = said(*goal, cwd=tmp_path)
    (tmp_path / "killed").mkdir()
    ended = []
    for stop in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        command = started(*goal, cwd=tmp_path / "killed", env={"DEALMILL_LEASE_SECONDS": "2"})
        deadline = time.monotonic() + 60
        before = solved(tmp_path / "killed")
        while solved(tmp_path / "killed") == before and command.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        command.send_signal(stop)
        command.communicate()
        ended.append(command.returncode)
    assert ended[0] == -signal.SIGKILL
    again = said(*goal, cwd=tmp_path / "killed")
    assert again == whole
    assert 79.5 < float(str(whole["low"])) < 79.6595 < float(str(whole["high"])) < 79.8


def test_a_survey_whose_engine_is_retracted_ends(tmp_path: Path) -> None:
    command = started("survey", "memory", "--count", str(10**10), cwd=tmp_path)
    retract = ("retract", "--engine", "memory/two-pass", "--version", "1", "--why", "wrong")
    deadline = time.monotonic() + 60
    while not solved(tmp_path) and command.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    try:
        assert dealmill(*retract, cwd=tmp_path).returncode == 0
        _, told = command.communicate(timeout=200)
    finally:
        command.kill()
    assert command.returncode == 1
    assert "run 1 cannot continue: version 1 of memory/two-pass was retracted (wrong)" in told


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["chess"], 2, "there is no game 'chess'"),
        (["memory", "--engine", "camelot/winnable"], 2, "is not an engine of memory"),
        (["memory", "--half-width", "wide"], 2, "'wide' is not a width; write 0.1% or 0.001"),
        (["memory", "--half-width", "0"], 2, "'0' is not a width"),
        (["memory", "--count", "0"], 2, "it must be a whole number from 1 to "),
        (["memory", "--count", str(10**15)], 2, "it must be a whole number from 1 to "),
        (["memory", "--seed", "-1"], 2, "the seed must be a whole number from 0"),
        (["memory", "--param", "ranks=3"], 2, "deals of memory have no parameter 'ranks'"),
        (["card-pairing", "--param", "stacks=7"], 2, "36 cards cannot be divided into 7 stacks"),
        (["card-pairing", "--max-nodes", "6", "--half-width", "0.5%"], 1, "a higher --max-nodes may decide them"),
        (["camelot", "--count", "1", "--report", "file/night"], 1, "the report cannot be written into file/night"),
    ],
)
def test_errors_say_what_is_wrong(arguments: list[str], code: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = dealmill("survey", *arguments, cwd=tmp_path)
    assert ran.returncode == code
    assert message in ran.stderr
