"""Results and runs as tables: Arrow, pandas, Polars, and what a notebook shows; counting and indexing queries."""

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, get_type_hints

import pandas
import polars
import pyarrow as pa
import pytest

import dealmill
from dealmill import Query, Result, Store, UsageError, Verdict, progress
from dealmill.pipeline.games import find_game
from dealmill.pipeline.ingest.options import (
    RunArguments,
    RunOptions,
    SourceArguments,
    SourceOptions,
    VerdictArguments,
    VerdictOptions,
)
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queries import results
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.storages.arrow import COLUMNS, QUERY_COLUMNS, RUN_COLUMNS
from tests.doing import a_run, alter, an_audit, deal, queue_compact

ENGINE = "card-pairing/winnable"
HOSTILE = "<script>\x1b['.txt"


@pytest.fixture
def opened(database: Database, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store with three runs, one of them limited and audited, that is read in small pages."""
    layouts = deal(find_game("card-pairing"), 1, 1, 40)
    a_run(database, ENGINE, layouts)
    a_run(database, ENGINE, layouts, max_nodes=20)
    a_run(database, "memory/two-pass", ["ABBA", "ABAB"], name=HOSTILE)
    an_audit(database, find_run(database, 2))
    monkeypatch.setattr(results, "PAGE", 7)
    return Store(database)


def queries(store: Store) -> Iterator[Query]:
    """Queries of every kind."""
    run = store.find_run(2)
    for limit in (None, 0, 1, 7, 9, 500):
        yield store.query(limit=limit)
        yield store.query(verdict=["unwinnable", "scored"], limit=limit)
        yield run.results(nodes="..9", limit=limit)
        yield run.results(audit="no-evidence", limit=limit)
        yield run.results(after=3, before=20, descending=True, limit=limit)
        yield store.query(value="5..", limit=limit)
    yield store.query(order="nodes", descending=True, limit=11)
    yield run.results(order="evidence-length", audit="valid", limit=4)
    yield run.results(verdict="scored")


def row(result: Result) -> dict[str, object]:
    """A result as a row of a table of a query."""
    return {"run": result.run, "engine": result.engine, "position": result.position, **result.row}


@pytest.mark.parametrize("change", ["nodes = 'x'", "verdict = 9"])
def test_damaged_results_are_not_counted_by_nodes(sqlite_store: Database, change: str) -> None:
    run = a_run(sqlite_store, ENGINE, deal(find_game("card-pairing"), 1, 1, 40))
    alter(sqlite_store, f"UPDATE verdicts SET {change} WHERE position = 7")
    with pytest.raises(dealmill.DamagedError, match=r"layout 7|position 7|\b1:7\b"):
        Store(sqlite_store).find_run(run.id).results().count_by_nodes()


@pytest.mark.slow
def test_a_query_can_be_counted_indexed_and_made_a_table(opened: Store) -> None:
    for query in queries(opened):
        expected = list(query)
        assert query.count() == len(expected)
        assert query.count_by_nodes() == Counter((result.verdict, result.nodes) for result in expected)
        assert query[:] == query[: len(expected) + 1] == expected
        assert query[1:9:3] == expected[1:9:3]
        for index, result in enumerate(expected[:9]):
            assert query[index] == result
        with pytest.raises(IndexError, match=f"no result number {len(expected)}"):
            query[len(expected)]
        with pytest.raises(UsageError, match="descending=True"):
            query[-1]
        table = query.to_arrow()
        audited = Result.AUDIT_COLUMNS if query.filter.audit else ()
        assert table.schema.names == [*QUERY_COLUMNS, *audited]
        assert table.to_pylist() == [{name: row(each)[name] for name in table.schema.names} for each in expected]
        assert query.to_polars().rows() == [tuple(each.values()) for each in table.to_pylist()]
        frame = query.to_pandas()
        assert frame.astype(object).where(frame.notna(), None).to_dict("records") == table.to_pylist()
        assert frame["value"].dtype == "Int64" and frame["position"].dtype == "int64"
        assert list(frame["verdict"].cat.categories) == [verdict.word for verdict in Verdict]
    whole = opened.find_run(2).to_pandas()
    assert list(whole.columns) == list(COLUMNS) and len(whole) == 40
    assert pa.table(opened.query().to_batches()).num_rows == 82
    assert polars.DataFrame(opened.query().to_batches()).height == 82


def test_an_error_while_results_are_read_is_raised_as_it_is(opened: Store) -> None:
    compact = opened.find_run(queue_compact(opened._database, "deal:memory:seed=1:1-5"))
    with pytest.raises(UsageError, match="is compact"):
        compact.results(audit="valid").to_arrow()


def test_runs_are_a_table(opened: Store) -> None:
    before = datetime.now(UTC) - timedelta(hours=1)
    runs = opened.runs()
    assert isinstance(runs, list) and runs == list(opened.status())
    frame = runs.to_pandas()
    assert list(frame.columns) == list(RUN_COLUMNS) == runs.to_polars().columns
    assert frame[["run", "layouts", "solved"]].to_numpy().tolist() == [[1, 40, 40], [2, 40, 40], [3, 2, 2]]
    assert frame["max_nodes"].tolist() == [pandas.NA, 20, pandas.NA]
    assert isinstance(frame["started"].dtype, pandas.DatetimeTZDtype)
    assert (frame["started"] > before).all()
    assert frame["source"][2] == HOSTILE
    started = runs[0].progress.started
    assert started is not None and frame["started"][0] == started
    assert all(before < action.at <= datetime.now(UTC) for action in opened.log())


def test_a_notebook_shows_progress_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []
    shell = SimpleNamespace(kernel=object(), execution_count=1)
    display = SimpleNamespace(update=lambda data, **_: shown.append(data))
    modules: dict[str, Any] = {
        "IPython": SimpleNamespace(get_ipython=lambda: shell),
        "IPython.display": SimpleNamespace(display=lambda _, **__: display),
    }
    default = inspect.signature(Store.run).parameters["progress"].default
    step = progress.Solving(10, 40, 1, "<engine>", "a.txt", 1_000.0)
    default(step)
    assert shown == []
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    default(progress.Rerunning(2, 1))
    default(step)
    default(progress.Message("waiting\x1b for <it>"))
    shell.execution_count = 2
    default(progress.Exporting(40, 40))
    assert [line["text/plain"] for line in shown] == [
        "solving: 10 of 40 · 1,000/s · <engine> on a.txt",
        r"waiting\x1b for <it>",
        "exporting: 40 of 40",
    ]


def test_signatures_are_short() -> None:
    for kind in (dealmill.Store, dealmill.Run, dealmill.Query):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            for parameter in inspect.signature(method).parameters.values():
                assert len(str(parameter)) < 150, (name, str(parameter))
    assert dealmill.__version__ == version("dealmill")


@pytest.mark.parametrize(
    ("options", "types"),
    [(SourceOptions, SourceArguments), (RunOptions, RunArguments), (VerdictOptions, VerdictArguments)],
)
def test_options_have_the_types_of_their_arguments(options: type, types: type) -> None:
    names = inspect.signature(options).parameters.keys() - {"packed"}  # which is refused
    arguments = {name: kind for name, kind in get_type_hints(options).items() if name in names}
    assert arguments == get_type_hints(types)
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_node'"):
        options(max_node=1)


@pytest.mark.parametrize("packed", [True, False])
def test_what_is_gone_is_refused_with_what_to_do_instead(opened: Store, packed: bool) -> None:
    gone: Any = {"packed": packed}
    for plan in (opened.run, opened.queue):
        with pytest.raises(UsageError, match=r"packed= is gone: leave it out, .* use Store\.survey"):
            plan("deal:memory:seed=1:1-9", **gone)


def test_ranges_are_read_as_on_the_command_line(opened: Store) -> None:
    run = opened.find_run(1)
    for text, ends in {"5..": (5, None), "..9": (None, 9), "3..20": (3, 20), "11": 11}.items():
        assert list(run.results(nodes=text)) == list(run.results(nodes=ends)) != []  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"'five' is not a range; write 70\.\.80"):
        run.results(layout_length="five")


@pytest.mark.parametrize(
    ("extra", "module", "make"),
    [
        ("parquet", "pyarrow", lambda store: store.runs().to_arrow()),
        ("parquet", "pyarrow", lambda store: store.query().to_batches()),
        ("pandas", "pandas", lambda store: store.find_run(1).to_pandas()),
        ("polars", "polars", lambda store: store.query().to_polars()),
    ],
)
def test_a_missing_extra_is_named(
    extra: str, module: str, make: Callable[[Store], object], opened: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=rf" need {module}; install it with: pip install 'dealmill\[{extra}\]'"):
        make(opened)
