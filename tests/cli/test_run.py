"""The main job with a real Celery worker and a real broker, on SQLite and on PostgreSQL."""

import gzip
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import dealmill as dealmill_api
from dealmill.pipeline.errors import NotFoundError, StoreError
from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.store.database import Database, database_url
from dealmill.pipeline.store.results import matching_runs
from dealmill.pipeline.store.runs import find_run
from dealmill.workers.broker import LocalBroker
from tests.doing import a_run
from tests.servers import Postgres, clean_environment, dealmill, dealmill_command

MEANT_FOR_OTHERS = {"CELERY_BROKER_URL": "redis://127.0.0.1:1/0"}
each_game = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)


DATABASES = ["sqlite", "postgresql"]


def fresh_database(request: pytest.FixtureRequest, folder: Path, *, lasting: bool = False) -> dict[str, str]:
    """The settings that name a fresh database of a kind, with its tables. It is for one test, or `lasting`."""
    if request.param == "sqlite":
        return {}
    server = request.getfixturevalue("postgres_server" if lasting else "postgres")
    env = {"DEALMILL_DATABASE_URL": server.new_database(lasting=lasting)}
    assert dealmill("db", "upgrade", cwd=folder, env=env).returncode == 0
    return env


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """A fresh database of each kind."""
    return fresh_database(request, tmp_path)


@pytest.fixture(scope="module", params=DATABASES)
def statements(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder and a database in which one command has solved the statements of all games, a run each."""
    folder = tmp_path_factory.mktemp("statements")
    env = fresh_database(request, folder, lasting=True)
    files = [str(game.examples / f"{game.name}-statement.txt") for game in games().values()]
    ran = dealmill("run", *files, cwd=folder, env=env | MEANT_FOR_OTHERS)
    assert ran.returncode == 0, ran.stderr
    return folder, env


@pytest.fixture
def broker() -> Iterator[str]:
    """A broker that is configured and not the command's own."""
    with TemporaryDirectory() as folder, LocalBroker(Path(folder)) as server:
        yield server.url


def rows(*arguments: str, cwd: Path, env: dict[str, str]) -> list[dict[str, object]]:
    """The rows that a command prints as JSON."""
    found: list[dict[str, object]] = json.loads(dealmill(*arguments, "--json", cwd=cwd, env=env).stdout)
    return found


@each_game
def test_the_samples_of_each_problem_statement_are_solved(game: Game, statements: tuple[Path, dict[str, str]]) -> None:
    folder, env = statements
    number = list(games()).index(game.name) + 1
    verdicts = rows("query", str(number), cwd=folder, env=env)
    words = [
        {"winnable": game.answer.winnable, "unwinnable": game.answer.unwinnable}.get(str(row["verdict"]), row["value"])
        for row in verdicts
    ]
    answers = game.answer.between.join(map(str, words))
    expected = (game.examples / f"{game.name}-statement.answer").read_text()
    assert f"{game.answer.opening}{answers}\n{game.answer.closing}" == expected
    shown = dealmill("show", f"{number}:1", cwd=folder, env=env)
    assert "referee: valid" in shown.stdout


def test_layouts_that_were_solved_are_not_solved_again(database: dict[str, str], tmp_path: Path) -> None:
    first = dealmill("run", "deal:memory:seed=1:1-5000", "--json", cwd=tmp_path, env=database)
    again = dealmill("run", "deal:memory:seed=1:1-5000", "--json", cwd=tmp_path, env=database)
    assert "already solved" not in first.stderr
    assert "memory/two-pass on deal:memory:seed=1:1-5000 is already solved" in again.stderr
    assert json.loads(first.stdout) == json.loads(again.stdout)
    [summary] = json.loads(again.stdout)
    assert (summary["layouts"], summary["scored"], summary["rejected"], summary["runs"]) == (5000, 5000, 0, [1])


def test_a_source_that_is_given_twice_is_counted_once(tmp_path: Path) -> None:
    text = b"AABB\nAABB\nABAB\nA1\n"
    (tmp_path / "memory.txt").write_bytes(text)
    (tmp_path / "memory.txt.gz").write_bytes(gzip.compress(text))
    ran = dealmill("run", "memory.txt", "memory.txt.gz", "memory.txt", "--json", cwd=tmp_path)
    assert ran.returncode == 4
    [summary] = json.loads(ran.stdout)
    counted = [summary[name] for name in ("layouts", "duplicates", "rejected", "scored", "runs")]
    assert counted == [3, 1, 1, 3, [1]]


def test_ingest_queue_and_work_do_what_run_does(database: dict[str, str], broker: str, tmp_path: Path) -> None:
    env = {**database, "DEALMILL_BROKER_URL": broker}
    deals = dealmill("deal", "memory", "--count", "3000", "--seed", "4", cwd=tmp_path)
    (tmp_path / "memory.txt").write_text(deals.stdout)
    assert dealmill("ingest", "memory.txt", cwd=tmp_path, env=env).returncode == 0
    queued = dealmill("queue", "memory.txt", "--engine", "memory/incremental", cwd=tmp_path, env=env)
    assert queued.stdout == "1\n"
    [waiting] = rows("status", "1", cwd=tmp_path, env=env)
    assert (waiting["solved"], waiting["pending"], waiting["state"]) == (0, 3000, "waiting for workers")
    assert dealmill("work", "--drain", cwd=tmp_path, env=env).returncode == 0
    [done] = rows("status", "last", cwd=tmp_path, env=env)
    assert (done["solved"], done["pending"], done["scored"], done["state"]) == (3000, 0, 3000, "finished")
    ranged = rows("query", "1", "--value", "..75", cwd=tmp_path, env=env)
    assert ranged and all(row["value"] <= 75 for row in ranged)  # type: ignore[operator]


def test_verdicts_and_evidence_do_not_depend_on_workers_and_database(database: dict[str, str], tmp_path: Path) -> None:
    for workers, seed in (("1", "one"), ("3", "three")):
        folder = tmp_path / seed
        folder.mkdir()
        env = {"DEALMILL_WORKERS": workers, **(database if workers == "1" else {})}
        assert dealmill("run", "deal:memory:seed=2:1-9000", cwd=folder, env=env).returncode == 0
    one = dealmill("query", "1", "--nl", cwd=tmp_path / "one", env=database)
    three = dealmill("query", "1", "--nl", cwd=tmp_path / "three")
    assert one.stdout == three.stdout
    assert len(one.stdout.splitlines()) == 9000


def test_pages_of_a_query_contain_every_row_once(tmp_path: Path) -> None:
    dealmill("run", "deal:memory:seed=3:1-2500", cwd=tmp_path)
    whole = rows("query", cwd=tmp_path, env={})
    paged: list[dict[str, object]] = []
    while True:
        after = ("--after", str(paged[-1]["item"])) if paged else ()
        page = rows("query", "--limit", "999", *after, cwd=tmp_path, env={})
        if not page:
            break
        paged += page
    assert paged == whole
    assert len(whole) == 2500


def test_a_query_accepts_every_name_of_an_engine_and_a_source(store: Database) -> None:
    layouts = ["AABB", "ABAB"]
    for engine, name in (("memory/two-pass", "a.txt"), ("memory/incremental", "a.txt"), ("memory/two-pass", "1")):
        a_run(store, engine, layouts, name=name)

    def found(engine: str | None, source: str | None) -> list[int]:
        return [run.id for run in matching_runs(store, None, engine, source, retracted=False)]

    assert found("memory", None) == found("memory/two-pass", None) == [1, 3]
    assert found(None, "1") == found(None, "a.txt") == [1, 2]
    assert found("memory", "2") == [3]


def started(
    *arguments: str, cwd: Path, env: dict[str, str] | None = None, under: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """A command that goes on while the test does something to it, started `under` another one."""
    return subprocess.Popen(
        [*under, *dealmill_command(arguments)],
        preexec_fn=heeding_signals,
        cwd=cwd,
        env=clean_environment(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def heeding_signals() -> None:
    """Undo what a shell has ignored for us, such as SIGHUP under nohup."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)


def solved(cwd: Path) -> int:
    """How many layouts of the newest run have a verdict."""
    try:
        return find_run(Database(database_url(f"sqlite:///{cwd / 'dealmill.db'}")), "last").solved
    except (NotFoundError, StoreError):
        return 0  # it has not begun


def children_with(marker: str) -> list[int]:
    """The processes whose environment speaks of `marker`."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                environment = (process / "environ").read_bytes()
            except OSError:
                continue
            if marker.encode() in environment and int(process.name) != os.getpid():
                found.append(int(process.name))
    return found


@pytest.mark.parametrize(
    "signal_number",
    [
        *(signal.SIGINT, signal.SIGKILL),
        *(pytest.param(number, marks=pytest.mark.slow) for number in (signal.SIGTERM, signal.SIGHUP)),
    ],
    ids=lambda s: s.name,
)
def test_a_stopped_run_resumes_where_it_stopped(signal_number: signal.Signals, tmp_path: Path) -> None:
    count = 400_000
    source = f"deal:memory:seed=6:1-{count}"
    lease = "3" if signal_number is signal.SIGKILL else "3600"  # else the command itself ends the leases of its workers
    env = {"DEALMILL_LEASE_SECONDS": lease, "MARK_OF_TEST": str(tmp_path)}
    running = started("run", source, "--engine", "memory/incremental", cwd=tmp_path, env=env)
    deadline = time.monotonic() + 120
    while not solved(tmp_path) and time.monotonic() < deadline:
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal_number)
    _, told = running.communicate(timeout=60)
    if signal_number is signal.SIGKILL:
        assert running.returncode == -signal.SIGKILL
    else:
        assert (running.returncode, "interrupted" in told) == (130, True), told
    for _ in range(100):
        if not children_with(str(tmp_path)):
            break
        time.sleep(0.1)
    assert not children_with(str(tmp_path))
    before = solved(tmp_path)
    assert 0 < before < count
    again = dealmill("run", source, "--engine", "memory/incremental", "--json", cwd=tmp_path, env=env)
    assert again.returncode == 0
    assert f"resumes at {before:,} of " in again.stderr
    assert json.loads(again.stdout)[0]["scored"] == count


@pytest.mark.slow
def test_a_run_under_nohup_survives_the_end_of_its_terminal(tmp_path: Path) -> None:
    nohup = ("sh", "-c", "trap '' HUP; exec \"$@\"", "-")
    running = started("run", "deal:memory:seed=6:1-100000", cwd=tmp_path, under=nohup)
    while not solved(tmp_path) and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGHUP)
    _, told = running.communicate(timeout=120)
    assert (running.returncode, solved(tmp_path)) == (0, 100_000), told


def test_killed_workers_and_brokers_neither_lose_nor_duplicate_results(postgres: Postgres, tmp_path: Path) -> None:
    url = postgres.new_database()
    env = {"DEALMILL_DATABASE_URL": url, "DEALMILL_LEASE_SECONDS": "3", "MARK_OF_TEST": str(tmp_path)}
    assert dealmill("db", "upgrade", cwd=tmp_path, env=env).returncode == 0
    running = started("run", "deal:memory:seed=6:1-100000", "--json", cwd=tmp_path, env=env)
    killed = 0
    while running.poll() is None and killed < 8:
        time.sleep(0.5)
        victims = [pid for pid in children_with(str(tmp_path)) if pid != running.pid]
        if victims:
            os.kill(victims[killed * 7 % len(victims)], signal.SIGKILL)
            killed += 1
    out, told = running.communicate(timeout=200)
    assert running.returncode == 0, told
    assert killed > 0
    assert json.loads(out)[0]["scored"] == 100_000
    disturbed = dealmill("query", "1", "--nl", cwd=tmp_path, env=env).stdout
    assert dealmill("run", "deal:memory:seed=6:1-100000", cwd=tmp_path).returncode == 0
    assert disturbed == dealmill("query", "1", "--nl", cwd=tmp_path).stdout


def test_an_unavailable_broker_is_reported_without_its_password(tmp_path: Path) -> None:
    env = {"DEALMILL_BROKER_URL": "redis://:secret@127.0.0.1:1/0"}
    ran = dealmill("run", "deal:memory:seed=1:1-10", cwd=tmp_path, env=env)
    assert ran.returncode == 1
    assert "dealmill: the broker redis://" in ran.stderr
    assert "DEALMILL_BROKER_URL" in ran.stderr
    assert "secret" not in ran.stderr + ran.stdout
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "env", "code", "message"),
    [
        (["run", "deal:memory:seed=1:1-9", "--engine", "memory/none"], {}, 2, "memory has: memory/two-pass"),
        (
            ["run", "deal:hi-q:seed=1:1-9", "--engine", "memory/two-pass"],
            {},
            2,
            "none of these is an engine of hi-q: memory/two-pass",
        ),
        (["run", "deal:hi-q:seed=1:1-9", "--engine", "two-pass"], {}, 2, "hi-q has: hi-q/greedy"),
        (["run", "x.txt", "--game", "chess"], {}, 2, "there is no game 'chess'; the games are: "),
        (["run", "memory.txt"], {}, 1, "there is no file memory.txt"),
        (["run"], {}, 2, "Missing argument"),
        (["queue", "7"], {}, 2, "the store has no source '7'"),
        (["query", "7"], {}, 2, "the store has no run '7'"),
        (["query", "--value", "x"], {}, 2, "'x' is not a range"),
        (
            ["query", "--value", "100..50"],
            {},
            2,
            "value cannot be 100 to 50: the lower end of the range exceeds the upper end",
        ),
        (
            ["query", "--nodes", "100..50"],
            {},
            2,
            "nodes cannot be 100 to 50: the lower end of the range exceeds the upper end",
        ),
        (["query", "--rejected"], {}, 2, "name a run or a source"),
        (
            ["retract", "--engine", "memory/two-pass", "--version", "1", "--why", " "],
            {},
            2,
            "the reason is empty: say what is wrong with the engine",
        ),
        (["query", "--source", "typo.txt"], {}, 2, "the store has no source 'typo.txt'; add it with: "),
        (["query", "--limit", "9" * 20], {}, 2, "it must be a whole number from 1 to "),
        (["run", "deal:memory:seed=1:1-9", "--max-nodes", "9" * 20], {}, 2, "it must be a whole number from 1 to "),
        (["show", "7:1"], {}, 2, "the store has no run '7'"),
        (["show", "x"], {}, 2, "is not an item"),
        (["show", "memory", "AAB"], {}, 2, "'AAB' is not a layout of memory: letter B occurs only once"),
        (["status", "7"], {}, 2, "the store has no run '7'"),
        (["answer", "chess"], {}, 2, "there is no game 'chess'"),
        (["answer", "memory", "none.txt"], {}, 1, "there is no file none.txt"),
        (["answer", "memory", "."], {}, 1, ". is a folder"),
        (["deal", "memory", "--count", "1", "--seed", "-1"], {}, 2, "the seed must be a whole number from 0"),
        (["deal", "memory", "--count", "1", "--seed", "1", "--param", "x"], {}, 2, "is malformed: write NAME=NUMBER"),
        (
            ["deal", "memory", "--count", "1", "--seed", "1", "--param", "pairs=2", "--param", "pairs=3"],
            {},
            2,
            "--param pairs is given twice",
        ),
        (["status"], {"DEALMILL_DATABASE_URL": "sqlite:////proc/none/x.db"}, 1, "the folder /proc/none does not exist"),
        (["status"], {"DEALMILL_DATABASE_URL": "nonsense"}, 1, "the database URL is not valid"),
        (["status"], {"DEALMILL_DATABASE_URL": "mysql://u:secret@h/d"}, 1, "the database URL starts with mysql"),
        (["status"], {"DEALMILL_DATABASE_URL": "postgresql://u:secret@127.0.0.1:1/d"}, 1, "is the server running"),
        (
            ["show", "memory", "AA"],
            {"XDG_CACHE_HOME": "/proc/none"},
            1,
            "name another cache folder with XDG_CACHE_HOME",
        ),
        (["deal", "hi-q", "--count", "1", "--seed", "1"], {"XDG_CACHE_HOME": "/proc/none"}, 1, "cannot be written to"),
        (["status"], {"DEALMILL_WORKERS": "none"}, 1, "invalid setting: DEALMILL_WORKERS"),
    ],
)
def test_errors_say_what_is_wrong_and_what_to_do(
    arguments: list[str], env: dict[str, str], code: int, message: str, tmp_path: Path
) -> None:
    dealmill_api.db.upgrade(f"sqlite:///{tmp_path / 'dealmill.db'}")
    ran = dealmill(*arguments, cwd=tmp_path, env=env)
    assert message in ran.stderr
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
    assert "secret" not in ran.stderr


def test_an_engine_can_be_named_without_its_game(tmp_path: Path) -> None:
    deals = "deal:memory:seed=1:1-9"
    ran = dealmill("run", deals, "--engine", "incremental", "--engine", "memory", "--json", cwd=tmp_path)
    assert [row["engine"] for row in json.loads(ran.stdout)] == ["memory/incremental", "memory/two-pass"]


def test_impossible_deals_leave_no_run(tmp_path: Path) -> None:
    ran = dealmill("run", "deal:card-pairing:seed=1:ranks=16:1-5", cwd=tmp_path)
    assert (ran.returncode, "cannot be divided into 9 stacks" in ran.stderr) == (2, True)
    assert not (tmp_path / "dealmill.db").exists()


def test_a_full_standard_output_gives_a_one_line_error(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            dealmill_command(["games"]), stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False
        )
    assert told.returncode == 1
    assert told.stderr == "dealmill: cannot write the output: No space left on device\n"


def test_rejects_are_listed_up_to_a_limit_with_all_reasons(tmp_path: Path) -> None:
    (tmp_path / "memory.txt").write_text("AABC\nAABC\nAABC\n")
    dealmill("ingest", "memory.txt", cwd=tmp_path)
    rejected = dealmill("query", "--rejected", "--source", "1", "--limit", "2", "--csv", cwd=tmp_path).stdout
    assert rejected.count("AABC") == 2
    assert "letter B occurs only once; letter C occurs only once" in rejected


def test_an_engine_of_another_game_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    sources = ["deal:memory:seed=1:1-9", "deal:hi-q:seed=1:1-9"]
    assert dealmill("run", *sources, "--engine", "memory/two-pass", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "dealmill.db").exists()


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    import sqlite3

    assert dealmill("db", "upgrade", cwd=tmp_path).returncode == 0
    with sqlite3.connect(tmp_path / "dealmill.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    for arguments in (["status"], ["run", "deal:memory:seed=1:1-5"], ["db", "upgrade"]):
        ran = dealmill(*arguments, cwd=tmp_path)
        assert (ran.returncode, "newer (9999)" in ran.stderr) == (1, True), ran.stderr
