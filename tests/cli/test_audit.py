"""``audit``, ``rerun``, ``diff``, ``retract`` and ``log`` with real workers, as a user runs them."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import SOURCE
from tests.cli.running import rows
from tests.servers import dealmill

ENGINE = "card-pairing/winnable"


def change(cwd: Path, statement: str) -> None:
    """Change the embedded database directly."""
    with sqlite3.connect(cwd / "dealmill.db") as connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()


@pytest.fixture
def copied(solved: Path, tmp_path: Path) -> Path:
    """A folder with a copy of a store with a run."""
    return Path(shutil.copytree(solved, tmp_path, dirs_exist_ok=True))


@pytest.mark.slow
def test_audit_rerun_and_log_report_changed_verdicts(copied: Path) -> None:
    clean = dealmill("audit", "last", cwd=copied)
    assert (clean.returncode, clean.stdout) == (0, "")
    first, seal = clean.stderr.splitlines()
    assert first == "audit 1 of run 1: 3,000 valid, 0 invalid, 0 without evidence; 0 faults in the record"
    assert seal.startswith("seal: 2-")
    assert rows("audit", "1", "--sample", "10", cwd=copied) == []
    [before] = rows("status", "1", cwd=copied)
    assert (before["audit"], len(str(before["fingerprint"]))) == ("10 of a sample valid", 64)

    change(copied, "UPDATE verdicts SET evidence = 'A' WHERE position = 6 OR position = 2600")
    [changed, *others] = rows("audit", "1", cwd=copied, code=3)
    assert changed["items"] == "1:1-1000" and "verdicts or evidence were changed" in str(changed["reason"])
    assert [(row["items"], row["finding"]) for row in others] == [
        ("1:2001-3000", "fault"),
        ("1:6", "invalid"),
        ("1:2600", "invalid"),
    ]
    audit = dealmill("audit", "1", cwd=copied)
    assert (audit.returncode, "2,998 valid, 2 invalid" in audit.stderr) == (3, True)
    assert "1:2600" in audit.stdout and "step" in audit.stdout
    invalid = rows("query", "1", "--audit", "invalid", cwd=copied)
    assert [(row["item"], row["audit"]) for row in invalid] == [("1:6", "invalid"), ("1:2600", "invalid")]
    assert all(row["reason"] for row in invalid)
    assert len(rows("query", "1", "--audit", "valid", cwd=copied)) == 2_998

    for command in ("export 1 a.jsonl", "pack 1 a.json --grades 1 --each 1"):
        written = dealmill(*command.split(), cwd=copied)
        assert "warning: audit 4 of run 1 found 2 invalid verdicts and 2 faults; list them with: " in written.stderr

    differences = rows("rerun", "1", cwd=copied, code=3)
    assert [(row["item"], row["other_item"], row["evidence"]) for row in differences] == [
        ("1:6", "2:6", "A"),
        ("1:2600", "2:2600", "A"),
    ]
    rerun = dealmill("rerun", "2", cwd=copied)
    assert (rerun.returncode, rerun.stdout) == (0, "")
    assert "run 3 is a rerun of run 2" in rerun.stderr
    assert "runs 2 and 3 are equal: 3,000 verdicts with their evidence" in rerun.stderr
    states = rows("status", cwd=copied)
    assert [row["repeats"] for row in states] == [None, 1, 2]
    assert states[1]["fingerprint"] == states[2]["fingerprint"]
    assert [row["what"] for row in rows("log", cwd=copied)] == ["run", *["audit"] * 4, "rerun", "rerun"]


@pytest.mark.slow
def test_retracted_verdicts_are_hidden_until_the_retraction_is_undone(copied: Path) -> None:
    assert dealmill("run", "deal:memory:seed=1:1-10", cwd=copied).returncode == 0
    retracted = dealmill("retract", "--engine", ENGINE, "--version", "1", "--why", "loses a card", cwd=copied)
    assert (retracted.returncode, retracted.stdout) == (0, "")
    assert "retracted: 3,000 verdicts of card-pairing/winnable version 1 in 1 run\n" in retracted.stderr
    assert {row["item"].partition(":")[0] for row in rows("query", cwd=copied)} == {"2"}
    for arguments in (["query", "1"], ["show", "1:1"], ["export", "1", "a.csv"]):
        refused = dealmill(*arguments, cwd=copied)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "retracted (loses a card); show it with --retracted, or" in refused.stderr
    assert len(rows("query", "--retracted", cwd=copied)) == 3_000
    assert dealmill("export", "1", "a.csv", "--retracted", cwd=copied).returncode == 0
    assert "RETRACTED: loses a card" in dealmill("show", "1:1", "--retracted", cwd=copied).stdout
    [status, _] = rows("status", cwd=copied)
    assert (status["state"], status["retracted"], status["winnable"]) == ("retracted", 3_000, 0)
    for arguments in (["run", SOURCE], ["queue", "1"]):
        refused = dealmill(*arguments, cwd=copied)
        assert refused.returncode == 1
        assert "version 1 of card-pairing/winnable was retracted (loses a card)" in refused.stderr
    entry = rows("log", cwd=copied)[-1]
    assert (entry["what"], entry["engine"], entry["version"], entry["why"]) == ("retract", ENGINE, "1", "loses a card")
    assert "@" in str(entry["who"]) and str(entry["when"]).startswith("20")
    undone = dealmill(
        "retract", "--engine", ENGINE, "--version", "1", "--why", "no card was lost", "--undo", cwd=copied
    )
    assert (undone.returncode, undone.stdout) == (0, "")
    assert undone.stderr == "no longer retracted: card-pairing/winnable version 1 in 1 run\n"
    assert len(rows("query", "1", cwd=copied)) == 3_000


@pytest.mark.slow
def test_retracted_runs_and_surveys_are_replaced(copied: Path) -> None:
    assert dealmill("survey", "card-pairing", "--count", "2000", cwd=copied).returncode == 0
    assert dealmill("run", "deal:card-pairing:seed=1:1-10", cwd=copied).returncode == 0
    change(copied, "UPDATE engines SET version = '0'")
    retracted = dealmill("retract", "--engine", ENGINE, "--version", "0", "--why", "x", "--requeue", cwd=copied)
    assert (retracted.returncode, retracted.stdout) == (0, "4\n5\n6\n"), retracted.stderr
    assert "run 5 replaces run 2: version 1\n" in retracted.stderr
    assert dealmill("work", "--drain", cwd=copied).returncode == 0
    done = rows("status", cwd=copied)[3:]
    assert [(row["state"], row["solved"]) for row in done] == [("finished", n) for n in (3_000, 2_000, 10)]


@pytest.mark.slow
def test_a_seal_is_compared_with_the_record_as_it_was(copied: Path) -> None:
    seal = dealmill("audit", "1", cwd=copied).stderr.splitlines()[-1].removeprefix("seal: ")
    same = dealmill("audit", "1", "--seal", seal, cwd=copied)
    assert (same.returncode, "seal: 3-" in same.stderr) == (0, True)
    altered = dealmill("audit", "1", "--seal", seal[:-1] + ("0" if seal[-1] != "0" else "1"), cwd=copied)
    assert altered.returncode == 3
    assert "the record of run 1 does not match the seal 2-" in altered.stderr
    for arguments in (("--seal", "2-x"), ("--seal", seal, "--sample", "5")):
        assert dealmill("audit", "1", *arguments, cwd=copied).returncode == 2


def test_a_table_of_differences_begins_with_the_most_severe_ones(tmp_path: Path) -> None:
    layouts = ["AABB", "ABAB", "ABBA", "BBAA"]
    answers = {
        "left": ["scored,8,1 2 3 4", "scored,9,", "undecided,,", "scored,8,"],
        "right": ["scored,8,", "scored,8,", "scored,8,", "undecided,,"],
    }
    for name, rows_of_file in answers.items():
        lines = [f"{layout},{row}" for layout, row in zip(layouts, rows_of_file, strict=True)]
        (tmp_path / f"memory-{name}.csv").write_text("\n".join(["layout,verdict,value,evidence", *lines, ""]))
        imported = dealmill("import", f"memory-{name}.csv", "--engine", name, "--version", "1", cwd=tmp_path)
        assert imported.returncode == 0, imported.stderr
    by_position = ["evidence", "contradicted", "gained", "lost"]
    assert [row["kind"] for row in rows("diff", "1", "2", cwd=tmp_path, code=3)] == by_position
    table = dealmill("diff", "1", "2", cwd=tmp_path)
    heading, *lines = table.stdout.splitlines()
    kinds = [line.split()[heading.split().index("kind")] for line in lines]
    assert kinds == ["contradicted", "lost", "gained", "evidence"]
    assert "leave these differences out with: --ignore evidence\n" in table.stderr


@pytest.mark.slow
def test_an_audit_that_cannot_prove_everything_ends_with_code_4(tmp_path: Path) -> None:
    """Claims without evidence and pending layouts are no faults, but they are not proved either."""
    (tmp_path / "won.csv").write_text("number,verdict\n7,winnable\n")
    claims = ("import", "won.csv", "--engine", "mine", "--version", "1", "--deals", "deal:camelot:seed=1")
    assert dealmill(*claims, cwd=tmp_path).returncode == 0
    claimed = dealmill("audit", "1", cwd=tmp_path)
    assert (claimed.returncode, "not proved: 1 verdict of run 1" in claimed.stderr) == (4, True)
    assert dealmill("queue", "deal:camelot:seed=1:1-3", cwd=tmp_path).returncode == 0
    pending = dealmill("audit", "2", cwd=tmp_path)
    assert (pending.returncode, "run 2 is not finished, so it has no seal" in pending.stderr) == (4, True)


@pytest.mark.slow
def test_a_summary_of_several_runs_names_all_of_them(tmp_path: Path) -> None:
    deals = [f"deal:camelot:seed={seed}:1-3" for seed in (1, 2, 3)]
    assert "of the other runs:   the same with 2, 3" in dealmill("run", *deals, cwd=tmp_path).stderr
