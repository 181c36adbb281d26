"""The JSON API: what it says of itself holds for any request, and downloads are complete."""

import csv
import html
import json
import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.games import find_game
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.run_planning import insert_run
from tests.doing import a_run, a_source, an_audit, deal, do_job, do_runs, pending
from tests.web import shop
from tests.web.conftest import client_of

OPERATIONS = {
    ("GET", "/api/runs"),
    ("GET", "/api/runs/{run}"),
    ("GET", "/api/runs/{run}/results"),
    ("GET", "/api/runs/{run}/results.{form}"),
    ("GET", "/api/runs/{run}/results/{position}"),
    ("GET", "/api/runs/{run}/results/{position}/playback"),
    ("GET", "/api/runs/{run}/rejects"),
    ("GET", "/api/deal"),
    ("GET", "/api/health"),
    ("POST", "/api/check"),
}


def test_only_the_api_is_described(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert {(method.upper(), path) for path, methods in paths.items() for method in methods} == OPERATIONS
    assert client.get("/docs").status_code == client.get("/redoc").status_code == 404


def test_runs_are_paged(client: TestClient) -> None:
    assert [row["run"] for row in client.get("/api/runs").json()] == list(range(1, 11))
    assert [row["run"] for row in client.get("/api/runs?after=3&limit=2").json()] == [4, 5]
    retracted = client.get(f"/api/runs/{shop.RETRACTED}").json()
    assert retracted["state"] == "retracted" and retracted["counts"] == {} and retracted["mean"] is None


def test_pages_of_results_are_complete_in_both_directions(client: TestClient) -> None:
    path = f"/api/runs/{shop.PAIRING}/results?limit=50"
    first = client.get(path).json()
    second = client.get(f"{path}&after={first['after']}").json()
    third = client.get(f"{path}&after={second['after']}").json()
    items = [row["item"] for page in (first, second, third) for row in page["results"]]
    assert items == [f"{shop.PAIRING}:{position}" for position in range(1, 121)]
    assert (first["before"], third["after"]) == (None, None)
    assert client.get(f"{path}&before={third['before']}").json()["results"] == second["results"]


@pytest.mark.parametrize("run", [shop.PAIRING, shop.SURVEY])
@pytest.mark.parametrize("prefix", ["/api/runs/{run}/results", "/runs/{run}/layouts"])
def test_downloads_are_complete(client: TestClient, furnished: str, run: int, prefix: str) -> None:
    path = prefix.format(run=run)
    with dealmill.open(furnished) as store:
        expected = [(row.item, row.layout, row.evidence) for row in store.query(run=run, verdict="unwinnable")]
    lines = [json.loads(line) for line in client.get(f"{path}.jsonl?verdict=unwinnable").text.splitlines()]
    assert [(one["item"], one["layout"], one["evidence"]) for one in lines[:-1]] == expected
    assert lines[-1] == {"end": True, "rows": len(expected)}
    answer = client.get(f"{path}.csv?verdict=unwinnable")
    rows = list(csv.DictReader(answer.text.splitlines()))
    assert [(row["item"], row["layout"], row["evidence"]) for row in rows] == expected, "no row but those of results"


@pytest.mark.parametrize("path", ["/api/runs/1/results", "/runs/1/layouts"])
def test_results_by_audit_have_the_judgement(sqlite_store: Database, path: str) -> None:
    run = a_run(sqlite_store, "memory/two-pass", ["ABBA", "ABAB"])
    with sqlite_store.writing() as connection:
        connection.exec_driver_sql("UPDATE verdicts SET value = value + 1 WHERE position = 2")
    an_audit(sqlite_store, run)
    with dealmill.open(sqlite_store.url.render_as_string(), read_only=True) as store:
        [judged] = [result.row for result in store.query(run=1, audit="invalid")]
        assert judged["reason"]
        with client_of(sqlite_store) as client:
            assert client.get("/api/runs/1/results?audit=invalid").json()["results"] == [judged | {"unproved": False}]
            assert json.loads(client.get(f"{path}.jsonl?audit=invalid").text.splitlines()[0]) == judged
            [row] = csv.DictReader(client.get(f"{path}.csv?audit=invalid").text.splitlines())
            assert row == {name: str(value) for name, value in judged.items()}
            assert client.get(f"{path}.csv?audit=no-evidence").text.splitlines()[0] == ",".join(judged)


def test_an_unfinished_run_is_sent_only_on_request_and_says_so(sqlite_store: Database) -> None:
    layouts = deal(find_game("memory"), 1, 1, 20)
    insert_run(sqlite_store, a_source(sqlite_store, "memory/two-pass", layouts), "memory/two-pass", "1", None, chunk=10)
    do_job(sqlite_store, pending(sqlite_store)[0])
    why = "10 of 20 layouts pending"
    with client_of(sqlite_store) as client:
        for path in ("/api/runs/1/results", "/runs/1/layouts"):
            for form in ("csv", "jsonl"):
                refused = client.get(f"{path}.{form}", headers={"accept": "application/json"})
                assert refused.status_code == 409 and f"run 1 is not finished ({why})" in html.unescape(refused.text)
            rows = list(csv.DictReader(client.get(f"{path}.csv?unfinished=1").text.splitlines()))
            assert [row["unfinished"] for row in rows] == [why] * 10
            *objects, end = map(json.loads, client.get(f"{path}.jsonl?unfinished=1").text.splitlines())
            assert [row["unfinished"] for row in objects] == [why] * 10
            assert end == {"end": True, "rows": 10, "unfinished": why}
            nothing = client.get(f"{path}.csv?unfinished=1&verdict=failed").text
            assert nothing.endswith(",unfinished\n") and nothing.count("\n") == 1
        assert client.get("/runs/1/report.html").status_code == 409
        for page in ("/runs/1", "/runs/1/layouts"):
            links = re.findall(r'href="([^"]*unfinished=1)"', client.get(page).text)
            assert links and all(client.get(html.unescape(link)).status_code == 200 for link in links)
        do_runs(sqlite_store)
        assert "unfinished" not in client.get("/runs/1/layouts").text
        assert client.get("/api/runs/1/results.jsonl?unfinished=1").text.endswith('{"end": true, "rows": 20}\n')


def test_a_download_that_fails_has_no_mark(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[dealmill.Result]:
        yield dealmill.solve("memory", "ABBA")
        raise dealmill.StoreUnavailable("the database is not available")

    path = f"/api/runs/{shop.PAIRING}/results.jsonl"
    assert '"end"' in client.get(path).text
    monkeypatch.setattr(dealmill.Store, "query", lambda *_, **__: broken())
    with pytest.raises(Exception, match="response already started"):
        client.get(path)


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("/api/runs?limit=1001", 422, "limit must be at most 1,000, not '1001'"),
        ("/api/runs/1/results.xlsx", 422, "form must be 'csv' or 'jsonl', not 'xlsx'"),
        (
            "/api/runs/1/results.csv?verdit=unwinnable",
            400,
            "there is no parameter verdit (did you mean verdict?); /api/runs/1/results.csv takes audit, "
            "evidence-length, layout-length, nodes, retracted, unfinished, value, verdict",
        ),
        ("/api/check", 405, "/api/check does not take GET: use POST"),
    ],
)
def test_a_wrong_request_is_answered_with_what_is_allowed(
    client: TestClient, path: str, code: int, message: str
) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()) == (code, {"detail": message})


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[1]", 'body must be a JSON object, sent with the header "Content-Type: application/json"'),
        ('{"game":', "body must be JSON: Expecting value"),
        ('{"game": "memory"}', "layout is missing"),
        ('{"game": "memory", "layout": 5}', "layout must be text, not 5"),
        ('{"game": "memory", "layout": "ABBA", "max_nodes": "many"}', "max_nodes must be a whole number, not 'many'"),
        ('{"game": "memory", "layout": "ABBA", "max-nodes": 9}', "max-nodes is not a key of this request"),
    ],
)
def test_a_wrong_body_is_answered_with_what_is_expected(client: TestClient, body: str, message: str) -> None:
    answer = client.post("/api/check", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()) == (422, {"detail": message})


def test_check_solves_and_judges(client: TestClient) -> None:
    answer = client.post("/api/check", json={"game": "memory", "layout": "ABBA"}).json()
    assert (answer["verdict"], answer["value"], answer["judgement"], answer["engine"]) == (
        "scored",
        8,
        "valid",
        "memory/two-pass",
    )
    assert [step["word"] for step in answer["playback"]["steps"]] == answer["evidence"].split(" ")
    wrong = client.post("/api/check", json={"game": "memory", "layout": "ABB"})
    assert wrong.status_code == 400 and "is not a layout" in wrong.json()["detail"]
    assert client.post("/api/check", json={"game": "memory"}).status_code == 422
    claim = {"game": "memory", "layout": "ABBA", "verdict": "scored"}  # it would not be checked
    assert client.post("/api/check", json=claim).status_code == 422
    assert client.post("/api/check", json={"game": "memory", "layout": "ABBA", "max_nodes": "1_0"}).status_code == 422


@pytest.mark.parametrize("path", ["/runs/1/layouts", "/api/runs/1/results"])
def test_positions_end_before_the_largest_integer(client: TestClient, path: str) -> None:
    for parameter in ("after", "before"):
        assert client.get(f"{path}?{parameter}={2**63 - 2}").status_code == 200
        assert client.get(f"{path}?{parameter}={2**63 - 1}").status_code == 422
