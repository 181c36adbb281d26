"""Queries that skip jobs give what a filter of all results gives, and do not read the jobs they skip."""

import pytest

import dealmill
from dealmill import Result, Verdict
from dealmill.pipeline.games import games
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter, number_of
from dealmill.pipeline.store.queries.results import Query, query_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages import compact, rows_pages
from tests.doing import a_run, alter, deal
from tests.survey.doing import a_survey

COUNT, CHUNK = 3_000, 1_000
ENGINES = ("card-pairing/winnable", "hi-q/greedy")
FILTERS = (
    Filter((Verdict.UNWINNABLE,)),
    Filter((Verdict.FAILED, Verdict.UNDECIDED)),
    Filter.of((Verdict.WINNABLE,), nodes=(20, 30)),
    Filter.of(nodes=(14, 200)),
    Filter.of(nodes=(10**6, None)),
    Filter.of(value=(150, 160)),
    Filter.of(value=(None, -1)),
    Filter.of(value=(200, None), nodes=(0, 9)),
    Filter.of(layout_length=(1, 30)),
)


@pytest.fixture(params=["rows", "compact"])
def runs(database: Database, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[RunStatus]:
    """A finished run of three jobs for each engine, searched in many small steps."""
    monkeypatch.setattr(rows_pages, "SEARCHED", 170)
    monkeypatch.setattr(compact, "SOLVED_AGAIN", 1)
    if request.param == "compact":
        return [a_survey(database, engine, COUNT, chunk=CHUNK) for engine in ENGINES]
    return [
        a_run(database, engine, deal(games()[engine.partition("/")[0]], 7, 1, COUNT), chunk=CHUNK, name=engine)
        for engine in ENGINES
    ]


def query_with(database: Database, run: RunStatus, result_filter: Filter) -> Query:
    return query_of(database, [run], result_filter, (0, 0), None)


def matching(results: list[Result], result_filter: Filter) -> list[int]:
    return [
        result.position
        for result in results
        if (not result_filter.verdict or result.verdict in result_filter.verdict)
        and all(
            (number := number_of(result, order)) is not None and ends[0] <= number <= ends[1]
            for order, ends in result_filter.ranges.items()
        )
    ]


def test_searches_without_time_continue_where_they_stopped(database: Database, runs: list[RunStatus]) -> None:
    for run in runs:
        everything = list(query_with(database, run, Filter()))
        for result_filter in FILTERS:
            part = query_of(database, [run], result_filter, (run.id, 0), None).search(0.0)
            positions, steps = [result.position for result in part.results], 1
            while part.reached is not None:
                before, part = part.reached, query_of(database, [run], result_filter, part.reached, None).search(0.0)
                positions += [result.position for result in part.results]
                assert part.reached is None or part.reached > before
                steps += 1
            assert positions == matching(everything, result_filter)
            assert steps > 1 or not positions


def test_jobs_that_cannot_match_are_not_read(database: Database, runs: list[RunStatus]) -> None:
    pairing, hi_q = runs
    for run, result_filter, column, value in (
        (pairing, Filter((Verdict.UNWINNABLE,)), "unwinnable", 0),
        (hi_q, Filter.of(value=(150, 160)), "greatest_value", 149),
        (hi_q, Filter.of(value=(150, 160)), "least_value", 161),
        (hi_q, Filter.of(nodes=(9, 10)), "greatest_nodes", 8),
        (hi_q, Filter.of(nodes=(9, 10)), "least_nodes", 11),
    ):
        before = [result.position for result in query_with(database, run, result_filter)]
        assert {position > CHUNK for position in before} == {True, False}
        first_job = f"WHERE run_id = {run.id} AND first = 1"
        with database.reading() as connection:
            recorded = connection.exec_driver_sql(f"SELECT {column} FROM jobs {first_job}").scalar_one()
        alter(database, f"UPDATE jobs SET {column} = {value} {first_job}")
        after = [result.position for result in query_with(database, run, result_filter)]
        assert after == [position for position in before if position > CHUNK]
        alter(database, f"UPDATE jobs SET {column} = {recorded} {first_job}")


def test_jobs_without_recorded_distributions_are_read(database: Database, runs: list[RunStatus]) -> None:
    _, hi_q = runs
    result_filter = Filter.of(nodes=(9, 10))
    before = [result.position for result in query_with(database, hi_q, result_filter)]
    alter(database, "UPDATE jobs SET least_nodes = NULL, greatest_nodes = NULL, node_counts = NULL")
    assert [result.position for result in query_with(database, hi_q, result_filter)] == before
    assert dealmill.Store(database).find_run(hi_q.id).histogram("nodes") is None


def test_a_search_is_in_order_of_position(database: Database, runs: list[RunStatus]) -> None:
    with pytest.raises(dealmill.UsageError, match="in order of position, not of nodes"):
        query_of(database, runs, Filter(), (0, 0), 5, order="nodes").search(1.0)
