"""What must not grow with the number of runs: the rows that statements read, and the number of statements."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, event, text

from dealmill.pipeline.errors import DamagedWarning
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import metadata
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.finding import Runs, list_runs
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages import rows_pages
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.stores import Store
from tests.doing import a_run, a_source, dealer, queue_compact

ENGINE = "memory/two-pass"
LAYOUTS = 3
WHOLE = re.compile(rf"SCAN ({'|'.join(metadata.tables)})\b")
"""A line of SQLite's plan for reading all rows of a table."""


def some_runs(database: Database, count: int, first: int = 1) -> None:
    """Solve sources of three layouts, numbered from `first`."""
    for number in range(first, first + count):
        a_run(database, ENGINE, dealer("memory")(1, LAYOUTS * number, LAYOUTS), name=f"{number}.txt")


@contextmanager
def recorded(database: Database) -> Iterator[list[tuple[str, object]]]:
    """Record the statements of a `with` block and their parameters."""
    statements: list[tuple[str, object]] = []

    def record(_: Connection, _cursor: object, statement: str, parameters: object, *_more: object) -> None:
        statements.append((statement, parameters))

    with database.reading() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", record)


def plans(database: Database, call: Callable[[], object]) -> list[str]:
    """Return the lines of SQLite's plans for all queries of a call."""
    with recorded(database) as statements:
        call()
    queries = [(statement, parameters) for statement, parameters in statements if "SELECT" in statement]
    assert queries
    with database.reading() as connection:
        return [
            row[3]
            for statement, parameters in queries
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
        ]


def test_what_concerns_one_run_reads_no_table_as_a_whole(sqlite_store: Database) -> None:
    some_runs(sqlite_store, 2)
    store = Store(sqlite_store)
    run = store.find_run(2)
    calls: dict[str, Callable[[], object]] = {
        "status": lambda: store.status(2),
        "results": lambda: list(run.results(limit=2)),
        "in an order": lambda: list(run.results(order="nodes", limit=2)),
        "fingerprint": lambda: run.fingerprint,
        "related": lambda: run.related,
        "log": lambda: store.log(2),
        "source": lambda: store.find_source(2),
        "newest runs": lambda: store.run_ids(before=9, limit=2, descending=True),
        "workers": store.workers,
    }
    read = {what: [line for line in plans(sqlite_store, call) if WHOLE.match(line)] for what, call in calls.items()}
    assert read == {what: [] for what in calls}


def test_a_histogram_reads_only_the_jobs_of_its_run(sqlite_store: Database) -> None:
    some_runs(sqlite_store, 1)
    run = Store(sqlite_store).find_run(1)
    [line] = [line for line in plans(sqlite_store, lambda: run.histogram("value")) if "jobs" in line]
    assert "(run_id=?)" in line


def test_a_fingerprint_reads_only_failed_verdicts(sqlite_store: Database) -> None:
    some_runs(sqlite_store, 1)
    read = [
        line for line in plans(sqlite_store, lambda: fingerprint_of(sqlite_store, 1, LAYOUTS)) if "PRIMARY KEY" in line
    ]
    assert [line for line in read if "verdicts" in line] == [
        "SEARCH verdicts USING PRIMARY KEY (run_id=? AND position=?)"
    ]


@pytest.mark.parametrize("order", ["position", "nodes", "value", "layout-length", "evidence-length"])
def test_the_number_of_statements_of_a_query_does_not_grow(
    sqlite_store: Database, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runs, "PART", 2)
    store, counts = Store(sqlite_store), []
    for first in (1, 4):
        some_runs(sqlite_store, 3, first)
        with recorded(sqlite_store) as statements:
            query = store.query(order=order, limit=2)
            assert len(list(query)) == 2
            assert (query.unfinished, query.unlisted, query.unaudited) == ([], [], [])
            assert not query.are_numbered
        counts.append(len(statements))
    assert counts[0] == counts[1]


def test_a_query_of_all_runs_reads_them_in_parts(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runs, "PART", 2)
    some_runs(database, 5)
    opened = Store(database)
    items = [(run, position) for run in range(1, 6) for position in range(1, LAYOUTS + 1)]
    assert places(opened.query()) == items
    assert places(opened.query(descending=True)) == items[::-1]
    assert places(opened.query(after=(2, 2), before=(4, 2))) == items[5:10]
    assert places(opened.query(engine=ENGINE, source="3.txt")) == items[6:9]
    ordered = opened.query(order="nodes", limit=100)
    assert places(ordered) == places(sorted(opened.query(), key=ordered.ordering.key))


def places(results: Iterable[Result]) -> list[tuple[int | None, int]]:
    return [(result.run, result.position) for result in results]


def test_a_query_of_all_runs_knows_those_that_are_not_finished(database: Database) -> None:
    some_runs(database, 2)
    source = a_source(database, ENGINE, dealer("memory")(1, 1, 2), "planned.txt")
    number = insert_run(database, source, ENGINE, find_engine(ENGINE)[1].version, None)
    assert [run.id for run in Store(database).query().unfinished] == [number]


def test_a_query_knows_whether_all_its_runs_are_over_numbered_deals(database: Database) -> None:
    queue_compact(database, "deal:memory:seed=1:1-3")
    store = Store(database)
    assert store.query().are_numbered
    some_runs(database, 1)
    queries = store.query(), store.query(run=1), store.query(run=2)
    assert [query.are_numbered for query in queries] == [False, True, False]


def test_the_results_of_a_damaged_run_leave_their_places_to_others(sqlite_store: Database) -> None:
    some_runs(sqlite_store, 3)
    first = places(Store(sqlite_store).query(order="nodes", limit=3))
    damaged = first[0][0]
    with sqlite_store.writing() as connection:
        connection.execute(text("UPDATE runs SET storage = 'none' WHERE id = :run"), {"run": damaged})
    with pytest.warns(DamagedWarning, match=f"run {damaged} cannot be read"):
        shown = places(Store(sqlite_store).query(order="nodes", limit=3))
    assert len(shown) == 3
    assert damaged not in {run for run, _ in shown}


def test_an_order_reads_only_runs_with_results_that_are_shown(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_runs(database, 4)
    read = set[int]()

    def recording(database: Database, numbers: Collection[int]) -> list[RunStatus]:
        read.update(numbers)
        return list_runs(database, numbers)

    monkeypatch.setattr(rows_pages, "list_runs", recording)
    shown = places(Store(database).query(order="nodes", limit=2))
    assert read == {run for run, _ in shown}


def test_numbers_of_any_size_are_no_runs(database: Database) -> None:
    some_runs(database, 2)
    listed = Store(database).status([2, 3, 2**31, 2**62])
    assert [run.id for run in listed] == [2]
