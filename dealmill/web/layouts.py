"""The list of the results of a run, in pages, and their download."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

import dealmill
from dealmill.web.downloads import FORMS, Form
from dealmill.web.filters import Filtered
from dealmill.web.site import OpenStore, RunNumber, page

router = APIRouter(include_in_schema=False)

SHOWN = 50
"""Results on a page."""
MOST_POSITION = 2**63 - 1

Position = Annotated[int | None, Query(ge=0, le=MOST_POSITION)]


@router.get("/runs/{run}/layouts")
def layouts(request: Request, store: OpenStore, run: RunNumber, wanted: Filtered, after: Position = None) -> Response:
    """Show the results of a run that match the filter."""
    [overview] = store.status(run)
    found: list[dealmill.Result] = []
    if overview.run.retracted is None or wanted.retracted:
        found = list(store.query(run=run, after=(run, after or 0), limit=SHOWN + 1, **wanted.arguments))
    return page(
        request,
        "layouts.html",
        run=overview.run,
        wanted=wanted,
        results=found[:SHOWN],
        after=after,
        more=found[SHOWN - 1].position if len(found) > SHOWN else None,
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
