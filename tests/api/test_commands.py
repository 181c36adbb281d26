"""Commands print what the methods of the API return, so that the two cannot drift apart."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path

import pytest

import dealmill
from dealmill import Store, Verdict
from dealmill.pipeline.games import find_game
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from tests.doing import a_run, an_audit, deal
from tests.servers import dealmill as command

LAYOUTS = deal(find_game("card-pairing"), 1, 1, 150)
ENGINE = "card-pairing/winnable"
Row = dict[str, object]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store: two runs over 150 layouts, one of them with a limit and audited, and rejects."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "memory.txt").write_text("ABBA\nABC\nABAB\nA\n")
    with dealmill.open(f"sqlite:///{folder / 'dealmill.db'}") as store:
        store.ingest(folder / "memory.txt")
    database = Database(database_url(f"sqlite:///{folder / 'dealmill.db'}"))
    a_run(database, ENGINE, LAYOUTS)
    an_audit(database, a_run(database, ENGINE, LAYOUTS, max_nodes=20))
    return folder


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    """The same store from Python."""
    with dealmill.open(f"sqlite:///{folder / 'dealmill.db'}") as store:
        yield store


def rows_of(objects: Iterable[object], **columns: str) -> list[Row]:
    """Return a row for each object, with an attribute in each column."""
    return [{name: attrgetter(attribute)(each) for name, attribute in columns.items()} for each in objects]


def of_results(results: dealmill.Query) -> list[Row]:
    """Return results as rows, with their judgements if these were asked for."""
    rows = list(results)
    names = {name: name for name in ("item", "line", "value", "nodes", "layout", "evidence")}
    judged = {"audit": "judgement.outcome.word", "step": "judgement.step", "reason": "judgement.reason"}
    return rows_of(rows, verdict="verdict.word", **names, **(judged if rows[0].judgement else {}))


def of_status(store: Store) -> list[Row]:
    """Return the status as rows, without what depends on the time."""
    runs = store.status()
    names = {name: name for name in ("engine", "version", "source", "max_nodes", "fingerprint")}
    progress = {"layouts": "progress.items", "solved": "progress.solved", "nodes": "progress.nodes"}
    rows = rows_of(runs, run="id", storage="storage.word", **names, **progress)
    return [
        {**row, **{verdict.word: run.progress.counts.get(verdict, 0) for verdict in Verdict}}
        for row, run in zip(rows, runs, strict=True)
    ]


def of_log(store: Store) -> list[Row]:
    """Return the log as rows, without the time, which is printed in the local time zone."""
    return [{key: value for key, value in asdict(action).items() if key != "at"} for action in store.log()]


def of_diff(store: Store) -> list[Row]:
    """Return differences as rows."""
    diff = list(store.find_run(1).diff(store.find_run(2)))
    rows = rows_of(diff, layout="layout", kind="kind", evidence="one.evidence", other_evidence="other.evidence")
    return [
        {**row, "item": f"1:{difference.one.position}", "other_item": f"2:{difference.other.position}"}
        for row, difference in zip(rows, diff, strict=True)
    ]


def of_rejects(store: Store) -> list[Row]:
    """Return rejects as rows."""
    return [
        {"source": source.name, "line": reject.line, "reasons": list(reject.reasons), "text": reject.text}
        for source, reject in store.rejects(source=1)
    ]


def of_reject_reasons(store: Store) -> list[Row]:
    """Return reasons of rejects as rows."""
    source, reasons = store.reject_reasons(source=1)
    rows = rows_of(reasons, rejects="count", reason="reason", line="example.line", text="example.text")
    return [{"source": source.name, **row} for row in rows]


def of_games(_store: Store, only: str | None = None) -> list[Row]:
    """Return engines as rows."""
    return [
        {"engine": game.full_name(engine), "version": engine.version, "examples": str(game.examples)}
        for game in sorted(dealmill.games(only).values(), key=lambda game: (game.family, game.name))
        for engine in game.engines
    ]


def of_doctor(store: Store) -> list[Row]:
    """Return checks as rows."""
    url = repr(store).removeprefix("<Store ").removesuffix(">")
    return [{"check": check.name, "state": "ok" if check.passed else "wrong"} for check in dealmill.doctor(url)]


COMMANDS: dict[str, Callable[[Store], list[Row]]] = {
    "status": of_status,
    "status last": lambda store: of_status(store)[-1:],
    "query": lambda store: of_results(store.query()),
    "query 1": lambda store: of_results(store.find_run(1).results()),
    "query --engine card-pairing --after 1:149 --limit 3": lambda store: of_results(
        store.query(engine="card-pairing", after=(1, 149), limit=3)
    ),
    "query last --verdict unwinnable --verdict undecided": lambda store: of_results(
        store.find_run().results(verdict=["unwinnable", "undecided"])
    ),
    "query 1 --nodes 10..20": lambda store: of_results(store.find_run(1).results(nodes=(10, 20))),
    "query --before 2:2 --desc --limit 3": lambda store: of_results(
        store.query(before=(2, 2), descending=True, limit=3)
    ),
    "query --order evidence-length --desc --limit 7": lambda store: of_results(
        store.query(order="evidence-length", descending=True, limit=7)
    ),
    "query 1 --evidence-length ..20 --layout-length 44": lambda store: of_results(
        store.find_run(1).results(evidence_length=(None, 20), layout_length=44)
    ),
    "query 2 --audit no-evidence": lambda store: of_results(store.find_run(2).results(audit="no-evidence")),
    "query --source 1 --rejected": of_rejects,
    "query --source 1 --rejected --by-reason": of_reject_reasons,
    "diff 1 2": of_diff,
    "log": of_log,
    "games": of_games,
    "games tantrix-loop": lambda store: of_games(store, "tantrix-loop"),
    "doctor": of_doctor,
}


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_prints_the_rows_of_its_method(words: str, folder: Path, store: Store) -> None:
    expected = COMMANDS[words](store)
    assert expected
    ran = command(*words.split(), "--json", cwd=folder)
    assert "Traceback" not in ran.stderr
    printed = json.loads(ran.stdout)
    assert [{key: row[key] for key in columns} for row, columns in zip(printed, expected, strict=True)] == expected


def test_games_has_a_line_for_each_game_and_all_about_one(folder: Path) -> None:
    lines = command("games", cwd=folder).stdout.splitlines()
    games = dealmill.games()
    assert len(lines) == 1 + len(games)
    [spider] = [line.split() for line in lines if " spider " in line]
    assert spider == ["Spider", "spider", "Spider", "2", "10", "x", "x"]
    text = command("games", "klondike", cwd=folder).stdout
    for engine in games["klondike"].engines:
        assert all(
            str(part) in text
            for part in (engine.version, engine.summary, engine.evidence, engine.evidence_of_loss or "")
        )
    assert games["klondike"].rules_text and text.endswith(games["klondike"].rules_text.text)


def test_all_forms_print_all_rows_and_a_table_the_first(folder: Path, store: Store) -> None:
    count = len(list(store.query()))
    for form, header in (("--json", 2), ("--nl", 0), ("--csv", 1)):
        assert len(command("query", form, cwd=folder).stdout.splitlines()) == count + header
    table = command("query", cwd=folder)
    assert len(table.stdout.splitlines()) == 101
    assert "more rows follow; continue with --after 1:100" in table.stderr
    assert "continue with --before 2:51, or" in command("query", "--desc", cwd=folder).stderr
    assert "more rows follow; print more with --limit" in command("query", "--order", "nodes", cwd=folder).stderr


def test_show_prints_a_result_and_its_frames(folder: Path, store: Store) -> None:
    result = store.result("1:5")
    printed = command("show", "1:5", cwd=folder).stdout
    assert f"layout: {result.layout}" in printed
    assert f"referee: {result.check()}" in printed
    assert printed.endswith("".join(f"\n{frame}\n" for frame in result.frames()))


def test_deal_answer_and_export_write_what_python_has(folder: Path, store: Store, tmp_path: Path) -> None:
    dealt = command("deal", "memory", "--count", "20", "--seed", "3", "--param", "pairs=4", cwd=folder).stdout
    assert dealt.splitlines() == [
        layout.text for layout in dealmill.deals("memory", seed=3, count=20, parameters={"pairs": 4})
    ]
    (tmp_path / "deals.txt").write_text(dealt)
    output = io.StringIO()
    dealmill.answer("memory", tmp_path / "deals.txt", output)
    assert command("answer", "memory", str(tmp_path / "deals.txt"), cwd=folder).stdout == output.getvalue()
    for suffix in ("csv", "jsonl", "parquet"):
        ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"
        count = store.find_run(1).export(ours, verdict="winnable")
        stderr = command("export", "1", str(theirs), "--verdict", "winnable", cwd=folder).stderr
        assert ours.read_bytes() == theirs.read_bytes()
        assert stderr.startswith(f"{count} verdicts of run 1 written")


def test_db_and_queue_print_what_python_returns(folder: Path, store: Store) -> None:
    assert command("db", "current", cwd=folder).stdout == f"{dealmill.db.current(f'sqlite:///{folder}/dealmill.db')}\n"
    assert command("queue", "a.txt", cwd=folder).stdout == "1\n" == f"{store.queue('a.txt').id}\n"


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("status 99", lambda store: store.status(99)),
        ("query 99", lambda store: store.query(run=99)),
        ("query --game chess", lambda store: store.query(game="chess")),
        ("query --order nodes --json", lambda store: store.query(order="nodes")),
        ("query --order nodes --after 1:5", lambda store: store.query(order="nodes", after="1:5", limit=1)),
        ("query --layout-length 5..1", lambda store: store.query(layout_length=(5, 1))),
        ("query --value 5..1", lambda store: store.query(value=(5, 1))),
        ("query --rejected", lambda store: store.rejects()),
        ("show 1:999", lambda store: store.result("1:999")),
        ("show nonsense", lambda store: store.result("nonsense")),
        ("audit 1 --sample 151", lambda store: store.find_run(1).audit(sample=151)),
        ("diff 1 99", lambda store: store.find_run(99)),
        ("export 1 a.txt", lambda store: store.find_run(1).export("a.txt")),
        ("survey memory --half-width wide", lambda store: store.survey("memory", half_width="wide")),
        ("survey memory --param pegs=1", lambda store: store.survey("memory", parameters={"pegs": 1})),
        ("queue none.txt", lambda store: store.queue("none.txt")),
        ("run deal:memory:seed=1:1-", lambda store: store.run("deal:memory:seed=1:1-")),
        ("run none.txt --game memory", lambda store: store.run("none.txt", game="memory")),
        ("retract --engine x --version 1 --why y", lambda store: store.retract("x", "1", "y")),
        ("answer chess", lambda _: dealmill.answer("chess", "-", io.StringIO())),
        ("deal memory --count 1 --seed 1 --param seed=3", lambda _: dealmill.deals("memory", parameters={"seed": 3})),
        ("show memory ABC", lambda _: dealmill.solve("memory", "ABC")),
    ],
)
def test_an_error_has_one_message(words: str, call: Callable[[Store], object], folder: Path, store: Store) -> None:
    with pytest.raises(dealmill.DealmillError) as raised:
        call(store)
    ran = command(*words.split(), cwd=folder)
    assert ran.stderr == f"dealmill: {raised.value}\n"
    assert ran.returncode in {1, 2}


def test_a_second_retraction_says_that_the_first_reason_stays(tmp_path: Path) -> None:
    database = Database(database_url(f"sqlite:///{tmp_path / 'dealmill.db'}"))
    dealmill.db.upgrade(str(database.url))
    a_run(database, ENGINE, LAYOUTS)
    retract = ("retract", "--engine", ENGINE, "--version", "1", "--why")
    done = f"retracted: 150 verdicts of {ENGINE} version 1 in 1 run\n"
    second = f"{ENGINE} version 1 was already retracted (it is wrong); the first reason is kept\n"
    first = f"this withdraws 150 verdicts in 1 run: 1\n{done}"
    for why, message in (("it is wrong", first), ("it is wrong", done), ("slow", second)):
        ran = command(*retract, why, cwd=tmp_path)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", message)
    logged = json.loads(command("log", "--json", cwd=tmp_path).stdout)
    assert [action["why"] for action in logged if action["what"] == "retract"] == ["it is wrong"]


@pytest.mark.slow
def test_node_counts_are_compared_only_if_both_runs_have_them(tmp_path: Path) -> None:
    verdict = {"layout": "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ", "verdict": "winnable"}
    for name, nodes in (("a", {"nodes": 100}), ("b", {}), ("c", {"nodes": 200})):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(verdict | nodes) + "\n")
        imported = command("import", f"{name}.jsonl", "--engine", "card-pairing/other", "--version", name, cwd=tmp_path)
        assert imported.returncode == 0, imported.stderr
    none = "no node counts were compared: no two runs decided the same layout and counted nodes\n"
    for runs, code, message in (("1 2", 3, none), ("2 3", 3, none), ("1 3", 0, "")):
        ran = command("diff", *runs.split(), "--fail-on", "nodes=3", cwd=tmp_path)
        assert ran.returncode == code and ran.stderr.endswith(message), ran.stderr


@pytest.mark.slow
def test_limits_are_not_kept_if_there_is_nothing_to_compare(tmp_path: Path) -> None:
    for name, layout, verdict in (("a", "AABB", "undecided"), ("b", "ABAB", "undecided"), ("c", "AABB", "failed")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"layout": layout, "verdict": verdict}) + "\n")
        imported = command("import", f"{name}.jsonl", "--engine", "memory/x", "--version", "1", cwd=tmp_path)
        assert imported.returncode == 0, imported.stderr
    nothing = "nothing was compared: there is no layout on which two runs have a verdict\n"
    undecided = "no node counts were compared: no two runs decided the same layout and counted nodes\n"
    for words, code, message in (
        ("1 2 --fail-on contradicted", 3, nothing),
        ("1 2 --ignore missing", 0, "runs 1 and 2 have no other differences: 0 verdicts\n"),
        ("2 --fail-on contradicted", 3, nothing),
        ("2", 0, "run 2 has layouts in common with 0 other runs of the same question\n"),
        ("1 3 --fail-on contradicted", 0, "runs 1 and 3 differ on 1 layout: 1 undecided\n"),
        ("1 3 --fail-on nodes=2", 3, undecided),
        ("1 --fail-on nodes=2", 3, undecided),
        ("1 --fail-on undecided", 3, "runs 1 and 3 differ on 1 layout: 1 undecided\n"),
    ):
        ran = command("diff", *words.split(), cwd=tmp_path)
        assert ran.returncode == code and ran.stderr.endswith(message), (words, ran.stderr)


def test_a_diff_fails_only_on_what_it_shall(folder: Path) -> None:
    def code(*arguments: str) -> int:
        return command("diff", "1", "2", *arguments, cwd=folder).returncode

    assert code("--fail-on", "lost") == code("--summary") == code("--ignore", "evidence") == code("--only", "lost") == 3
    assert code("--fail-on", "contradicted,gained,nodes=1") == code("--ignore", "lost") == code("--only", "gained") == 0
    ran = command("diff", "2", "1", "--summary", "--json", "--fail-on", "nodes=0.9", cwd=folder)
    assert (ran.returncode, ran.stderr) == (3, "node counts grow by a factor of 1.000, more than 0.9\n")
    printed = json.loads(ran.stdout)
    with dealmill.open(f"sqlite:///{folder / 'dealmill.db'}") as store:
        diff = store.find_run(2).diff(store.find_run(1))
        assert diff.nodes is not None
        assert printed == {
            "run": 2,
            "other": 1,
            "compared": 150,
            "evidence_lengths": None,
            "differences": {"gained": len(list(diff))},
            "nodes": asdict(diff.nodes),
            "cpu_seconds": [diff.one.cpu_seconds, diff.other.cpu_seconds],
            "cpu_ratio": diff.cost_ratio,
            "time_ratio": diff.time_ratio and asdict(diff.time_ratio),
            "machines": [*diff.machines],
        }
