"""Filters: the same results by URL, by command and by SQL."""

import shlex
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

import dealmill
from dealmill import Verdict
from dealmill.cli.options import Range
from dealmill.pipeline.store.database import Database, database_url
from dealmill.web.filters import Filter, parse_range, range_text
from tests.web import shop

FILTERS = [
    Filter(),
    Filter((Verdict.UNWINNABLE,)),
    Filter((Verdict.WINNABLE, Verdict.UNDECIDED), nodes="9..11"),
    Filter(nodes="12.."),
    Filter(nodes="..8"),
    Filter(nodes="9"),
    Filter(value="..0"),
]


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_url_command_and_sql_give_the_same(client: TestClient, furnished: str, wanted: Filter) -> None:
    by_url = client.get(wanted.link(f"/api/runs/{shop.LIMITED}/results", limit=1000)).json()["results"]
    positions = [int(one["item"].partition(":")[2]) for one in by_url]
    database = Database(database_url(furnished))
    with database.reading() as connection:
        assert [row.position for row in connection.execute(text(wanted.sql(shop.LIMITED) or ""))] == positions
    words = shlex.split(wanted.command(shop.LIMITED))
    assert words[:3] == ["dealmill", "query", str(shop.LIMITED)]
    with dealmill.open(furnished) as store:
        assert [one.position for one in store.query(run=words[2], **options(words[3:]))] == positions


@pytest.mark.parametrize("run", [shop.LIMITED, shop.RETRACTED])
def test_retracted_results_are_the_same_by_sql(client: TestClient, furnished: str, run: int) -> None:
    wanted = Filter(retracted=True)
    by_url = client.get(wanted.link(f"/api/runs/{run}/results")).json()["results"]
    with Database(database_url(furnished)).reading() as connection:
        by_sql = [row.layout for row in connection.execute(text(wanted.sql(run) or ""))]
    assert by_sql == [one["layout"] for one in by_url]
    assert bool(by_sql) == (run == shop.RETRACTED)


def options(words: list[str]) -> dict[str, Any]:
    """Return the arguments of a query for the options of the command."""
    given = list(zip(words[::2], words[1::2], strict=True))
    found: dict[str, Any] = {"verdict": [value for name, value in given if name == "--verdict"]}
    for name, value in given:
        if name in {"--value", "--nodes"}:
            found[name[2:]] = Range().convert(value, None, None)
    return found


def test_a_filter_by_audit_has_no_sql() -> None:
    assert Filter(audit="valid").sql(1) is None
    assert Filter(audit="valid", retracted=True).command(1) == "dealmill query 1 --audit valid --retracted"


@given(st.integers(-(10**17), 10**17), st.integers(0, 10**6))
def test_the_text_of_a_range_is_read_back(low: int, width: int) -> None:
    assert parse_range(range_text(low, low + width)) == (low, low + width)
