"""The page of a run, and that of its rejects."""

from functools import partial
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.web.filters import Filter, range_text
from dealmill.web.site import OpenStore, RunNumber, page

router = APIRouter(include_in_schema=False)

FINDINGS, REJECTS, FEW = 20, 100, 5
"""The most findings on the page of a run, rejects on their own page, and rejects on the page of a run."""


@router.get("/runs/{run}")
def run(request: Request, store: OpenStore, run: RunNumber) -> Response:
    """Show the totals of a run and everything known about it."""
    found = store.find_run(run)
    [overview] = store.status(run)
    audit = found.latest_audit
    histograms = [] if overview.run.retracted is not None else [found.histogram("value"), found.histogram("nodes")]
    return page(
        request,
        "run.html",
        overview=overview,
        run=overview.run,
        live=overview.state in {"reading", "waiting", "solving"},
        source=store.find_source(overview.run.source),
        winnability=found.winnability,
        convergence=found.convergence(),
        histograms=[one for one in histograms if one and len(one.bars) > 1],
        link=lambda column: partial(_link, run, column),
        workers=[worker for worker in store.workers() if any(job.what == f"run {run}" for job in worker.holds)],
        audit=audit,
        findings=list(islice(audit.findings(), FINDINGS)) if audit else [],
        rejects=list(islice(found.rejects(), FEW)),
        same=[one for one in store.status() if _comparable(one.run, overview.run)],
        entries=[entry for entry in store.log() if entry.run == run],
    )


@router.get("/runs/{run}/rejects")
def rejects(request: Request, store: OpenStore, run: RunNumber, skip: Annotated[int, Query(ge=0)] = 0) -> Response:
    """Show the rejects of the source of a run."""
    [overview] = store.status(run)
    source = store.find_source(overview.run.source)
    found = list(islice(store.find_run(run).rejects(), skip, skip + REJECTS))
    return page(request, "rejects.html", run=overview.run, source=source, rejects=found, skip=skip, size=REJECTS)


def _link(run: int, column: str, low: int, high: int) -> str:
    """Return the URL of the results of a run with a number in a range."""
    return Filter().only(**{column: range_text(low, high)}).link(f"/runs/{run}/layouts")


def _comparable(one: dealmill.RunStatus, other: dealmill.RunStatus) -> bool:
    """Return whether two different runs have the same source and engine, or one repeats the other."""
    related = (one.source, one.engine) == (other.source, other.engine)
    return one.id != other.id and (related or one.repeats == other.id or other.repeats == one.id)
