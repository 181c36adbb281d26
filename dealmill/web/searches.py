"""Searches through all results of a run, which take longer than a page may: the first results in another order than
that of their positions, and the number of results by verdict, nodes and audit.

A process makes them one after the other, and they are kept for later views.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

import dealmill
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.system.bounded import BoundedProcess, TooMuch
from dealmill.web.filters import PageFilter

SMALL = 10_000
"""The layouts of runs that are searched at once, unless they are compact."""
MAX_SECONDS = 120
"""The longest time for a search."""
PATIENCE = 0.02
"""How long a page waits for a search, in seconds."""
MAX_KEPT = 50
"""The searches that are kept, and the most that wait to be made."""
OUTCOMES = ("valid", "invalid", "no-evidence")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cell:
    """Results that are counted together: their verdict, the number of digits of their node counts, 0 for no nodes, and
    the outcome of their newest audit, None if there is none."""

    verdict: Verdict
    digits: int
    audit: str | None


class Searches:
    """The searches that pages have asked for."""

    def __init__(self) -> None:
        self.process = BoundedProcess()
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1)
        self._kept: OrderedDict[tuple[object, ...], Future[Any]] = OrderedDict()

    def sorted(
        self, run: dealmill.Run, page_filter: PageFilter, order: str, size: int, *, descending: bool
    ) -> list[dealmill.Result] | None:
        """Return the first `size` results of a run that match a filter, in an order; None if they are not known yet.

        Raises
        ------
        DealmillError
            If the search takes too much time or memory, or a result cannot be read.
        """
        return self._get(run, _sorted, page_filter, order, size, descending)

    def counts(self, run: dealmill.Run, page_filter: PageFilter) -> Counter[Cell] | None:
        """Return the number of results of a run that match a filter without an outcome of audits; None if it is not
        known yet. See `sorted` for errors."""
        return self._get(run, _counts, page_filter)

    def _get(self, run: dealmill.Run, search: Callable[..., T], *arguments: Any) -> T | None:
        url = run.results(retracted=True).database.url.render_as_string(hide_password=False)
        if run.progress.items <= SMALL and run.progress.storage.stores_layouts:
            return search(url, run.id, *arguments)
        audit = run.latest_audit
        state = run.progress.solved, audit and (audit.status.id, audit.status.judged)
        key = (run.id, state, search, *map(repr, arguments))
        with self._lock:
            future = self._kept.get(key)
            if future is None or (future.done() and _may_succeed_later(future)):
                future = self._kept[key] = self._thread.submit(self._search, run.id, search, url, *arguments)
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)[1].cancel()
        try:
            result: T = future.result(PATIENCE)
        except TimeoutError:
            return None
        return result

    def _search(self, run: int, search: Callable[..., T], url: str, *arguments: Any) -> T:
        try:
            return self.process.call(MAX_SECONDS, search, url, run, *arguments)
        except TooMuch as error:
            raise TooMuch(f"searching run {run} {error}; use: dealmill query {run} --order …") from error

    def close(self) -> None:
        """End the process."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self.process.close()


def _may_succeed_later(search: Future[Any]) -> bool:
    return search.cancelled() or not isinstance(search.exception(), TooMuch | None)


def _sorted(
    url: str, run: int, page_filter: PageFilter, order: str, size: int, descending: bool
) -> list[dealmill.Result]:
    with dealmill.open(url, read_only=True) as store:
        return list(page_filter.query_of(store, run, order=order, descending=descending, limit=size))


def _counts(url: str, run: int, page_filter: PageFilter) -> Counter[Cell]:
    with dealmill.open(url, read_only=True) as store:
        subject = store.find_run(run)
        cells = _cells(page_filter.query_of(store, subject), None)
        for outcome in OUTCOMES if subject.latest_audit and subject.progress.storage.stores_layouts else ():
            audited = _cells(replace(page_filter, audit=dealmill.Outcome.of(outcome)).query_of(store, subject), outcome)
            cells -= Counter({Cell(cell.verdict, cell.digits, None): count for cell, count in audited.items()})
            cells += audited
    return cells


def _cells(query: dealmill.Query, outcome: str | None) -> Counter[Cell]:
    """Return the number of results of a query, all of which have this outcome."""
    cells = Counter[Cell]()
    for (verdict, nodes), count in query.count_by_nodes().items():
        cells[Cell(verdict, len(str(nodes)) if nodes else 0, outcome)] += count
    return cells
