"""The pages in a real browser: keyboard, no script, live runs, hostile text, accessibility and narrow screens."""

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from fastapi.routing import APIRoute
from PIL import Image
from playwright.sync_api import Browser, Page, expect

import dealmill
from dealmill.pipeline.games import find_game
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.run_planning import queue_run
from dealmill.pipeline.store.storages import rows_pages
from dealmill.web import runs
from dealmill.web.app import application
from tests.doing import a_run, a_source, deal, do_runs
from tests.web import shop
from tests.web.browser import running_browser, serving

TALL = "/check?game=card-pairing&layout=" + "+".join(["A23456789TJQKBCD"] * 4)
PLAYED = "/play?" + urlencode(
    {
        "game": "klondike",
        "layout": "klondike JH/8cAD/KhKdJS/AcAsAhTS/5s6h8h2cQD/5d2h8d7dQh3H/6cJcKs4sTcKc9H "
        "stock:3SQS6D9D7S9SQC4CTHJD7C9C5C8S5H6S2S4DTD3D7H2D4H3C",
        "moves": "ADf",
        "piece": "JS",
    }
)
PATHS = [
    "/",
    "/log",
    "/check",
    "/check?game=memory&layout=ABBA",
    "/nothing",
    "/workers",
    "/?text=winnable&sort=winnable",
    "/compare",
    "/chart",
    f"/compare?run={shop.PAIRING}&run={shop.LIMITED}",
    f"/compare/{shop.PAIRING}/5/{shop.LIMITED}/5",
    f"/runs/{shop.PAIRING}",
    f"/runs/{shop.MEMORY}",
    f"/runs/{shop.REJECTED}",
    f"/runs/{shop.REJECTED}/rejects",
    f"/runs/{shop.RETRACTED}",
    f"/runs/{shop.LIMITED}/layouts?verdict=undecided",
    f"/runs/{shop.MEMORY}/layouts",
    f"/runs/{shop.PAIRING}/layouts?verdict=unwinnable&nodes=10..99&order=nodes&desc=1",
    f"/runs/{shop.SURVEY}",
    f"/compare?run={shop.MEMORY}&run={shop.MEMORY}",
    *(f"/runs/{run}/layouts/1?step=1" for run in (shop.PAIRING, shop.CAMELOT, shop.HI_Q, shop.MEMORY, shop.TANTRIX)),
    f"/runs/{shop.PAIRING}/layouts/5?leaf=1",
    TALL,
    PLAYED,
]
EXTREMES = [
    "/",
    "/log",
    "/chart",
    "/compare",
    f"/compare?run={shop.HUGE}&run={shop.OPPOSITE}",
    f"/compare/{shop.HUGE}/1/{shop.OPPOSITE}/1",
    f"/compare?run={shop.EMPTY}&run={shop.ARABIC}",
    f"/runs/{shop.FAILED}/layouts",
    f"/runs/{shop.FAILED}/layouts/1",
    f"/runs/{shop.HUGE}/layouts?order=nodes&desc=1",
    f"/runs/{shop.HUGE}/layouts/1",
    f"/runs/{shop.EMPTY}/layouts",
    *(f"/runs/{run}" for run in range(shop.LONG_NAME, shop.OPPOSITE + 1)),
]
"""Pages of the store of extremes."""
BAD = '<html lang="en"><title>x</title><main><h1>x</h1><p style="color:#ccc;background:#fff">pale<img src="x"></main>'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of this module."""
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def site(furnished: str) -> Iterator[str]:
    """The address of the pages over the furnished store."""
    with serving(furnished) as address:
        yield address


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    """A page on which any message of the console or error is a failure."""
    context = browser.new_context(base_url=site)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert [problem for problem in problems if "404" not in problem] == []


def step_of(page: Page) -> int:
    """Return the step that the address names."""
    match = re.search(r"[?&](?:step|leaf)=(\d+)", page.url)
    return int(match[1]) if match else 0


def test_keys_step_through_a_trace_and_the_address_follows(page: Page) -> None:
    page.goto(f"/runs/{shop.MEMORY}/layouts/1")
    count, caption = page.locator("output"), page.locator("figcaption")
    total = int(count.inner_text().split("/")[1])
    first = caption.inner_text()
    for key, expected in [
        ("ArrowRight", 1),
        ("ArrowDown", 11),
        ("ArrowLeft", 10),
        ("ArrowUp", 0),
        ("ArrowLeft", 0),
        ("End", total),
        ("ArrowRight", total),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        expect(count).to_have_text(f"{expected} / {total}")
        expect(page.locator("[aria-current=step]")).to_have_attribute("data-step", str(expected))
    assert caption.inner_text() == first
    page.keyboard.press("ArrowRight")
    expect(caption).not_to_have_text(first)
    page.wait_for_url("**?step=1")
    shown = caption.inner_text(), page.locator(".picture").inner_html()
    page.reload()
    assert (caption.inner_text(), page.locator(".picture").inner_html()) == shown


@pytest.mark.parametrize("run", [shop.PAIRING, shop.CAMELOT, shop.HI_Q, shop.TANTRIX])
def test_every_game_can_be_stepped_through(page: Page, run: int) -> None:
    page.goto(f"/runs/{run}/layouts/1?step=0")
    total = int(page.locator("output").inner_text().split("/")[1])
    pictures = set()
    for step in range(total + 1):
        expect(page.locator("output")).to_have_text(f"{step} / {total}")
        pictures.add(page.locator(".picture").inner_html())
        page.keyboard.press("ArrowRight")
    assert len(pictures) == total + 1


def test_a_large_picture_scrolls_in_its_box_and_keeps_its_place(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 760})
    page.goto(TALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator(".picture.large")
    box.evaluate("box => box.scrollTop = 200")
    page.get_by_title("Next").click()
    expect(page.locator("output")).to_have_text("1 / 32")
    assert box.evaluate("box => box.scrollTop") == 200
    box.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("output")).to_have_text("1 / 32")
    page.get_by_label("Whole picture").check()
    assert box.evaluate("box => box.scrollHeight <= box.clientHeight")
    page.get_by_title("Next").click()
    expect(page.locator("output")).to_have_text("2 / 32")


def test_a_loss_opens_its_tree_where_the_case_is(page: Page) -> None:
    page.goto(f"/runs/{shop.PAIRING}/layouts/5")
    page.keyboard.press("End")
    page.wait_for_url("**leaf=*")
    expect(page.locator(".tree [aria-current=step]")).to_be_visible()
    assert step_of(page) > 1


def test_a_play_runs_by_itself_to_its_end(page: Page) -> None:
    page.goto(f"/runs/{shop.CAMELOT}/layouts/3")
    page.locator(".player select").select_option("5")
    page.get_by_role("button", name="Play").click()
    last = page.locator("#stepper").get_attribute("data-last")
    expect(page.locator("output")).to_have_text(f"{last} / {last}")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_links_and_texts_are_copied(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"/runs/{shop.CAMELOT}/layouts/1")
    page.keyboard.press("Home")
    expect(page.locator("output")).to_have_text("0 / 1")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="Copy text").click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(2)
    assert page.evaluate("navigator.clipboard.readText()").endswith("The deck, in the order of dealing.\n")
    context.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_buttons_board_caption_and_current_move_are_in_view(
    browser: Browser, site: str, width: int, height: int
) -> None:
    context = browser.new_context(base_url=site, viewport={"width": width, "height": height}, has_touch=True)
    page = context.new_page()
    for run in (shop.PAIRING, shop.CAMELOT, shop.HI_Q, shop.MEMORY, shop.TANTRIX):
        page.goto(f"/runs/{run}/layouts/3?step=1#board")
        page.keyboard.press("End")
        for part in (".controls", ".picture"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        expect(page.locator("figcaption")).to_be_in_viewport()
        inside = page.evaluate(
            "[...document.querySelectorAll('#stepper > ol')].every(list => {"
            "const [a, b] = [list, list.querySelector('[aria-current]')].map(each => each.getBoundingClientRect());"
            "return b.top >= a.top - 1 && b.top < a.bottom })"
        )
        assert inside, run
    context.close()


def test_a_swipe_is_a_step(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(f"/runs/{shop.HI_Q}/layouts/1?step=1#board")
    touch = page.context.new_cdp_session(page)
    for start, end, step in ((300, 100, 2), (100, 300, 1)):
        for kind, x in (("Start", start), ("Move", (start + end) // 2), ("Move", end), ("End", None)):
            points = [] if x is None else [{"x": x, "y": 250}]
            touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        expect(page.locator("output")).to_contain_text(f"{step} /")
    context.close()


def test_the_slider_and_the_moves_work_too(page: Page) -> None:
    page.goto(f"/runs/{shop.HI_Q}/layouts/1")
    page.locator(".moves a").nth(3).click()
    expect(page.locator("output")).to_contain_text("3 /")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("output")).to_contain_text("4 /")
    page.wait_for_url("**?step=4")


def test_keys_leave_fields_alone(page: Page) -> None:
    page.goto(f"/runs/{shop.PAIRING}/layouts")
    page.get_by_label("Nodes", exact=True).fill("10..")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_url("**nodes=10..*")
    assert all(int(text) >= 10 for text in page.locator(".layouts td.nodes").all_inner_texts())


def test_everything_can_be_reached_by_keyboard_alone(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to content")
    page.keyboard.press("Enter")
    for _ in range(15):
        page.keyboard.press("Tab")
        if page.locator(":focus").get_attribute("href") == f"/runs/{shop.RETRACTED}":
            break
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{shop.RETRACTED}")


def test_only_boards_in_view_are_loaded(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "board.svg" in request.url else None)
    page.goto(f"/runs/{shop.PAIRING}/layouts")
    boards = page.locator(".thumb img")
    expect(boards.first).to_have_attribute("src", re.compile("board.svg"))
    assert 0 < len(asked) < 25
    boards.last.scroll_into_view_if_needed()
    expect(boards.last).to_have_attribute("src", re.compile("board.svg"))


def test_a_search_without_results_goes_on_by_itself(
    page: Page, furnished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "SEARCH_SECONDS", 0.0)
    monkeypatch.setattr(rows_pages, "SEARCHED", 25)
    with dealmill.open(furnished) as store:
        lengths = [len(result.evidence or "") for result in store.find_run(shop.PAIRING).results()]
    rare = next(length for length in lengths[100:] if lengths.count(length) == 1)
    page.goto(f"/runs/{shop.PAIRING}/layouts?evidence-length={rare}")
    expect(page.locator(".layouts tbody th")).to_have_text(str(lengths.index(rare) + 1))


def test_a_bar_of_a_histogram_filters(page: Page) -> None:
    page.goto(f"/runs/{shop.PAIRING}")
    bar = page.locator("svg.chart a").first
    counted = re.search(r": ([\d,]+) layout", bar.get_attribute("aria-label") or "")
    bar.locator(".reach").click()
    page.wait_for_url("**/layouts?nodes=*")
    assert counted and page.locator(".layouts tbody tr").count() == min(int(counted[1].replace(",", "")), 50)


def test_without_script_everything_is_a_link(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("link", name=str(shop.HI_Q), exact=True).click()
    page.get_by_role("link", name="Browse layouts").click()
    page.get_by_role("link", name="2", exact=True).click()
    page.get_by_role("link", name="Next", exact=True).click()
    assert step_of(page) == 1
    page.get_by_role("link", name="Last", exact=True).click()
    assert page.locator("output").inner_text().split(" / ")[0] == str(step_of(page))
    expect(page.get_by_role("button", name="Go")).to_be_visible()
    context.close()


def test_a_run_finishes_while_its_page_is_open(browser: Browser, sqlite_store: Database) -> None:
    game = find_game("camelot")
    a_run(sqlite_store, "memory/two-pass", ["ABBA"], name="done.txt")
    source = a_source(sqlite_store, "camelot/winnable", deal(game, 1, 1, 200), "live.txt")
    queue_run(sqlite_store, source, "camelot/winnable", None)
    with serving(sqlite_store.url.render_as_string()) as address:
        context = browser.new_context(base_url=address)
        page = context.new_page()
        page.goto("/")
        expect(page.locator("#state-2")).to_have_text("waiting for workers")
        before = page.locator("tbody th").all_inner_texts()
        before_box = page.locator("#solved-2").bounding_box()
        do_runs(sqlite_store)
        expect(page.locator("#state-2")).to_have_text("finished")
        expect(page.locator("#solved-2")).to_have_text("200")
        expect(page.locator(".live")).to_have_text("Finished")
        assert page.locator("tbody th").all_inner_texts() == before
        after_box = page.locator("#solved-2").bounding_box()
        assert (
            before_box and after_box and (before_box["y"], before_box["width"]) == (after_box["y"], after_box["width"])
        )
        context.close()


def test_a_hidden_page_asks_for_nothing(browser: Browser, sqlite_store: Database) -> None:
    source = a_source(sqlite_store, "memory/two-pass", ["ABBA"])
    queue_run(sqlite_store, source, "memory/two-pass", None)
    with serving(sqlite_store.url.render_as_string()) as address:
        context = browser.new_context(base_url=address)
        page = context.new_page()
        page.add_init_script("Object.defineProperty(document, 'hidden', {get: () => window.away ?? false})")
        page.clock.install()
        page.goto("/")
        asked: list[str] = []
        # Not the page, but Chromium asks for the icon, in a window some time after the page has been loaded.
        page.on("request", lambda request: None if request.url.endswith("/icon.svg") else asked.append(request.url))
        page.evaluate("window.away = true")
        page.clock.run_for(20_000)
        assert asked == []
        page.evaluate("window.away = false")
        with page.expect_request("**/"):
            page.clock.run_for(2_000)
        context.close()


def test_hostile_text_runs_nothing(page: Page) -> None:
    for path in ("/", f"/runs/{shop.REJECTED}", f"/runs/{shop.REJECTED}/rejects", f"/runs/{shop.RETRACTED}"):
        page.goto(path)
        assert "hacked" not in page.title()
        assert "onerror" in page.locator("body").inner_text()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing(browser: Browser, site: str, scheme: str) -> None:
    context = browser.new_context(base_url=site, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto("/")
    height = page.locator("h1").bounding_box()
    assert height and height["height"] > 10, "text has no height: the browser has no fonts, and axe would pass"
    violations = {}
    for path in PATHS:
        page.goto(path)
        for violation in Axe().run(page).response["violations"]:
            nodes = [node["html"][:200] for node in violation["nodes"]]
            violations[path, violation["id"]] = nodes
    context.close()
    assert violations == {}


def test_axe_finds_what_is_bad(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(BAD)
    assert {"color-contrast", "image-alt"} <= {violation["id"] for violation in Axe().run(page).response["violations"]}
    page.close()


def test_all_pages_are_visited(site: str, furnished: str) -> None:
    with dealmill.open(furnished, read_only=True) as store:
        routes = [route for route in application(store, hosts=["127.0.0.1"]).routes if isinstance(route, APIRoute)]
    pages = [route for route in routes if not route.include_in_schema and "." not in route.path]
    paths = [path.partition("?")[0] for path in PATHS]
    assert [route.path for route in pages if not any(route.path_regex.match(path) for path in paths)] == []


NARROWEST = 320
"""The width in pixels of the narrowest screen."""
MAX_BYTES = 100_000
"""The most bytes of a page."""
FAULTS = """() => {
  const texts = [], faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.data.trim() || parent.closest(".picture, .out, .skip, noscript, option, title, desc")) continue;
    if (!parent.checkVisibility({checkVisibilityCSS: true})) continue;
    const scrolls = parent.closest(".scroll, .moves, .tree");
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 2 || box.height < 2) continue;
      const words = node.data.trim().slice(0, 60);
      if (!scrolls && (box.left < 0 || box.right > innerWidth)) faults.push(`cut at the edge of the page: ${words}`);
      texts.push({words, top: box.top + 3, bottom: box.bottom - 3, left: box.left + 1, right: box.right - 1, scrolls});
    }
  }
  texts.sort((one, two) => one.top - two.top);
  texts.forEach((one, index) => {
    for (const two of texts.slice(index + 1)) {
      if (two.top >= one.bottom) break;
      if (one.scrolls === two.scrolls && one.left < two.right && two.left < one.right) {
        faults.push(`overlap: ${one.words} | ${two.words}`);
      }
    }
  });
  for (const box of document.querySelectorAll("main *:not(.out)")) {
    const {overflowX} = getComputedStyle(box);
    if (overflowX === "hidden" && box.scrollWidth > box.clientWidth + 1 && !box.closest("svg")) {
      faults.push(`cut by its box: ${box.textContent.trim().slice(0, 60)}`);
    }
  }
  return faults;
}"""
"""Finds texts that overlap, run out of the page, or are cut by their box. Pictures of layouts are not looked at."""


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_text_overlaps_or_is_cut(browser: Browser, site: str, width: int, scheme: str) -> None:
    context = browser.new_context(base_url=site, viewport={"width": width, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    assert faults_on(context.new_page(), PATHS) == {}
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_long_names_and_large_numbers_are_neither_cut_nor_overlap(
    browser: Browser, sqlite_store: Database, tmp_path: Path, width: int
) -> None:
    shop.furnish_with_extremes(sqlite_store, tmp_path)
    with serving(sqlite_store.url.render_as_string()) as address:
        context = browser.new_context(base_url=address, viewport={"width": width, "height": 844})
        assert faults_on(context.new_page(), EXTREMES) == {}
        context.close()


def faults_on(page: Page, paths: Sequence[str]) -> dict[str, list[str]]:
    """Return what is wrong with pages, each of which must be small enough."""
    faults = {}
    for path in paths:
        response = page.goto(path)
        assert response and response.status < 500 and len(response.body()) <= MAX_BYTES, path
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        seen = page.evaluate(FAULTS)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            seen.append("wider than the screen")
        if seen:
            faults[path] = seen
    return faults


@pytest.mark.parametrize(
    ("style", "fault"),
    [
        ("position: absolute; top: 0; left: 0", "overlap"),
        ("position: absolute; top: 9em; left: -1em", "cut at the edge"),
        ("overflow: hidden; width: 3em; white-space: nowrap; margin-top: 9em", "cut by its box"),
    ],
)
def test_overlaps_and_cut_texts_are_found(browser: Browser, style: str, fault: str) -> None:
    page = browser.new_page()
    page.set_content(
        f'<main><div style="position: absolute; top: 0; left: 0">text</div><div style="{style}">long text</div></main>'
    )
    assert any(found.startswith(fault) for found in page.evaluate(FAULTS))
    page.close()


def test_a_bar_shows_its_numbers_under_the_pointer_and_by_keyboard(page: Page) -> None:
    page.goto(f"/runs/{shop.PAIRING}")
    bars = page.locator("svg.chart a")
    first, second = (bars.nth(index).locator(".shown") for index in (0, 1))
    expect(first).to_be_hidden()
    bars.first.locator(".reach").hover()
    expect(first).to_be_visible()
    bars.first.focus()
    page.mouse.move(0, 0)
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    expect(second).to_be_visible()
    expect(first).to_be_hidden()


def test_the_layout_is_in_view_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/runs/{shop.PAIRING}/layouts")
    layout = page.locator(".layouts .cut").first
    layout.scroll_into_view_if_needed()
    expect(layout).to_be_in_viewport(ratio=1)
    assert page.locator(".scroll").first.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_no_page_is_wider_than_the_narrowest_screen(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, viewport={"width": NARROWEST, "height": 800})
    page = context.new_page()
    wide = {}
    for path in PATHS:
        page.goto(path)
        wide[path] = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert {path: pixels for path, pixels in wide.items() if pixels > NARROWEST} == {}


@pytest.mark.parametrize(
    "path", [f"/runs/{shop.REJECTED}/rejects", "/chart", "/log", f"/compare?run={shop.PAIRING}&run={shop.LIMITED}"]
)
def test_a_row_of_a_table_is_in_view_on_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(path)
    boxes = page.locator(".scroll").evaluate_all("boxes => boxes.map(box => box.scrollWidth - box.clientWidth)")
    assert boxes and max(boxes) <= 0
    rows = page.locator(".stack tbody tr")
    assert min(rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().width)")) > 300


@pytest.mark.parametrize("path", ["/chart", "/log"])
def test_a_shadow_shows_on_which_side_a_box_goes_on(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(path)
    page.locator(".stack").first.evaluate("table => table.classList.remove('stack')")
    box = page.locator(".scroll").first
    shaded = []
    for left in (0, 20, 10_000):
        box.evaluate("(box, left) => box.scrollLeft = left", left)
        picture = Image.open(BytesIO(box.screenshot())).convert("L")
        line = picture.tobytes()[2 * picture.width :][: picture.width]
        shaded.append([line[0] < 250, line[-1] < 250])
    assert shaded == [[False, True], [True, True], [True, False]]


@pytest.mark.parametrize("kind", ["protanopia", "deuteranopia", "tritanopia", "achromatopsia"])
def test_verdicts_differ_without_colours(page: Page, kind: str) -> None:
    page.goto(f"/runs/{shop.LIMITED}/layouts")
    page.context.new_cdp_session(page).send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
    looks = {
        word: page.locator(f".chip.{word}").first.evaluate("chip => getComputedStyle(chip).borderStyle")
        for word in ("winnable", "unwinnable", "undecided")
    }
    assert len(set(looks.values())) == 3
    shots = {word: page.locator(f".chip.{word}").first.screenshot() for word in looks}
    assert len(set(shots.values())) == 3
