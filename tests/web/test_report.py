"""Reports: what they show of runs of every kind, that they are whole in one file, and that nothing from a store becomes
markup."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from statistics import mean, stdev

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

import dealmill
from dealmill.pipeline.printable import percentage
from dealmill.pipeline.store.database.connections import Database
from dealmill.web import report
from dealmill.web.check import Drawer
from tests.doing import a_run, alter
from tests.servers import dealmill as command
from tests.web import shop
from tests.web.browser import running_browser
from tests.web.test_pages import Page


@pytest.fixture(scope="module")
def drawer() -> Iterator[Drawer]:
    """The process that draws."""
    drawer = Drawer()
    yield drawer
    drawer.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser."""
    with running_browser() as browser:
        yield browser


def check_whole(text: str) -> Page:
    """Check that a report loads nothing, has no markup from the store, and a policy that allows its style only."""
    page = Page(text)
    assert page.tags.count("h1") == page.tags.count("main") == page.tags.count("style") == 1
    assert not {"script", "link", "img", "iframe", "form", "object"} & {*page.tags} and not page.links
    assert len(page.ids) == len({*page.ids})
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+|http-equiv", "", text)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert unescape(policy).startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    return page


@pytest.mark.parametrize("number", [number for number in range(1, 10) if number != shop.REJECTED])
def test_the_report_on_a_run_has_its_figures_and_three_proofs(number: int, furnished: str, drawer: Drawer) -> None:
    with dealmill.open(furnished) as store:
        run = store.find_run(number)
        text = report.document([run], drawer)
        check_whole(text)
        assert run.fingerprint and run.fingerprint in text
        for verdict, count in run.progress.counts.items():
            assert f">{verdict.word}</span></th>" in text and percentage(count / run.progress.solved) in text
        if run.winnability:
            assert f"{percentage(run.winnability.low)} to {percentage(run.winnability.high)}" in text
        decided = sum(run.progress.counts.get(verdict, 0) for verdict in report.DECIDED)
        assert text.count('class="proof"') == min(decided, report.DRAWN)
        assert ("No layout is decided" in text) == (not decided)
        if run.latest_audit:
            assert run.latest_audit.seal and run.latest_audit.seal in text


def test_hostile_text_stays_text(client: TestClient) -> None:
    for path in (f"/runs/{shop.REJECTED}/report.html", f"/runs/{shop.REJECTED}/layouts/1?as=html"):
        text = client.get(path).text
        check_whole(text)
        assert r"\x1b[2J\u202e" in text and "<script>document" not in text and "&lt;script&gt;document" in text


@pytest.mark.parametrize("number", [shop.PAIRING, shop.LIMITED, shop.SURVEY, shop.HI_Q])
def test_the_lists_are_the_first_results_of_an_ordered_query(number: int, furnished: str, drawer: Drawer) -> None:
    with dealmill.open(furnished) as store:
        run = store.find_run(number)
        for verdict in run.progress.counts.keys() & {*report.DECIDED}:
            for ranking in report._rankings(run, verdict):
                first = report._filled(run, ranking, retracted=False, seconds=60)
                ordered = run.results(verdict=verdict, order=ranking.column, descending=ranking.descending, limit=5)
                assert (first.results, first.reached) == ([*ordered], None)


def test_a_search_that_takes_too_long_says_how_far_it_came(
    furnished: str, drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(1_000_000))
    monkeypatch.setattr(report, "monotonic", lambda: next(times))
    monkeypatch.setattr(report, "HELD", 10)
    with dealmill.open(furnished) as store:
        text = report.document([store.find_run(shop.PAIRING)], drawer, seconds=4)
    assert re.search(r"Of the first \d+ layouts: the search took too long", text)


def test_the_command_repeats_the_run(furnished: str, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": f"sqlite:///{tmp_path}/a.db"}
    with dealmill.open(furnished) as store:
        words = [store.find_run(number).progress.command for number in (shop.SURVEY, shop.LIMITED)]
        fingerprint = store.find_run(shop.SURVEY).fingerprint
    assert words[1] == "dealmill run cards.txt --game card-pairing --engine card-pairing/winnable --max-nodes 12"
    assert words[0] is not None
    command(*words[0].split()[1:], cwd=tmp_path, env=env)
    with dealmill.open(env["DEALMILL_DATABASE_URL"]) as store:
        assert store.find_run().fingerprint == fingerprint


def test_runs_that_are_not_finished_retracted_damaged_imported_or_empty(
    sqlite_store: Database, drawer: Drawer, tmp_path: Path
) -> None:
    claims = tmp_path / "memory.jsonl"
    claims.write_text(json.dumps({"layout": "ABAB", "verdict": "scored", "value": 6}) + "\n")
    a_run(sqlite_store, "memory/two-pass", ["ABBA", "ABAB"])
    with dealmill.open(sqlite_store.url.render_as_string(hide_password=False)) as store:
        imported = report.document([store.import_verdicts(claims, engine="mine", version="1")], drawer)
        assert "were imported from" in imported and '<strong class="bad">Not proved:</strong> 1 verdict' in imported
        queued = store.queue(dealmill.deals("memory", count=10))
        with pytest.raises(dealmill.UnfinishedError, match="10 of 10 layouts pending"):
            report.document([queued], drawer)
        waiting = report.document([queued], drawer, unfinished=True)
        assert "The run is not finished: waiting for workers." in waiting and "There are no results yet." in waiting
        both = report.document([store.find_run(2), store.find_run(1), store.result("1:2")], drawer)
        assert "<title>Runs 2, 1; Layout 1:2 · Dealmill" in both
        check_whole(both)
        store.retract("memory/two-pass", "1", "it miscounts")
        with pytest.raises(dealmill.RetractedError):
            report.document([store.find_run(1)], drawer)
        assert "<strong>Retracted.</strong>" in report.document([store.find_run(1)], drawer, retracted=True)
        store.unretract("memory/two-pass", "1", "it does not")
        alter(sqlite_store, "UPDATE verdicts SET nodes = 'x' WHERE run_id = 1 AND position = 2")
        with pytest.raises(dealmill.DamagedError, match="1:2 cannot be read"):
            report.document([store.find_run(1)], drawer)


def test_means_have_intervals_and_files_their_digests(furnished: str, drawer: Drawer, tmp_path: Path) -> None:
    file = tmp_path / "memory.txt"
    file.write_text("ABBA\nABAB\nAABB\n")
    with dealmill.open(f"sqlite:///{tmp_path}/a.db") as store:
        run = store.run(file)
        values = [result.value or 0 for result in run.results()]
        interval = run.mean_interval
        reach = 1.959964 * stdev(values) / 3**0.5
        assert interval and (interval.low, interval.high) == pytest.approx((mean(values) - reach, mean(values) + reach))
        assert hashlib.sha256(file.read_bytes()).hexdigest() in report.document([run], drawer)
    with dealmill.open(furnished, read_only=True) as store:
        survey = store.find_run(shop.SURVEY)
        assert (survey.source_checksum, survey.mean_interval) == (None, None)


def test_the_command_writes_a_file_that_is_there_only_if_it_is_complete(furnished: str, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": furnished}

    def run(*words: str) -> str:
        return command("report", *words, cwd=tmp_path, env=env).stderr

    assert "report on 1, 3:2 written to a.html" in run("1", "3:2", "a.html")
    check_whole((tmp_path / "a.html").read_text())
    assert "a.html exists; overwrite it with --force" in run("1", "a.html")
    assert "report on 1-3 written to a.html" in run("1-3", "a.html", "--force")
    assert "name the runs, and then the file" in run("1")
    assert "1 must end in .html" in run("a.html", "1")
    assert "no run '99'" in run("99", "b.html")
    assert f"run {shop.RETRACTED} was retracted" in run(str(shop.RETRACTED), "b.html")
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_proof_is_stepped_through_by_keys_and_clicks_without_script(
    client: TestClient, browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "layout.html"
    file.write_text(client.get(f"/runs/{shop.HI_Q}/layouts/1?as=html").text)
    page = browser.new_context(java_script_enabled=False, offline=True).new_page()
    page.goto(file.as_uri())
    shown = page.locator(".slides figure:visible")
    expect(shown).to_have_count(1)
    assert "0 / " in shown.inner_text()
    shown.get_by_text("›", exact=True).click()
    assert "1 / " in shown.inner_text()
    page.keyboard.press("ArrowRight")
    assert "2 / " in shown.inner_text()
    shown.get_by_text("»", exact=True).click()
    last = re.search(r"(\d+) / (\d+)", shown.inner_text())
    assert last is not None and last[1] == last[2]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_report_fits_the_screen_and_axe_finds_nothing(
    width: int, client: TestClient, browser: Browser, tmp_path: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    file = tmp_path / "run.html"
    file.write_text(client.get(f"/runs/{shop.PAIRING}/report.html").text)
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        context = browser.new_context(bypass_csp=True, viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        page.goto(file.as_uri())
        assert Axe().run(page).response["violations"] == []
