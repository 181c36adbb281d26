"""Commands with real workers that run a program."""

import json
from pathlib import Path

from tests.programs.conftest import Declare
from tests.programs.processes import left_in
from tests.servers import dealmill

LAYOUTS = ["ABAB", "AABB", "CADBABDC", "ABBA"]


def test_what_failed_for_lack_of_memory_is_tried_again(declare: Declare, tmp_path: Path) -> None:
    folder = declare("needs memory", LAYOUTS[2], memory=100).parent
    env = {"DEALMILL_ENGINES": str(folder)}
    (tmp_path / "memory.txt").write_text("\n".join(LAYOUTS))
    ran = dealmill("run", "memory.txt", "--engine", "program", "--json", cwd=tmp_path, env=env)
    assert ran.returncode == 1, ran.stderr
    [summary] = json.loads(ran.stdout)
    assert (summary["scored"], summary["failed"]) == (3, 1)
    assert "memory/program: it ended with exit code 1" in ran.stderr
    assert "MemoryError" in ran.stderr
    told = dealmill("status", "1", cwd=tmp_path, env=env).stderr
    reason = "retryable: it ended with exit code 1; its error output ends with: MemoryError"
    assert f"1 failed, first 1:3: {reason}\nlist them with: dealmill query 1 --verdict failed\n" in told
    assert "retry 1" in ran.stderr

    retried = dealmill("retry", "1", "--json", cwd=tmp_path, env=env)
    assert retried.returncode == 1
    assert (
        "run 1: tried 1 layout again; the run now has 1 failed\nfailures to retry:   dealmill retry 1\n"
        in retried.stderr
    )
    assert json.loads(retried.stdout)["fingerprint"] is None
    rerun = dealmill("rerun", "1", cwd=tmp_path, env=env)
    assert (rerun.returncode, "failures to retry:   dealmill retry 2\n" in rerun.stderr) == (1, True)
    (tmp_path / "memory-2.txt").write_text(LAYOUTS[2])
    assert dealmill("ingest", "memory-2.txt", cwd=tmp_path, env=env).returncode == 0
    assert dealmill("queue", "memory-2.txt", "--engine", "program", cwd=tmp_path, env=env).returncode == 0
    drained = dealmill("work", "--drain", cwd=tmp_path, env=env)
    assert (drained.returncode, drained.stderr.endswith("failures to retry:   dealmill retry 3\n")) == (1, True)
    assert dealmill("work", "--drain", cwd=tmp_path, env=env).returncode == 0, "it had nothing to do"

    declare("needs memory", LAYOUTS[2], memory=1_000)
    retried = dealmill("retry", "1", "--json", cwd=tmp_path, env=env)
    assert retried.stderr.endswith("run 1: tried 1 layout again; the run now has 0 failed\n")
    assert json.loads(retried.stdout)["fingerprint"] is not None
    assert "retry 1" not in dealmill("run", "memory.txt", "--engine", "program", cwd=tmp_path, env=env).stderr
    assert left_in(folder) == 0


def test_a_run_whose_program_does_not_start_ends_before_any_attempt(declare: Declare, tmp_path: Path) -> None:
    folder = declare("starts slowly", handshake_seconds=0.1).parent
    env = {"DEALMILL_ENGINES": str(folder)}
    (tmp_path / "memory.txt").write_text("\n".join(LAYOUTS))
    command = ("run", "memory.txt", "--engine", "program", "--json")
    ran = dealmill(*command, cwd=tmp_path, env=env)
    assert ran.returncode == 1
    assert ran.stderr.endswith("dealmill: memory/program did not start: it gave no answer within 0.1 s\n")
    assert "attempt" not in ran.stderr
    declare("starts slowly", handshake_seconds=10)
    solved = dealmill(*command, cwd=tmp_path, env=env)
    assert json.loads(solved.stdout)[0]["scored"] == 4


def test_a_run_whose_program_changes_on_disk_stops_with_the_reason(declare: Declare, tmp_path: Path) -> None:
    folder = declare("changes on disk", LAYOUTS[2]).parent
    env = {"DEALMILL_ENGINES": str(folder)}
    (tmp_path / "memory.txt").write_text("\n".join(LAYOUTS))
    before = (folder / "program.py").read_text()
    ran = dealmill("run", "memory.txt", "--engine", "program", cwd=tmp_path, env=env)
    assert ran.returncode == 1
    assert "dealmill: run 1 stopped: it needs version 1+" in ran.stderr
    [status] = json.loads(dealmill("status", "--json", cwd=tmp_path, env=env).stdout)
    assert (status["solved"], status["pending"]) == (0, 4)
    (folder / "program.py").write_text(before.replace("sys.argv[0]", "'/dev/null'"))
    new = dealmill("run", "memory.txt", "--engine", "program", "--json", cwd=tmp_path, env=env)
    assert json.loads(new.stdout)[0]["scored"] == 4
    assert left_in(folder) == 0
