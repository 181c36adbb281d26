"""The pages over all runs: their list with filters and orders, the workers, and the log."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games.verdict import Verdict
from dealmill.web.filters import url
from dealmill.web.site import MAX_NUMBER, Digits, OpenStore, page, shared_page

router = APIRouter(include_in_schema=False)

RUNS, ENTRIES = 50, 200
"""The most runs and entries of the log on a page."""
MINUTE = 60.0
"""How long a worker without a job counts as one, in seconds."""
SORTED = 200
"""The most runs that are read to filter them by state, or to sort them by a figure."""
State = Literal[
    "", "solving", "waiting", "reading", "finished", "paused", "cancelled", "stopped", "stuck", "damaged", "retracted"
]
Order = Literal["newest", "layouts", "winnable", "rate", "elapsed"]
KEYS: dict[Order, Callable[[dealmill.RunStatus], float]] = {
    "layouts": lambda run: run.items,
    "winnable": lambda run: run.counts.get(Verdict.WINNABLE, 0) / max(run.solved, 1),
    "rate": lambda run: run.rate or 0,
    "elapsed": lambda run: run.seconds or 0,
}
"""The figures by which runs are sorted, the largest first."""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """The runs of a page: those with the words of a text in their engine, source, tags or note, and in a state."""

    text: str
    state: State
    sort: Order
    before: int | None

    @property
    def link(self) -> str:
        """The URL of the page."""
        given = {"text": self.text, "state": self.state, "sort": self.sort, "before": self.before}
        return url("/", [(name, value) for name, value in given.items() if value not in ("", None, "newest")])

    def at(self, **changes: Any) -> str:
        """Return the URL of another page."""
        return replace(self, **changes).link

    @property
    def is_plain(self) -> bool:
        """Whether the newest runs are shown, so that no figure of a run decides whether it is."""
        return not self.state and self.sort == "newest"

    def runs(self, store: dealmill.Store) -> tuple[list[dealmill.Run], int | None]:
        """Return the runs, and the run before which older ones follow."""
        limit = RUNS if self.is_plain else SORTED
        before = self.before or MAX_NUMBER
        run_ids = store.run_ids(before=before, text=self.text, limit=limit + 1, descending=True)
        runs = store.status(run_ids[:limit])[::-1]
        if self.state:
            runs = [run for run in runs if run.progress.state == self.state]
        if self.sort in KEYS:
            runs.sort(key=lambda run: KEYS[self.sort](run.progress), reverse=True)
        if len(runs) > RUNS:
            return runs[:RUNS], (runs[RUNS - 1].progress.id if self.sort == "newest" else None)
        return runs, run_ids[limit - 1] if len(run_ids) > limit else None


def _run_filter(
    text: Annotated[str, Query(max_length=200)] = "",
    state: State = "",
    sort: Order = "newest",
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER), Digits] = None,
) -> RunFilter:
    return RunFilter(" ".join(text.split()), state, sort, before)


@router.get("/")
def overview(request: Request, store: OpenStore, filter_: Annotated[RunFilter, Depends(_run_filter)]) -> Response:
    """Show the newest runs, or those that match a filter, in an order."""
    return shared_page(request, "overview.html", partial(_runs, store, filter_))


def _runs(store: dealmill.Store, filter_: RunFilter) -> dict[str, Any]:
    shown, older = filter_.runs(store)
    live = any(is_live(run) or (run.latest_audit and not run.latest_audit.status.finished) for run in shown)
    return {"runs": shown, "live": live, "older": older, "wanted": filter_, "states": State.__args__, "most": SORTED}  # type: ignore[attr-defined]


def is_live(run: dealmill.Run) -> bool:
    """Return whether the figures of a run may change without a command."""
    return run.progress.state in {"reading", "waiting", "solving"}


@router.get("/workers")
def workers(request: Request, store: OpenStore) -> Response:
    """Show the workers that report to the store, hold a job, or had one in the last minute."""
    return shared_page(request, "workers.html", partial(_workers, store))


def _workers(store: dealmill.Store) -> dict[str, Any]:
    every = store.workers()
    living = [
        worker
        for worker in every
        if worker.holds or worker.reported is not None or (worker.seen is not None and worker.seen < MINUTE)
    ]
    return {
        "workers": living,
        "ended": len(every) - len(living),
        "missing": list(map(str, store.missing_engines())),
        "live": True,
    }


@router.get("/log")
def log(request: Request, store: OpenStore, skip: Annotated[int, Query(ge=0, le=MAX_NUMBER), Digits] = 0) -> Response:
    """Show the action log, newest entry first."""
    shown, older = (store.log(skip=first, limit=ENTRIES, descending=True) for first in (skip, skip + ENTRIES))
    return page(request, "log.html", entries=shown, skip=skip, size=ENTRIES, older=bool(older))
