"""The page of one result: its pictures step by step, and the judgement of the referee."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games.contract import Engine
from dealmill.web.filters import Filtered
from dealmill.web.layouts import slice_of
from dealmill.web.site import OpenStore, Position, RunNumber, page
from dealmill.web.stepping import Number, Steps, is_small, steps_of

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run}/layouts/{position}")
def verdict(
    request: Request,
    store: OpenStore,
    run: RunNumber,
    position: Position,
    wanted: Filtered,
    step: Number = 0,
    leaf: Number = 0,
) -> Response:
    """Show a result at one step of its evidence."""
    result = store.result(f"{run}:{position}", retracted=wanted.retracted)
    engine, steps, judgement, why = _drawn_and_judged(result, max(step, leaf))
    path = f"/runs/{run}/layouts/{position}"
    return page(
        request,
        "verdict.html",
        run=store.find_run(run).status(),
        result=result,
        engine=engine,
        steps=steps,
        link=lambda number: wanted.link(path, **{steps.parameter: number} if steps else {}),
        judgement=judgement,
        why=why,
        path=path,
        wanted=wanted,
        previous=slice_of(store, run, wanted, None, position, 1),
        following=slice_of(store, run, wanted, position, None, 1),
    )


def _drawn_and_judged(
    result: dealmill.Result, number: int
) -> tuple[Engine | None, Steps | None, dealmill.Judgement | None, str | None]:
    """Return the engine of a result, its scenes and its judgement; or why there are none: the game may not be installed
    here, or not work."""
    try:
        _, engine = result.game_and_engine
        return engine, steps_of(result, number), result.check() if is_small(result) else None, None
    except dealmill.DealmillError as error:
        return None, None, None, str(error)
