"""The list of runs: filters, orders and pages; and the workers."""

import re
from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient

from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.descriptions import Reject
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.controls import set_note, tag
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from dealmill.web import overview
from tests.doing import a_run
from tests.web import shop
from tests.web.conftest import client_of


def listed(client: TestClient, path: str) -> list[int]:
    """Return the numbers of the runs in the table of a page."""
    text = client.get(path).text
    assert "Compare run" in text or "no runs here" in text
    return [int(number) for number in re.findall(r'<th role="rowheader"[^>]*><a href="/runs/(\d+)"', text)]


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        ("text=camelot", [shop.SURVEY, shop.CAMELOT]),
        ("text=CAMELOT+txt", [shop.CAMELOT]),
        ("text=cards&state=finished", [shop.RERUN, shop.LIMITED, shop.PAIRING]),
        ("text=%25", []),
        ("state=retracted", [shop.RETRACTED]),
        ("state=solving", []),
        ("text=winnable&sort=layouts", [shop.SURVEY, shop.RERUN, shop.LIMITED, shop.CAMELOT, shop.PAIRING]),
        ("text=cards&before=8", [shop.LIMITED, shop.PAIRING]),
    ],
)
def test_runs_are_filtered_and_sorted_by_the_address(query: str, runs: list[int], client: TestClient) -> None:
    assert listed(client, f"/?{query}") == runs


def test_orders_are_those_of_the_figures(client: TestClient) -> None:
    shares = {
        run["run"]: run["counts"].get("winnable", 0) / max(run["solved"], 1) for run in client.get("/api/runs").json()
    }
    ordered = [shares[number] for number in listed(client, "/?sort=winnable")]
    assert ordered == sorted(ordered, reverse=True) and len(ordered) == len(shares)
    assert 'aria-sort="descending"><a href="/?sort=winnable">' in client.get("/?sort=winnable").text
    assert client.get("/?sort=colour").status_code == client.get("/?state=happy").status_code == 422


def test_pages_go_through_all_runs_whatever_the_filter(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        a_run(database, "memory/two-pass", ["ABBA"], name=f"{number}.txt")
    monkeypatch.setattr(overview, "RUNS", 2)
    monkeypatch.setattr(overview, "SORTED", 3)
    with client_of(database) as client:
        for path in ("/", "/?state=finished", "/?text=txt"):
            numbers, page = [], path
            while page:
                numbers += listed(client, page)
                link = re.search(r'<a href="([^"]+)">Older runs', client.get(page).text)
                page = link[1].replace("&amp;", "&") if link else ""
            assert numbers == [7, 6, 5, 4, 3, 2, 1], path
        assert listed(client, "/?sort=layouts&state=finished") == [7, 6]


def test_words_are_found_in_tags_and_notes(database: Database) -> None:
    a_run(database, "memory/two-pass", ["ABBA"], name="a.txt")
    a_run(database, "memory/two-pass", ["ABAB"], name="b.txt")
    tag(database, 1, ["Night"])
    set_note(database, 1, "a strange one")
    with client_of(database) as client:
        assert listed(client, "/?text=night+STRANGE+a.txt") == [1]


def test_only_living_workers_are_listed(database: Database) -> None:
    a_run(database, "memory/two-pass", ["ABBA"])
    with database.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE jobs SET worker = 'host:77 0.1.0', started = started - 600, finished = finished - 600"
        )
    with client_of(database) as client:
        text = client.get("/workers").text
        assert "No worker is at work" in text and "1 other worker had a job" in text


def test_a_state_is_green_only_if_every_layout_was_decided(client: TestClient, database: Database) -> None:
    text = client.get("/").text

    def kind(run: int) -> str:
        match = re.search(rf'id="state-{run}"><span class="chip (\w+)">', text)
        return match[1] if match else ""

    assert [kind(run) for run in (shop.PAIRING, shop.LIMITED, shop.RETRACTED)] == ["finished", "undecided", "retracted"]
    for rejects, expected in (([Reject(1, "nothing", ("no layout",))], "failed"), ([], "undecided")):
        name = f"{expected}.txt"
        source = open_source(database, "memory", name, name.encode())
        complete(database, append(database, source, Entries.of(rejects)))
        run = a_run(database, "memory/two-pass", [], name=name)
        with client_of(database) as empty:
            text = empty.get("/").text
        assert kind(run.id) == expected


def test_times_have_a_zone(client: TestClient) -> None:
    text = re.sub(r"<[^>]+>", " ", client.get("/").text + client.get("/chart").text)
    zones = set(re.findall(r"\d\d:\d\d:\d\d ?(\w*)", text))
    assert zones == {f"{datetime.now(UTC).astimezone():%Z}"}
