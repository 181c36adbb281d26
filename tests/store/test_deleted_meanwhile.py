"""A run or a source that is deleted while something else is done with it: nothing is written about it, and nothing that
was read of it counts as complete. On both databases."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from dealmill.pipeline.errors import DealmillError, NotFoundError
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.ingest.queries import parse_saved_query, query_reading
from dealmill.pipeline.outputs.export import export, to_arrow
from dealmill.pipeline.outputs.pack_choice import Choice, write_pack
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Control
from dealmill.pipeline.store.deletion import delete_subject
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.filters import Filter, Ordering
from dealmill.pipeline.store.planning.imports import write_imported
from dealmill.pipeline.store.planning.run_planning import insert_rerun, insert_run, queue_retry
from dealmill.pipeline.store.queries import results
from dealmill.pipeline.store.queries.results import Query, find_result
from dealmill.pipeline.store.runs.controls import control, tag
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import grow
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import find_source
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from dealmill.pipeline.store.storages.choice import storage_of
from dealmill.pipeline.store.storages.storage import Page
from dealmill.workers import working
from tests.doing import a_run, a_source
from tests.store.test_deletion import ENGINE, TEXTS, of_compact, of_rows, sizes


def plan_audit(database: Database, run: RunStatus) -> None:
    queue_audit(database, run, None, 1)


def rerun(database: Database, run: RunStatus) -> None:
    insert_rerun(database, run, run.version)


def saved_query(database: Database, run: RunStatus) -> None:
    with ExitStack() as copies:
        query_reading(database, parse_saved_query(f"query:{run.id}:value=0..1000"), copies, silent)


READERS: list[Callable[[Database, RunStatus, Path], object]] = [
    lambda store, run, _: list(Query(store, [run], Filter())),
    lambda store, run, _: Query(store, [run], Filter.of(value=(0, 1_000))).count(),
    lambda store, run, _: to_arrow(store, run),
    lambda store, run, folder: export(store, run, folder / "a.csv"),
    lambda store, run, folder: export(store, run, folder / "a.parquet"),
    lambda store, run, folder: write_pack(store, run, folder / "a.json", Choice("value", grades=1, each=1)),
    lambda store, run, _: saved_query(store, run),
]
WRITERS: list[Callable[[Database, RunStatus], object]] = [
    plan_audit,
    rerun,
    queue_retry,
    lambda store, run: control(store, run, Control.ACTIVE),
    lambda store, run: tag(store, run.id, ["late"]),
    lambda store, run: grow(store, run.id, 10_000, 1_000),
]


@pytest.mark.parametrize("planned", [of_rows, of_compact])
def test_what_reads_a_run_page_by_page_reports_its_deletion(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planned: Callable[[Database], RunStatus]
) -> None:
    monkeypatch.setattr(results, "PAGE", 2)
    folder = tmp_path / "out"
    folder.mkdir()
    for read in READERS:
        run = planned(database)
        delete_after_first_page(database, run, monkeypatch)
        with pytest.raises(NotFoundError, match=f"run {run.id} was deleted"):
            read(database, run, folder)
    assert list(folder.iterdir()) == []


def delete_after_first_page(database: Database, run: RunStatus, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = type(storage_of(run))
    read_page = storage.page

    def read_page_then_delete(*arguments: Any, **options: Any) -> Page:
        page = read_page(*arguments, **options)
        monkeypatch.setattr(storage, "page", read_page)
        delete_subject(database, run)
        return page

    monkeypatch.setattr(storage, "page", read_page_then_delete)


def test_what_was_read_of_a_run_before_its_deletion_is_not_taken_for_all_of_it(database: Database) -> None:
    run, kept = (a_run(database, engine, TEXTS) for engine in (ENGINE, "memory/incremental"))
    compared, parts = diff(database, run, kept), diff(database, kept, run).parts()
    next(parts)
    listed = [Query(database, [run], Filter(), limit=9, ordering=Ordering(order)) for order in Order]
    delete_subject(database, run)
    readers: list[Callable[[], object]] = [partial(list, query) for query in (compared, parts, *listed)]
    readers.append(Query(database, [run], Filter()).count_by_nodes)
    readers += [partial(getattr, compared, "equal"), partial(find_result, database, run, 1), listed[0].count]
    for read in readers:
        with pytest.raises(NotFoundError, match=f"run {run.id} was deleted"):
            read()


def test_nothing_is_written_about_a_deleted_run(database: Database) -> None:
    run = a_run(database, ENGINE, TEXTS)
    delete_subject(database, run)
    before = sizes(database)
    for write in WRITERS:
        with pytest.raises(NotFoundError, match=f"run {run.id} was deleted"):
            write(database, run)
    assert sizes(database) == before


@pytest.mark.parametrize("plan", [plan_audit, rerun])
def test_either_a_run_is_deleted_or_work_on_it_is_planned(
    database: Database, plan: Callable[[Database, RunStatus], object]
) -> None:
    """Both at the same moment, again and again."""
    for number in range(10):
        run = a_run(database, ENGINE, TEXTS, name=f"{number}.txt")
        [error] = race(partial(delete_subject, database, run), partial(plan, database, run))
        if isinstance(error, NotFoundError):
            with pytest.raises(NotFoundError):
                find_run(database, run.id)
        else:
            assert find_run(database, run.id).solved == len(TEXTS)


def race(*functions: Callable[[], object]) -> list[DealmillError]:
    """Call functions at the same time, and return their errors."""
    errors, start = list[DealmillError](), Barrier(len(functions))

    def call(function: Callable[[], object]) -> None:
        start.wait()
        try:
            function()
        except DealmillError as error:
            errors.append(error)

    threads = [Thread(target=call, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_an_import_does_not_continue_a_run_that_was_deleted(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"digest")
    run = find_run(database, insert_run(database, source, "memory/mine", "1", None, checked_as=ENGINE))
    entries = Entries.of([Layout(1, "AABB")])
    unsolved = append(database, source, entries)
    write = write_imported(database, run, unsolved, None)
    delete_subject(database, run)
    before = sizes(database)
    with pytest.raises(NotFoundError, match=f"run {run.id} was deleted"):
        complete(database, unsolved, more=write)
    assert sizes(database) == before


def test_a_saved_query_is_not_stored_once_its_run_is_deleted(database: Database) -> None:
    run = a_run(database, ENGINE, TEXTS)
    with ExitStack() as copies:
        reading = query_reading(database, parse_saved_query(f"query:{run.id}:value=0..1000"), copies, silent)
        delete_subject(database, run)
        with pytest.raises(NotFoundError, match=f"run {run.id} was deleted"):
            reading.finish(silent)
    assert find_source(database, reading.source.id).entries == 0


def test_no_run_is_planned_over_a_source_that_was_deleted(database: Database) -> None:
    source = a_source(database, ENGINE, TEXTS)
    delete_subject(database, source)
    before = sizes(database)
    with pytest.raises(NotFoundError, match=f"source {source.id} was deleted; read it again: a.txt"):
        insert_run(database, source, ENGINE, "1", None)
    assert sizes(database) == before


def test_a_command_that_waited_for_a_run_says_that_it_was_deleted(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = find_run(database, insert_run(database, a_source(database, ENGINE, TEXTS), ENGINE, "1", None))

    def cancelled_and_deleted(_database: Database, check: Callable[[], object], *_: object, **_more: object) -> None:
        control(database, run, Control.CANCELLED)
        assert check() is None
        delete_subject(database, run)

    monkeypatch.setattr(working, "work_until_done", cancelled_and_deleted)
    with pytest.raises(NotFoundError, match=f"run {run.id} was deleted"):
        working.solve_runs(database, [run.id], silent)
