"""The folder for compiled engines is checked before anything is compiled, by every command and the API."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copyfile

import pytest

from tests.cli.running import run_alone
from tests.servers import clean_environment, dealmill

DEALS = "deal:memory:seed=1:1-100"
OTHER_DEALS = "deal:memory:seed=2:1-100"
LAYOUT = "ABBA"
COMMANDS = (
    ("deal", "memory", "--count", "1", "--seed", "1"),
    ("answer", "memory", "memory.txt"),
    ("show", "memory", LAYOUT),
    ("run", OTHER_DEALS),
    ("run", "memory.txt"),
    ("survey", "camelot"),
    ("rerun", "1"),
    ("rerun", "2"),
    ("audit", "2"),
    ("query", "2"),
    ("show", "2:1"),
    ("export", "2", "results.jsonl"),
    ("work", "--drain"),
    ("check-game", "memory"),
)
"""All commands that compile; run 1 is stored as rows, run 2 is a compact survey."""
API = """
import json, sys
import dealmill, dealmill.testing
from fastapi.testclient import TestClient
from dealmill.web.app import application

with dealmill.open(sys.argv[1]) as store, TestClient(application(store, hosts=["testserver"])) as client:
    run = store.find_run(2)
    calls = {
        "deals": lambda: list(dealmill.deals("memory", seed=1, count=1)),
        "solve": lambda: dealmill.solve("memory", "ABBA"),
        "answer": lambda: list(dealmill.answer("memory", "memory.txt", sys.stdout)),
        "run": lambda: store.run("memory.txt"),
        "survey": lambda: store.survey("camelot"),
        "work": lambda: store.work(drain=True),
        "results": lambda: list(run.results()),
        "result": lambda: run.result(1),
        "audit": run.audit,
        "rerun": run.rerun,
        "export": lambda: run.export("results.csv"),
        "checks_of": lambda: dealmill.testing.checks_of("memory"),
    }
    messages = {}
    for name, call in calls.items():
        try:
            messages[name] = f"no error, but {call()}"
        except dealmill.DealmillError as error:
            messages[name] = str(error)
    for path in ("/runs/2/layouts/1", "/api/runs/2/results", "/check?game=memory&layout=ABBA"):
        messages[path] = client.get(path).text
    messages["/api/check"] = client.post("/api/check", json={"game": "memory", "layout": "ABBA"}).text
json.dump(messages, sys.stdout)
"""
"""Calls everything in the API and the pages that compiles, and writes the messages."""


MISSING = "/dev/null/cache"
"""A folder for caches that cannot be created."""


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of each storage."""
    folder = tmp_path_factory.mktemp("solved")
    for command in (("run", DEALS), ("survey", "memory", "--count", "1000")):
        assert dealmill(*command, cwd=folder).returncode == 0
    return folder / "dealmill.db"


@pytest.fixture
def work(solved: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the store, and a file of layouts."""
    copyfile(solved, tmp_path / "dealmill.db")
    (tmp_path / "memory.txt").write_text(f"{LAYOUT}\n")
    return tmp_path


def message(cache: str) -> str:
    """Return the beginning of the error."""
    return f"compiled engines are cached in {cache}/dealmill"


@pytest.mark.parametrize(
    "command",
    [*COMMANDS[:4], *(pytest.param(command, marks=pytest.mark.slow) for command in COMMANDS[4:])],
    ids=" ".join,
)
def test_each_command_says_that_engines_cannot_be_cached(command: tuple[str, ...], work: Path) -> None:
    ran = dealmill(*command, cwd=work, env={"XDG_CACHE_HOME": MISSING})
    *progress, error = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout) == (1, ""), ran
    assert error.startswith(f"dealmill: {message(MISSING)}"), ran.stderr
    assert error.endswith("; name another cache folder with XDG_CACHE_HOME")
    assert all(line.startswith(("source ", "run ")) for line in progress)


def test_a_cache_folder_that_cannot_be_written_to_is_named(work: Path) -> None:
    (work / "dealmill").mkdir()
    (work / "dealmill" / "kernels").symlink_to("/proc")  # where not even root can create a file
    ran = run_alone("show", "memory", LAYOUT, cwd=work, env={"XDG_CACHE_HOME": str(work)})
    assert (ran.returncode, ran.stderr.startswith(f"dealmill: {message(str(work))}")) == (1, True), ran.stderr


@pytest.mark.parametrize("owner", [os.geteuid(), 12345])
@pytest.mark.parametrize("mode", [0o700, 0o720, 0o702])
def test_a_cache_folder_that_others_can_write_to_is_refused(owner: int, mode: int, work: Path) -> None:
    if owner != os.geteuid() != 0:
        pytest.skip("changing the owner of a folder needs privileges")
    (folder := work / "dealmill").mkdir()
    os.chown(folder, owner, -1)
    folder.chmod(mode)
    ran = run_alone("show", "memory", LAYOUT, cwd=work, env={"XDG_CACHE_HOME": str(work)})
    if (owner, mode) == (os.geteuid(), 0o700):
        assert ran.returncode == 0, ran.stderr
        assert not [path for path in folder.rglob("*") if path.is_dir() and path.stat().st_mode & 0o022]
    else:
        error = f"dealmill: compiled engines are cached in {folder}, which other users can write to; remove it, or name"
        assert (ran.returncode, ran.stderr) == (1, f"{error} another cache folder with XDG_CACHE_HOME\n")


@pytest.mark.slow
def test_the_api_and_the_pages_say_that_engines_cannot_be_cached(work: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", API, f"sqlite:///{work / 'dealmill.db'}"],
        cwd=work,
        env=clean_environment({"XDG_CACHE_HOME": MISSING}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    messages = json.loads(ran.stdout)
    assert {call: text for call, text in messages.items() if message(MISSING) not in text} == {}
    assert "Traceback" not in ran.stderr


def test_commands_that_compile_nothing_need_no_cache_folder(work: Path) -> None:
    for command in (("audit", "1"), ("query", "1"), ("ingest", "memory.txt"), ("status",), ("games",)):
        ran = dealmill(*command, cwd=work, env={"XDG_CACHE_HOME": MISSING})
        assert ran.returncode == 0, ran.stderr
