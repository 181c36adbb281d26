"""Imported verdicts: our own exports into another store, verdicts of other solvers, and whatever else a file holds."""

import csv
import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from shutil import copyfile
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dealmill import InputError, RetractedError, Run, Store, StoreError, UsageError
from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.reading import read_one
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest import reading
from dealmill.pipeline.ingest.verdict_files import read_verdicts
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.planning.run_planning import queue_replacement
from dealmill.pipeline.store.sources import writing as source_writing
from tests.doing import Brittle, a_run, alter, an_audit, deal, do_runs, each_engine_and_database, queue_stored
from tests.servers import dealmill

FORMS = (".jsonl", ".csv", ".parquet", ".jsonl.gz", ".csv.gz")
MEMORY = "memory/two-pass"


@pytest.fixture
def second_store(sqlite_tables: Path, tmp_path: Path) -> Iterator[Store]:
    """A store on SQLite from which is exported."""
    database = Database(database_url(f"sqlite:///{copyfile(sqlite_tables, tmp_path / 'other.db')}"))
    with Store(database) as opened:
        yield opened


def exported(run: Run, path: Path) -> Path:
    """The export of a run, packed if the suffix says so."""
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    run.export(plain, force=True, progress=silent)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(plain.read_bytes()))
    return path


def imported(database: Database, path: Path, engine: str = "memory/mine", version: str = "1", **more: Any) -> Run:
    return Store(database).import_verdicts(path, engine=engine, version=version, progress=silent, **more)


def audited(database: Database, run: Run) -> tuple[int, int, int, int]:
    """The numbers of verdicts that an audit finds valid, invalid and without evidence, and of faults."""
    audit = an_audit(database, run.status())
    return audit.valid, audit.invalid, audit.no_evidence, audit.faults


def rows_of(run: Run) -> list[tuple[object, ...]]:
    return [(each.layout, each.verdict, each.value, each.nodes, each.evidence) for each in run.results()]


def written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """A file with these rows, in the format of its suffix."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(list(rows)), path)
    elif path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.slow
@each_engine_and_database
@pytest.mark.parametrize("storage", Storage, ids=lambda storage: storage.word)
def test_an_export_gives_the_same_run_in_another_store(
    database: Database, second_store: Store, game: Game, engine: Engine, storage: Storage, tmp_path: Path
) -> None:
    name, database = game.full_name(engine), second_store._database
    deals = f"deal:{game.name}:seed=5:1-1200"
    second_store.ingest(deals, progress=silent)
    queue_stored(database, second_store.find_source("1"), name, 12, storage)
    do_runs(database)
    run = second_store.find_run()
    forms = FORMS if engine is game.engines[0] and storage is Storage.ROWS else FORMS[:1]
    for version, form in enumerate(forms, start=100):
        again = imported(database, exported(run, tmp_path / f"verdicts{form}"), name, str(version), max_nodes=12)
        assert again.fingerprint == run.fingerprint
        assert again.status().counts == run.status().counts
        assert rows_of(again) == rows_of(run)
        assert again.progress.nodes == run.progress.nodes
        for column in ("value", "nodes"):
            assert again.histogram(column) == run.histogram(column)
    undecided = again.progress.counts.get(Verdict.UNDECIDED, 0)
    assert audited(database, again) == (1200 - undecided, 0, undecided, 0)


def test_failures_and_empty_traces_survive_each_form(
    database: Database, second_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layouts = ["OOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOO", *deal(games()["hi-q"], 3, 1, 8)]
    brittle = Brittle("hi-q", layouts[4:5])
    with monkeypatch.context() as broken:
        broken.setattr(solving, "load", lambda _name: brittle)
        a_run(second_store._database, "hi-q/greedy", layouts)
    run = second_store.find_run()
    assert (rows_of(run)[0][4], run.progress.counts[Verdict.FAILED]) == ("", 1)
    for form in FORMS:
        again = imported(database, exported(run, tmp_path / f"hi-q{form}"), "mine")
        assert (again.fingerprint, rows_of(again)) == (run.fingerprint, rows_of(run))


@pytest.mark.parametrize("form", FORMS)
def test_long_evidence_survives_each_form(database: Database, second_store: Store, form: str, tmp_path: Path) -> None:
    csv.field_size_limit(131_072)  # as in a new process
    claim = {"layout": "AABB", "verdict": "scored", "value": 4, "evidence": "1 2 3 4 " * 100_000}
    run = imported(second_store._database, written(tmp_path / "long.jsonl", [claim]))
    assert rows_of(imported(database, exported(run, tmp_path / f"again{form}"))) == rows_of(run)


@pytest.mark.parametrize("form", [".jsonl", ".csv", ".parquet"])
def test_verdicts_of_any_solver_are_judged_as_what_they_are(database: Database, form: str, tmp_path: Path) -> None:
    true = {"layout": "AABB", "verdict": "scored", "value": 4, "nodes": 2, "evidence": "1 2 3 4"}
    file = written(
        tmp_path / f"verdicts{form}",
        [
            {**true, "note": "proved"},
            {**true, "evidence": "1 3 2 4", "note": "its evidence proves nothing"},
            {**true, "layout": "ABAB", "value": 8, "evidence": None},
            {**true, "layout": "ABBA", "verdict": "undecided", "value": None, "evidence": ""},
            {**true, "layout": "BAAB", "verdict": "undecided", "value": None},
        ],
    )
    run = imported(database, file, max_nodes=9)
    assert [reject.reasons for reject in run.rejects()] == [("the verdict is undecided, but there is evidence",)]
    assert (run.engine, run.version, run.max_nodes, run.source) == ("memory/mine", "1", 9, str(file))
    assert audited(database, run) == (1, 1, 2, 0)
    assert run.latest_audit is not None
    assert run.latest_audit.unproved == 1
    assert [finding.first for finding in run.latest_audit.findings()] == [2]
    assert [result.check().outcome.word for result in run.results()] == ["valid", "invalid", *["no-evidence"] * 2]
    assert len(list(run.result(1).frames())) > 1
    own = a_run(database, MEMORY, ["AABB", "ABAB", "ABBA"])
    counts = Run(database, own).diff(run).summary.counts
    assert counts == {"lost": 1, "evidence": 2}  # two items have the layout AABB


def test_failures_of_an_engine_on_record_are_final(database: Database, tmp_path: Path) -> None:
    failure = {"layout": "AABB", "verdict": "failed", "evidence": "retryable: it gave no answer within 10 s"}
    file = written(tmp_path / "memory.jsonl", [failure])
    assert imported(database, file).fingerprint is not None
    assert imported(database, file, MEMORY).fingerprint is None  # this one can be tried again


def test_what_exists_only_on_record_is_not_solved_again(database: Database, tmp_path: Path) -> None:
    file = written(tmp_path / "memory.jsonl", [{"layout": "AABB", "verdict": "scored", "value": 4}])
    run = imported(database, file, "mine")
    assert replace(run.progress, recent=9, recent_seconds=1.0).rate is None
    for again in (run.rerun, run.retry):
        with pytest.raises(UsageError, match="exists only on record"):
            again(progress=silent)
    assert imported(database, file).id == run.id
    Store(database).retract("memory/mine", "1", "it errs")
    with pytest.raises(UsageError, match="exists only on record"):
        queue_replacement(database, run.status())
    with pytest.raises(RetractedError):
        imported(database, file)
    with pytest.raises(UsageError, match="checked as memory/two-pass"):
        imported(database, file, checked_as="incremental")
    assert imported(database, file, version="2", checked_as="incremental").progress.checked_as == "memory/incremental"
    alter(database, "UPDATE engines SET checked_as = 'memory/two-pass' WHERE version = '2'")
    assert audited(database, Store(database).find_run())[3] == 1


def test_a_deleted_run_is_imported_again_when_its_layouts_are_deleted(database: Database, tmp_path: Path) -> None:
    file = written(tmp_path / "memory.jsonl", [{"layout": "AABB", "verdict": "undecided"}] * 3)
    opened, run = Store(database), imported(database, file)
    opened.deletion(run.id).carry_out()
    with pytest.raises(StoreError, match="delete source:1"):
        imported(database, file)
    alter(database, "UPDATE sources SET advanced = 0")
    opened.deletion("source:1").carry_out()
    again = imported(database, file)
    assert (again.id, again.progress.solved, audited(database, again)) == (2, 3, (0, 0, 3, 0))


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [True, False])
def test_an_import_goes_on_where_it_was_killed(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, distinct: bool
) -> None:
    pick = random.Random(3)
    layouts = deal(games()["memory"], 1, 1, 5_000 if distinct else 200, pairs=5)
    rows = []
    for number in range(5_000):
        layout = layouts[number] if distinct else pick.choice(layouts)
        rows.append({"layout": layout if pick.random() < 0.9 else "A", "verdict": "undecided", "nodes": number})
    file = written(tmp_path / "memory.jsonl", rows)
    monkeypatch.setattr(reading, "BATCH", 700)
    monkeypatch.setattr("dealmill.pipeline.ingest.files.READ_BYTES", 9_000)
    whole = imported(database, file, version="whole")
    steps: dict[str, Callable[..., Any]] = {"append": source_writing.append, "complete": source_writing.complete}
    calls = count(1)

    def dying(name: str, due: int) -> Callable[..., Any]:
        def step(*arguments: Any, more: Callable[..., object], **named: Any) -> Any:
            def killed(connection: Any) -> None:
                more(connection)
                if next(calls) == due:
                    raise KeyboardInterrupt

            return steps[name](*arguments, more=killed, **named)

        return step

    for due in (1, 3, 6, 9, 11):
        with monkeypatch.context() as dangerous:
            for name in steps:
                dangerous.setattr(reading, name, dying(name, due))
            with pytest.raises(KeyboardInterrupt):
                imported(database, file)
    run = imported(database, file)
    assert (run.fingerprint, run.status().finished) == (whole.fingerprint, True)
    assert [reject.line for reject in run.rejects()] == [reject.line for reject in whole.rejects()]
    assert rows_of(run) == rows_of(whole)
    assert audited(database, run) == (0, 0, len(rows_of(whole)), 0)


FIELD = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([2**40 - 1, 2**40, -(2**70), 0.5, "", "x", "\0", "é\n", [], {}])
)
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "layout": st.sampled_from(["AABB", "ABAB", " ABBA ", "A", "# A", "AB\nAB", "\ud800", "3"]) | FIELD,
        "verdict": st.sampled_from([verdict.word for verdict in Verdict]) | FIELD,
        "value": st.integers(0, 9) | FIELD,
        "nodes": st.integers(0, 9) | FIELD,
        "evidence": st.sampled_from(["1 2 3 4", ""]) | FIELD,
        "more": FIELD,
    },
)
LINES = st.lists(
    ROWS.map(json.dumps)
    | st.sampled_from(["", "  ", "[]", "{", '{"layout": 1}}', "null", "[" * 9_000, "\ufeff", "1,2"]),
    max_size=40,
)


def usable(line: str) -> bool:
    """Whether a line is a verdict, as the documentation says it."""
    try:
        row = json.loads(line)
        read_one(games()["memory"], row["layout"])
        verdict = row["verdict"]
        known = verdict in ["scored", "undecided", "failed"]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, BadLayout):
        return False
    value, nodes, evidence = (None if row.get(name) == "" else row.get(name) for name in ("value", "nodes", "evidence"))

    def is_number(number: object, least: int) -> bool:
        return isinstance(number, int) and not isinstance(number, bool) and least <= number < 2**40

    has_its_value = is_number(value, 1 - 2**40) if verdict == "scored" else value is None
    has_nodes = nodes is None or is_number(nodes, 0)
    has_text = evidence is None or (isinstance(evidence, str) and all(" " <= letter <= "~" for letter in evidence))
    return known and has_its_value and has_nodes and has_text and not (verdict == "undecided" and evidence is not None)


def is_empty(line: str) -> bool:
    """Whether a line is blank, or a row of empty cells."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return not line.strip()
    return isinstance(row, dict) and bool(row) and {*map(str, row.values())} <= {"None", ""}


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(LINES)
@example(['{"layout": null, "verdict": ""}', "{}", '{"layout": "AABB", "verdict": "failed", "evidence": false}'] * 2)
@example(["\ufeff"])
@example(['{"layout": "AABB", "verdict": "undecided"}', "\ufeff"])
@example(['{"layout": "AABB", "verdict": "undecided"}'] * 3)
@example(['{"layout": [1', '{"verdict": 2}]}'])  # one object in two lines, each of which begins with a brace
@example(['{"layout": [1', '{"verdict": 2}]}, 5'])
def test_each_line_is_a_verdict_or_a_reject_with_a_reason(sqlite_store: Database, lines: list[str]) -> None:
    folder = Path(sqlite_store.path).parent
    name = f"memory-{random.random()}.jsonl"
    (folder / name).write_text("\n".join(lines) + "\n")
    lines = [
        line.removeprefix("\ufeff") for line in lines
    ]  # a byte order mark is no text, also where files were joined
    good = [number for number, line in enumerate(lines, start=1) if usable(line)]
    bad = [number for number, line in enumerate(lines, start=1) if not is_empty(line) and number not in good]
    try:
        run = imported(sqlite_store, folder / name, "mine", name)
    except InputError as error:
        assert not good, error
        return
    assert [result.line for result in run.results()] == good != []
    rejects = list(run.rejects())
    assert [reject.line for reject in rejects] == bad
    assert all(reject.reasons and all(map(str.strip, reject.reasons)) for reject in rejects)


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("memory.txt", b"AABB\n", "must end in .jsonl"),
        ("memory.csv", b"position,verdict\n1,scored\n", "no column layout"),
        ("memory.csv", b"layout,verdict,layout\nAABB,undecided,ABAB\n", "more than one column layout"),
        ("memory.csv", b'\nlayout,"verdict\nAABB,undecided\n', "memory.csv, line 2: a quoted cell does not end"),
        ("memory.csv", b"\n", "is empty"),
        ("memory.csv", b"layout,verdict\n", "is empty"),
        ("memory.jsonl", b"\n \n", "is empty"),
        ("memory.parquet", b"PAR1 and nothing else", "not a Parquet file"),
        ("memory.jsonl", b"AABB\n" * 30, "none of its first 20 rows"),
        ("memory.jsonl", b"AABB\n" * 3, "none of its rows is a verdict"),
        ("memory.jsonl.gz", gzip.compress(b"x" * 100, mtime=0)[:-9], "truncated"),
        ("verdicts.jsonl", b"{}\n", "contains no game"),
    ],
)
def test_what_is_no_file_of_verdicts_is_refused_and_nothing_is_stored(
    sqlite_store: Database, tmp_path: Path, name: str, contents: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(contents)
    with pytest.raises((InputError, UsageError), match=message):
        imported(sqlite_store, tmp_path / name, "mine")
    assert not Store(sqlite_store).runs()


@given(at=st.integers(0, 10_000), sign=st.integers(0, 255))
@example(at=347, sign=85)  # the sizes of a column contradict one another, which ends the process if pyarrow reads them
@settings(deadline=None)
def test_a_damaged_parquet_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, sign: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "memory.parquet"
    claim = {"layout": "AABB", "verdict": "scored", "value": 4, "evidence": None}
    damaged = bytearray(written(path, [claim, {**claim, "evidence": "1 2 3 4"}]).read_bytes())
    damaged[at % len(damaged)] = sign
    path.write_bytes(damaged)
    with suppress(InputError):
        list(read_verdicts(games()["memory"], str(path)))


def test_cells_that_are_not_closed_are_rejected_in_their_lines(sqlite_store: Database, tmp_path: Path) -> None:
    lines = [
        "verdict,layout",
        'undecided,"AABB',
        "undecided,AB,AB",
        'undecided,"ABAB"',
        'scored,"AABB',
        "undecided,ABBA",
    ]
    (tmp_path / "memory.csv").write_text("\r\n".join(lines))
    run = imported(sqlite_store, tmp_path / "memory.csv", "mine")
    assert [(result.line, result.layout) for result in run.results()] == [(4, "ABAB"), (6, "ABBA")]
    assert [reject.line for reject in run.rejects()] == [2, 3, 5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "memory/Two Words"}, "GAME/NAME"),
        ({"version": "1 2"}, "is not a version"),
        ({"version": "1" * 41}, "is not a version"),
        ({"engine": "memory/two-pass", "checked_as": "incremental"}, "leave out"),
        ({"checked_as": "camelot/winnable"}, "is not an engine of memory"),
        ({"game": "camelot"}, "different games: --engine memory, --game camelot; correct one"),
        (
            {"engine": "win2", "game": "klondike", "deals": "deal:klondike:stock.draw=1:seed=1", "number_column": "n"},
            "different games: --game klondike, --deals klondike:stock.draw=1; correct one",
        ),
    ],
)
def test_names_that_cannot_be_used_are_refused(
    sqlite_store: Database, tmp_path: Path, arguments: dict[str, str], message: str
) -> None:
    file = written(tmp_path / "memory.jsonl", [{"layout": "AABB", "verdict": "undecided"}])
    with pytest.raises(UsageError, match=message):
        imported(sqlite_store, file, **{"engine": "memory/mine", "version": "1", **arguments})


@pytest.mark.parametrize(
    ("engine", "line", "reason"),
    [
        ("camelot/mine", '{"verdict": "scored", "value": 1}', "'scored', expected one of: winnable, unwinnable, undec"),
        ("card-pairing/winnable", '{"verdict": "scored", "value": 1}', "'scored', expected one of: winnable, unwinn"),
        ("card-pairing/odds", '{"verdict": "unsolved"}', "expected one of: winnable, unwinnable, scored, undecided"),
        ("memory/mine", '{"verdict": "winnable"}', "expected one of: scored, undecided, failed"),
        ("memory/mine", f'{{"verdict": "scored", "value": {"9" * 4_301}}}', "a number has more than 4,300 digits"),
        ("memory/mine", f'{{"verdict": "scored", "value": {"9" * 4_300}}}', "at most 40 bits"),
    ],
)
def test_what_an_engine_cannot_say_is_rejected_with_the_reason(
    sqlite_store: Database, tmp_path: Path, engine: str, line: str, reason: str
) -> None:
    game = games()[engine.partition("/")[0]]
    [layout] = deal(game, 1, 1, 1)
    good = json.dumps({"layout": layout, "verdict": "undecided"})
    (tmp_path / "lines.jsonl").write_text(f'{good}\n{{"layout": "{layout}", {line[1:]}\n')
    [reject] = imported(sqlite_store, tmp_path / "lines.jsonl", engine).rejects()
    assert reject.line == 2 and reason in reject.reasons[0]


def test_an_installed_engine_proves_what_it_says(sqlite_store: Database, tmp_path: Path) -> None:
    claim = {"layout": "AABB", "verdict": "scored", "value": 4}
    file = written(tmp_path / "memory.jsonl", [claim, {"layout": "AABB", "verdict": "undecided"}])
    [reject] = imported(sqlite_store, file, MEMORY).rejects()
    assert "there is no evidence" in reject.reasons[0]
    (tmp_path / "memory.txt").write_text("1\n")
    numbers = {"deals": "deal:memory:seed=1", "columns": "number", "verdict": "undecided", "of": "1-2"}
    with pytest.raises(UsageError, match="gives evidence for each verdict, and a number that is left out has none"):
        imported(sqlite_store, tmp_path / "memory.txt", MEMORY, absent="failed", **numbers)
    run = imported(sqlite_store, tmp_path / "memory.txt", MEMORY, absent="undecided", **numbers)
    assert run.progress.solved == 2


def test_what_engines_are_checked_as_survives_a_downgrade(empty_store: Database, tmp_path: Path) -> None:
    revisions.upgrade(empty_store)
    file = written(tmp_path / "memory.jsonl", [{"layout": "AABB", "verdict": "scored", "value": 4}])
    imported(empty_store, file, checked_as="incremental")
    a_run(empty_store, MEMORY, ["AABB"])
    revisions.downgrade(empty_store, "0014")
    revisions.upgrade(empty_store)
    engines = [run.checked_as for run in (Store(empty_store).find_run(number).progress for number in (1, 2))]
    assert engines == ["memory/incremental", None]
    assert audited(empty_store, Store(empty_store).find_run(1)) == (0, 0, 1, 0)


@pytest.mark.slow
def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"layout": "AABB", "verdict": "scored", "value": 4},
        {"layout": "A", "verdict": "won"},
    ]
    written(tmp_path / "memory.jsonl", rows)
    ran = dealmill("import", "memory.jsonl", "--engine", "mine", "--version", "7", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (4, "1\n")
    assert "memory.jsonl, line 2: " in ran.stderr
    assert "the verdict is 'won', expected one of" in ran.stderr
    piped = (tmp_path / "memory.jsonl").read_bytes()
    ran = dealmill("import", "-", "--engine", "memory/mine", "--version", "8", "--json", cwd=tmp_path, stdin=piped)
    assert json.loads(ran.stdout)["engine"] == "memory/mine"
    refused = dealmill("import", "-", "--engine", "memory/mine", "--version", "9", cwd=tmp_path, stdin=b"{}\n")
    assert "dealmill: stdin seems to be of something else" in refused.stderr
    piped += b"\0\n"
    stopped = dealmill("import", "-", "--engine", "memory/mine", "--version", "9", cwd=tmp_path, stdin=piped)
    assert (stopped.returncode, stopped.stderr.count("there is a NUL byte")) == (1, 1)
    assert "run 3, which cannot be finished" in stopped.stderr
    assert "not fully read: correct the input" in dealmill("status", "3", cwd=tmp_path).stdout
    for subject in ("3", "source:3"):  # at once, since nobody is reading
        assert dealmill("delete", subject, "--yes", cwd=tmp_path).returncode == 0
    ran = dealmill("audit", "1", cwd=tmp_path)
    assert ran.returncode == 4
    assert "nothing proved" in dealmill("status", "1", cwd=tmp_path).stdout
    assert "not proved: 1 verdict of run 1, without evidence" in ran.stderr
    assert "\nnot proved: there is no evidence; referee: no-evidence\n" in dealmill("show", "1:1", cwd=tmp_path).stdout
    assert dealmill("export", "1", "claims.jsonl", "--with-checker", cwd=tmp_path).returncode == 0
    checker = [sys.executable, "-I", "-S", "claims.jsonl.check.py", "claims.jsonl"]
    unproved = subprocess.run(checker, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (unproved.returncode, "there is no evidence" in unproved.stdout) == (1, True)


def test_the_command_reads_a_list_of_numbers(tmp_path: Path) -> None:
    options = "--version 1 --deals deal:camelot:seed=1 --columns number --verdict winnable"
    absent = "--words WINNABLE=winnable,lost=unwinnable,lost=unwinnable --absent lost --of 5-20"
    ran = dealmill(
        "import", "-", "--engine", "mine", *options.split(), *absent.split(), cwd=tmp_path, stdin=b"# won\n7\n19\n21\n"
    )
    assert (ran.returncode, ran.stdout) == (4, "1\n")
    assert "stdin, line 4: the number of the deal is 21, expected a number from 5 to 20" in ran.stderr
    assert "item 1:2, line 3 of stdin\n" in dealmill("show", "1:2", cwd=tmp_path).stdout
    assert "item 1:16, a deal left out by stdin\n" in dealmill("show", "1:16", cwd=tmp_path).stdout
    words = dealmill(
        "import", "-", "--engine", "mine", *options.split(), "--words", "a=winnable,a=failed", cwd=tmp_path
    )
    assert (words.returncode, "--words a has two meanings, winnable and failed" in words.stderr) == (2, True)


@pytest.mark.parametrize("words", [("winnable", "unwinnable"), ("unwinnable", "winnable")])
def test_two_verdicts_on_one_layout_are_stored_and_named(tmp_path: Path, words: tuple[str, str]) -> None:
    first, second = deal(games()["camelot"], 1, 1, 2)
    rows = [(first, words[0]), (second, "undecided"), (second, "winnable"), (first, words[0]), (first, words[1])]
    written(tmp_path / "camelot.csv", [{"layout": layout, "verdict": verdict} for layout, verdict in rows])
    ran = dealmill("import", "camelot.csv", "--engine", "mine", "--version", "1", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (3, "1\n")
    assert ran.stderr.count("lines") == 1
    assert f"camelot.csv, lines 2 and 6 have the same layout, with the verdicts {words[0]} and {words[1]}" in ran.stderr
    with Store(Database(database_url(f"sqlite:///{tmp_path}/dealmill.db"))) as store:
        run = store.find_run(1)
        assert run.progress.solved == 5
        [contradiction] = run.contradictions()
    assert contradiction.line == 6
    assert str(replace(contradiction, line=0)).startswith("line 2 and a deal that is left out have the same layout")
