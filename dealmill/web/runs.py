"""The pages of a run: its figures, its rejects and its layouts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

import dealmill
from dealmill.pipeline.results.conditions import CONDITIONS
from dealmill.pipeline.results.measures import recorded_numbers
from dealmill.run_charts import distribution_chart, narrowing_chart, winnability_chart
from dealmill.web.downloads import Form, Unfinished, stream
from dealmill.web.facets import facets_of
from dealmill.web.filters import Filtered, PageFilter, url
from dealmill.web.overview import is_live
from dealmill.web.report import attached
from dealmill.web.searches import Searches
from dealmill.web.site import (
    MAX_NUMBER,
    MAX_POSITION,
    Digits,
    OpenStore,
    RunNumber,
    fingerprint_of,
    page,
    shared_page,
)

router = APIRouter(include_in_schema=False)

FINDINGS, REJECTS, FEW, MAX_RELATED = 20, 100, 5, 20
"""The most findings on the page of a run, rejects on their own page, and rejects and related runs on the page of a
run."""


@router.get("/runs/{run}")
def run(request: Request, store: OpenStore, run: RunNumber) -> Response:
    """Show the totals of a run and everything known about it."""
    return shared_page(request, "run.html", partial(_everything, store, run))


def _everything(store: dealmill.Store, number: int) -> dict[str, Any]:
    run = store.find_run(number)
    status, audit = run.progress, run.latest_audit
    retracted = status.retracted is not None
    return {
        "run": status,
        "state": run.state,
        "machines": run.machines,
        "fingerprint": fingerprint_of(run),
        "live": is_live(run),
        "source": store.find_source(status.source),
        "winnability": run.winnability,
        "higher": run.higher_limit,
        "mean_interval": None if retracted else run.mean_interval,
        "expectation": None if run.expectation is None else float(run.expectation),
        "interval": winnability_chart([run]),
        "convergence": run.convergence(),
        "narrowing": narrowing_chart(run),
        "values": None if retracted else distribution_chart(run, "value", partial(_link, number, "value")),
        "nodes": None if retracted else distribution_chart(run, "nodes", partial(_link, number, "nodes")),
        "held": [(it.name, job) for it in store.workers() for job in it.holds if (job.kind, job.id) == ("run", number)],
        "audit": audit,
        "findings": list(islice(audit.findings(), FINDINGS)) if audit else [],
        "rejects": list(islice(run.rejects(), FEW)),
        "same": store.status(run.related[-MAX_RELATED:]),
        "entries": store.log(number),
    }


@router.get("/runs/{run}/report.html")
def report(
    request: Request, store: OpenStore, run: RunNumber, filter_: Filtered, unfinished: Unfinished = False
) -> Response:
    """Send the report on a run as a file."""
    subject = store.find_run(run)
    return attached(request, subject, f"run-{run}", retracted=filter_.retracted, unfinished=unfinished)


@router.get("/runs/{run}/rejects")
def rejects(
    request: Request, store: OpenStore, run: RunNumber, skip: Annotated[int, Query(ge=0, le=MAX_NUMBER), Digits] = 0
) -> Response:
    """Show the rejects of the source of a run."""
    subject = store.find_run(run)
    status = subject.progress
    source = store.find_source(status.source)
    rejects = list(islice(subject.rejects(), skip, skip + REJECTS))
    return page(request, "rejects.html", run=status, source=source, rejects=rejects, skip=skip, size=REJECTS)


def _link(run: int, column: str, low: int, high: int) -> str:
    """Return the URL of the results of a run with a number in a range."""
    return url(f"/runs/{run}/layouts", {column: f"{low}..{high}" if low < high else low})


SHOWN = 50
"""Results on a page."""
if TYPE_CHECKING:
    Order = str
else:
    Order = Literal[tuple(order.word for order in dealmill.Order)]
SEARCH_SECONDS = 0.02
"""How long a page searches for results that match its filter. A search that takes longer is continued by a link."""

After = Annotated[int | None, Query(ge=0, le=MAX_POSITION, description="Only results after this position."), Digits]
Before = Annotated[
    int | None, Query(ge=1, le=MAX_POSITION, description="The last results before this position."), Digits
]


@dataclass(frozen=True, slots=True)
class Slice:
    """Some results in order of position. `before` and `after` are the positions at which the previous and the next
    page continue, None if there is none. `reached` is the position up to which was searched, if that took too long."""

    results: Sequence[dealmill.Result]
    before: int | None = None
    after: int | None = None
    reached: int | None = None


def slice_of(
    store: dealmill.Store, run: dealmill.Run, filter_: PageFilter, after: int | None, before: int | None, size: int
) -> Slice:
    """Return the first results after a position that match a filter, or the last ones before a position, as far as they
    are found in `SEARCH_SECONDS`."""
    searched = filter_.query_of(
        store,
        run,
        after=(run.id, after or 0),
        before=None if before is None else (run.id, before),
        descending=before is not None,
        limit=size + 1,
    ).search(SEARCH_SECONDS)
    shown = searched.results[:size]
    reached = searched.reached[1] if searched.reached else None
    further = shown[-1].position if len(searched.results) > size else reached
    if before is None:
        return Slice(shown, shown[0].position if shown and after else None, further, reached)
    return Slice(shown[::-1], further, shown[0].position if shown else None, reached)


@router.get("/runs/{run}/layouts")
def layouts(
    request: Request,
    store: OpenStore,
    run: RunNumber,
    filter_: Filtered,
    after: After = None,
    before: Before = None,
    order: Order = "position",
    desc: bool = False,
) -> Response:
    """Show the results of a run that match the filter; in another order than that of their positions, the first
    ones."""
    subject = store.find_run(run)
    status = subject.progress
    hidden = status.retracted is not None and not filter_.retracted
    searches: Searches = request.app.state.searches
    shown: Slice | None = Slice([])
    if not hidden and order == "position" and not desc:
        shown = slice_of(store, subject, filter_, after, before, SHOWN)
    elif not hidden:
        first = searches.sorted(subject, filter_, order, SHOWN, descending=desc)
        shown = None if first is None else Slice(first)
    facets, counting = (None, False) if hidden else facets_of(subject, filter_, searches)
    is_scored = dealmill.Verdict.SCORED in status.counts
    return page(
        request,
        "layouts.html",
        run=status,
        wanted=filter_,
        hidden=hidden,
        slice=shown or Slice([]),
        numbered=status.deals is not None and any(each.line != each.position for each in (shown or Slice([])).results),
        sorting=shown is None,
        order=order,
        desc=desc,
        conditions=CONDITIONS,
        numbers=recorded_numbers(scored=is_scored),
        facets=facets,
        live=shown is None or counting,
        matches=facets.matches if facets else _matches(status, filter_),
        backwards=before is not None,
        continued=after is not None or before is not None,
    )


def _matches(run: dealmill.RunStatus, filter_: PageFilter) -> int | None:
    """Return how many results match a filter, if the totals of the run tell."""
    if any(name != "verdict" for name, _ in filter_.conditions):
        return None
    return sum(count for verdict, count in run.counts.items() if not filter_.verdict or verdict in filter_.verdict)


@router.get("/runs/{run}/layouts.{form}")
def download(
    store: OpenStore, run: RunNumber, filter_: Filtered, form: Form, unfinished: Unfinished = False
) -> StreamingResponse:
    """Send the results of a run that match the filter as a file."""
    return stream(store, run, filter_, form, unfinished=unfinished, name=f"run-{run}.{form}")
