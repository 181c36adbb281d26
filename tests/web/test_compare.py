"""The pages that compare runs and verdicts."""

import json
import os
import re
import signal
import threading
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.store.database.connections import Database
from dealmill.web import compare
from tests.doing import a_run, dealer
from tests.web import shop
from tests.web.conftest import client_of
from tests.web.test_pages import check_page

COUNT = re.compile(r'<th scope="row"><a href="#(\w+)">\w+</a></th>\s*<td class="n">([\d,]+)</td>')


def counts(text: str) -> dict[str, int]:
    """Return the numbers of differences by kind on a page."""
    return {kind: int(number.replace(",", "")) for kind, number in COUNT.findall(text)}


def test_the_figures_are_those_of_the_diff(client: TestClient, furnished: str) -> None:
    with dealmill.open(furnished) as store:
        for left, right in ((shop.PAIRING, shop.LIMITED), (shop.LIMITED, shop.PAIRING), (shop.LIMITED, shop.RERUN)):
            path = f"/compare?run={left}&run={right}"
            text = client.get(path).text
            check_page(path, text)
            summary = store.find_run(left).diff(store.find_run(right)).summary
            assert counts(text) == summary.counts
            assert ("All 120 verdicts and their evidence are equal" in text) == (not summary.counts)
            links = re.findall(r'href="(/compare/[^"]+)"', text)
            assert len(links) == sum(min(count, compare.LISTED) for count in summary.counts.values())
            for link in links[:2]:
                check_page(link, client.get(link).text)


def test_contradictions_come_first_with_both_boards_and_say_which_one_is_proved(tmp_path: Path) -> None:
    won, lost = "AK AK", "AK KA"
    with dealmill.open(f"sqlite:///{tmp_path}/a.db") as store:
        proofs = {layout: dealmill.solve("card-pairing", layout) for layout in (won, lost)}
        rows = [(won, "winnable", proofs[won].evidence), (lost, "unwinnable", proofs[lost].evidence)]
        false = [(won, "unwinnable", "g0"), (lost, "winnable", None)]
        for version, verdicts in (
            ("1", rows),
            ("2", false),
            ("3", [(won, "unwinnable", "g0"), (lost, "unwinnable", None)]),
        ):
            file = tmp_path / f"card-pairing-{version}.jsonl"
            lines = [dict(zip(("layout", "verdict", "evidence"), row, strict=True)) for row in verdicts]
            file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
            store.import_verdicts(file, engine="mine", version=version)
    with client_of(f"sqlite:///{tmp_path}/a.db") as client:
        text = client.get("/compare?run=1&run=2").text
        check_page("/compare", text)
        assert text.index("Contradictions</h2>") < text.index("Differences</h2>")
        assert "Layout 1: Run 1 is right: its evidence is valid. Run 2 has evidence that is not valid." in text
        assert "Layout 2: Run 1 is right: its evidence is valid. Run 2 has no evidence." in text
        assert text.count("Step through both") == 2
        boards = re.findall(r'<img src="([^"]+)"', text)
        assert len(boards) == 4
        for board in boards:
            assert client.get(board.replace("&amp;", "&")).headers["Content-Type"] == "image/svg+xml"
        assert "Neither is proved." in client.get("/compare?run=2&run=3").text


def test_runs_of_related_games_are_compared_by_deal(tmp_path: Path) -> None:
    with dealmill.open(f"sqlite:///{tmp_path}/a.db") as store:
        for game in ("freecell", "free-cell-0-cell"):
            store.run(dealmill.deals(game, count=3), max_nodes=1_000)
        summary = store.find_run(1).diff(store.find_run(2), by_deal=True).summary
    with client_of(f"sqlite:///{tmp_path}/a.db") as client:
        text = client.get("/compare?run=1&run=2").text
        assert counts(text) == summary.counts and "dealmill diff 1 2 --by-deal --summary" in text
        check_page("/compare/1/1/2/1", client.get("/compare/1/1/2/1").text)


def test_each_board_has_its_own_step(client: TestClient) -> None:
    text = client.get(f"/compare/{shop.PAIRING}/1/{shop.RERUN}/1?step=2&other=3").text
    assert len(re.findall('class="picture"', text)) == 2
    nexts = re.findall(r'href="([^"]+)" aria-label="Next"', text)
    path = f"/compare/{shop.PAIRING}/1/{shop.RERUN}/1"
    assert nexts == [f"{path}?step=3&amp;other=3#side-0", f"{path}?step=2&amp;other=4#side-1"]


def test_large_runs_are_compared_by_a_process(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"/compare?run={shop.RERUN}&run={shop.PAIRING}"
    expected = counts(client.get(path).text)
    comparisons = client.app.state.comparisons  # type: ignore[attr-defined]
    comparisons._kept.clear()
    monkeypatch.setattr(compare, "SMALL", 1)
    ready = threading.Event()
    comparisons._thread.submit(ready.wait)
    text = client.get(path).text
    assert "No difference so far" in text and "Compared up to position 0 of 120" in text
    assert '<noscript><meta http-equiv="refresh"' in text and "data-live" in text
    [(comparison, future)] = comparisons._kept.values()
    ready.set()
    future.result()
    text = client.get(path).text
    assert comparison.finished and "so far" not in text and counts(text) == expected


def test_a_process_that_is_ended_is_an_error(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons = client.app.state.comparisons  # type: ignore[attr-defined]
    comparisons._kept.clear()
    monkeypatch.setattr(compare, "SMALL", 1)
    monkeypatch.setattr(compare, "_compare", _end)
    path = f"/compare?run={shop.RERUN}&run={shop.PAIRING}"
    client.get(path)
    [(_, future)] = comparisons._kept.values()
    future.result()
    text = client.get(path).text
    assert "the comparison took too long; use: dealmill diff" in text and "data-live" not in text
    comparisons._kept.clear()


def _end(connection: object, *_: object) -> None:
    os.kill(os.getpid(), signal.SIGALRM)


def test_means_are_compared_where_there_are_values(client: TestClient) -> None:
    for run, scored in ((shop.MEMORY, True), (shop.PAIRING, False)):
        text = client.get(f"/compare?run={run}&run={run}").text
        assert (text.count('data-name="mean">99.333 flips</td>') == 2) == scored == ('class="n">mean</th>' in text)


def test_node_counts_are_offered_where_they_are_stored(client: TestClient) -> None:
    for run, stored in ((shop.PAIRING, True), (shop.SURVEY, False)):
        text = client.get(f"/compare?run={run}&run={run}").text
        assert ("with all node counts" in text) == stored and f"dealmill diff {run} {run} --summary" in text


def test_runs_that_cannot_be_compared_are_an_error(client: TestClient) -> None:
    answer = client.get(f"/compare?run={shop.PAIRING}&run={shop.CAMELOT}")
    assert answer.status_code == 400 and "compare runs of the same game" in answer.text
    assert "run must be a whole number in digits, not &#39;x&#39;" in client.get("/compare?run=x").text
    assert "Only one run was chosen" in client.get("/compare?run=1").text
    assert "3 runs were chosen" in client.get("/compare?run=1&run=2&run=3").text


def test_a_comparison_is_made_again_when_a_run_has_changed(sqlite_store: Database) -> None:
    layouts = dealer("memory")(1, 1, 3)
    for text in layouts, layouts[:2]:
        a_run(sqlite_store, "memory/two-pass", text, name=f"{len(text)}.txt")
    with client_of(sqlite_store) as client:
        assert counts(client.get("/compare?run=1&run=2").text) == {"missing": 1}
        comparisons = client.app.state.comparisons  # type: ignore[attr-defined]
        assert len(comparisons._kept) == 1
        client.get("/compare?run=1&run=2")
        assert len(comparisons._kept) == 1
