"""The chart of several runs, and plots as files."""

import csv
import re
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.printable import percentage
from dealmill.web import plots
from dealmill.web.plots import NAMED
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
    whiskers = [mark.attrib["d"] for mark in drawn.iter(f"{SVG}path") if mark.get("class") == "whisker"]
    ends = [tuple(map(float, re.findall(r"[MH]([\d.]+)", path))) for path in whiskers]
    for column, places in zip(("low", "high"), zip(*ends, strict=True), strict=True):
        in_order = [number for _, number in sorted(zip(places, (float(row[column]) for row in rows), strict=True))]
        assert in_order == sorted(in_order)
    assert "attachment" in answer.headers["content-disposition"] and "<style>" in answer.text


@pytest.mark.parametrize(
    ("by", "column"), [("engine", "engine"), ("limit", "max_nodes"), ("source", "source"), ("share", "share")]
)
def test_the_rows_are_sorted(by: str, column: str, client: TestClient) -> None:
    rows = list(csv.DictReader(client.get(f"/chart?by={by}&as=csv").text.splitlines()))
    keys = [row[column] if column in {"engine", "source"} else float(row[column] or "inf") for row in rows]
    assert keys == sorted(keys) and len(rows) > 3


def test_long_labels_keep_both_ends() -> None:
    estimate = dealmill.Interval(0.4, 0.6)
    drawn = plots.intervals([("7: card-pairing/mine " + "a" * 40 + ", 10 nodes", "x" * NAMED, 0.5, estimate)])
    for text in re.findall(r"<text[^>]*>([^<]+)</text>", drawn)[-2:]:
        assert "…" in text and len(text) <= NAMED // 7
    assert "7: card-pairing/mine" in drawn and "a, 10 nodes" in drawn


def test_runs_without_winnability_are_left_out(client: TestClient) -> None:
    text = client.get(f"/chart?run={shop.HI_Q}").text
    assert "None of these runs has found a layout winnable" in text and "1 other run has no winnability" in text


def test_the_narrowing_interval_of_a_survey_is_a_file(client: TestClient) -> None:
    assert client.get(f"/runs/{shop.HI_Q}/convergence.svg").status_code == 404
