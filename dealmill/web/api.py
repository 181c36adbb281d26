"""The JSON API, described at ``/api/openapi.json``. Keys are those of the command line's ``--json``."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, create_model

import dealmill
from dealmill.pipeline.arguments import MAX_SEED
from dealmill.pipeline.games import engine_of
from dealmill.pipeline.games.installed import LONGEST_ENGINE, LONGEST_VARIANT
from dealmill.pipeline.results.record import API, JUDGEMENT, RESULT, RecordField, run_fields
from dealmill.web.check import DEFAULT_NODES, LAYOUT_LIMIT, MOVES_LIMIT, NODE_LIMIT, Judge, PasteSolver, Task
from dealmill.web.deals import Packs, WinnableDeal, deal_name, how_to_prepare, stored_deal
from dealmill.web.downloads import Form, Unfinished, stream
from dealmill.web.filters import Filtered
from dealmill.web.runs import After, Before, slice_of
from dealmill.web.safety import HEALTH
from dealmill.web.site import MAX_NUMBER, Digits, OpenStore, Position, RunNumber, fingerprint_of

MAX_RESULTS = 1_000


class Problem(BaseModel):
    """An error."""

    detail: str = Field(description="What is wrong, where, and what to do.")
    further: str | None = Field(
        default=None, description="The URL of the results behind those of a page that cannot be read."
    )


def _fields(fields: Iterable[RecordField]) -> Any:
    """Return a base class of models with these fields. Times are in seconds since 1970."""
    types: dict[str, Any] = {}
    for field in fields:
        known = float if field.type is datetime else field.type
        description = f"{field.meaning[0].upper()}{field.meaning[1:]}."
        types[field.name] = (known | None if field.nullable else known, Field(description=description))
    return create_model("Fields", **types)


class Run(_fields(run_fields(API))):  # type: ignore[misc]
    """A run and its progress. If the engine version was retracted, the counts and the mean are left out."""

    fingerprint: str | None = Field(description="The fingerprint of the finished run.")


class Result(_fields(RESULT[1:])):  # type: ignore[misc]
    """The verdict on a layout, with its evidence."""

    item: str | None = Field(description="The run and the position, as in 3:17; null if it is not stored.")
    unproved: bool = Field(description="Whether the verdict is a claim without evidence.")


class Audited(Result, _fields(JUDGEMENT)):  # type: ignore[misc]
    """A result with its newest audit, as a filter by audit returns it."""


class Results(BaseModel):
    """A page of results."""

    results: list[Audited | Result]
    before: int | None = Field(description="Pass this position to get the previous page; null if there is none.")
    after: int | None = Field(description="Pass this position to get the next page; null if there is none.")


class Judged(Result):
    """A result with the judgement of the referee."""

    engine: str
    judgement: str
    reason: str | None
    playback: dealmill.Playback | None = Field(description="The solution as data.")


class Checked(Judged):
    """A layout, or the position after the moves that were sent, with its verdict."""

    next_move: str | None = Field(
        default=None, description="The next move of the solution, if moves were sent, even none, and it can be won."
    )
    losing_move: int | None = Field(
        default=None, description="The number of the move, from 1, with which the game could no longer be won."
    )


class Deal(Judged):
    """A deal that can be won, with its solution."""

    deal: str | None = Field(description="Its name, such as deal:klondike:seed=7:2; null if it is not numbered.")
    grade: int | None = Field(description="Its grade of difficulty; null if there are no grades.")


class Reject(BaseModel):
    """A text of a source that is not a valid layout."""

    line: int
    text: str
    reasons: list[str]


class Rejects(BaseModel):
    """A page of rejects."""

    rejects: list[Reject]


class Health(BaseModel):
    """The state of the service."""

    database: str = Field(description="Always ``available``; otherwise, the status is 503.")


class ToCheck(BaseModel):
    """A layout to solve."""

    model_config = ConfigDict(extra="forbid", strict=True)

    game: str = Field(max_length=LONGEST_ENGINE, description="A game, or the full name of an engine.")
    layout: str = Field(
        max_length=LAYOUT_LIMIT, description="One line of canonical text, or a deal such as deal:camelot:seed=1:17."
    )
    engine: str | None = Field(default=None, max_length=LONGEST_ENGINE)
    max_nodes: int | None = Field(
        default=None,
        ge=1,
        le=NODE_LIMIT,
        description=f"By default, {DEFAULT_NODES:,}, or none if the engine needs none to decide every layout.",
    )
    moves: str | None = Field(
        default=None,
        max_length=MOVES_LIMIT,
        description="Moves from the layout, separated by blanks, as in the evidence of a win: the position after them "
        "is solved. Only for games whose positions are layouts.",
    )


ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": meaning}
    for code, meaning in {
        400: "An argument cannot be used.",
        404: "There is no such run, result or deal.",
        409: "Another version of the engine is installed, or the run is not finished.",
        410: "The engine version was retracted.",
        422: "A parameter is malformed.",
        500: "A row of the store is damaged.",
        503: "The store is not available.",
    }.items()
}
router = APIRouter(prefix="/api", responses=ERRORS)


@router.get(HEALTH.removeprefix("/api"))
def health(store: OpenStore) -> Health:
    """Read the store, for health checks. No token is needed."""
    store.run_ids(limit=1)
    return Health(database="available")


@router.get("/runs")
def runs(
    store: OpenStore,
    after: Annotated[int, Query(ge=0, le=MAX_NUMBER, description="Only runs after this number."), Digits] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_RESULTS), Digits] = 100,
) -> list[Run]:
    """List the runs, oldest first. Runs that cannot be read are left out; the header ``Dealmill-Warning`` says so."""
    return list(map(_run, store.status(store.run_ids(after=after, limit=limit))))


@router.get("/runs/{run}")
def run(store: OpenStore, run: RunNumber) -> Run:
    """Return a run."""
    return _run(store.find_run(run))


@router.get("/runs/{run}/results")
def results(
    store: OpenStore,
    run: RunNumber,
    filter_: Filtered,
    after: After = None,
    before: Before = None,
    limit: Annotated[int, Query(ge=1, le=MAX_RESULTS), Digits] = 100,
) -> Results:
    """List the results of a run that match a filter, in order of position.

    A page has fewer results than `limit`, or none, if the search for more would take too long. The next page continues
    it, so follow `after` until it is null.
    """
    part = slice_of(store, store.find_run(run), filter_, after, before, limit)
    rows = list(map(_row, part.results))
    return Results.model_validate({"results": rows, "before": part.before, "after": part.after})


@router.get("/runs/{run}/results.{form}", response_class=StreamingResponse)
def export(
    store: OpenStore, run: RunNumber, filter_: Filtered, form: Form, unfinished: Unfinished = False
) -> StreamingResponse:
    """Send all results of a run that match a filter. The last line of complete JSON Lines is the object ``{"end": true,
    …}``, and has the number of results. Those of an unfinished run have one more column, ``unfinished``, which that
    object has, too."""
    return stream(store, run, filter_, form, unfinished=unfinished)


@router.get("/runs/{run}/results/{position}")
def result(store: OpenStore, run: RunNumber, position: Position, retracted: Annotated[bool, Query()] = False) -> Result:
    """Return the result at a position."""
    return Result(**_row(store.result(f"{run}:{position}", retracted=retracted)))


@router.get("/runs/{run}/results/{position}/playback", response_model_exclude_defaults=True)
def playback(
    request: Request,
    store: OpenStore,
    run: RunNumber,
    position: Position,
    retracted: Annotated[bool, Query()] = False,
) -> dealmill.Playback:
    """Return the layout and the solution of a result as data, for programs that show them."""
    result = store.result(f"{run}:{position}", retracted=retracted)
    made: dealmill.Playback | None = request.app.state.drawer.playback(result)
    if made is None:
        raise dealmill.NotFoundError(f"result {result.item} cannot be played")
    return made


@router.get("/runs/{run}/rejects")
def rejects(
    store: OpenStore,
    run: RunNumber,
    skip: Annotated[int, Query(ge=0, le=MAX_NUMBER), Digits] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_RESULTS), Digits] = 100,
) -> Rejects:
    """List the rejects of the source of a run."""
    listed = islice(store.find_run(run).rejects(), skip, skip + limit)
    rejects = [Reject(line=reject.line, text=reject.text, reasons=list(reject.reasons)) for reject in listed]
    return Rejects(rejects=rejects)


@router.post("/check", response_model_exclude_defaults=True)
def check(request: Request, given: ToCheck) -> Checked:
    """Solve a layout, or the position after some moves, and check its evidence. Nothing is stored."""
    solver: PasteSolver = request.app.state.paste_solver
    task = Task(given.game, given.layout, given.engine, given.max_nodes)
    if given.moves is None:
        return Checked(**_judged(request, *solver.solve(task)))
    position, judgement = solver.after(task, tuple(given.moves.split()))
    judged = _judged(request, position.result, judgement)
    return Checked(**judged, next_move=position.next_move, losing_move=position.losing_move)


@router.get("/deal", response_model_exclude_defaults=True)
def deal(
    request: Request,
    store: OpenStore,
    game: Annotated[str, Query(max_length=LONGEST_VARIANT, description="A game whose deals can be won or lost.")],
    seed: Annotated[int, Query(ge=0, le=MAX_SEED, description="The number that chooses the deal."), Digits],
    grade: Annotated[int | None, Query(ge=1, le=MAX_NUMBER, description="Only deals of this grade."), Digits] = None,
) -> Deal:
    """Return a deal that can be won, with its solution: of a pack that is served, else of the newest run of the game
    with such deals. Without a grade and both, deals of the seed are solved until one is won, 20 at most.
    """
    owner, engine = engine_of(game)
    packs: Packs = request.app.state.packs
    chosen = packs.choose(owner.name, seed, grade) or stored_deal(store, owner, engine, seed, grade)
    if chosen is None and grade is not None:
        raise dealmill.NotFoundError(how_to_prepare(owner, engine, seed, grade))
    if chosen is None:
        solver: PasteSolver = request.app.state.paste_solver
        result = solver.deal(game, seed)
        numbers = dealmill.deals(owner.name, seed=seed).numbers
        chosen = WinnableDeal(result, result.grade, deal_name(owner, numbers, result.line))
    judge: Judge = request.app.state.judge
    judgement = judge.judge_now(chosen.result)
    return Deal(**_judged(request, chosen.result, judgement), deal=chosen.deal, grade=chosen.grade)


def _judged(request: Request, result: dealmill.Result, judgement: dealmill.Judgement) -> dict[str, Any]:
    """Return the fields of a `Judged`."""
    judged = {"engine": result.engine, "judgement": judgement.outcome.word, "reason": judgement.reason}
    return {**_row(result), **judged, "playback": request.app.state.drawer.playback(result)}


def _row(result: dealmill.Result) -> dict[str, object]:
    return result.row | {"unproved": result.unproved}


def _run(run: dealmill.Run) -> Run:
    row: dict[str, Any] = {**run.progress.valid_row, "fingerprint": fingerprint_of(run)}
    times = {name: value.timestamp() for name, value in row.items() if isinstance(value, datetime)}
    return Run(**(row | times))
