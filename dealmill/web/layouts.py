"""The list of the results of a run, in pages, and their download."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

import dealmill
from dealmill.web.downloads import FORMS, Form
from dealmill.web.filters import Filter, Filtered
from dealmill.web.site import MOST_POSITION, Digits, OpenStore, RunNumber, page

router = APIRouter(include_in_schema=False)

SHOWN = 50
"""Results on a page."""
SEARCH_SECONDS = 0.02
"""How long a page searches for results that match its filter. A search that takes longer is continued by a link."""

After = Annotated[int | None, Query(ge=0, le=MOST_POSITION, description="Only results after this position."), Digits]
Before = Annotated[
    int | None, Query(ge=1, le=MOST_POSITION, description="The last results before this position."), Digits
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
    store: dealmill.Store, run: int, wanted: Filter, after: int | None, before: int | None, size: int
) -> Slice:
    """Return the first results after a position that match a filter, or the last ones before a position, as far as they
    are found in `SEARCH_SECONDS`."""
    found = store.query(
        run=run,
        after=(run, after or 0),
        before=None if before is None else (run, before),
        descending=before is not None,
        limit=size + 1,
        **wanted.arguments,
    ).search(SEARCH_SECONDS)
    shown = found.results[:size]
    reached = found.reached[1] if found.reached else None
    further = shown[-1].position if len(found.results) > size else reached
    if before is None:
        return Slice(shown, shown[0].position if shown and after else None, further, reached)
    return Slice(shown[::-1], further, shown[0].position if shown else None, reached)


@router.get("/runs/{run}/layouts")
def layouts(
    request: Request, store: OpenStore, run: RunNumber, wanted: Filtered, after: After = None, before: Before = None
) -> Response:
    """Show the results of a run that match the filter."""
    [overview] = store.status(run)
    status = overview.run
    hidden = status.retracted is not None and not wanted.retracted
    shown = Slice([]) if hidden else slice_of(store, run, wanted, after, before, SHOWN)
    return page(
        request,
        "layouts.html",
        run=status,
        wanted=wanted,
        hidden=hidden,
        slice=shown,
        backwards=before is not None,
        continued=after is not None or before is not None,
    )


@router.get("/runs/{run}/layouts.{form}")
def download(store: OpenStore, run: RunNumber, wanted: Filtered, form: Form) -> StreamingResponse:
    """Send the results of a run that match the filter as a file."""
    found = store.query(run=run, **wanted.arguments)
    return StreamingResponse(
        FORMS[form].write(found),
        media_type=FORMS[form].media_type,
        headers={"Content-Disposition": f'attachment; filename="run-{run}.{form}"'},
    )
