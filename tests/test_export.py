"""Exporting runs: every form says what a query says, and a file is whole or not there, on both databases."""

import csv
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from sqlalchemy import text

import dealmill
from dealmill.pipeline.errors import DamagedError, OutputError, StoreError, UnfinishedError, UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.export import FORMS, export
from dealmill.pipeline.progress.events import Event, Exporting
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.queries.results import Query
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.arrow import COLUMNS
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.store.storages.storage import Page
from tests.doing import LEASE, a_run, a_source, alter, deal, do_job, pending
from tests.servers import files_of_ordinary_user

ENGINE = "memory/two-pass"
LAYOUTS = list(dict.fromkeys(deal(find_game("memory"), 3, 1, 500, pairs=4)))[:300]
AWKWARD = 'a, "b";\r\nc\n\n\t=1+1 é 牌 \\n'

each_form = pytest.mark.parametrize("suffix", FORMS)


def queried(database: Database, run: RunStatus, *verdicts: Verdict) -> list[tuple[object, ...]]:
    """What a query says."""
    results = Query(database, [run], Filter(verdict=verdicts), (0, 0), None)
    return [
        (row.position, row.line, row.layout, row.verdict.word, row.value, row.nodes, row.evidence) for row in results
    ]


def read_back(path: Path, columns: tuple[str, ...] = COLUMNS) -> list[tuple[object, ...]]:
    """The rows of an exported file, which has these columns; numbers and nothing are text in CSV."""
    match path.suffix:
        case ".parquet":
            rows = parquet.read_table(path).to_pylist()
        case ".jsonl":
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        case _:
            with path.open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
    assert all(tuple(row) == columns for row in rows)
    return [tuple(row.values()) for row in rows]


def as_in(suffix: str, rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Rows as they come back from a file of that form."""
    if suffix != ".csv":
        return list(rows)
    return [tuple("" if cell is None else str(cell) for cell in row) for row in rows]


def metadata(path: Path) -> dict[str, str]:
    """What a Parquet file says of the run."""
    pairs = parquet.read_metadata(path).metadata
    return {key.decode(): value.decode() for key, value in pairs.items() if key != b"ARROW:schema"}


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of 7 rows, row groups of 70."""
    monkeypatch.setattr("dealmill.pipeline.store.queries.results.PAGE", 7)
    monkeypatch.setattr("dealmill.pipeline.outputs.export.GROUP", 10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to export to."""
    path = tmp_path / "exports"
    path.mkdir()
    return path


@pytest.mark.usefixtures("small_pages")
def test_every_format_has_the_rows_of_a_query(database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    with database.writing() as connection:
        for change, position in (
            ("verdict = 5, value = NULL, evidence = :awkward", 3),
            ("verdict = 4, value = NULL, evidence = NULL", 4),
            ("value = -1, nodes = 4611686018427387904", 5),
        ):
            statement = text(f"UPDATE verdicts SET {change} WHERE position = {position}")
            connection.execute(statement, {"awkward": AWKWARD} if ":awkward" in change else {})
        connection.execute(text("UPDATE jobs SET scored = scored - 2, failed = 1, undecided = 1"))
    run = find_run(database, run.id)
    rows = queried(database, run)
    assert [row[6] for row in rows[2:4]] == [AWKWARD, None] and len(rows) == 300
    for suffix in FORMS:
        path = folder / f"all{suffix}"
        assert export(database, run, path) == 300
        assert read_back(path) == as_in(suffix, rows), suffix
        few = folder / f"few{suffix}"
        assert export(database, run, few, [Verdict.FAILED, Verdict.UNDECIDED]) == 2
        assert read_back(few) == as_in(suffix, rows[2:4])
        none = folder / f"none{suffix.upper()}"
        assert export(database, run, none, [Verdict.WINNABLE]) == 0
    assert parquet.read_table(folder / "none.PARQUET").num_rows == 0
    assert (folder / "none.CSV").read_text() == ",".join(COLUMNS) + "\n"
    assert len(list(folder.iterdir())) == 9


@pytest.mark.usefixtures("small_pages")
def test_parquet_has_types_row_groups_and_a_description_of_the_run(database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS, max_nodes=1_000)
    path = folder / "night.parquet"
    seen: list[Event] = []
    export(database, run, path, progress=seen.append)
    assert seen == [Exporting(written, 300) for written in [*range(7, 300, 7), 300]]
    schema = parquet.read_schema(path)
    assert [(field.name, str(field.type), field.nullable) for field in schema] == [
        ("position", "int64", False),
        ("line", "int64", False),
        ("layout", "string", False),
        ("verdict", str(pa.dictionary(pa.int32(), pa.string())), False),
        ("value", "int64", True),
        ("nodes", "int64", False),
        ("evidence", "string", True),
    ]
    file = parquet.read_metadata(path)
    assert [file.row_group(number).num_rows for number in range(file.num_row_groups)] == [70, 70, 70, 70, 20]
    assert {file.row_group(0).column(number).compression for number in range(7)} == {"ZSTD"}
    about = metadata(path)
    assert about.pop("fingerprint") == fingerprint_of(database, run.id, 300)
    assert about.pop("dealmill")
    assert about == {
        "run": "1",
        "game": "memory",
        "engine": ENGINE,
        "version": "1",
        "max_nodes": "1000",
        "source": "a.txt",
    }


def test_missing_and_retracted_rows_are_reported(database: Database, folder: Path) -> None:
    a_run(database, ENGINE, LAYOUTS)
    [run] = retract(database, ENGINE, "1", "miscounts")
    export(database, run, folder / "a.parquet", [Verdict.SCORED, Verdict.FAILED])
    about = metadata(folder / "a.parquet")
    assert (about["verdicts"], about["retracted"]) == ("scored failed", "miscounts")
    assert "max_nodes" not in about


def test_each_row_of_an_unfinished_run_says_why_it_is_not_finished(database: Database, folder: Path) -> None:
    number = insert_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, "1", None, chunk=100)
    do_job(database, leases.pending(database, SOLVING, installed_engines(), 1)[0])
    run, why = find_run(database, number), "200 of 300 layouts pending"
    rows, columns = [(*row, why) for row in queried(database, run)], (*COLUMNS, "unfinished")
    assert len(rows) == 100
    for suffix in FORMS:
        assert export(database, run, folder / f"a{suffix}") == 100
        assert read_back(folder / f"a{suffix}", columns) == as_in(suffix, rows)
        with pytest.raises(UnfinishedError, match=rf"not finished \({why}\), and has no such results yet"):
            export(database, run, folder / f"none{suffix}", [Verdict.WINNABLE])
    assert export(database, run, folder / "b.jsonl", playback=True) == 100
    assert [*json.loads((folder / "b.jsonl").read_text().splitlines()[0])] == [*columns, "playback"]
    assert len(list(folder.iterdir())) == len(FORMS) + 1
    about = metadata(folder / "a.parquet")
    assert about["unfinished"] == why and "fingerprint" not in about


def test_a_run_that_is_not_finished_is_exported_only_on_request(database: Database, folder: Path) -> None:
    with dealmill.open(database.url.render_as_string(hide_password=False)) as store:
        run = store.queue(dealmill.deals("memory", count=5))
        job = SOLVING_JOBS.claim(database, pending(database)[0], "test", LEASE)
        run.pause()
        assert job and SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
        for refused in (
            lambda: run.export(folder / "a.csv"),
            lambda: run.export(folder / "a.csv", with_checker=True),
            run.to_arrow,
            lambda: dealmill.report(run, folder / "a.html"),
        ):
            with pytest.raises(UnfinishedError, match=r"run 1 is not finished \(it is paused\); finish it first"):
                refused()
        with pytest.raises(StoreError, match="run 1 is paused; continue it with: dealmill resume 1"):
            run.pack(folder / "a.json")
        assert list(folder.iterdir()) == []
        assert run.export(folder / "a.csv", unfinished=True) == 5
        table = run.to_arrow(unfinished=True)
        assert set(table["unfinished"].to_pylist()) == {"it is paused"} and table.num_rows == 5
        run.resume()
        assert run.export(folder / "b.csv") == 5
        assert run.to_arrow().column_names == list(COLUMNS)
        alter(database, "DELETE FROM jobs")
        with pytest.raises(DamagedError, match="jobs of run 1 are lost or damaged; find them with: dealmill audit 1"):
            run.export(folder / "c.jsonl")
        assert run.export(folder / "c.jsonl", skip_damaged=True) == 5
        assert '"unfinished": "its jobs are lost or damaged"}' in (folder / "c.jsonl").read_text()


@each_form
@pytest.mark.parametrize("error", [StoreError("gone"), KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_aborted_export_leaves_no_file(
    suffix: str, error: BaseException, database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    old = folder / f"old{suffix}"
    old.write_text("as it was")
    monkeypatch.setattr("dealmill.pipeline.outputs.export.Query.pages", broken_off(error))
    for path in (old, folder / f"new{suffix}"):
        with pytest.raises(OutputError if isinstance(error, OSError) else type(error)) as told:
            export(database, run, path, force=True)
        assert not isinstance(error, OSError) or str(told.value) == f"{path} cannot be written: No space left on device"
    assert list(folder.iterdir()) == [old]
    assert old.read_text() == "as it was"


def broken_off(error: BaseException) -> Callable[[Query], Iterator[Page]]:
    """Pages of results that end in an error."""
    pages = Query.pages

    def some(query: Query, _skip: object = None) -> Iterator[Page]:
        yield next(pages(query))
        raise error

    return some


@each_form
def test_a_file_is_overwritten_only_when_that_is_asked_for(suffix: str, database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    path = folder / f"a{suffix}"
    path.write_text("as it was")
    with pytest.raises(OutputError, match="exists; overwrite it with --force"):
        export(database, run, path)
    assert path.read_text() == "as it was"
    assert export(database, run, path, force=True) == 300
    assert read_back(path) == as_in(suffix, queried(database, run))
    assert list(folder.iterdir()) == [path]


def test_a_file_that_appears_meanwhile_is_not_overwritten(database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    path = folder / "a.csv"
    with pytest.raises(OutputError, match="exists; overwrite it with --force"):
        export(database, run, path, progress=lambda _: path.touch())
    assert list(folder.iterdir()) == [path] and path.read_text() == ""


def test_a_database_is_never_replaced(database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    with closing(sqlite3.connect(folder / "other.csv")) as connection:
        connection.execute("CREATE TABLE verdicts (position)")
    before = (folder / "other.csv").read_bytes()
    with pytest.raises(OutputError, match=r"other\.csv is a database, perhaps another store; name another file$"):
        export(database, run, folder / "other.csv", force=True)
    assert (folder / "other.csv").read_bytes() == before


def test_only_regular_files_are_replaced(database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    os.mkfifo(folder / "pipe.csv")
    (folder / "device.csv").symlink_to("/dev/null")
    for name in ("pipe.csv", "device.csv"):
        for force in (False, True):
            with pytest.raises(OutputError, match=rf"{name} is not a regular file; name another one$"):
                export(database, run, folder / name, force=force)
    (folder / "loop.csv").symlink_to("loop.csv")
    with pytest.raises(OutputError, match=r"loop\.csv cannot be written: Too many levels of symbolic links"):
        export(database, run, folder / "loop.csv", force=True)
    assert (folder / "pipe.csv").is_fifo() and (folder / "device.csv").is_symlink()
    assert len(list(folder.iterdir())) == 3


def test_an_export_to_a_symbolic_link_replaces_the_file_that_it_points_to(database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    (folder / "there").mkdir()
    target, link = folder / "there" / "a.csv", folder / "link.csv"
    link.symlink_to("there/a.csv")
    with pytest.raises(OutputError, match=r"link\.csv exists; overwrite it with --force"):
        export(database, run, link)
    for _ in ("new", "old"):
        assert export(database, run, link, force=True) == 300
        assert link.is_symlink() and list(target.parent.iterdir()) == [target]
        assert read_back(target) == as_in(".csv", queried(database, run))
    (folder / "nowhere.csv").symlink_to("no/a.csv")
    with pytest.raises(OutputError, match=rf"there is no folder {folder / 'no'}$"):
        export(database, run, folder / "nowhere.csv", force=True)


def test_objects_have_solutions_as_data_if_asked(sqlite_store: Database, tmp_path: Path) -> None:
    run = a_run(sqlite_store, ENGINE, [*LAYOUTS[:3], "ABB"])
    path = tmp_path / "a.jsonl"
    assert export(sqlite_store, run, path, playback=True) == 4
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [tuple(row.values())[:-1] for row in rows] == queried(sqlite_store, run)
    *solved, broken = rows
    assert (broken["verdict"], broken["playback"]) == ("failed", None)
    for row in solved:
        assert [step["word"] for step in row["playback"]["steps"]] == row["evidence"].split(" ")
    with pytest.raises(UsageError, match=r"must end in \.jsonl"):
        export(sqlite_store, run, tmp_path / "a.csv", playback=True)


@pytest.mark.parametrize("name", ["a", "a.txt", "a.csv.gz", "-", "a.parquet.", ".csv", ""])
def test_another_suffix_is_refused(name: str, database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    with pytest.raises(UsageError, match=r"must end in \.parquet or \.csv or \.jsonl"):
        export(database, run, folder / name)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_named(database: Database, folder: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    (folder / "file").touch()
    (folder / "spark.parquet").mkdir()
    for path, message in (
        (folder / "no" / "a.csv", f"there is no folder {folder / 'no'}"),
        (folder / "file" / "a.csv", f"there is no folder {folder / 'file'}"),
        (folder / "spark.parquet", "is a folder; name a file"),
        (folder / f"{'a' * 300}.csv", "cannot be written: File name too long"),
    ):
        with pytest.raises(OutputError) as told:
            export(database, run, path, force=True)
        assert message in str(told.value)
    folder.chmod(0o500)
    with files_of_ordinary_user(), pytest.raises(OutputError, match=r"a\.csv cannot be written: Permission denied"):
        export(database, run, folder / "a.csv")
    folder.chmod(0o700)
    assert {path.name for path in folder.iterdir()} == {"file", "spark.parquet"}
