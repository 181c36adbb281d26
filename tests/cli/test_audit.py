"""``audit``, ``rerun``, ``diff``, ``retract`` and ``log`` with real workers, as their user runs them."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.servers import dealmill

SOURCE = "deal:card-pairing:seed=1:1-3000"
ENGINE = "card-pairing/winnable"


def rows(*arguments: str, cwd: Path, code: int = 0) -> list[dict[str, object]]:
    """The rows that a command prints as JSON."""
    ran = dealmill(*arguments, "--json", cwd=cwd)
    assert ran.returncode == code, ran.stderr
    found: list[dict[str, object]] = json.loads(ran.stdout)
    return found


def change(cwd: Path, statement: str) -> None:
    """Change the embedded database behind its back."""
    with sqlite3.connect(cwd / "dealmill.db") as connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and a run in it, which stay as they are."""
    folder = tmp_path_factory.mktemp("original")
    assert dealmill("run", SOURCE, cwd=folder).returncode == 0
    return folder


@pytest.fixture
def solved(original: Path, tmp_path: Path) -> Path:
    """A folder with a copy of them."""
    return Path(shutil.copytree(original, tmp_path, dirs_exist_ok=True))


def test_audit_rerun_and_log_report_changed_verdicts(solved: Path) -> None:
    clean = dealmill("audit", "last", cwd=solved)
    assert (clean.returncode, clean.stdout) == (0, "")
    first, seal = clean.stderr.splitlines()
    assert first == "audit 1 of run 1: 3,000 valid, 0 invalid, 0 without evidence; 0 faults in the record"
    assert seal.startswith("seal: 2-")
    assert rows("audit", "1", "--sample", "10", cwd=solved) == []
    [before] = rows("status", "1", cwd=solved)
    assert (before["audit"], len(str(before["fingerprint"]))) == ("10 of a sample valid", 64)

    change(solved, "UPDATE verdicts SET evidence = 'A' WHERE position = 6 OR position = 2600")
    [written, *others] = rows("audit", "1", cwd=solved, code=3)
    assert written["items"] == "1:1-1000" and "verdicts or evidence were changed" in str(written["reason"])
    assert [(row["items"], row["finding"]) for row in others] == [
        ("1:2001-3000", "fault"),
        ("1:6", "invalid"),
        ("1:2600", "invalid"),
    ]
    told = dealmill("audit", "1", cwd=solved)
    assert (told.returncode, "2,998 valid, 2 invalid" in told.stderr) == (3, True)
    assert "1:2600" in told.stdout and "step" in told.stdout
    invalid = rows("query", "1", "--audit", "invalid", cwd=solved)
    assert [(row["item"], row["audit"]) for row in invalid] == [("1:6", "invalid"), ("1:2600", "invalid")]
    assert all(row["reason"] for row in invalid)
    assert len(rows("query", "1", "--audit", "valid", cwd=solved)) == 2_998

    again = rows("rerun", "1", cwd=solved, code=3)
    assert [(row["item"], row["other_item"], row["evidence"]) for row in again] == [
        ("1:6", "2:6", "A"),
        ("1:2600", "2:2600", "A"),
    ]
    repetition = dealmill("rerun", "2", cwd=solved)
    assert (repetition.returncode, repetition.stdout) == (0, "")
    assert "run 3 is a rerun of run 2" in repetition.stderr
    assert "runs 2 and 3 are equal: 3,000 verdicts with their evidence" in repetition.stderr
    states = rows("status", cwd=solved)
    assert [row["repeats"] for row in states] == [None, 1, 2]
    assert states[1]["fingerprint"] == states[2]["fingerprint"]
    assert [row["what"] for row in rows("log", cwd=solved)] == ["run", *["audit"] * 4, "rerun", "rerun"]


def test_retracted_verdicts_are_hidden_until_the_retraction_is_undone(solved: Path) -> None:
    assert dealmill("run", "deal:memory:seed=1:1-10", cwd=solved).returncode == 0
    gone = dealmill("retract", "--engine", ENGINE, "--version", "1", "--why", "loses a card", cwd=solved)
    assert (gone.returncode, gone.stdout) == (0, "")
    assert "retracted: 3,000 verdicts of card-pairing/winnable version 1 in 1 run\n" in gone.stderr
    assert {row["item"].partition(":")[0] for row in rows("query", cwd=solved)} == {"2"}  # type: ignore[attr-defined]
    for arguments in (["query", "1"], ["show", "1:1"]):
        refused = dealmill(*arguments, cwd=solved)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "retracted (loses a card); show it with --retracted, or" in refused.stderr
    assert len(rows("query", "--retracted", cwd=solved)) == 3_000
    assert "RETRACTED: loses a card" in dealmill("show", "1:1", "--retracted", cwd=solved).stdout
    [status, _] = rows("status", cwd=solved)
    assert (status["state"], status["retracted"], status["winnable"]) == ("retracted", 3_000, 0)
    for arguments in (["run", SOURCE], ["queue", "1"]):
        refused = dealmill(*arguments, cwd=solved)
        assert refused.returncode == 1
        assert "version 1 of card-pairing/winnable was retracted (loses a card)" in refused.stderr
    still = dealmill("retract", "--engine", ENGINE, "--version", "1", "--why", "x", "--requeue", cwd=solved)
    assert (still.returncode, "is still installed" in still.stderr) == (1, True)
    both = dealmill("retract", "--engine", ENGINE, "--version", "1", "--why", "x", "--undo", "--requeue", cwd=solved)
    assert (both.returncode, "cannot be combined" in both.stderr) == (2, True)
    entry = rows("log", cwd=solved)[-1]
    assert (entry["what"], entry["engine"], entry["version"], entry["why"]) == ("retract", ENGINE, "1", "loses a card")
    assert "@" in str(entry["who"]) and str(entry["when"]).startswith("20")
    back = dealmill("retract", "--engine", ENGINE, "--version", "1", "--why", "no card was lost", "--undo", cwd=solved)
    assert (back.returncode, back.stdout) == (0, "")
    assert back.stderr == "no longer retracted: card-pairing/winnable version 1 in 1 run\n"
    assert len(rows("query", "1", cwd=solved)) == 3_000


def test_retracted_runs_and_surveys_are_replaced(solved: Path) -> None:
    assert dealmill("survey", "card-pairing", "--count", "2000", cwd=solved).returncode == 0
    assert dealmill("run", "deal:card-pairing:seed=1:1-10", cwd=solved).returncode == 0
    change(solved, "UPDATE engines SET version = '0'")
    gone = dealmill("retract", "--engine", ENGINE, "--version", "0", "--why", "x", "--requeue", cwd=solved)
    assert (gone.returncode, gone.stdout) == (0, "4\n5\n6\n"), gone.stderr
    assert "run 5 replaces run 2: version 1\n" in gone.stderr
    assert dealmill("work", "--drain", cwd=solved).returncode == 0
    done = rows("status", cwd=solved)[3:]
    assert [(row["state"], row["solved"]) for row in done] == [("finished", n) for n in (3_000, 2_000, 10)]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["audit", "9"], 2, "the store has no run '9'"),
        (["audit", "1", "--sample", "4000"], 2, "run 1 has 3,000 items, too few for a sample of 4,000"),
        (["audit", "1", "--sample", "0"], 2, "it must be a whole number from 1 to "),
        (["rerun", "9"], 2, "the store has no run '9'"),
        (["diff", "1", "9"], 2, "the store has no run '9'"),
        (["retract", "--engine", ENGINE, "--version", "1"], 2, "Missing option '--why'"),
        (["retract", "--engine", ENGINE, "--version", "7", "--why", "x"], 2, "it has runs of versions: 1"),
        (["retract", "--engine", "x/y", "--version", "1", "--why", "x"], 2, "it has runs of versions: none"),
    ],
)
def test_errors_say_what_is_wrong(arguments: list[str], code: int, message: str, solved: Path) -> None:
    ran = dealmill(*arguments, cwd=solved)
    assert (ran.returncode, message in ran.stderr) == (code, True), ran.stderr
    assert "Traceback" not in ran.stderr


def test_runs_of_two_games_cannot_be_compared(solved: Path) -> None:
    assert dealmill("run", "deal:memory:seed=1:1-10", cwd=solved).returncode == 0
    ran = dealmill("diff", "1", "2", cwd=solved)
    assert (ran.returncode, "compare runs of the same game" in ran.stderr) == (2, True)


def test_a_seal_is_compared_with_the_record_as_it_was(solved: Path) -> None:
    seal = dealmill("audit", "1", cwd=solved).stderr.splitlines()[-1].removeprefix("seal: ")
    again = dealmill("audit", "1", "--seal", seal, cwd=solved)
    assert (again.returncode, "seal: 3-" in again.stderr) == (0, True)
    other = dealmill("audit", "1", "--seal", seal[:-1] + ("0" if seal[-1] != "0" else "1"), cwd=solved)
    assert other.returncode == 3
    assert "run 1 or the action log does not match the seal 2-" in other.stderr
    for arguments in (("--seal", "2-x"), ("--seal", seal, "--sample", "5")):
        assert dealmill("audit", "1", *arguments, cwd=solved).returncode == 2
