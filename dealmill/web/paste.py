"""Solve one pasted layout. Nothing is stored."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games import find_engine
from dealmill.web.check import MOST_LAYOUT, MOST_NODES, NODES, Task
from dealmill.web.filters import url
from dealmill.web.site import Digits, page
from dealmill.web.stepping import Number, steps_of

router = APIRouter(include_in_schema=False)


@router.get("/check")
def check(
    request: Request,
    game: Annotated[str, Query(max_length=100)] = "",
    layout: Annotated[str, Query(max_length=MOST_LAYOUT)] = "",
    nodes: Annotated[int, Query(ge=1, le=MOST_NODES), Digits] = NODES,
    step: Number = 0,
    leaf: Number = 0,
) -> Response:
    """Show the form; or, if there is a layout, its solution at one step."""
    text = " ".join(layout.split())
    given = {"game": game, "layout": text, "nodes": nodes}
    asked: dict[str, Any] = {"games": dealmill.games(), "given": given, "most": MOST_LAYOUT, "example": _example}
    if not layout:
        return page(request, "paste.html", message=None, **asked)
    try:
        result, judgement = request.app.state.checker.check(Task(game, text, None, nodes))
    except dealmill.DealmillError as error:
        code = 503 if isinstance(error, dealmill.UnavailableError) else 400
        return page(request, "paste.html", code=code, message=str(error), **asked)
    _, engine = find_engine(result.engine)
    steps = steps_of(result, max(step, leaf))
    return page(
        request,
        "pasted.html",
        result=result,
        judgement=judgement,
        engine=engine,
        steps=steps,
        link=lambda number: url("/check", {**given, steps.parameter: number} if steps else given),
        fields=given.items(),
    )


def _example(game: str) -> str:
    """Return the URL of a numbered deal of a game."""
    return url("/check", {"game": game, "layout": f"deal:{game}:seed=1:17"})
