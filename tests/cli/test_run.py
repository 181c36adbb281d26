"""``dealmill run`` and the commands around it, with a real broker and real Celery workers."""

import gzip
import json
import os
import re
import signal
import sqlite3
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queries.results import matching_runs
from dealmill.workers.broker import LocalBroker
from tests.api.processes import MARK, children_with, processes_with
from tests.cli.running import rows, solved_layouts, started, wait_for_layouts
from tests.doing import a_run
from tests.servers import LONGEST_SECONDS, Postgres, dealmill

MEANT_FOR_OTHERS = {"CELERY_BROKER_URL": "redis://127.0.0.1:1/0"}


def database_of(server: Postgres, folder: Path) -> dict[str, str]:
    """Return the setting that names a new database on a server, with tables."""
    env = {"DEALMILL_DATABASE_URL": server.new_database()}
    assert dealmill("db", "upgrade", cwd=folder, env=env).returncode == 0
    return env


def test_the_samples_of_each_problem_statement_are_solved(tmp_path: Path) -> None:
    stated = [game for game in games().values() if game.has_statement]
    files = [str(game.examples / f"{game.name}-statement.txt") for game in stated]
    ran = dealmill("run", *files, cwd=tmp_path, env=MEANT_FOR_OTHERS)
    assert ran.returncode == 0, ran.stderr
    for number, game in enumerate(stated, start=1):
        words = [
            {"winnable": game.answer.winnable, "unwinnable": game.answer.unwinnable}.get(row["verdict"], row["value"])
            for row in rows("query", str(number), cwd=tmp_path)
        ]
        answers = game.answer.between.join(map(str, words))
        expected = (game.examples / f"{game.name}-statement.answer").read_text()
        assert f"{game.answer.opening}{answers}\n{game.answer.closing}" == expected
        assert "referee: valid" in dealmill("show", f"{number}:1", cwd=tmp_path).stdout


def test_layouts_that_were_solved_are_not_solved_again(tmp_path: Path) -> None:
    first, second = (dealmill("run", "deal:memory:seed=1:1-5000", "--json", cwd=tmp_path) for _ in range(2))
    assert "already solved" not in first.stderr
    assert "memory/two-pass on deal:memory:seed=1:1-5000 is already solved" in second.stderr
    assert json.loads(first.stdout) == json.loads(second.stdout)
    [summary] = json.loads(second.stdout)
    assert (summary["layouts"], summary["scored"], summary["rejected"], summary["runs"]) == (5000, 5000, 0, [1])


def test_a_source_that_is_given_twice_is_counted_once(tmp_path: Path) -> None:
    text = b"AABB\nAABB\nABAB\nA1\n"
    (tmp_path / "memory.txt").write_bytes(text)
    (tmp_path / "memory.txt.gz").write_bytes(gzip.compress(text))
    [summary] = rows("run", "memory.txt", "memory.txt.gz", "memory.txt", cwd=tmp_path, code=4)
    counts = [summary[name] for name in ("layouts", "duplicates", "rejected", "scored", "runs")]
    assert counts == [3, 1, 1, 3, [1]]


def test_ingest_queue_and_work_do_what_run_does(tmp_path: Path) -> None:
    deals = dealmill("deal", "memory", "--count", "3000", "--seed", "4", cwd=tmp_path)
    (tmp_path / "memory.txt").write_text(deals.stdout)
    with TemporaryDirectory() as folder, LocalBroker(Path(folder)) as broker:
        env = {"DEALMILL_BROKER_URL": broker.url}
        assert dealmill("ingest", "memory.txt", cwd=tmp_path, env=env).returncode == 0
        queued = dealmill("queue", "memory.txt", "--engine", "memory/incremental", cwd=tmp_path, env=env)
        assert queued.stdout == "1\n"
        [waiting] = rows("status", "1", cwd=tmp_path, env=env)
        assert (waiting["solved"], waiting["pending"], waiting["state"]) == (0, 3000, "waiting")
        assert dealmill("work", "--drain", cwd=tmp_path, env=env).returncode == 0
        [done] = rows("status", "last", cwd=tmp_path, env=env)
        assert (done["solved"], done["pending"], done["scored"], done["state"]) == (3000, 0, 3000, "finished")


@pytest.mark.parametrize("second", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def test_verdicts_and_evidence_do_not_depend_on_workers_and_database(
    second: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    env = database_of(request.getfixturevalue("postgres"), tmp_path) if second == "postgresql" else {}
    printed = []
    for workers, database in (("1", env), ("3", {})):
        folder = tmp_path / workers
        folder.mkdir()
        assert dealmill("run", "deal:memory:seed=2:1-9000", "-j", workers, cwd=folder, env=database).returncode == 0
        printed.append(dealmill("query", "1", "--nl", cwd=folder, env=database).stdout)
        assert len(rows("status", "--workers", cwd=folder, env=database)) <= int(workers)
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == 9000


def test_a_query_accepts_every_name_of_an_engine_and_a_source(database: Database) -> None:
    for engine, name in (("memory/two-pass", "a.txt"), ("memory/incremental", "a.txt"), ("memory/two-pass", "1")):
        a_run(database, engine, ["AABB", "ABAB"], name=name)

    def runs_of(engine: str | None, source: str | None) -> list[int]:
        return [run.id for run in matching_runs(database, None, engine, source, retracted=False)]

    assert runs_of("memory", None) == runs_of("memory/two-pass", None) == [1, 3]
    assert runs_of(None, "1") == runs_of(None, "a.txt") == [1, 2]
    assert runs_of("memory", "2") == [3]


@pytest.mark.parametrize(
    "signal_number",
    [
        signal.SIGKILL,
        *(pytest.param(number, marks=pytest.mark.slow) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    ],
    ids=lambda number: number.name,
)
def test_a_stopped_run_resumes_where_it_stopped(signal_number: signal.Signals, tmp_path: Path) -> None:
    count = 400_000
    run = ("run", f"deal:memory:seed=6:1-{count}", "--engine", "memory/incremental")
    lease = "3" if signal_number is signal.SIGKILL else "3600"  # else the command itself ends the leases of its workers
    env = {"DEALMILL_LEASE_SECONDS": lease, MARK: str(tmp_path)}
    running = started(*run, cwd=tmp_path, env=env)
    wait_for_layouts(tmp_path, running)
    running.send_signal(signal_number)
    _, stderr = running.communicate(timeout=LONGEST_SECONDS)
    if signal_number is signal.SIGKILL:
        assert running.returncode == -signal.SIGKILL
    else:
        told = "dealmill: interrupted; repeat the command to continue where it stopped"
        assert (running.returncode, stderr.splitlines()[-1]) == (130, told)
    assert not children_with(str(tmp_path))
    before = solved_layouts(tmp_path)
    assert 0 < before < count
    resumed = dealmill(*run, "--json", cwd=tmp_path, env=env)
    assert resumed.returncode == 0
    assert f"resumes at {before:,} of " in resumed.stderr
    assert json.loads(resumed.stdout)[0]["scored"] == count


@pytest.mark.slow
def test_a_run_under_nohup_survives_the_end_of_its_terminal(tmp_path: Path) -> None:
    nohup = ("sh", "-c", "trap '' HUP; exec \"$@\"", "-")
    running = started("run", "deal:memory:seed=6:1-100000", cwd=tmp_path, under=nohup)
    wait_for_layouts(tmp_path, running)
    running.send_signal(signal.SIGHUP)
    _, stderr = running.communicate(timeout=LONGEST_SECONDS)
    assert (running.returncode, solved_layouts(tmp_path)) == (0, 100_000), stderr


@pytest.mark.slow
def test_killed_workers_and_brokers_neither_lose_nor_duplicate_results(postgres: Postgres, tmp_path: Path) -> None:
    env = {**database_of(postgres, tmp_path), "DEALMILL_LEASE_SECONDS": "3", MARK: str(tmp_path)}
    running = started("run", "deal:memory:seed=6:1-100000", "--json", cwd=tmp_path, env=env)
    killed = 0
    while running.poll() is None and killed < 8:
        time.sleep(0.5)
        victims = [process for process in processes_with(str(tmp_path)) if process != running.pid]
        if victims:
            os.kill(victims[killed * 7 % len(victims)], signal.SIGKILL)
            killed += 1
    stdout, stderr = running.communicate(timeout=LONGEST_SECONDS)
    assert running.returncode == 0, stderr
    assert killed > 0
    assert json.loads(stdout)[0]["scored"] == 100_000
    [disturbed] = rows("status", "1", cwd=tmp_path, env=env)
    assert dealmill("run", "deal:memory:seed=6:1-100000", cwd=tmp_path).returncode == 0
    [undisturbed] = rows("status", "1", cwd=tmp_path)
    assert disturbed["fingerprint"] == undisturbed["fingerprint"] is not None


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    assert dealmill("db", "upgrade", cwd=tmp_path).returncode == 0
    with sqlite3.connect(tmp_path / "dealmill.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    for arguments in (["status"], ["run", "deal:memory:seed=1:1-5"], ["db", "upgrade"]):
        ran = dealmill(*arguments, cwd=tmp_path)
        assert (ran.returncode, "newer (9999)" in ran.stderr) == (1, True), ran.stderr


def test_a_run_says_what_a_higher_limit_decides_and_by_which_command(tmp_path: Path) -> None:
    limited = dealmill("run", "deal:card-pairing:seed=1:1-3000", "--max-nodes", "20", cwd=tmp_path).stderr
    estimate = re.search(
        r"^undecided layouts: +perhaps (\d+) of (\d+) are decided, in .*, by: dealmill (.*)$", limited, re.M
    )
    assert estimate and estimate[0] in dealmill("status", "1", cwd=tmp_path).stderr
    [run] = rows(*estimate[3].split(), cwd=tmp_path)
    assert run["layouts"] == int(estimate[2]) and 0.5 < (run["layouts"] - run["undecided"]) / int(estimate[1]) < 2
    assert "undecided layouts:" not in dealmill("run", "deal:card-pairing:seed=1:1-90", cwd=tmp_path).stderr


def test_a_run_over_numbered_deals_says_how_sure_its_share_is_and_how_hard_they_were(tmp_path: Path) -> None:
    ran = dealmill("run", "deal:card-pairing:seed=1:1-1000", cwd=tmp_path)
    interval = re.search(r"winnable deals: +([\d.]+) % to ([\d.]+) % of all deals, with 95 % confidence", ran.stderr)
    [summary] = rows("run", "deal:card-pairing:seed=1:1-1000", cwd=tmp_path)
    assert interval and float(interval[1]) < summary["winnable"] / 10 < float(interval[2])
    told = dealmill("status", "--game", "card-pairing", "--histogram", "value", cwd=tmp_path).stderr
    assert "run 1 has no distribution of value: " in told
    refused = dealmill("status", "1", "--histogram", "nope", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "") and "has no number 'nope'" in refused.stderr
    nodes = sorted(row["nodes"] for row in rows("query", "1", cwd=tmp_path))
    for share in (50, 90, 99):
        bound = re.search(rf"distribution of nodes: .*\b{share} % at most ([\d,]+)", told)
        assert bound and sum(number <= int(bound[1].replace(",", "")) for number in nodes) >= share * 10
    bars = re.findall(r"^ +[\d,]+(?: to [\d,]+)? +([\d,]+)(?:  #+)?$", told, re.MULTILINE)
    assert sum(int(count.replace(",", "")) for count in bars) == 1000
