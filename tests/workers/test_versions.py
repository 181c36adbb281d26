"""A farm of several versions of Dealmill: each worker does the jobs of its own engines, and leaves the others alone."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.jobs import SOLVING, grow
from dealmill.pipeline.survey.growth import open_survey
from dealmill.workers.app import TASK, app
from dealmill.workers.broker import LocalBroker
from dealmill.workers.reconciler import queue_of
from tests.servers import dealmill, start

ROOT = Path(__file__).parent.parent.parent
NEWER = (('"two-pass",\n            "1"', '"two-pass",\n            "2"'), ('Deals("1"', 'Deals("2"'))
SOURCE = "deal:memory:seed=1:1-3000"


@pytest.fixture
def newer(tmp_path: Path) -> str:
    """A folder with a Dealmill that has another version of an engine and of the deals of Memory."""
    shutil.copytree(ROOT / "dealmill", tmp_path / "newer" / "dealmill", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "newer" / "dealmill" / "pipeline" / "games" / "memory" / "__init__.py"
    for here, there in NEWER:
        assert here in file.read_text()
        file.write_text(file.read_text().replace(here, there))
    return str(tmp_path / "newer")


@pytest.fixture
def broker() -> Iterator[str]:
    """A broker that both Dealmills use."""
    with TemporaryDirectory() as folder, LocalBroker(Path(folder)) as server:
        yield server.url


def test_a_worker_leaves_jobs_of_other_versions_and_keeps_working(newer: str, broker: str, tmp_path: Path) -> None:
    for engine in ("memory/two-pass", "memory/incremental"):
        assert dealmill("ingest", SOURCE, cwd=tmp_path).returncode == 0
        assert dealmill("queue", SOURCE, "--engine", engine, cwd=tmp_path).returncode == 0
    store = open_store(f"sqlite:///{tmp_path / 'dealmill.db'}")
    survey = open_survey(store, parse_deal_range("deal:memory:seed=1:1-"), "memory/incremental", None)
    grow(store, survey.id, 1_000, 1_000)
    with app.connection_for_write(broker) as connection:
        two_pass, incremental, surveyed = leases.pending(store, SOLVING, installed_engines(), 99)
        for number in (surveyed, two_pass, incremental):  # the command ends with the one that it can do
            app.send_task(TASK, ("solve", number), connection=connection, queue=queue_of(store))

    env = {"DEALMILL_BROKER_URL": broker, "DEALMILL_WORKERS": "1"}
    ran = dealmill("work", "--drain", cwd=tmp_path, env={**env, "PYTHONPATH": newer})
    assert ran.returncode == 1, ran.stderr
    assert ran.stderr.splitlines()[-1] == (
        "dealmill: some jobs cannot be done here: 1 of memory/incremental 1 (its deals need another generator), "
        "1 of memory/two-pass 1 (version 2 is installed here); run dealmill work where these versions are installed, "
        "or start new runs and cancel these"
    )
    refused = [line.partition(": ")[2] for line in ran.stderr.splitlines() if "are left to" in line]
    assert refused == [
        "jobs of memory/incremental 1 are left to other workers: it was retracted, or its deals need another generator",
        "jobs of memory/two-pass 1 are left to other workers: version 2 is installed here",
    ]
    assert "Traceback" not in ran.stderr
    runs = json.loads(dealmill("status", "--json", cwd=tmp_path).stdout)
    assert [(run["engine"], run["solved"], run["jobs_pending"]) for run in runs] == [
        ("memory/two-pass", 0, 1),
        ("memory/incremental", 3_000, 0),
        ("memory/incremental", 0, 1),
    ]

    sound = dealmill("work", "--drain", cwd=tmp_path, env=env)
    assert (sound.returncode, "left to" in sound.stderr) == (0, False), sound.stderr
    runs = json.loads(dealmill("status", "--json", cwd=tmp_path).stdout)
    assert [(run["solved"], run["state"]) for run in runs] == [
        (3_000, "finished"),
        (3_000, "finished"),
        (1_000, "finished"),
    ]


def test_status_names_workers_that_lack_the_version_of_a_run(newer: str, broker: str, tmp_path: Path) -> None:
    assert dealmill("queue", SOURCE, "--engine", "memory/two-pass", cwd=tmp_path).returncode == 0
    env = {"DEALMILL_BROKER_URL": broker, "DEALMILL_WORKERS": "1"}
    with (tmp_path / "log").open("wb") as log, Path(os.devnull).open("rb") as nothing:
        working = start("work", cwd=tmp_path, env={**env, "PYTHONPATH": newer}, streams=(nothing, log, log))
    told = ""
    while "cannot work on" not in told:
        assert working.poll() is None, (tmp_path / "log").read_text()
        time.sleep(1)
        told = dealmill("status", cwd=tmp_path).stderr
    dealmill_here = f"Dealmill {version('dealmill')}"
    sentence = (
        f"1 worker ({dealmill_here}) cannot work on run 1, which needs memory/two-pass 1 ({dealmill_here}); "
        "no other worker has it\n"
    )
    assert told.endswith(sentence)
    listed = dealmill("status", "--workers", cwd=tmp_path)
    assert "none in the last hour" in listed.stdout and listed.stderr.endswith(sentence)
    [idle] = json.loads(dealmill("status", "--workers", "--json", cwd=tmp_path).stdout)
    assert (idle["reports"], "memory/two-pass 1" in idle["lacks"]) == (True, True)
    checked = dealmill("doctor", "--worker", "--json", cwd=tmp_path, env={**env, "PYTHONPATH": newer})
    [failed] = [row for row in json.loads(checked.stdout) if row["state"] == "failed"]
    assert failed["details"].startswith(
        "all pending jobs need versions of engines that are not installed here (memory/two-pass 1); install"
    )
    working.terminate()
    assert working.wait(60) == 0
    assert json.loads(dealmill("status", "--workers", "--json", cwd=tmp_path).stdout) == []


def test_jobs_of_a_retracted_version_are_reported_but_do_not_fail(tmp_path: Path) -> None:
    assert dealmill("queue", SOURCE, cwd=tmp_path).returncode == 0
    retract = ("retract", "--engine", "memory/two-pass", "--version", "1", "--why", "wrong")
    assert dealmill(*retract, cwd=tmp_path).returncode == 0
    ran = dealmill("work", "--drain", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "skipped jobs of memory/two-pass 1, which was retracted: 1\n")
