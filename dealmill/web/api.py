"""The JSON API, described at ``/api/openapi.json``. Keys are those of the command line's ``--json``."""

from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

import dealmill
from dealmill.web.check import MOST_LAYOUT, MOST_NODES, NODES, Task
from dealmill.web.downloads import FORMS, Form
from dealmill.web.filters import Filtered
from dealmill.web.runs import After, Before, slice_of
from dealmill.web.safety import damage
from dealmill.web.site import MOST_NUMBER, Digits, OpenStore, Position, RunNumber, fingerprint_of

MOST_RESULTS = 1_000


class Problem(BaseModel):
    """An error."""

    detail: str = Field(description="What is wrong, where, and what to do.")


class Run(BaseModel):
    """A run and its progress."""

    run: int
    game: str
    engine: str
    version: str
    source: str
    max_nodes: int | None
    storage: str
    checked_as: str | None = Field(
        description="The engine as which imported verdicts are checked, if their own exists only on record."
    )
    repeats: int | None = Field(description="The run that this one is a rerun of.")
    priority: int
    tags: list[str]
    note: str | None
    state: str
    started: float | None = Field(description="When its first job was started, in seconds since 1970.")
    seconds: float | None = Field(description="The time since then, up to its last job unless it goes on.")
    cpu_seconds: float | None = Field(description="The processor seconds that its engine took, if they are on record.")
    retracted: str | None = Field(description="Why the engine version was retracted; its counts are left out then.")
    layouts: int
    rejected: int
    solved: int
    counts: dict[str, int] = Field(description="The number of layouts by verdict.")
    unproved: int = Field(description="The number of verdicts that are claims without evidence.")
    mean: float | None
    rate: float | None = Field(description="Layouts per second in the last active minute.")
    ends: float | None = Field(description="The expected end, in seconds since 1970.")
    fingerprint: str | None


class Result(BaseModel):
    """The verdict on a layout, with its evidence."""

    item: str | None
    line: int
    verdict: str
    value: int | None
    nodes: int
    layout: str
    evidence: str | None
    unproved: bool = Field(description="Whether the verdict is a claim without evidence.")


class Audited(Result):
    """A result with its newest audit, as a filter by audit returns it."""

    audit: str
    step: int | None
    reason: str | None


class Results(BaseModel):
    """A page of results."""

    results: list[Audited | Result]
    before: int | None = Field(description="Pass this position to get the previous page; null if there is none.")
    after: int | None = Field(description="Pass this position to get the next page; null if there is none.")
    unreadable: list[str] = Field(description="Reasons why results of this page cannot be read.")


class Judged(Result):
    """A result with the judgement of the referee."""

    engine: str
    judgement: str
    reason: str | None


class Reject(BaseModel):
    """A text of a source that is not a valid layout."""

    line: int
    text: str
    reasons: list[str]


class Rejects(BaseModel):
    """A page of rejects."""

    rejects: list[Reject]


class ToCheck(BaseModel):
    """A layout to solve."""

    model_config = ConfigDict(extra="forbid", strict=True)

    game: str = Field(max_length=100, description="A game, or the full name of an engine.")
    layout: str = Field(
        max_length=MOST_LAYOUT, description="One line of canonical text, or a deal such as deal:camelot:seed=1:17."
    )
    engine: str | None = Field(default=None, max_length=100)
    max_nodes: int = Field(default=NODES, ge=1, le=MOST_NODES)


ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": meaning}
    for code, meaning in {
        400: "An argument cannot be used.",
        404: "There is no such run or result.",
        409: "Another version of the engine is installed.",
        410: "The engine version was retracted.",
        422: "A parameter is malformed.",
        503: "The store is not available.",
    }.items()
}
router = APIRouter(prefix="/api", responses=ERRORS)


@router.get("/runs")
def runs(
    store: OpenStore,
    after: Annotated[int, Query(ge=0, le=MOST_NUMBER, description="Only runs after this number."), Digits] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_RESULTS), Digits] = 100,
) -> list[Run]:
    """List the runs, oldest first."""
    return list(map(_run, store.status(store.run_numbers(after=after, limit=limit))))


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
    limit: Annotated[int, Query(ge=1, le=MOST_RESULTS), Digits] = 100,
) -> Results:
    """List the results of a run that match a filter, in order of position.

    A page has fewer results than `limit`, or none, if the search for more would take too long. The next page continues
    it, so follow `after` until it is null.
    """
    part = slice_of(store, store.find_run(run), filter_, after, before, limit)
    rows = list(map(_row, part.results))
    return Results.model_validate({"results": rows, "before": part.before, "after": part.after, "unreadable": damage()})


@router.get("/runs/{run}/results.{form}", response_class=StreamingResponse)
def export(store: OpenStore, run: RunNumber, filter_: Filtered, form: Form) -> StreamingResponse:
    """Send all results of a run that match a filter. The last line of a complete file starts with ``end``, or is the
    object ``{"end": true, …}``, and has the number of results."""
    writer = FORMS[form]
    return StreamingResponse(writer.write(filter_.query_of(store, run)), media_type=writer.media_type)


@router.get("/runs/{run}/results/{position}")
def result(store: OpenStore, run: RunNumber, position: Position, retracted: Annotated[bool, Query()] = False) -> Result:
    """Return the result at a position."""
    return Result.model_validate(_row(store.result(f"{run}:{position}", retracted=retracted)))


@router.get("/runs/{run}/rejects")
def rejects(
    store: OpenStore,
    run: RunNumber,
    skip: Annotated[int, Query(ge=0, le=MOST_NUMBER), Digits] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_RESULTS), Digits] = 100,
) -> Rejects:
    """List the rejects of the source of a run."""
    listed = islice(store.find_run(run).rejects(), skip, skip + limit)
    rejects = [Reject(line=reject.line, text=reject.text, reasons=list(reject.reasons)) for reject in listed]
    return Rejects(rejects=rejects)


@router.post("/check")
def check(request: Request, given: ToCheck) -> Judged:
    """Solve a layout and check its evidence. Nothing is stored."""
    checked, judgement = request.app.state.paste_solver.solve(
        Task(given.game, given.layout, given.engine, given.max_nodes)
    )
    return Judged.model_validate(
        _row(checked) | {"engine": checked.engine, "judgement": judgement.outcome.word, "reason": judgement.reason}
    )


def _row(result: dealmill.Result) -> dict[str, object]:
    return result.row | {"unproved": result.unproved}


def _run(run: dealmill.Run) -> Run:
    progress = run.progress
    retracted = progress.retracted is not None
    return Run(
        run=progress.id,
        game=progress.game,
        engine=progress.engine,
        version=progress.version,
        source=progress.source_name,
        max_nodes=progress.max_nodes,
        storage=progress.storage.word,
        checked_as=progress.checked_as,
        repeats=progress.repeats,
        priority=progress.priority,
        tags=run.tags,
        note=progress.note,
        state=progress.state,
        started=progress.started.timestamp() if progress.started else None,
        seconds=progress.seconds,
        cpu_seconds=progress.cpu_seconds,
        retracted=progress.retracted,
        layouts=progress.items,
        rejected=progress.rejected,
        solved=progress.solved,
        counts={} if retracted else {verdict.word: count for verdict, count in progress.counts.items()},
        unproved=0 if retracted else progress.unproved,
        mean=None if retracted else progress.mean,
        rate=progress.rate,
        ends=progress.ends.timestamp() if progress.ends else None,
        fingerprint=fingerprint_of(run),
    )
