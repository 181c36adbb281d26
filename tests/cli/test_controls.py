"""Pause, resume, cancel, tag and --on-finish, with real workers."""

import json
from pathlib import Path

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.runs.finding import find_run
from tests.cli.running import rows
from tests.forks.slow import JOB_SECONDS
from tests.servers import dealmill, start

DEALS = "deal:memory:seed=5:1-100000"
SLOWLY = {JOB_SECONDS: "0.3", "DEALMILL_WORKERS": "1"}


def test_a_waiting_command_ends_when_its_run_is_paused_and_the_same_command_continues_it(tmp_path: Path) -> None:
    paused = "dealmill: run 1 is paused; continue it with: dealmill resume 1"
    assert dealmill("ingest", DEALS, cwd=tmp_path).returncode == 0
    said = tmp_path / "said.txt"
    with said.open("wb") as output, Path("/dev/null").open("rb") as nothing:
        waiting = start("run", DEALS, "--tag", "night", cwd=tmp_path, env=SLOWLY, streams=(nothing, output, output))
        database = Database(database_url(f"sqlite:///{tmp_path / 'dealmill.db'}"))
        while not solved(database):
            assert waiting.poll() is None, said.read_text()
        assert dealmill("pause", "last", cwd=tmp_path).returncode == 0
        assert waiting.wait(60) == 1
    assert paused in said.read_text().splitlines()
    before = rows("status", "1", cwd=tmp_path)[0]
    assert 0 < before["solved"] < 100_000 and before["fingerprint"] is None
    assert before["state"].startswith("paused")
    again = dealmill("run", DEALS, "--on-finish", "echo not reached", cwd=tmp_path)
    assert again.returncode == 1 and paused in again.stderr and "not reached" not in again.stderr
    drained = dealmill("work", "--drain", cwd=tmp_path)
    assert drained.returncode == 0 and "run 1 is paused, jobs left: " in drained.stderr
    assert rows("status", "1", cwd=tmp_path)[0]["solved"] == before["solved"]
    assert dealmill("cancel", "1", cwd=tmp_path).stderr.startswith("run 1 is cancelled: ")
    assert dealmill("resume", "1", cwd=tmp_path).stderr.startswith("run 1 is active: ")
    finished = dealmill("run", DEALS, "--on-finish", "cat > found.json", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    [row] = rows("status", "1", cwd=tmp_path)
    assert json.loads((tmp_path / "found.json").read_text()) == row
    assert (row["solved"], row["state"], row["tags"]) == (100_000, "finished", ["night"])
    refused = dealmill("pause", "1", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (1, "dealmill: run 1 cannot be paused: it is finished\n")
    assert dealmill("audit", "1", cwd=tmp_path).returncode == 0
    whats = [action["what"] for action in rows("log", cwd=tmp_path)]
    assert whats == ["run", "tag", "pause", "cancel", "resume", "audit"]


def solved(database: Database) -> int:
    try:
        return find_run(database, 1).solved
    except Exception:  # noqa: BLE001 -- it has not begun
        return 0


def test_runs_are_selected_by_range_tag_game_and_engine(folder: Path) -> None:
    for source, engine in (("1", "memory/incremental"), ("deal:hi-q:seed=1:1-5", "hi-q/greedy")):
        assert dealmill("queue", source, "--engine", engine, "--tag", "night", cwd=folder).returncode == 0
    for command, states in {
        "pause all": ["finished", "paused", "paused"],
        "resume 1,2-99 --game memory": ["finished", "active"],
        "cancel --tag night --engine hi-q/greedy": ["cancelled"],
        "resume 3 2": ["active", "active"],
        "cancel --tag night": ["cancelled", "cancelled"],
    }.items():
        said = dealmill(*command.split(), cwd=folder).stderr.splitlines()
        assert [line.partition(":")[0].rpartition(" ")[2] for line in said] == states, said
    for command, reason in {
        "pause": "name the runs: numbers or ranges",
        "pause 9": "the store has no run '9'",
        "cancel 7-9": "no run is selected",
        "pause 3-1": "3-1: the first run of a range comes before its last: 1-3",
        "delete all --game memry": "there is no game 'memry'",
        "audit --engine memory/none": "no run is selected",
        "audit 1,2 --seal x": "--seal is that of one run",
        "delete 1 source:1": "delete runs and sources by separate commands",
        "delete --tag night": "this deletes 2 runs, with 0 verdicts and all audits; add --yes",
    }.items():
        refused = dealmill(*command.split(), cwd=folder)
        assert (refused.returncode, reason in refused.stderr) == (2, True), refused.stderr
    assert dealmill("tag", "2-3", "x", cwd=folder).stdout == "run 2: night x\nrun 3: night x\n"
    assert [row["run"] for row in rows("status", "--tag", "x", cwd=folder)] == [2, 3]


def test_several_runs_are_audited_and_deleted_together_also_with_their_reruns(folder: Path) -> None:
    assert dealmill("rerun", "1", cwd=folder).returncode == 0
    audited = dealmill("audit", "all", cwd=folder)
    assert audited.returncode == 0 and audited.stderr.count("3 valid, 0 invalid") == audited.stderr.count("seal: ") == 2
    refused = dealmill("delete", "1", "--yes", cwd=folder)
    assert (
        refused.returncode == 1
        and "run 2 is a rerun of it; delete run 2 first, or both with --reruns" in refused.stderr
    )
    assert dealmill("delete", "1", "--reruns", "--yes", cwd=folder).returncode == 0
    assert rows("status", cwd=folder) == []


def test_a_command_that_fails_at_the_end_of_a_run_is_one_sentence(folder: Path) -> None:
    (folder / "memory.txt").write_text("AABB\n")
    failed = dealmill("run", "memory.txt", "--on-finish", "exit 3", cwd=folder)
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1] == (
        "dealmill: the command of --on-finish failed for run 2, with exit code 3: exit 3"
    )


def test_tags_and_notes_are_set_removed_and_searched(folder: Path) -> None:
    assert dealmill("tag", "1", "night", "a", "--note", "after the fix", cwd=folder).stdout == "run 1: a night\n"
    assert [row["run"] for row in rows("status", "--tag", "a", "--note", "FIX", cwd=folder)] == [1]
    [removed] = rows("tag", "last", "a", "--remove", "--note", "", cwd=folder)
    assert (removed["tags"], removed["note"]) == (["night"], None)
    assert dealmill("status", "--tag", "a", cwd=folder).stderr == "no run has these tags and this note\n"
    assert dealmill("tag", "1", "two words", cwd=folder).returncode == 2
    queued = rows("queue", "1", "--engine", "incremental", "--priority", "7", "--tag", "b", "--note", "n", cwd=folder)
    assert (queued["priority"], queued["tags"], queued["note"]) == (7, ["b"], "n")
    assert dealmill("queue", "1", "--priority", "1001", cwd=folder).returncode == 2


def test_what_is_deleted_or_withdrawn_is_said_first(folder: Path) -> None:
    what = "run 1: memory/two-pass 1 on memory.txt, with 3 verdicts and all audits"
    asked = dealmill("delete", "1", cwd=folder)
    assert asked.returncode == 2 and f"this deletes {what}; add --yes" in asked.stderr
    retract = ("retract", "--engine", "memory/two-pass", "--version", "1", "--why", "wrong")
    withdrawn = dealmill(*retract, cwd=folder).stderr.splitlines()
    assert withdrawn[0] == "this withdraws 3 verdicts in 1 run: 1" and withdrawn[1].startswith("retracted: ")
    refused = dealmill("delete", "source:1", "--yes", cwd=folder)
    assert (refused.returncode, refused.stderr) == (
        1,
        "dealmill: source 1 cannot be deleted: run 1 is over it; delete run 1 first\n",
    )
    deleted = dealmill("delete", "last", "--yes", "--json", cwd=folder)
    assert json.loads(deleted.stdout) == {"deleted": ["last"], "space_given_back": True}
    assert "its source is kept; delete it with: " in deleted.stderr and deleted.stderr.endswith(" delete source:1\n")
    gone = dealmill("delete", "source:memory.txt", "--yes", cwd=folder)
    assert gone.stderr == "deleted source 1: memory.txt (memory), with 3 layouts and 0 rejects\n"
    assert rows("status", cwd=folder) == []
    assert dealmill("query", "1", cwd=folder).returncode == 2
