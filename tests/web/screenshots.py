"""Write the screenshots of the documentation: ``python -m tests.web.screenshots``. It needs a browser."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import expect

import dealmill
from tests.web.browser import running_browser, serving

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


@dataclass(frozen=True)
class Shot:
    """A part of a page, or of a file of that name: its upper left corner, `width` and `height` in CSS pixels."""

    path: str
    width: int = 1120
    height: int = 760
    scheme: Literal["light", "dark"] = "light"


SHOTS = {
    "web-runs": Shot("/", height=720),
    "web-run": Shot("/runs/1", height=1290),
    "web-layout": Shot("/runs/1/layouts/6?leaf=4", height=800),
    "web-compare": Shot("/compare?run=1&run=7", height=1060),
    "web-chart": Shot("/chart?by=share&run=1&run=2&run=6&run=7&run=8&run=9", height=640, scheme="dark"),
    "web-phone": Shot("/runs/2/layouts/1", width=390, height=760, scheme="dark"),
    "web-patience": Shot("/runs/10/layouts/1?step=24", height=760),
    "web-report": Shot("report.html", height=1500),
}


def fill(store: dealmill.Store) -> None:
    """Solve some deals of all games, and audit the first run."""
    store.run("deal:card-pairing:seed=1:1-20000").audit()
    for deals in ("camelot:seed=1:1-20000", "hi-q:seed=1:1-5000", "memory:seed=1:1-5000", "tantrix:seed=1:1-2000"):
        store.run(f"deal:{deals}")
    store.survey("camelot", count=100_000)
    store.run("deal:card-pairing:seed=1:1-20000", max_nodes=20).tag("limited")
    store.run("deal:card-pairing:seed=1:ranks=13:1-5000")
    store.run("deal:card-pairing:seed=1:stacks=8:1-5000")
    store.run("deal:klondike:seed=1:1-40")


def main() -> None:
    """Fill a store, and take the screenshots."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/night.db"
        with dealmill.open(url) as store:
            fill(store)
            dealmill.report(store.find_run(10), f"{folder}/report.html")
        with running_browser() as browser, serving(url) as address:
            for name, shot in SHOTS.items():
                size = {"width": shot.width, "height": shot.height}
                context = browser.new_context(viewport=size, color_scheme=shot.scheme)  # type: ignore[arg-type]
                page = context.new_page()
                page.goto(f"{address}{shot.path}" if shot.path.startswith("/") else f"file://{folder}/{shot.path}")
                expect(page.get_by_text("being checked")).to_have_count(0)
                page.screenshot(path=FOLDER / f"{name}.png")
                context.close()


if __name__ == "__main__":
    main()
