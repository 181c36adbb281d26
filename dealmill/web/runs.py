"""The page of a run, and that of its rejects."""

from functools import partial
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.web.filters import Filter, range_text
from dealmill.web.site import MOST_NUMBER, Digits, OpenStore, RunNumber, page, shared_page

router = APIRouter(include_in_schema=False)

FINDINGS, REJECTS, FEW, MOST_RELATED = 20, 100, 5, 20
"""The most findings on the page of a run, rejects on their own page, and rejects and related runs on the page of a
run."""


@router.get("/runs/{run}")
def run(request: Request, store: OpenStore, run: RunNumber) -> Response:
    """Show the totals of a run and everything known about it."""
    return shared_page(request, "run.html", partial(_everything, store, run))


def _everything(store: dealmill.Store, run: int) -> dict[str, Any]:
    found = store.find_run(run)
    [overview] = store.status(run)
    audit = found.latest_audit
    histograms = [] if overview.run.retracted is not None else [found.histogram("value"), found.histogram("nodes")]
    return {
        "overview": overview,
        "run": overview.run,
        "live": overview.state in {"reading", "waiting", "solving"},
        "source": store.find_source(overview.run.source),
        "winnability": found.winnability,
        "convergence": found.convergence(),
        "histograms": [one for one in histograms if one and len(one.bars) > 1],
        "link": lambda column: partial(_link, run, column),
        "workers": [worker for worker in store.workers() if any(job.what == f"run {run}" for job in worker.holds)],
        "audit": audit,
        "findings": list(islice(audit.findings(), FINDINGS)) if audit else [],
        "rejects": list(islice(found.rejects(), FEW)),
        "same": store.status(found.related[-MOST_RELATED:]),
        "entries": store.log(run),
    }


@router.get("/runs/{run}/rejects")
def rejects(
    request: Request, store: OpenStore, run: RunNumber, skip: Annotated[int, Query(ge=0, le=MOST_NUMBER), Digits] = 0
) -> Response:
    """Show the rejects of the source of a run."""
    found = store.find_run(run)
    status = found.status()
    source = store.find_source(status.source)
    rejects = list(islice(found.rejects(), skip, skip + REJECTS))
    return page(request, "rejects.html", run=status, source=source, rejects=rejects, skip=skip, size=REJECTS)


def _link(run: int, column: str, low: int, high: int) -> str:
    """Return the URL of the results of a run with a number in a range."""
    return Filter().only(**{column: range_text(low, high)}).link(f"/runs/{run}/layouts")
