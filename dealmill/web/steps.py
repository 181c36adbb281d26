"""A result step by step, as parameters of URLs and as files, and its judgement."""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.system.bounded import TooMuch
from dealmill.web.check import Drawer, Judge
from dealmill.web.drawing import Steps
from dealmill.web.site import Digits

Number = Annotated[int | None, Query(ge=0, le=10**9), Digits]
"""The number of a scene in a URL, from 0."""
Form = Annotated[
    Literal["page", "svg", "text", "html"],
    Query(alias="as", description="A page, a file with one step, or one with all steps."),
]
OpenCards = Annotated[
    bool, Query(alias="open", description="Show the cards that lie face down, instead of their backs.")
]
MAX_TEXT = 20_000
"""The longest layout with its evidence, in characters, that is drawn and checked when its page is viewed."""


def is_small(result: dealmill.Result) -> bool:
    """Return whether a result is small enough to be drawn and checked at once."""
    return len(result.layout) + len(result.evidence or "") <= MAX_TEXT


def drawn(
    request: Request, result: dealmill.Result, number: int | None, form: Form = "page", *, open_cards: bool = False
) -> tuple[Steps | None, str | None]:
    """Return a result step by step, and why something is missing. If drawing takes too much time or memory, that is all
    but the layout. There are no steps if the result is too large, or its evidence cannot be followed to the end."""
    if not is_small(result):
        return None, None
    drawer: Drawer = request.app.state.drawer
    try:
        try:
            return drawer.steps(result, number, as_text=form == "text", open_cards=open_cards), None
        except TooMuch as error:
            layout = replace(result, evidence=None)
            steps = drawer.steps(layout, 0, as_text=form == "text", open_cards=open_cards)
            return steps, f"Only the layout is shown: {error}"
    except dealmill.DealmillError as error:
        return None, str(error)


def judged(judge: Judge, result: dealmill.Result) -> tuple[Engine | None, dealmill.Judgement | None, str | None]:
    """Return the engine of a result and its judgement, or why one is missing: the game may not be installed here, or
    not work. There is no judgement as long as it is being made."""
    engine = None
    try:
        _, engine = result.game_and_engine
        return engine, judge.judge(result) if is_small(result) else None, None
    except dealmill.DealmillError as error:
        return engine, None, str(error)


def file_of(steps: Steps) -> Response:
    """Return the scene that is shown as a file: its text board if there is one, or its picture."""
    result = steps.result
    if steps.board is not None:
        return Response(f"{result.layout}\n\n{steps.board}\n", media_type="text/plain; charset=utf-8")
    name = f"{result.engine.replace('/', '-')}-{result.line}-{steps.parameter}-{steps.number}.svg"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(steps.shown.svg, media_type="image/svg+xml", headers=disposition)
