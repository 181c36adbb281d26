"""Filters: the same results by URL, by command and by SQL."""

import shlex
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

import dealmill
from dealmill import Outcome, Verdict
from dealmill.cli.options import Range
from dealmill.pipeline.arguments import number_range
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.filters import range_text
from dealmill.web.filters import PageFilter
from tests.web import shop

FILTERS = [
    PageFilter(),
    PageFilter((Verdict.UNWINNABLE,)),
    PageFilter.of((Verdict.WINNABLE, Verdict.UNDECIDED), nodes=(9, 11)),
    PageFilter.of(nodes=(12, None)),
    PageFilter.of(nodes=(None, 8)),
    PageFilter.of(nodes=(9, 9)),
    PageFilter.of(value=(None, 0)),
    PageFilter.of(layout_length=(0, 80), evidence_length=(9, None)),
]


@pytest.mark.parametrize("page_filter", FILTERS, ids=str)
def test_url_command_and_sql_give_the_same(client: TestClient, furnished: str, page_filter: PageFilter) -> None:
    by_url = client.get(page_filter.link(f"/api/runs/{shop.LIMITED}/results", limit=1000)).json()["results"]
    positions = [int(row["item"].partition(":")[2]) for row in by_url]
    database = Database(database_url(furnished))
    with database.reading() as connection:
        assert [row.position for row in connection.execute(text(page_filter.sql(shop.LIMITED) or ""))] == positions
    words = shlex.split(page_filter.command(shop.LIMITED))
    assert words[:3] == ["dealmill", "query", str(shop.LIMITED)]
    with dealmill.open(furnished) as store:
        assert [row.position for row in store.query(run=words[2], **options(words[3:]))] == positions


@pytest.mark.parametrize("run", [shop.LIMITED, shop.RETRACTED])
def test_retracted_results_are_the_same_by_sql(client: TestClient, furnished: str, run: int) -> None:
    page_filter = PageFilter(retracted=True)
    by_url = client.get(page_filter.link(f"/api/runs/{run}/results")).json()["results"]
    with Database(database_url(furnished)).reading() as connection:
        by_sql = [row.layout for row in connection.execute(text(page_filter.sql(run) or ""))]
    assert by_sql == [result["layout"] for result in by_url]
    assert bool(by_sql) == (run == shop.RETRACTED)


def options(words: list[str]) -> dict[str, Any]:
    """Return the arguments of a query for the options of the command."""
    given = list(zip(words[::2], words[1::2], strict=True))
    arguments: dict[str, Any] = {"verdict": [value for name, value in given if name == "--verdict"]}
    for name, value in given:
        if name != "--verdict":
            arguments[name[2:].replace("-", "_")] = Range().convert(value, None, None)
    return arguments


def test_a_filter_by_audit_has_no_sql() -> None:
    assert PageFilter(audit=Outcome.VALID).sql(1) is None
    assert PageFilter(audit=Outcome.VALID, retracted=True).command(1) == "dealmill query 1 --audit valid --retracted"


@given(st.integers(-(10**17), 10**17), st.integers(0, 10**6))
def test_the_text_of_a_range_is_read_back(low: int, width: int) -> None:
    assert number_range(range_text((low, low + width))) == (low, low + width)
