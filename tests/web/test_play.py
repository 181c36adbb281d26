"""The player of docs/play.md in a real browser, with a pack."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import dealmill
from tests.web.browser import running_browser

PAGE = Path(__file__).parents[2] / "docs" / "play.md"
TO_THE_END = """async () => {
  const { Player } = await import("./player.js");
  const pack = await (await fetch("levels.json")).json();
  const ends = [];
  for (const { playback } of pack.layouts) {
    const player = new Player(document.createElement("div"), playback);
    let played = true;
    while (played) played = await [player.next(0), player.next(1), player.next(0)].at(-1);  // a reader in a hurry
    const looks = ([place, pieces]) => pieces.map((piece) => [place, piece.className]);
    ends.push(Object.entries(player.places).flatMap(looks));
  }
  return ends;
}"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder for the duration of the `with` block, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
def test_the_player_of_the_page_plays_a_pack(tmp_path: Path) -> None:
    script, html = (re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)[0] for kind in ("js", "html"))
    (tmp_path / "player.js").write_text(script)
    (tmp_path / "index.html").write_text(html)
    with dealmill.open(f"sqlite:///{tmp_path / 'store.db'}") as store:
        run = store.run("deal:klondike:seed=1:5-12", max_nodes=5_000)
        pack = run.pack(tmp_path / "levels.json", by="nodes", grades=1, each=2)
    with served(tmp_path) as address, running_browser() as browser:
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.wait_for_selector(".piece")
        assert page.locator(".piece").count() == 52 and page.locator(".piece:not(.down)").count() == 7
        first = page.locator("#board").inner_html()
        page.click("#next")
        page.wait_for_function("before => document.getElementById('board').innerHTML !== before", arg=first)
        ends = page.evaluate(TO_THE_END)
        assert not errors
    assert len(ends) == len(pack.layouts) == 2
    for end in ends:
        assert len(end) == 52 and {(place.split()[0], look) for place, look in end} == {("foundation", "piece")}
    assert json.loads((tmp_path / "levels.json").read_text())["layouts"][0]["playback"]["steps"]
