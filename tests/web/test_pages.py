"""Pages as text: what they show, their links, and that nothing from the store becomes markup."""

import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.games.installed import all_offers
from dealmill.pipeline.printable import decimal, percentage
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.system.bounded import BoundedProcess
from dealmill.web import check, searches
from tests.doing import a_run, alter
from tests.servers import dealmill as command
from tests.web import shop
from tests.web.conftest import client_of

PATHS = [
    "/",
    "/?before=3",
    "/workers",
    "/chart?by=share",
    f"/compare?run={shop.PAIRING}&run={shop.LIMITED}",
    "/log",
    "/check",
    *(f"/runs/{run}" for run in range(1, 11)),
    *(f"/runs/{run}/layouts" for run in range(1, 11)),
    f"/runs/{shop.REJECTED}/rejects",
    f"/runs/{shop.REJECTED}/rejects?skip=100",
    f"/runs/{shop.RETRACTED}/layouts?retracted=1",
    f"/runs/{shop.PAIRING}/layouts?verdict=unwinnable&nodes=10..&audit=valid",
    f"/runs/{shop.PAIRING}/layouts?layout-length=40..&evidence-length=..20",
    *(f"/runs/{run}/layouts/1" for run in range(1, 10)),
]
STEP = re.compile(r"[?&](step|leaf)=(?!1$)")
"""A link to a step other than the first; there are too many of them to follow."""


class Page(HTMLParser):
    """The links, elements and headings of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.images: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element."""
        attributes = dict(attrs)
        self.tags.append(tag)
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (tag, attrs)
        if tag == "a" and (link := attributes.get("href")) and not link.startswith("#"):
            self.links.append(link)
        if tag == "img":
            self.images.append(attributes.get("src") or attributes.get("data-src") or "")
        if identity := attributes.get("id"):
            self.ids.append(identity)


def check_page(path: str, text: str) -> Page:
    """Check that a page is complete, has no markup from the store, and loads nothing from elsewhere."""
    page = Page(text)
    assert page.tags.count("h1") == page.tags.count("main") == page.tags.count("script") == 1, path
    assert len(page.ids) == len(set(page.ids)), path
    assert all(image.startswith("/runs/") for image in page.images), path
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", text), path
    assert text.replace("\n", "").isprintable(), path
    return page


@pytest.mark.slow
def test_every_page_and_what_it_links_to_is_complete_and_escaped(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "TIME_LIMIT", 120)
    seen, waiting = set[str](), [*PATHS]
    while waiting and len(seen) < 150:
        path = waiting.pop(0)
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        seen.add(path)
        if "html" in answer.headers["content-type"] and "content-disposition" not in answer.headers:
            for link in check_page(path, answer.text).links:
                address = link if link.startswith("/") else answer.url.path + link
                if address not in seen and address not in waiting and not STEP.search(address):
                    waiting.append(address)
    assert {f"/runs/{run}" for run in range(1, 11)} <= set(Page(client.get("/").text).links)


def test_hostile_text_is_shown_as_text(client: TestClient) -> None:
    for path in ("/", f"/runs/{shop.REJECTED}", f"/runs/{shop.REJECTED}/rejects", f"/runs/{shop.REJECTED}/layouts/1"):
        text = client.get(path).text
        assert "&lt;script&gt;document.title" in text and "<script>document" not in text
        assert r"\x1b[2J\u202e" in text


SHOWN = [
    ("/", ["120 valid", "not audited", '<span class="bad">retracted</span>']),
    (f"/runs/{shop.RETRACTED}", ["<strong>retract</strong>"]),
    ("/", [f'href="/compare?run={shop.LIMITED}&amp;run={shop.RERUN}">rerun of {shop.LIMITED}</a>']),
    (
        f"/runs/{shop.LIMITED}",
        [
            *(f'href="/runs/{shop.RERUN}"', "a rerun of this one", "all verdicts and evidence are equal"),
            f'<a href="/compare?run={shop.LIMITED}&amp;run={shop.PAIRING}">different</a>',
        ],
    ),
    (
        f"/runs/{shop.PAIRING}/layouts?layout-length=40..&nodes=7..7",
        [
            *('name="layout-length" value="40.."', 'name="nodes" value="7"', "--nodes 7 --layout-length 40.."),
            "nodes &gt;= 7 AND nodes &lt;= 7 AND length(layout) &gt;= 40",
        ],
    ),
    (f"/runs/{shop.SURVEY}", ["With 95 % confidence, ", " % are. Exactly, it is 51.38 %."]),
    (f"/runs/{shop.MEMORY}", ["version 1 (look at all cards two by two, then collect the pairs)</span> on"]),
    (f"/runs/{shop.MEMORY}/layouts/1", [" flips</strong>"]),
    ("/check?game=card-pairing&layout=deal:card-pairing:seed=1:4&nodes=1", ["the search reached the limit of 1 node;"]),
    (f"/runs/{shop.HI_Q}/layouts/1", ['data-step="0" aria-current="step"']),
    (f"/runs/{shop.HI_Q}/layouts/1?step=2", ['data-step="2" aria-current="step"']),
]
"""What must stand on some pages."""


@pytest.mark.parametrize(("path", "texts"), SHOWN)
def test_pages_show_states_filters_and_steps(path: str, texts: list[str], client: TestClient) -> None:
    page = client.get(path).text
    assert [text for text in texts if text not in page] == []


def test_totals_reconcile(client: TestClient, furnished: str) -> None:
    with dealmill.open(furnished) as store:
        status = store.find_run(shop.LIMITED).status()
    text = client.get(f"/runs/{shop.LIMITED}").text
    rows = [int(number) for number in re.findall(r'</span></a></th>\s*<td class="n">(\d+)</td>', text)]
    assert rows == [status.counts[verdict] for verdict in dealmill.Verdict if verdict in status.counts]
    assert sum(rows) == shop.LAYOUTS and f'<td class="n">{shop.LAYOUTS}</td>' in text


def test_lists_pages_and_the_terminal_write_figures_alike(client: TestClient, furnished: str, tmp_path: Path) -> None:
    with dealmill.open(furnished) as store:
        scored, decided = (store.find_run(run).progress for run in (shop.MEMORY, shop.PAIRING))
    assert scored.mean is not None
    mean, won = decimal(scored.mean), percentage(decided.counts[dealmill.Verdict.WINNABLE] / decided.solved)
    runs = client.get("/").text
    assert f"mean {mean} flips<" in runs and f"{won} winnable" in runs
    assert f"mean value is {mean} flips" in client.get(f"/runs/{shop.MEMORY}").text
    assert client.get(f"/runs/{shop.PAIRING}").text.count(won) >= 2
    status = command("status", "--wide", cwd=tmp_path, env={"DEALMILL_DATABASE_URL": furnished}).stdout
    assert f" {mean} " in status


@pytest.mark.slow
@pytest.mark.parametrize("run", [shop.PAIRING, shop.SURVEY])
def test_pages_forwards_and_backwards_are_complete(client: TestClient, run: int) -> None:
    pages = walk(client, f"/runs/{run}/layouts?verdict=winnable&nodes=..20", "next", 4)
    assert len(pages) > 1 and len(pages[0]) == 50
    first = f"/runs/{run}/layouts?verdict=winnable&nodes=..20&before={pages[-1][0]}"
    assert walk(client, first, "prev", 4) == pages[-2::-1]
    expected = client.get(f"/api/runs/{run}/results?verdict=winnable&nodes=..20&limit=200").json()["results"]
    assert [f"{run}:{position}" for page in pages for position in page] == [row["item"] for row in expected]


def walk(client: TestClient, path: str, relation: str, limit: int) -> list[list[int]]:
    """Return the positions on each of at most `limit` pages of layouts, following the links of a relation."""
    pages: list[list[int]] = []
    while path and len(pages) < limit:
        text = client.get(path).text
        pages.append([int(match) for match in re.findall(r'href="/runs/\d+/layouts/(\d+)\?', text)])
        match = re.search(rf'href="([^"]+)" rel="{relation}"', text)
        path = match[1].replace("&amp;", "&") if match else ""
    return pages


@pytest.mark.slow
@pytest.mark.parametrize("order", ["nodes", "layout-length", "evidence-length"])
@pytest.mark.parametrize("run", [shop.PAIRING, shop.SURVEY])
@pytest.mark.parametrize("limit", [0, 10_000])
def test_layouts_are_sorted_like_a_query(
    run: int, order: str, limit: int, client: TestClient, furnished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "SMALL", limit)
    with dealmill.open(furnished) as store:
        for descending in (False, True):
            rows = list(store.query(run=run, order=order, descending=descending, limit=50, verdict="winnable"))
            path = f"/runs/{run}/layouts?verdict=winnable&order={order}" + "&desc=1" * descending
            positions = re.findall(r'href="/runs/\d+/layouts/(\d+)\?', client.get(path).text)
            assert list(map(int, positions)) == [row.position for row in rows]


@pytest.mark.slow
def test_a_search_that_takes_longer_than_a_page_goes_on(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "PATIENCE", 0.0)
    path = f"/runs/{shop.SURVEY}/layouts?order=nodes&nodes=..99999"
    text = client.get(path).text
    assert "Sorting 2,000 layouts…" in text and "data-live" in text
    monkeypatch.setattr(searches, "PATIENCE", 60.0)
    text = client.get(path).text
    assert "Sorting" not in text and "data-live" not in text and "Counts by verdict" in text


@pytest.mark.slow
@pytest.mark.parametrize("run", [shop.PAIRING, shop.LIMITED, shop.MEMORY, shop.SURVEY])
def test_each_count_leads_to_as_many_layouts(run: int, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "PATIENCE", 60.0)
    for query in ("", "?verdict=winnable", "?nodes=10..99&layout-length=..9999", "?evidence-length=10.."):
        text = client.get(f"/runs/{run}/layouts{query}").text
        results, _, facets = text.partition('id="facets"')
        facets = facets.partition("</div>\n<")[0]
        links = re.findall(r'<a href="(\?[^"]*)"[^>]*>([\d,]+)', facets)
        assert len(links) > 3
        for link, count in links:
            matches, after = 0, 0
            while after is not None:
                conditions = link.replace("&amp;", "&")
                part = client.get(f"/api/runs/{run}/results{conditions}&limit=1000&after={after}").json()
                matches, after = matches + len(part["results"]), part["after"]
            assert matches == int(count.replace(",", "")), link
        assert [f", of {count}" in results for count in re.findall(r'aria-current="true">([\d,]+)<', facets)] in (
            [True],
            [],
        )


def test_lists_of_layouts_have_pictures_and_numbers_of_matches(client: TestClient, furnished: str) -> None:
    text = client.get(f"/runs/{shop.PAIRING}/layouts?verdict=unwinnable").text
    images = Page(text).images
    with dealmill.open(furnished) as store:
        lost = store.query(run=shop.PAIRING, verdict="unwinnable")
        assert f"of {lost.count()} that match" in text
        picture = client.get(images[0])
        assert picture.text == lost[0].svg(0) and picture.headers["content-type"] == "image/svg+xml"
    assert client.get(f"/runs/{shop.REJECTED}/layouts/1/board.svg").status_code == 200
    assert client.get(f"/runs/{shop.PAIRING}/layouts/999/board.svg").status_code == 404


def test_a_verdict_leads_to_its_neighbours_under_the_filter(client: TestClient) -> None:
    [positions] = walk(client, f"/runs/{shop.PAIRING}/layouts?verdict=unwinnable", "next", 1)
    text = client.get(f"/runs/{shop.PAIRING}/layouts/{positions[1]}?verdict=unwinnable").text
    assert re.findall(r'href="([^"]+)" rel="(?:prev|next)"', text) == [
        f"/runs/{shop.PAIRING}/layouts/{position}?verdict=unwinnable" for position in (positions[0], positions[2])
    ]


def test_retracted_results_are_shown_only_on_request(client: TestClient) -> None:
    path = f"/runs/{shop.RETRACTED}/layouts"
    assert "ABBA" not in client.get(path).text
    assert "ABBA" in client.get(f"{path}?retracted=1").text
    assert client.get(f"{path}/1").status_code == 410
    answer = client.get(f"{path}/1?retracted=1")
    assert answer.status_code == 200 and "<strong>Retracted.</strong>" in answer.text


def call_here(_process: object, _seconds: int, function: Callable[..., object], *arguments: object) -> object:
    """Call a function in this process, whose games a test has broken."""
    return function(*arguments)


@pytest.mark.parametrize(
    ("run", "why", "judged"),
    [
        (
            shop.PAIRING,
            "There is no picture: run 1 is by card-pairing/winnable, which is not installed here: there is no game ",
            "valid in audit 1",
        ),
        (shop.HI_Q, "There is no picture: hi-q cannot draw layout ", "</span> valid"),
    ],
)
def test_a_result_whose_game_is_gone_or_broken_is_shown_as_text(
    run: int, why: str, judged: str, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tuple(offer for offer in all_offers() if offer.name != "card-pairing")
    monkeypatch.setattr("dealmill.pipeline.games.installed.all_offers", lambda: others)
    monkeypatch.setattr(BoundedProcess, "call", call_here)
    monkeypatch.setattr("dealmill.pipeline.games.hi_q.picture.scenes", lambda *_: 1 / 0)
    [result] = client.get(f"/api/runs/{run}/results?limit=1").json()["results"]
    got = client.get(f"/runs/{run}/layouts/1")
    assert got.status_code == 200
    shown = unescape(got.text)
    for text in (why, judged, result["layout"], result["verdict"], result["evidence"]):
        assert text in shown


def test_a_pasted_layout_that_cannot_be_drawn_is_shown_as_text_with_the_reason(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedProcess, "call", call_here)
    monkeypatch.setattr("dealmill.pipeline.games.hi_q.picture.scenes", lambda *_: 1 / 0)
    got = client.get("/check", params={"game": "hi-q", "layout": "deal:hi-q:seed=1:17"})
    assert got.status_code == 200
    assert "hi-q cannot draw layout " in got.text and "ZeroDivisionError: division by zero" in got.text


def test_a_proof_opens_at_its_first_picture_and_says_what_it_shows(client: TestClient) -> None:
    for run, sentence in ((shop.PAIRING, "waiting for one another in a circle"), (shop.CAMELOT, "has no slot. Rings")):
        rows = client.get(f"/api/runs/{run}/results?verdict=unwinnable&limit=1").json()["results"]
        text = client.get(f"/runs/{run}/layouts/{rows[0]['item'].partition(':')[2]}").text
        assert 'data-step="1" aria-current="step"' in text
        assert "<strong>Unwinnable.</strong>" in text and sentence in text
    assert "<strong>Unwinnable" not in client.get(f"/runs/{shop.HI_Q}/layouts/1").text


UNPROVED = [("AK KA", "unwinnable"), ("KK AA", "winnable"), ("KA KA", "undecided")]


@pytest.mark.slow
def test_what_an_audit_found_is_on_the_page_of_its_run(tmp_path: Path) -> None:
    path, url = tmp_path / "memory.jsonl", f"sqlite:///{tmp_path / 'a.db'}"
    path.write_text('{"layout": "ABAB", "verdict": "scored", "value": 6, "evidence": "1 2 3 4 1 3 2 4"}\n')
    bare = [f'{{"layout": "{layout}", "verdict": "{verdict}"}}\n' for layout, verdict in UNPROVED]
    (tmp_path / "card-pairing.jsonl").write_text("".join(bare))
    with dealmill.open(url) as store:
        assert not store.import_verdicts(path, engine="mine", version="1").audit().valid
        unproved = store.import_verdicts(tmp_path / "card-pairing.jsonl", engine="mine", version="1").audit().unproved
    with client_of(url) as client:
        assert "/runs/1/layouts/1" in check_page("/runs/1", client.get("/runs/1").text).links
        page = client.get("/runs/2").text
        assert client.get("/").text.count("nothing proved") == 1
    assert unproved == 2 and '<strong class="bad">Not proved:</strong> 2 verdicts, without evidence.' in page


def test_an_imported_verdict_shows_only_commands_that_work(tmp_path: Path) -> None:
    path, url = tmp_path / "memory.jsonl", f"sqlite:///{tmp_path / 'a.db'}"
    path.write_text('{"layout": "ABAB", "verdict": "scored", "value": 8, "evidence": "1 2 3 4 1 3 2 4"}\n')
    with dealmill.open(url) as store:
        store.import_verdicts(path, engine="mine", version="1")
    with client_of(url) as client:
        text = client.get("/runs/1/layouts/1").text
    assert "dealmill show 1:1" in text and "--engine memory/mine" not in text


def test_a_step_is_also_a_file(client: TestClient, furnished: str) -> None:
    path = f"/runs/{shop.HI_Q}/layouts/1?step=2&as="
    with dealmill.open(furnished) as store:
        result = store.result(f"{shop.HI_Q}:1")
    svg, text = client.get(f"{path}svg"), client.get(f"{path}text")
    assert svg.text == result.svg(2) and svg.headers["content-type"] == "image/svg+xml"
    assert svg.headers["content-disposition"] == 'attachment; filename="hi-q-greedy-1-step-2.svg"'
    assert text.text == f"{result.layout}\n\n{list(result.frames())[2]}\n"
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    given = {"game": "memory", "layout": "ABBA", "step": "1", "as": "svg"}
    assert client.get("/check", params=given).headers["content-type"] == "image/svg+xml"


def test_a_step_after_the_last_one_is_the_last_one(client: TestClient) -> None:
    text = client.get(f"/runs/{shop.HI_Q}/layouts/1?step=999999").text
    last = re.search(r'data-last="(\d+)"', text)
    assert last and f'data-step="{last[1]}" aria-current="step"' in text


def test_a_loss_is_a_tree_of_cases(client: TestClient, furnished: str) -> None:
    with dealmill.open(furnished) as store:
        lost = max(store.query(run=shop.PAIRING, verdict="unwinnable"), key=lambda result: len(result.evidence or ""))
    text = client.get(f"/runs/{shop.PAIRING}/layouts/{lost.position}?leaf=2").text
    assert "<details open><summary>" in text and 'data-step="2" aria-current="step"' in text
    assert 'data-parameter="leaf"' in text


def test_a_page_that_has_not_changed_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/runs/1")
    unchanged = client.get("/runs/1", headers={"If-None-Match": first.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged.headers["etag"] == first.headers["etag"]
    assert client.get("/runs/2", headers={"If-None-Match": first.headers["etag"]}).status_code == 200


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("/runs/99", 404, "has no run"),
        ("/runs/1/layouts/121", 404, "no verdict on item 121"),
        ("/runs/0", 422, "run must be at least 1, not '0'"),
        ("/runs/-1", 422, "run must be a whole number in digits, not '-1'"),
        ("/runs/99999999999", 422, "run must be at most 999,999,999, not '99999999999'"),
        ("/runs/1/layouts?order=size", 422, "order must be 'position', 'nodes', "),
        ("/runs/1/layouts?desc=maybe", 422, "desc must be 1 or 0, not 'maybe'"),
        ("/play", 422, "game is missing; layout is missing"),
        ("/chart?" + "&".join(["run=1"] * 51), 422, "run must occur at most 50 times"),
        ("/runs/1/layouts?verdit=unwinnable", 400, "there is no parameter verdit (did you mean verdict?); /runs/1/lay"),
        ("/?page=2", 400, "there is no parameter page; / takes before, sort, state, text"),
        ("/workers?%00=1", 400, r"there is no parameter \x00; /workers takes none"),
        ("/runs/1/layouts?value=x", 400, "is not a range"),
        ("/runs/1/layouts?value=9..1", 400, "the lower end of the range exceeds"),
        ("/runs/1/layouts?verdict=won", 400, "there is no verdict"),
        ("/runs/1/layouts?audit=fine", 400, "there is no outcome"),
        (f"/runs/{shop.SURVEY}/layouts?audit=valid", 400, "is compact"),
        ("/nothing", 404, "there is no page /nothing"),
    ],
)
def test_errors_are_pages_that_say_what_is_wrong(client: TestClient, path: str, code: int, message: str) -> None:
    answer = client.get(path)
    assert answer.status_code == code and message in unescape(answer.text) and 'href="/"' in answer.text


def test_play_without_a_layout_leads_to_the_games(client: TestClient) -> None:
    for path in ("/play", "/play?game=klondike", "/play?game=klondike&layout=X"):
        assert '<p><a href="/check">Choose a game and a layout</a>' in client.get(path).text
    assert 'value="klondike"' in client.get("/check").text


def test_an_empty_store_and_a_missing_one(database: Database, tmp_path: Path) -> None:
    with client_of(database) as client:
        assert "There are no runs yet" in client.get("/").text
        a_run(database, "memory/two-pass", ["ABBA"])
        assert client.get("/runs/1/layouts/1").status_code == 200
    with client_of(f"sqlite:///{tmp_path}/none.db") as client:
        answer = client.get("/")
        assert answer.status_code == 503 and "the log of dealmill web says why" in answer.text


def test_a_page_ends_before_a_damaged_row_and_another_one_begins_after_it(sqlite_store: Database) -> None:
    a_run(sqlite_store, "memory/two-pass", ["ABBA", "ABAB", "AABB"])
    with sqlite_store.writing() as connection:
        connection.exec_driver_sql("UPDATE verdicts SET nodes = 'many' WHERE position = 2")
    with client_of(sqlite_store) as client:
        api = "/api/runs/1/results?limit=9"
        before = client.get(api).json()
        assert [row["item"] for row in before["results"]] == ["1:1"] and before["after"] == 1
        for path, reached in (("/runs/1/layouts?after=1&nodes=", "after=2"), ("/runs/1/layouts?before=3", "before=2")):
            damaged = client.get(path)
            assert damaged.status_code == 500 and "1:2 cannot be read: verdicts.nodes is " in damaged.text
            [further] = re.findall(r'href="(/runs/1/layouts[^"]*)"', damaged.text)
            assert reached in further and client.get(unescape(further)).status_code == 200
        assert 'href="/runs/1/layouts?after=2"' in client.get("/runs/1/layouts/2").text
        damaged = client.get(f"{api}&after=1")
        assert damaged.status_code == 500 and "1:2 cannot be read" in damaged.json()["detail"]
        after = client.get(damaged.json()["further"]).json()
        assert [row["item"] for row in after["results"]] == ["1:3"] and after["after"] is None
        assert client.get("/api/runs/1/results.jsonl").text.count("\n") < 3, "neither all rows nor the mark at the end"


@pytest.mark.parametrize("total", ["scored = 'x'", "scored = 3", "nodes = 1.5", "value_sum = 1e300", "unproved = -1"])
def test_the_json_api_names_a_run_that_it_leaves_out(total: str, sqlite_store: Database) -> None:
    for engine in ("memory/two-pass", "memory/incremental"):
        a_run(sqlite_store, engine, ["ABBA", "ABAB"])
    with client_of(sqlite_store) as client:
        complete = client.get("/api/runs")
        assert len(complete.json()) == 2 and "Dealmill-Warning" not in complete.headers
        alter(sqlite_store, f"UPDATE jobs SET {total} WHERE run_id = 1")
        listed = client.get("/api/runs")
        assert [run["run"] for run in listed.json()] == [2]
        assert listed.headers["Dealmill-Warning"].startswith("the verdicts of run 1 cannot be counted: ")
        assert client.get("/api/runs/1").status_code == 500
        assert len(client.get("/api/runs/1/results").json()["results"]) == 2


NUMBERS = [
    *("/runs/{}", "/runs/{}/rejects", "/runs/{}/layouts", "/runs/{}/layouts.csv", "/runs/{}/layouts/1"),
    *("/runs/{}/report.html", "/runs/1/layouts/{}?as=html"),
    *("/runs/1/layouts/{}", "/runs/1/layouts/1?step={}", "/runs/1/layouts/1?leaf={}", "/runs/1/layouts?after={}"),
    *("/compare?run={}", "/chart?run={}", "/compare/{}/1/1/1", "/compare/1/{}/1/1", "/runs/1/layouts/{}/board.svg"),
    *("/compare/1/1/1/1?step={}", "/compare/1/1/1/1?other={}"),
    *("/runs/1/layouts?before={}", "/runs/1/rejects?skip={}", "/?before={}", "/log?skip={}", "/check?nodes={}"),
    *("/api/runs?after={}", "/api/runs?limit={}", "/api/runs/{}", "/api/runs/{}/rejects", "/api/runs/{}/results"),
    *("/api/runs/{}/results.csv", "/api/runs/1/rejects?skip={}", "/api/runs/1/rejects?limit={}"),
    *("/api/runs/1/results?limit={}", "/api/runs/1/results/{}"),
]
"""Addresses with a number."""


@pytest.mark.slow
def test_numbers_are_ascii_digits(client: TestClient) -> None:
    for path in NUMBERS:
        assert client.get(path.format("1")).status_code == 200, path
        for text in ("1_0", "%201", "1%0A", "%2B1", "1.0", "\N{ARABIC-INDIC DIGIT ONE}"):
            assert client.get(path.format(text)).status_code == 422, (path, text)


@pytest.mark.parametrize("path", ["/log", "/runs/7/rejects", "/api/runs/7/rejects"])
def test_too_large_numbers_are_refused(client: TestClient, path: str) -> None:
    assert client.get(f"{path}?skip=999999999").status_code == 200
    assert client.get(f"{path}?skip={2**63 - 1}").status_code == 422
