"""The pages that compare runs and verdicts."""

import re
import threading
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.store.database import Database
from dealmill.web import compare
from tests.doing import a_run, dealer
from tests.web import shop
from tests.web.conftest import client_of
from tests.web.test_pages import check_page

COUNT = re.compile(r'<th scope="row"><a href="#(\w+)">\w+</a></th><td class="n">([\d,]+)</td>')


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages wait for the end of a comparison."""
    monkeypatch.setattr(compare, "PATIENCE", 60.0)


def counts(text: str) -> dict[str, int]:
    """Return the numbers of differences by kind on a page."""
    return {kind: int(number.replace(",", "")) for kind, number in COUNT.findall(text)}


def test_the_figures_are_those_of_the_diff(client: TestClient, furnished: str) -> None:
    with dealmill.open(furnished) as store:
        for one, other in ((shop.PAIRING, shop.LIMITED), (shop.LIMITED, shop.PAIRING), (shop.LIMITED, shop.RERUN)):
            path = f"/compare?run={one}&run={other}"
            text = client.get(path).text
            check_page(path, text)
            summary = store.find_run(one).diff(store.find_run(other)).summary
            assert counts(text) == summary.counts
            assert ("All 120 verdicts and their evidence are equal" in text) == (not summary.counts)
            links = re.findall(r'href="(/compare/[^"]+)"', text)
            assert len(links) == sum(min(count, compare.LISTED) for count in summary.counts.values())
            for link in links[:2]:
                check_page(link, client.get(link).text)


def test_each_board_has_its_own_step(client: TestClient) -> None:
    text = client.get(f"/compare/{shop.PAIRING}/1/{shop.RERUN}/1?step=2&other=3").text
    assert len(re.findall('class="picture"', text)) == 2
    nexts = re.findall(r'href="([^"]+)" aria-label="Next"', text)
    path = f"/compare/{shop.PAIRING}/1/{shop.RERUN}/1"
    assert nexts == [f"{path}?step=3&amp;other=3#side-0", f"{path}?step=2&amp;other=4#side-1"]


def test_a_long_comparison_shows_what_it_has_found(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ready = threading.Event(), threading.Event()
    parts = dealmill.Diff.parts

    def slowly(diff: dealmill.Diff) -> Iterator[dealmill.DiffPart]:
        [part, *_] = parts(diff)
        yield dealmill.DiffPart(50, part.differences[:2])
        begun.set()
        ready.wait()
        yield dealmill.DiffPart(120, part.differences[2:])

    monkeypatch.setattr(dealmill.Diff, "parts", slowly)
    monkeypatch.setattr(compare, "PATIENCE", 0.0)
    path = f"/compare?run={shop.PAIRING}&run={shop.RERUN}"
    client.get(path)
    assert begun.wait(60)
    text = client.get(path).text
    assert "2 layouts differ so far" in text and "Compared up to position 50 of 120" in text
    assert '<noscript><meta http-equiv="refresh"' in text and "data-live" in text
    ready.set()
    monkeypatch.setattr(compare, "PATIENCE", 60.0)
    text = client.get(path).text
    assert "so far" not in text and sum(counts(text).values()) > 2


def test_runs_that_cannot_be_compared_are_an_error(client: TestClient) -> None:
    answer = client.get(f"/compare?run={shop.PAIRING}&run={shop.CAMELOT}")
    assert answer.status_code == 400 and "compare runs of the same game" in answer.text
    assert "Only one run was chosen" in client.get("/compare?run=1").text
    assert "3 runs were chosen" in client.get("/compare?run=1&run=2&run=3").text


def test_a_comparison_is_made_again_when_a_run_has_changed(sqlite_store: Database) -> None:
    layouts = dealer("memory")(1, 1, 3)
    for text in layouts, layouts[:2]:
        a_run(sqlite_store, "memory/two-pass", text, name=f"{len(text)}.txt")
    with client_of(sqlite_store) as client:
        assert counts(client.get("/compare?run=1&run=2").text) == {"missing": 1}
        found = client.app.state.comparisons  # type: ignore[attr-defined]
        assert len(found._kept) == 1
        client.get("/compare?run=1&run=2")
        assert len(found._kept) == 1
