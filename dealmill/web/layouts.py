"""The list of the results of a run, in pages, and their download."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

import dealmill
from dealmill.web.downloads import FORMS, Form
from dealmill.web.filters import Filter, Filtered
from dealmill.web.site import MOST_POSITION, OpenStore, RunNumber, page

router = APIRouter(include_in_schema=False)

SHOWN = 50
"""Results on a page."""

After = Annotated[int | None, Query(ge=0, le=MOST_POSITION, description="Only results after this position.")]
Before = Annotated[int | None, Query(ge=1, le=MOST_POSITION, description="The last results before this position.")]


@dataclass(frozen=True, slots=True)
class Slice:
    """Some results in order of position. `earlier` and `later` say whether there are more on either side."""

    results: Sequence[dealmill.Result]
    earlier: bool = False
    later: bool = False


def slice_of(
    store: dealmill.Store, run: int, wanted: Filter, after: int | None, before: int | None, size: int
) -> Slice:
    """Return the first results after a position that match a filter, or the last ones before a position."""
    backwards = before is not None
    found = list(
        store.query(
            run=run,
            after=(run, after or 0),
            before=(run, before) if before is not None else None,
            descending=backwards,
            limit=size + 1,
            **wanted.arguments,
        )
    )
    shown, more = found[:size], len(found) > size
    return Slice(shown[::-1], more, True) if backwards else Slice(shown, bool(after), more)


@router.get("/runs/{run}/layouts")
def layouts(
    request: Request, store: OpenStore, run: RunNumber, wanted: Filtered, after: After = None, before: Before = None
) -> Response:
    """Show the results of a run that match the filter."""
    [overview] = store.status(run)
    hidden = overview.run.retracted is not None and not wanted.retracted
    shown = Slice([]) if hidden else slice_of(store, run, wanted, after, before, SHOWN)
    return page(request, "layouts.html", run=overview.run, wanted=wanted, hidden=hidden, slice=shown)


@router.get("/runs/{run}/layouts.{form}")
def download(store: OpenStore, run: RunNumber, wanted: Filtered, form: Form) -> StreamingResponse:
    """Send the results of a run that match the filter as a file."""
    found = store.query(run=run, **wanted.arguments)
    return StreamingResponse(
        FORMS[form].write(found),
        media_type=FORMS[form].media_type,
        headers={"Content-Disposition": f'attachment; filename="run-{run}.{form}"'},
    )
