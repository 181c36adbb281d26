"""Tabs that poll the same page get the same one, which is made once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import pytest

import dealmill
from dealmill.web import site
from dealmill.web.site import Shared
from tests.web.conftest import client_of

TABS = 8


def test_a_page_is_made_once_for_all_that_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SECONDS", 60.0)
    pages, begin, made = Shared(), Barrier(TABS), list[str]()

    def make() -> bytes:
        made.append("page")
        sleep(0.1)
        return b"page"

    def ask(_tab: int) -> bytes:
        begin.wait()
        return pages.get("/", make)

    with ThreadPoolExecutor(TABS) as tabs:
        assert list(tabs.map(ask, range(TABS))) == [b"page"] * TABS
    assert made == ["page"]
    assert pages.get("/?before=7", lambda: b"other") == b"other"


def test_an_old_page_is_made_again_and_an_error_is_raised_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SECONDS", 0.0)
    pages = Shared()
    with pytest.raises(ZeroDivisionError):
        pages.get("/", lambda: b"%d" % (1 // 0))
    assert [pages.get("/", lambda text=text: text) for text in (b"1", b"2")] == [b"1", b"2"]  # type: ignore[misc]
    monkeypatch.setattr(site, "SECONDS", 60.0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            pages.get("/runs/1", lambda: b"%d" % (1 // 0))


def test_the_pages_that_poll_are_shared(furnished: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SECONDS", 60.0)
    asked: list[object] = []
    status = dealmill.Store.status

    def noted(self: dealmill.Store, *numbers: object) -> list[dealmill.Run]:
        asked.append(numbers)
        return status(self, *numbers)  # type: ignore[arg-type]

    monkeypatch.setattr(dealmill.Store, "status", noted)
    with client_of(furnished) as client:
        for path in ("/", "/runs/1"):
            first = client.get(path)
            before = len(asked)
            second = client.get(path, headers={"If-None-Match": first.headers["etag"]})
            assert (first.status_code, second.status_code) == (200, 304)
            assert len(asked) == before
