"""The page of one verdict, and that of a layout that is solved while its page is viewed."""

from contextlib import suppress
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import is_deal_range, parse_deal
from dealmill.pipeline.games.installed import LONGEST_VARIANT, other_names
from dealmill.pipeline.games.names import known_games, word_of
from dealmill.web.check import DEFAULT_NODES, LAYOUT_LIMIT, NODE_LIMIT, Task
from dealmill.web.filters import Filtered, url
from dealmill.web.report import attached
from dealmill.web.runs import slice_of
from dealmill.web.site import Digits, OpenStore, Position, RunNumber, page
from dealmill.web.steps import Form, Number, OpenCards, drawn, file_of, is_small, judged

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run}/layouts/{position}")
def verdict(
    request: Request,
    store: OpenStore,
    run: RunNumber,
    position: Position,
    filter_: Filtered,
    step: Number = None,
    leaf: Number = None,
    form: Form = "page",
    open_cards: OpenCards = False,
) -> Response:
    """Show a result at one step of its evidence."""
    subject = store.find_run(run)
    result = subject.result(position, retracted=filter_.retracted)
    if form == "html":
        return attached(request, result, f"run-{run}-layout-{position}")
    steps, undrawn = drawn(request, result, step if leaf is None else leaf, form, open_cards=open_cards)
    if steps and form != "page":
        return file_of(steps)
    engine, judgement, why = judged(request.app.state.judge, result)
    path = f"/runs/{run}/layouts/{position}"
    return page(
        request,
        "verdict.html",
        run=subject.progress,
        result=result,
        undecided=result.why_undecided(subject.max_nodes),
        engine=engine,
        steps=steps,
        undrawn=undrawn,
        link=lambda number, form=None, is_open=open_cards: filter_.link(
            path, **{steps.parameter: number, "open": 1 if is_open else None, "as": form} if steps else {}
        ),
        judgement=judgement,
        why=why,
        judging=judgement is None and why is None and is_small(result),
        audit=subject.latest_audit,
        path=path,
        wanted=filter_,
        previous=slice_of(store, subject, filter_, None, position, 1),
        following=slice_of(store, subject, filter_, position, None, 1),
    )


@router.get("/runs/{run}/layouts/{position}/board.svg")
def board(request: Request, store: OpenStore, run: RunNumber, position: Position, filter_: Filtered) -> Response:
    """Send the picture of a layout, which lists show small."""
    result = store.find_run(run).result(position, retracted=filter_.retracted)
    picture = request.app.state.drawer.layout(result) if is_small(result) else None
    if picture is None:
        raise dealmill.NotFoundError(f"there is no picture of layout {result.item}")
    return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


@router.get("/check")
def check(
    request: Request,
    game: Annotated[str, Query(max_length=LONGEST_VARIANT)] = "",
    layout: Annotated[str, Query(max_length=LAYOUT_LIMIT)] = "",
    nodes: Annotated[int, Query(ge=1, le=NODE_LIMIT), Digits] = DEFAULT_NODES,
    step: Number = None,
    leaf: Number = None,
    form: Form = "page",
    open_cards: OpenCards = False,
) -> Response:
    """Show the form; or, if there is a layout, its solution at one step."""
    text = "\n".join(" ".join(line.split()) for line in layout.splitlines() if line.strip())
    games, game = _games_with(_game_of(text) or game)
    given = {"game": game, "layout": text, "nodes": nodes}
    asked: dict[str, Any] = {
        "games": games,
        "names": _names(),
        "given": given,
        "limit": LAYOUT_LIMIT,
        "example": _example,
    }
    if not layout:
        return page(request, "paste.html", message=None, **asked)
    try:
        task = Task(game, text, None, None if nodes == DEFAULT_NODES else nodes)
        result, judgement = request.app.state.paste_solver.solve(task)
    except dealmill.DealmillError as error:
        code = 503 if isinstance(error, dealmill.UnavailableError) else 400
        return page(request, "paste.html", code=code, message=str(error), **asked)
    if form == "html":
        return attached(request, result, f"{game}-layout")
    given["layout"] = min(text, result.layout, key=len)  # each step has a link with it
    _, engine = find_engine(result.engine)
    steps, undrawn = drawn(request, result, step if leaf is None else leaf, form, open_cards=open_cards)
    if steps and form != "page":
        return file_of(steps)
    return page(
        request,
        "pasted.html",
        result=result,
        undecided=result.why_undecided(nodes),
        judgement=judgement,
        engine=engine,
        steps=steps,
        undrawn=undrawn,
        link=lambda number, form=None, is_open=open_cards: url(
            "/check",
            {
                **given,
                **({steps.parameter: number} if steps else {}),
                **({"open": 1} if is_open else {}),
                **({"as": form} if form else {}),
            },
        ),
        fields=given.items(),
    )


def _game_of(layout: str) -> str | None:
    """Return the game that the name of a numbered deal has, or that a layout begins with, if any."""
    with suppress(dealmill.DealmillError):
        if is_deal_range(layout):
            return parse_deal(layout).game.name
        return find_game(layout.partition(" ")[0]).name
    return None


def _games_with(name: str) -> tuple[dict[str, Game], str]:
    """Return the games that can be selected, with a variant that was, and the name of the one that was."""
    with suppress(dealmill.DealmillError):
        game = find_game(name)
        return {**dealmill.games(), game.name: game}, game.name
    return dealmill.games(), name


def _names() -> dict[str, str]:
    """Return the names by which people know games that have others here, each with its form in commands."""
    names, words = chain.from_iterable(known.names for known in known_games()[0]), other_names()
    return {name: word for name in sorted(names) if (word := word_of(name)) in words}


def _example(game: str) -> str:
    """Return the URL of a numbered deal of a game. Deal 4 of each is quickly solved and judged: the proofs of others
    may take a referee longer than a page waits."""
    return url("/check", {"game": game, "layout": f"deal:{game}:seed=1:4"})
