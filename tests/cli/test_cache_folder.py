"""The folder for compiled engines is checked before anything is compiled, by every command and the API."""

import json
import subprocess
import sys
from pathlib import Path
from shutil import copyfile

import pytest

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
    ("run", OTHER_DEALS, "--packed"),
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
"""All commands that compile; run 1 is stored as rows, run 2 is packed."""
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
    said = {}
    for name, call in calls.items():
        try:
            said[name] = f"no error, but {call()}"
        except dealmill.DealmillError as error:
            said[name] = str(error)
    for path in ("/runs/2/layouts/1", "/api/runs/2/results", "/check?game=memory&layout=ABBA"):
        said[path] = client.get(path).text
    said["/api/check"] = client.post("/api/check", json={"game": "memory", "layout": "ABBA"}).text
json.dump(said, sys.stdout)
"""
"""Calls everything in the API and the pages that compiles, and writes what they say."""


@pytest.fixture(scope="module", params=["missing", "not writable"])
def cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder for caches that cannot be created, or has a folder for compiled engines that cannot be written to."""
    if request.param == "missing":
        return "/dev/null/cache"
    folder = tmp_path_factory.mktemp("cache")
    (folder / "dealmill").mkdir()
    (folder / "dealmill" / "kernels").symlink_to("/proc")  # where not even root can create a file
    return str(folder)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of each storage."""
    folder = tmp_path_factory.mktemp("solved")
    for command in (("run", DEALS), ("run", DEALS, "--packed")):
        assert dealmill(*command, cwd=folder).returncode == 0
    return folder / "dealmill.db"


@pytest.fixture
def work(solved: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the store, and a file of layouts."""
    copyfile(solved, tmp_path / "dealmill.db")
    (tmp_path / "memory.txt").write_text(f"{LAYOUT}\n")
    return tmp_path


def sentence(cache: str) -> str:
    """Return the beginning of the error."""
    return f"compiled engines are cached in {cache}/dealmill"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_each_command_says_that_engines_cannot_be_cached(command: tuple[str, ...], cache: str, work: Path) -> None:
    ran = dealmill(*command, cwd=work, env={"XDG_CACHE_HOME": cache})
    *progress, said = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout) == (1, ""), ran
    assert said.startswith(f"dealmill: {sentence(cache)}"), ran.stderr
    assert said.endswith("; name another cache folder with XDG_CACHE_HOME")
    assert all(line.startswith(("source ", "run ")) for line in progress)


def test_the_api_and_the_pages_say_that_engines_cannot_be_cached(cache: str, work: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", API, f"sqlite:///{work / 'dealmill.db'}"],
        cwd=work,
        env=clean_environment({"XDG_CACHE_HOME": cache}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert {call: text for call, text in said.items() if sentence(cache) not in text} == {}
    assert "Traceback" not in ran.stderr


def test_commands_that_compile_nothing_need_no_cache_folder(cache: str, work: Path) -> None:
    for command in (("audit", "1"), ("query", "1"), ("ingest", "memory.txt"), ("status",), ("games",)):
        ran = dealmill(*command, cwd=work, env={"XDG_CACHE_HOME": cache})
        assert ran.returncode == 0, ran.stderr
