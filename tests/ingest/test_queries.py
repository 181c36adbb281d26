"""Saved queries as sources: their names, their layouts, and when they are refused."""

from contextlib import ExitStack
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

import dealmill
from dealmill.pipeline.errors import DamagedError, NotFoundError, RetractedError, StoreError, UsageError
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.queries import SavedQuery, parse_saved_query, query_reading
from dealmill.pipeline.progress.events import Event, Message, silent
from dealmill.pipeline.results.measures import FILTERS
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from tests.doing import a_run, a_source, alter, an_audit, dealer, do_runs, queue_compact

PAIRS, MEMORY = "card-pairing/winnable", "memory/two-pass"
NUMBERS = st.integers(-(10**6), 10**6)
RANGES = st.one_of(
    st.none(),
    st.tuples(NUMBERS, NUMBERS).map(lambda ends: (min(ends), max(ends))),
    NUMBERS.map(lambda low: (low, None)),
    NUMBERS.map(lambda high: (None, high)),
)
WANTED = st.builds(
    lambda verdicts, audit, ranges: Filter.of(sorted(verdicts), audit, **ranges),
    st.sets(st.sampled_from(Verdict)),
    st.none() | st.sampled_from(Outcome),
    st.dictionaries(st.sampled_from([order.argument for order in FILTERS]), RANGES),
)


def opened(database: Database) -> dealmill.Store:
    return dealmill.open(database.url.render_as_string(hide_password=False))


@given(st.integers(0, 10**9 - 1), WANTED)
def test_a_name_means_the_query_it_was_made_of(run: int, filter_: Filter) -> None:
    query = SavedQuery(run, filter_)
    assert parse_saved_query(query.name) == query
    assert Filter.of(**filter_.arguments) == filter_


def test_equal_queries_have_one_name() -> None:
    names = ["query:3:nodes=7..7,verdict=scored,verdict=failed", "query:3:verdict=failed,nodes=7,verdict=scored"]
    assert {parse_saved_query(name).name for name in names} == {"query:3:verdict=scored,verdict=failed,nodes=7"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("query:3", "or query:3: for all of run 3"),
        ("query:newest:verdict=scored", "the number of a run or last"),
        ("query:3:verdict", "write NAME=VALUE with one of: verdict, value, nodes, layout-length"),
        ("query:3:colour=red", "'colour=red' in 'query:3:colour=red' is not a condition"),
        ("query:3:verdict=lost", "there is no verdict 'lost'"),
        ("query:3:audit=good", "there is no outcome 'good'"),
        ("query:3:value=x", "'x' is not a range"),
        ("query:3:value=9..1", "value cannot be 9 to 1: the lower end of the range exceeds the upper end"),
        ("query:3:value=1,value=2", "value is given twice"),
        ("query:3:verdict=scored,", "'' in 'query:3:verdict=scored,' is not a condition"),
    ],
)
def test_a_malformed_query_is_refused(name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_saved_query(name)


def test_the_layouts_are_those_of_the_matching_results_in_their_order(database: Database) -> None:
    run = a_run(database, PAIRS, dealer("card-pairing")(1, 1, 300), chunk=70)
    with opened(database) as api:
        won = [(result.position, result.layout) for result in api.find_run(run.id).results(verdict="winnable")]
        again = api.queue("query:last:verdict=winnable", max_nodes=10)
        do_runs(database)
        results = list(api.find_run(again.id).results())
        assert [(result.line, result.layout) for result in results] == won
        assert len(won) > 100
        assert api.find_source(again.source).name == again.source == f"query:{run.id}:verdict=winnable"
        hard = api.find_run(again.id).results(verdict="undecided", nodes=(1, None))
        [both] = api.ingest(hard).sources
        assert both.name == f"query:{again.id}:verdict=undecided,nodes=1.."
        assert both.accepted == sum(result.verdict is Verdict.UNDECIDED for result in results) > 0
        assert an_audit(database, find_run(database, again.id)).clean


def test_the_same_query_is_the_same_source_and_the_same_run(database: Database) -> None:
    run = a_run(database, MEMORY, ["AABB", "ABAB", "ABBA"])
    with opened(database) as api:
        first = api.queue(f"query:{run.id}:value=6..,verdict=scored")
        again = api.queue(api.find_run(run.id).results(verdict="scored", value=(6, None)))
        assert again.id == first.id


def test_a_query_without_conditions_has_all_results(database: Database) -> None:
    run = a_run(database, MEMORY, ["AABB", "ABAB", "ABBA"])
    with opened(database) as api:
        [source] = api.ingest(f"query:{run.id}:").sources
        assert (source.name, source.accepted) == (f"query:{run.id}:", 3)
        assert api.ingest(api.find_run(run.id).results()).sources == [source]


def test_a_compact_run_can_be_queried(database: Database) -> None:
    with opened(database) as api:
        compact = queue_compact(database, "deal:camelot:seed=1:1-2500")
        do_runs(database)
        expected = [(result.position, result.layout) for result in api.find_run(compact).results(verdict="winnable")]
        [source] = api.ingest(f"query:{compact}:verdict=winnable").sources
        run = api.queue(source.id)
        do_runs(database)
        assert [(result.line, result.layout) for result in api.find_run(run.id).results()] == expected


def test_an_interrupted_reading_is_continued(database: Database) -> None:
    run = a_run(database, MEMORY, ["AABB", "ABAB", "ABBA"])
    query = parse_saved_query(f"query:{run.id}:verdict=scored")
    with ExitStack() as copies:
        begun = query_reading(database, query, copies, silent)
    with ExitStack() as copies:
        reading = query_reading(database, query, copies, silent)
        reading.finish(silent)
    assert reading.source.id == begun.source.id
    assert (reading.source.accepted, reading.source.complete) == (3, True)


def test_a_query_with_other_results_becomes_another_source_with_a_message(database: Database) -> None:
    run = a_run(database, MEMORY, ["AABB", "ABAB", "ABBA"])
    events: list[Event] = []
    with opened(database) as api:
        alter(database, "UPDATE verdicts SET evidence = 'x' WHERE position = 2")
        an_audit(database, run)
        [first] = api.ingest(f"query:{run.id}:audit=invalid", progress=events.append).sources
        assert not [event for event in events if isinstance(event, Message)]
        alter(database, "UPDATE verdicts SET evidence = 'x' WHERE position = 3")
        an_audit(database, run)
        [second] = api.ingest(f"query:{run.id}:audit=invalid", progress=events.append).sources
    assert (first.accepted, second.accepted, first.name) == (1, 2, second.name)
    [message] = [event.text for event in events if isinstance(event, Message)]
    assert message == (
        f"query:{run.id}:audit=invalid no longer matches the layouts of source {first.id}: it is read as a new source, "
        f"number {second.id}"
    )


def test_runs_that_may_still_change_are_refused(database: Database) -> None:
    with opened(database) as api:
        with pytest.raises(NotFoundError, match="no run '9'"):
            api.ingest("query:9:verdict=scored")
        insert_run(database, a_source(database, MEMORY, ["AABB"]), MEMORY, "1", None)
        with pytest.raises(StoreError, match="run 1 is not finished; finish it with: dealmill work --drain"):
            api.ingest("query:1:verdict=scored")
        do_runs(database)
        with pytest.raises(StoreError, match="run 1 has not been audited; audit it with: dealmill audit 1"):
            api.ingest("query:1:audit=valid")
        assert "query:1:verdict=failed is empty: no result of run 1 matches" in map(
            str, api.ingest("query:1:verdict=failed").errors
        )
        retract(database, MEMORY, "1", "it errs")
        with pytest.raises(RetractedError, match=r"run 1 was retracted \(it errs\)"):
            api.ingest("query:1:verdict=scored")
        for query in (
            api.query(retracted=True, limit=1),
            api.query(retracted=True, after="1:1"),
            api.query(retracted=True, descending=True),
            api.query(),
        ):
            with pytest.raises(UsageError, match="of one run, without after, before, limit and order"):
                api.ingest(query)


@pytest.mark.parametrize(
    ("damage", "query"),
    [
        ("UPDATE items SET layout = 'BBAA' WHERE position = 2", "verdict=scored"),
        ("UPDATE items SET layout = 'no layout' WHERE position = 2", "value=1.."),
        ("DELETE FROM items WHERE position = 2", "verdict=scored"),
        ("DELETE FROM verdicts WHERE position = 2", "verdict=scored"),
        ("UPDATE verdicts SET nodes = -1, verdict = 9 WHERE position = 2", "nodes=..5"),
    ],
)
def test_a_damaged_record_is_no_source(database: Database, damage: str, query: str) -> None:
    a_run(database, MEMORY, ["AABB", "ABAB", "ABBA"])
    alter(database, damage)
    with opened(database) as api:
        with pytest.raises(DamagedError, match=f"query:1:{query} cannot be a source.*dealmill audit 1"):
            api.queue(f"query:1:{query}")
        assert len(api.runs()) == 1
        with pytest.raises(NotFoundError):
            api.find_source(2)


def test_many_results_are_read_in_blocks(sqlite_store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dealmill.pipeline.store.queries.results.PAGE", 7)
    monkeypatch.setattr("dealmill.pipeline.ingest.queries.READ_BYTES", 100)
    layouts = dealer("memory")(1, 1, 60)
    run = a_run(sqlite_store, MEMORY, layouts)
    with ExitStack() as copies:
        query = parse_saved_query(f"query:{run.id}:verdict=scored")
        reading = query_reading(sqlite_store, query, copies, silent)
        reading.finish(partial(silent))
    with sqlite_store.reading() as connection:
        rows = connection.execute(text("SELECT line, layout FROM items WHERE source_id = 2 ORDER BY position")).all()
    assert [tuple(row) for row in rows] == list(enumerate(layouts, start=1))
