"""Searches that take too long are continued by a link, and statements that take too long are ended."""

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

import dealmill
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.storages import compact, rows_pages
from dealmill.web import runs
from dealmill.web.app import application
from tests.web import shop
from tests.web.conftest import HOSTS

ENDLESS = text(
    "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000000000)"
    " SELECT max(n) FROM number"
)


@pytest.fixture
def hasty(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A client whose pages search one step of 25 layouts or one block."""
    monkeypatch.setattr(runs, "SEARCH_SECONDS", 0.0)
    monkeypatch.setattr(rows_pages, "SEARCHED", 25)
    monkeypatch.setattr(compact, "SOLVED_AGAIN", 1)
    return client


@pytest.mark.parametrize("start", ["", "&before=1000000"])
@pytest.mark.parametrize("run", [shop.PAIRING, shop.SURVEY])
def test_links_continue_a_search_to_its_end(hasty: TestClient, run: int, start: str) -> None:
    path, shown, steps = f"/runs/{run}/layouts?verdict=unwinnable{start}", list[int](), 0
    while path:
        page = hasty.get(path).text
        positions = [int(position) for position in re.findall(r'href="/runs/\d+/layouts/(\d+)\?', page)]
        shown += positions[::-1] if start else positions
        link = re.search(r'href="([^"]+)">Continue the search', page) or re.search(
            rf'href="([^"]+)" rel="{"prev" if start else "next"}"', page
        )
        path, steps = link[1].replace("&amp;", "&") if link else "", steps + 1
        assert "Continue the search" not in page or re.search(r"Searched (up|back) to position [\d,]+ of", page)
    with dealmill.open(str(hasty.app.state.store._database.url)) as store:  # type: ignore[attr-defined]
        expected = [result.position for result in store.query(run=run, verdict="unwinnable")]
    assert shown == (expected[::-1] if start else expected) and steps > 2


def test_the_api_continues_a_search_until_after_is_null(hasty: TestClient) -> None:
    after, items, empty = 0, list[str](), 0
    while after is not None:
        answer = hasty.get(f"/api/runs/{shop.PAIRING}/results?nodes=100..&after={after}").json()
        items += [row["item"] for row in answer["results"]]
        empty += not answer["results"]
        after = answer["after"]
    whole = hasty.get(f"/api/runs/{shop.PAIRING}/results.jsonl?nodes=100..").text.splitlines()
    assert len(items) == len(whole) - 1 and empty > 0


def test_a_verdict_continues_the_search_for_the_next_one(hasty: TestClient) -> None:
    page = hasty.get(f"/runs/{shop.PAIRING}/layouts/1?nodes=1000000..").text
    assert "Search on" not in page  # no job has such a layout
    page = hasty.get(f"/runs/{shop.PAIRING}/layouts/1?value=&verdict=winnable&nodes=99..").text
    [link] = re.findall(r'href="([^"]+)" rel="next">Search on', page)
    assert "after=" in link and hasty.get(link.replace("&amp;", "&")).status_code == 200


def test_a_statement_that_takes_too_long_is_ended(database: Database) -> None:
    url = database.url.render_as_string(hide_password=False)
    with dealmill.open(url, read_only=True, statement_seconds=0.5) as opened:
        for _ in range(2):  # and the connection can be used again
            with pytest.raises(dealmill.SlowQuery, match=r"0\.5 seconds"), opened._database.reading() as connection:
                connection.execute(ENDLESS).all()
            assert opened.run_ids() == []


def test_a_slow_page_says_so(furnished: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with dealmill.open(furnished, read_only=True, statement_seconds=0.5) as store:

        def slow(_run: object) -> None:
            with store._database.reading() as connection:
                connection.execute(ENDLESS).all()

        monkeypatch.setattr(store, "find_run", slow)
        client = TestClient(application(store, hosts=HOSTS))
        page = client.get("/runs/1")
        assert page.status_code == 503 and "took more than 0.5 seconds" in page.text and "<h1>" in page.text
        assert client.get("/api/runs/1").json() == {
            "detail": "a query took more than 0.5 seconds and was ended; choose a narrower filter"
        }
