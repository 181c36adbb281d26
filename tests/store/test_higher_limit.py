"""What a higher node limit decides, against a count of the results, and when nothing is said."""

from itertools import pairwise
from math import log

import pytest
from sqlalchemy import update

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import jobs
from dealmill.pipeline.store.distributions.higher_limit import higher_limit
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.queries.results import FIRST_ITEM, query_of
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.status import RunStatus
from tests.doing import a_run, alter, dealer

LIMIT, NEAR = 20, 2


@pytest.fixture
def limited(database: Database) -> RunStatus:
    """A run with a low limit, each node of which took a second."""
    run = a_run(database, "card-pairing/winnable", dealer("card-pairing")(1, 1, 600), max_nodes=LIMIT, chunk=200)
    with database.writing() as connection:
        connection.execute(update(jobs).values(cpu_seconds=jobs.c.nodes))
    return find_run(database, run.id)


def test_the_estimate_continues_the_searches_near_the_limit(database: Database, limited: RunStatus) -> None:
    results = list(query_of(database, [limited], Filter(), FIRST_ITEM, None))
    undecided = [result for result in results if result.verdict is Verdict.UNDECIDED]
    reached = [result for result in results if result.nodes >= NEAR]
    higher = higher_limit(database, limited)
    assert higher is not None and higher.command == "run query:1:verdict=undecided --max-nodes 200"
    left = (len(undecided) / len(reached)) ** (1 / log(LIMIT / NEAR, 10))
    assert (higher.undecided, higher.max_nodes) == (len(undecided), 10 * LIMIT)
    assert higher.decided == round(len(undecided) * (1 - left))
    steps = [LIMIT * 10 ** (step / 1000) for step in range(1001)]
    nodes = LIMIT + sum((after - before) * left ** log(before / LIMIT, 10) for before, after in pairwise(steps))
    assert higher.cpu_seconds == pytest.approx(len(undecided) * nodes, rel=0.01)
    assert higher.effect.startswith(f"perhaps {higher.decided} of {len(undecided)} are decided, in about ")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET node_limit = 40",  # all gave up before it
        "UPDATE runs SET control = 2",
        "UPDATE jobs SET cpu_seconds = NULL WHERE first = 1",
        "UPDATE engines SET retracted_why = 'wrong'",
        "UPDATE engines SET checked_as = 'card-pairing/winnable'",
        "UPDATE sources SET complete = false",
    ],
)
def test_nothing_is_said_where_it_cannot_be_estimated(database: Database, limited: RunStatus, change: str) -> None:
    alter(database, change)
    assert higher_limit(database, find_run(database, limited.id)) is None


@pytest.mark.parametrize(
    ("engine", "limit", "usual", "words"),
    [
        ("card-pairing/winnable", None, None, None),
        ("card-pairing/winnable", 1, None, "with no limit, by:"),
        ("tripeaks/winnable", 50, None, "search the 3 again with no limit, by:"),
        ("pyramid/winnable", 1, 10_000_000, "with its usual limit of 10,000,000 nodes, by:"),
    ],
)
def test_the_usual_limit_is_named_if_a_run_decided_nearly_nothing(
    database: Database, engine: str, limit: int | None, usual: int | None, words: str | None
) -> None:
    run = a_run(database, engine, dealer(engine.partition("/")[0])(1, 1, 3), max_nodes=limit)
    alter(database, "UPDATE jobs SET cpu_seconds = 1.0")
    higher = higher_limit(database, find_run(database, run.id))
    assert (higher is None) == (words is None)
    if higher and words:
        assert higher.effect.endswith(words)
        assert (higher.max_nodes, higher.decided) == (usual, None)
        assert higher.command == "run query:1:verdict=undecided"
