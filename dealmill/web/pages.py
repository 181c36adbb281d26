"""The pages over runs, layouts and verdicts."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

import dealmill
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.contract import Engine
from dealmill.pipeline.games.pictures import Scene
from dealmill.web.check import MOST_LAYOUT, MOST_NODES, NODES, Task
from dealmill.web.downloads import FORMS, Form
from dealmill.web.filters import Filtered, PageFilter, url
from dealmill.web.site import (
    MOST_NUMBER,
    MOST_POSITION,
    Digits,
    OpenStore,
    Position,
    RunNumber,
    fingerprint_of,
    page,
    shared_page,
)

Number = Annotated[int, Query(ge=0, le=10**9), Digits]
"""The number of a scene in a URL, from 0."""
MOST_SCENES = 1_000
MOST_TEXT = 20_000
"""The longest layout with its evidence, in characters, that is drawn and checked when its page is viewed."""
LONG_TEXT = 2_000
"""Scenes of a longer layout with its evidence are kept for the next view, which is probably of another step."""
LARGE = 900
"""The width or height from which on a scene has its own size, and scrolls in a box."""


@dataclass(slots=True)
class Branch:
    """A choice in a tree of cases: the scenes of the leaves below it, by number, and the choices that follow."""

    choice: str
    leaves: list[int] = field(default_factory=list)
    branches: "list[Branch]" = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Steps:
    """The scenes of a result, and the `number` of the one shown. `whole` is false if some scenes are left out."""

    scenes: Sequence[Scene]
    number: int
    whole: bool

    @property
    def shown(self) -> Scene:
        """The scene that is shown."""
        return self.scenes[self.number]

    @property
    def large(self) -> bool:
        """Whether the scene that is shown scrolls in a box."""
        return max(self.shown.width, self.shown.height) > LARGE

    @property
    def picture(self) -> str:
        """The SVG element of the scene that is shown."""
        if not self.large:
            return self.shown.svg
        return self.shown.svg.replace("<svg", f'<svg width="{self.shown.width}" height="{self.shown.height}"', 1)

    @property
    def last(self) -> int:
        """The number of the last scene."""
        return len(self.scenes) - 1

    @property
    def parameter(self) -> str:
        """The parameter of the URL that selects a scene."""
        return "leaf" if any(scene.path for scene in self.scenes) else "step"

    @property
    def tree(self) -> Branch:
        """The scenes in the tree of their paths."""
        root = Branch("")
        for number, scene in enumerate(self.scenes):
            branch = root
            for choice in scene.path:
                if not branch.branches or branch.branches[-1].choice != choice:
                    branch.branches.append(Branch(choice))
                branch = branch.branches[-1]
            if scene.path:
                branch.leaves.append(number)
        return root


def is_small(result: dealmill.Result) -> bool:
    """Return whether a result is small enough to be drawn and checked at once."""
    return len(result.layout) + len(result.evidence or "") <= MOST_TEXT


def steps_of(result: dealmill.Result, number: int) -> Steps | None:
    """Return the scenes of a result at scene `number`, or at the last one if there are fewer.

    None if the result is too large, or its text is not a layout, or its evidence cannot be followed to the end.
    """
    if not is_small(result):
        return None
    is_long = len(result.layout) + len(result.evidence or "") > LONG_TEXT
    scenes = _kept_scenes(result) if is_long else _scenes(result)
    shown = scenes[:MOST_SCENES]
    return Steps(shown, min(number, len(shown) - 1), len(scenes) == len(shown)) if shown else None


def _scenes(result: dealmill.Result) -> list[Scene]:
    """Return the scenes of a result, at most one more than are shown."""
    scenes: list[Scene] = []
    with suppress(dealmill.InvalidEvidence):  # the referee names the step at fault
        scenes.extend(islice(result.scenes(), MOST_SCENES + 1))
    return scenes


_kept_scenes = lru_cache(maxsize=2)(_scenes)


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
    older = store.run_numbers(before=before, limit=RUNS + 1, descending=True)
    shown = store.status(older[:RUNS])[::-1]
    live = any(_is_live(run) or (run.latest_audit and not run.latest_audit.status.finished) for run in shown)
    return {
        "runs": shown,
        "workers": store.workers(),
        "live": live,
        "older": shown[-1].id if len(older) > RUNS else None,
        "newest": before == MOST_NUMBER,
    }


def _is_live(run: dealmill.Run) -> bool:
    return run.progress.state in {"reading", "waiting", "solving"}


@router.get("/log")
def log(request: Request, store: OpenStore, skip: Annotated[int, Query(ge=0, le=MOST_NUMBER), Digits] = 0) -> Response:
    """Show the action log, newest entry first."""
    shown, older = (store.log(skip=first, limit=ENTRIES, descending=True) for first in (skip, skip + ENTRIES))
    return page(request, "log.html", entries=shown, skip=skip, size=ENTRIES, older=bool(older))


FINDINGS, REJECTS, FEW, MOST_RELATED = 20, 100, 5, 20
"""The most findings on the page of a run, rejects on their own page, and rejects and related runs on the page of a
run."""


@router.get("/runs/{run}")
def run(request: Request, store: OpenStore, run: RunNumber) -> Response:
    """Show the totals of a run and everything known about it."""
    return shared_page(request, "run.html", partial(_everything, store, run))


def _everything(store: dealmill.Store, run: int) -> dict[str, Any]:
    found = store.find_run(run)
    status, audit = found.progress, found.latest_audit
    histograms = [] if status.retracted is not None else [found.histogram("value"), found.histogram("nodes")]
    return {
        "run": status,
        "state": found.state,
        "machines": found.machines,
        "fingerprint": fingerprint_of(found),
        "live": _is_live(found),
        "source": store.find_source(status.source),
        "winnability": found.winnability,
        "convergence": found.convergence(),
        "histograms": [histogram for histogram in histograms if histogram and len(histogram.bars) > 1],
        "link": lambda column: partial(_link, run, column),
        "workers": [worker for worker in store.workers() if any(job.what == f"run {run}" for job in worker.holds)],
        "audit": audit,
        "findings": list(islice(audit.findings(), FINDINGS)) if audit else [],
        "rejects": list(islice(found.rejects(), FEW)),
        "same": store.status(found.related[-MOST_RELATED:]),
        "entries": store.log(run),
    }


@router.get("/runs/{run}/rejects")
def rejects(
    request: Request, store: OpenStore, run: RunNumber, skip: Annotated[int, Query(ge=0, le=MOST_NUMBER), Digits] = 0
) -> Response:
    """Show the rejects of the source of a run."""
    found = store.find_run(run)
    status = found.progress
    source = store.find_source(status.source)
    rejects = list(islice(found.rejects(), skip, skip + REJECTS))
    return page(request, "rejects.html", run=status, source=source, rejects=rejects, skip=skip, size=REJECTS)


def _link(run: int, column: str, low: int, high: int) -> str:
    """Return the URL of the results of a run with a number in a range."""
    return url(f"/runs/{run}/layouts", {column: f"{low}..{high}" if low < high else low})


SHOWN = 50
"""Results on a page."""
SEARCH_SECONDS = 0.02
"""How long a page searches for results that match its filter. A search that takes longer is continued by a link."""

After = Annotated[int | None, Query(ge=0, le=MOST_POSITION, description="Only results after this position."), Digits]
Before = Annotated[
    int | None, Query(ge=1, le=MOST_POSITION, description="The last results before this position."), Digits
]


@dataclass(frozen=True, slots=True)
class Slice:
    """Some results in order of position. `before` and `after` are the positions at which the previous and the next
    page continue, None if there is none. `reached` is the position up to which was searched, if that took too long."""

    results: Sequence[dealmill.Result]
    before: int | None = None
    after: int | None = None
    reached: int | None = None


def slice_of(
    store: dealmill.Store, run: dealmill.Run, wanted: PageFilter, after: int | None, before: int | None, size: int
) -> Slice:
    """Return the first results after a position that match a filter, or the last ones before a position, as far as they
    are found in `SEARCH_SECONDS`."""
    searched = wanted.query_of(
        store,
        run,
        after=(run.id, after or 0),
        before=None if before is None else (run.id, before),
        descending=before is not None,
        limit=size + 1,
    ).search(SEARCH_SECONDS)
    shown = searched.results[:size]
    reached = searched.reached[1] if searched.reached else None
    further = shown[-1].position if len(searched.results) > size else reached
    if before is None:
        return Slice(shown, shown[0].position if shown and after else None, further, reached)
    return Slice(shown[::-1], further, shown[0].position if shown else None, reached)


@router.get("/runs/{run}/layouts")
def layouts(
    request: Request, store: OpenStore, run: RunNumber, wanted: Filtered, after: After = None, before: Before = None
) -> Response:
    """Show the results of a run that match the filter."""
    found = store.find_run(run)
    status = found.progress
    hidden = status.retracted is not None and not wanted.retracted
    shown = Slice([]) if hidden else slice_of(store, found, wanted, after, before, SHOWN)
    return page(
        request,
        "layouts.html",
        run=status,
        wanted=wanted,
        hidden=hidden,
        slice=shown,
        backwards=before is not None,
        continued=after is not None or before is not None,
    )


@router.get("/runs/{run}/layouts.{form}")
def download(store: OpenStore, run: RunNumber, wanted: Filtered, form: Form) -> StreamingResponse:
    """Send the results of a run that match the filter as a file."""
    return StreamingResponse(
        FORMS[form].write(wanted.query_of(store, run)),
        media_type=FORMS[form].media_type,
        headers={"Content-Disposition": f'attachment; filename="run-{run}.{form}"'},
    )


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
    found = store.find_run(run)
    result = found.result(position, retracted=wanted.retracted)
    engine, steps, judgement, why = _drawn_and_judged(result, max(step, leaf))
    path = f"/runs/{run}/layouts/{position}"
    return page(
        request,
        "verdict.html",
        run=found.progress,
        result=result,
        engine=engine,
        steps=steps,
        link=lambda number: wanted.link(path, **{steps.parameter: number} if steps else {}),
        judgement=judgement,
        why=why,
        path=path,
        wanted=wanted,
        previous=slice_of(store, found, wanted, None, position, 1),
        following=slice_of(store, found, wanted, position, None, 1),
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
