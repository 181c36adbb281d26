"""The chart of several runs, and plots as files."""

import csv
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.printable import percentage
from tests.web import shop
from tests.web.test_pages import check_page

SVG = "{http://www.w3.org/2000/svg}"


def test_the_table_and_the_picture_have_the_intervals_of_the_runs(client: TestClient, furnished: str) -> None:
    path = "/chart?" + "&".join(f"run={number}" for number in range(1, 11))
    check_page(path, text := client.get(path).text)
    rows = list(csv.DictReader(client.get(f"{path}&as=csv").text.splitlines()))
    with dealmill.open(furnished) as store:
        runs = [run for run in store.status() if run.winnability and run.progress.retracted is None]
    assert [int(row["run"]) for row in rows] == [run.progress.id for run in runs]
    for run, row in zip(runs, rows, strict=True):
        assert run.winnability is not None
        assert (float(row["low"]), float(row["high"])) == (run.winnability.low, run.winnability.high)
        assert int(row["winnable"]) == run.progress.counts[dealmill.Verdict.WINNABLE]
        assert f"{percentage(run.winnability.low)} to {percentage(run.winnability.high)}<" in text
    answer = client.get(f"{path}&as=svg")
    drawn = ElementTree.fromstring(answer.text)
    points = [point for point in drawn.iter(f"{SVG}g") if point.get("class") == "point"]
    for run, row, point in zip(runs, rows, points, strict=True):
        assert run.winnability is not None
        ends = " to ".join(percentage(float(row[name])) for name in ("low", "high"))
        share = f" ({percentage(float(row['share']))})" if row["share"] else ""
        assert bool(share) != bool(run.progress.counts.get(dealmill.Verdict.UNDECIDED))
        assert point.get("aria-label") == f"95 % interval {ends}{share}"
        assert f'href="/runs/{run.id}" aria-label="{point.get("aria-label")}"' in text
    assert "attachment" in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    ("by", "column"), [("engine", "engine"), ("limit", "max_nodes"), ("source", "source"), ("share", "low")]
)
def test_the_rows_are_sorted(by: str, column: str, client: TestClient) -> None:
    rows = list(csv.DictReader(client.get(f"/chart?by={by}&as=csv").text.splitlines()))
    keys = [row[column] if column in {"engine", "source"} else float(row[column] or "inf") for row in rows]
    assert keys == sorted(keys) and len(rows) > 3


def test_runs_without_winnability_are_left_out(client: TestClient) -> None:
    text = client.get(f"/chart?run={shop.HI_Q}").text
    assert "None of these runs has found a layout winnable" in text and "1 other run has no winnability" in text


def test_pictures_that_do_not_exist_are_not_found(client: TestClient) -> None:
    assert client.get(f"/chart?run={shop.HI_Q}&as=svg").status_code == 404
    assert client.get(f"/runs/{shop.HI_Q}/convergence.svg").status_code == 404
