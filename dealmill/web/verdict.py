"""The page of one result: its pictures step by step, and the judgement of the referee."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games import find_engine
from dealmill.web.filters import Filter, Filtered
from dealmill.web.site import OpenStore, RunNumber, page
from dealmill.web.stepping import Number, is_small, steps_of

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run}/layouts/{position}")
def verdict(
    request: Request,
    store: OpenStore,
    run: RunNumber,
    position: Annotated[int, Path(ge=1, le=2**63 - 1)],
    wanted: Filtered,
    step: Number = 0,
    leaf: Number = 0,
) -> Response:
    """Show a result at one step of its evidence."""
    [overview] = store.status(run)
    result = store.result(f"{run}:{position}", retracted=wanted.retracted)
    _, engine = find_engine(result.engine)
    steps = steps_of(result, max(step, leaf))
    path = f"/runs/{run}/layouts/{position}"
    return page(
        request,
        "verdict.html",
        run=overview.run,
        result=result,
        engine=engine,
        steps=steps,
        link=lambda number: wanted.link(path, **{steps.parameter: number} if steps else {}),
        judgement=result.check() if is_small(result) else None,
        path=path,
        wanted=wanted,
        following=_neighbour(store, run, wanted, after=position),
        preceding=None,
    )


def _neighbour(store: dealmill.Store, run: int, wanted: Filter, after: int) -> int | None:
    """Return the position of the next result that matches the filter."""
    found = next(iter(store.query(run=run, after=(run, after), limit=1, **wanted.arguments)), None)
    return None if found is None else found.position
