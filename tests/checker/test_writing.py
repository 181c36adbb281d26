"""Exports with a checker, on both databases: of any run, both files or none, and whatever is on record."""

import ast
import json
from pathlib import Path

import pytest
from sqlalchemy import text

import dealmill as api
from dealmill.pipeline.errors import OutputError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.outputs.checker.writing import checker_path, export_with_checker
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_rerun
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from tests.checker.loaded import Checked, Checker
from tests.doing import a_run, a_source, alter, deal, do_job, do_runs, queue_stored

ENGINE = "camelot/winnable"
DEALS = "deal:camelot:seed=3:1-60"
LAYOUTS = deal(find_game("camelot"), 3, 1, 60)


def checked(database: Database, run: RunStatus, path: Path, *verdicts: Verdict) -> Checked:
    """Export a run and have its checker check it."""
    export_with_checker(database, run, path, verdicts)
    return Checker(path).check(path)


def described(path: Path) -> str:
    """The docstring of a checker."""
    return str(ast.get_docstring(ast.parse(checker_path(path).read_text()), clean=False))


@pytest.mark.parametrize("storage", Storage)
def test_a_checker_proves_both_storages_and_reruns(storage: Storage, database: Database, tmp_path: Path) -> None:
    source = deals_source(database, parse_deal_range(DEALS))
    if storage is Storage.ROWS:
        source = a_source(database, ENGINE, LAYOUTS)
    first = queue_stored(database, source, ENGINE, None, storage)
    do_runs(database)
    rerun = queue_rerun(database, find_run(database, first), any_version=False)
    do_runs(database)
    path, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    result = checked(database, find_run(database, first), path)
    assert result.code == 0 and result.out.startswith(f"{path}: 60 rows, as exported\nproved: ")
    assert checked(database, find_run(database, rerun), second).code == 0
    assert Checker(path).check(second).code == 0, "the same verdicts are the same file"
    assert f"  source        {source.name}\n  source digest {source.digest.hex()}\n" in described(path)
    assert "  rows          60 of 60 layouts\n" in described(path) and "fingerprint   " in described(path)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_checker_of_a_filtered_export_says_which_part_it_proves(
    suffix: str, database: Database, tmp_path: Path
) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    path = tmp_path / f"lost{suffix}"
    result = checked(database, run, path, Verdict.UNWINNABLE)
    lost = run.counts[Verdict.UNWINNABLE]
    assert (result.code, f"proved: {lost} unwinnable\n" in result.out) == (0, True)
    assert f"not checked: the other {60 - lost} layouts of the run\n" in result.out
    assert f"  rows          {lost} of 60 layouts\n" in described(path)
    assert "  only          unwinnable\n" in described(path)
    export_with_checker(database, run, tmp_path / f"all{suffix}")
    whole = Checker(path).check(tmp_path / f"all{suffix}", believed=True, rows=60)
    assert whole.code == 1 and "the verdict is 'winnable', expected unwinnable\n" in whole.out


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_checker_proves_the_rows_of_an_unfinished_run_and_fails(
    suffix: str, database: Database, tmp_path: Path
) -> None:
    number = insert_run(database, a_source(database, ENGINE, LAYOUTS), ENGINE, "1", None, chunk=40)
    do_job(database, leases.pending(database, SOLVING, installed_engines(), 1)[0])
    path, why = tmp_path / f"a{suffix}", "the run was not finished: 20 of 60 layouts pending"
    result = checked(database, find_run(database, number), path)
    lines = result.out.splitlines()
    assert (result.code, lines[:2]) == (1, [f"{path} is not complete: {why}", f"{path}: 40 rows, as exported"])
    assert "not checked: the other 20 layouts of the run" in lines
    assert f"  incomplete    {why}\n" in described(path) and "fingerprint   " not in described(path)


def test_a_checker_fails_if_results_could_not_be_read(database: Database, tmp_path: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    alter(database, "UPDATE verdicts SET verdict = 9 WHERE position IN (7, 8)")
    path = tmp_path / "a.jsonl"
    with pytest.warns(api.DamagedWarning, match="2 results of run 1 left out"):
        export_with_checker(database, run, path, skip_damaged=True)
    result = Checker(path).check(path)
    assert result.code == 1 and result.out.startswith(f"{path} is not complete: 2 results could not be read\n")


def test_an_export_without_rows_is_checked(database: Database, tmp_path: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    for suffix in (".csv", ".jsonl"):
        path = tmp_path / f"a{suffix}"
        result = checked(database, run, path, Verdict.FAILED)
        assert result.code == 0 and result.out.startswith(f"{path}: 0 rows, as exported\nnot checked: ")


def test_a_checker_of_a_retracted_run_says_so(database: Database, tmp_path: Path) -> None:
    a_run(database, ENGINE, LAYOUTS)
    [run] = retract(database, ENGINE, "1", 'overlooks """ a \\ card')
    assert checked(database, run, tmp_path / "a.csv").code == 0
    assert '  retracted     overlooks """ a \\ card\n' in described(tmp_path / "a.csv")


HOSTILE = ['"""', "\\", "\r\n", 'a,"b"\n', "\x1b[2J", "牌 é", "{EXPORT}", "%(prog)s", "'; --", "\t" * 200_000]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_checker_reads_hostile_stored_text_as_it_is(suffix: str, database: Database, tmp_path: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    with database.writing() as connection:
        for position, evidence in enumerate(HOSTILE, start=1):
            connection.execute(
                text("UPDATE verdicts SET verdict = 5, evidence = :evidence WHERE position = :position"),
                {"evidence": evidence, "position": position},
            )
            connection.execute(
                text("UPDATE items SET layout = :layout WHERE position = :position"),
                {"layout": evidence, "position": position},
            )
        connection.execute(text("UPDATE items SET layout = :layout WHERE position = 50"), {"layout": "\x1b[2J\n牌"})
    path = tmp_path / f"a{suffix}"
    result = checked(database, run, path)
    assert result.code == 1
    assert result.out == f"{path}: row 50 (position 50) is invalid: step 0: the layout is not a deck of 52 cards\n"


def test_both_files_are_written_or_none(database: Database, tmp_path: Path) -> None:
    run = a_run(database, ENGINE, LAYOUTS)
    folder = tmp_path / "exports"
    folder.mkdir()
    for existing, missing in (("a.csv", "a.csv.check.py"), ("a.csv.check.py", "a.csv")):
        (folder / existing).write_text("as it was")
        with pytest.raises(OutputError, match=rf"{existing} exists; overwrite it with --force"):
            export_with_checker(database, run, folder / "a.csv")
        assert (folder / existing).read_text() == "as it was" and not (folder / missing).exists()
        (folder / existing).unlink()
    (folder / "a.csv").write_text("as it was")
    export_with_checker(database, run, folder / "a.csv", force=True)
    assert Checker(folder / "a.csv").check(folder / "a.csv").code == 0
    assert {path.name for path in folder.iterdir()} == {"a.csv", "a.csv.check.py"}


def test_the_api_writes_a_checker_and_the_same_export(database: Database, tmp_path: Path) -> None:
    a_run(database, ENGINE, LAYOUTS)
    with api.open(database.url.render_as_string(hide_password=False)) as opened:
        run = opened.find_run("last")
        seen: list[object] = []
        assert run.export(tmp_path / "a.jsonl", with_checker=True, progress=seen.append) == 60
        assert run.export(tmp_path / "b.jsonl") == 60
    assert seen and (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert not checker_path(tmp_path / "b.jsonl").exists()
    assert len([json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]) == 60
