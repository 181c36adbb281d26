"""The overview of all runs, the workers and the action log."""

from functools import partial
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.web.site import MOST_NUMBER, Digits, OpenStore, page, shared_page

router = APIRouter(include_in_schema=False)

RUNS, ENTRIES = 50, 200
"""The most runs and entries of the log on a page."""


@router.get("/")
def overview(
    request: Request, store: OpenStore, before: Annotated[int, Query(ge=1, le=MOST_NUMBER), Digits] = MOST_NUMBER
) -> Response:
    """Show the newest runs first."""
    return shared_page(request, "overview.html", partial(_runs, store, before))


def _runs(store: dealmill.Store, before: int) -> dict[str, Any]:
    older = [number for number in store.run_numbers() if number < before]
    shown = store.status(older[-RUNS:])[::-1]
    live = any(one.state in {"reading", "waiting", "solving"} for one in shown) or any(
        one.audit and not one.audit.finished for one in shown
    )
    return {
        "overviews": shown,
        "workers": store.workers(),
        "live": live,
        "older": shown[-1].run.id if len(older) > RUNS else None,
        "newest": before == MOST_NUMBER,
    }


@router.get("/log")
def log(request: Request, store: OpenStore, skip: Annotated[int, Query(ge=0, le=MOST_NUMBER), Digits] = 0) -> Response:
    """Show the action log, newest entry first."""
    entries = store.log()
    shown = list(islice(reversed(entries), skip, skip + ENTRIES))
    return page(request, "log.html", entries=shown, skip=skip, size=ENTRIES, total=len(entries))
