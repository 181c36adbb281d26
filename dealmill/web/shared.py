"""Pages that are made once for many tabs, because each of them polls."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from time import monotonic

SECONDS = 1.0
"""How long a page is given to other tabs, counted from the request for which it is made."""


class Shared:
    """The pages that were begun less than `SECONDS` ago, by URL."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pages: dict[str, tuple[float, Future[bytes]]] = {}

    def get(self, url: str, make: Callable[[], bytes]) -> bytes:
        """Return the page that another thread has made or is making, or make it. An error is shared like a page."""
        now = monotonic()
        with self._lock:
            self._pages = {key: known for key, known in self._pages.items() if now < known[0] + SECONDS}
            ours = url not in self._pages
            _, page = self._pages.setdefault(url, (now, Future[bytes]()))
        if ours:
            try:
                page.set_result(make())
            except BaseException as error:  # noqa: BLE001 -- raised below, in each thread that waits
                page.set_exception(error)
        return page.result()
