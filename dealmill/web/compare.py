"""The pages that compare two runs, and two verdicts on a layout.

Comparing ten million verdicts takes half a minute. So large runs are compared by a process of its own, part by part; a
page shows what it has found by then and asks again.
"""

import signal
from collections import Counter, OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.results.measures import RECORDED
from dealmill.pipeline.results.record import ANSWER
from dealmill.web.drawing import Steps
from dealmill.web.filters import url
from dealmill.web.site import MAX_NUMBER, Digits, OpenStore, Position, RunNumber, page
from dealmill.web.steps import Number, drawn, is_small, judged

router = APIRouter(include_in_schema=False)

SMALL = 20_000
"""The layouts of runs that are compared at once."""
MAX_SECONDS = 600
"""The longest time for a comparison."""
CUT_SHORT = "the comparison took too long; use: dealmill diff"
MAX_KEPT = 20
"""The comparisons that are kept, and the most that wait to be made."""
LISTED, EXPLAINED = 20, 3
"""The most differences of each kind that are listed, and the contradictions that are shown with both boards."""
COMPARED = [order for order in RECORDED if order.measure.field in ANSWER]
"""The numbers that are shown of both verdicts."""
SAMPLED = 2_000
"""The most layouts whose node counts are compared."""

Runs = Annotated[
    list[Annotated[int, Query(ge=1, le=MAX_NUMBER), Digits]], Query(alias="run", max_length=50, description="Runs.")
]


@dataclass(slots=True)
class Comparison:
    """What is known of the differences between two runs: their number by kind, and the first ones of each kind."""

    counts: Counter[dealmill.DifferenceKind] = field(default_factory=Counter)
    listed: list[dealmill.Difference] = field(default_factory=list)
    reached: int = 0
    compared: int = 0
    finished: bool = False
    error: str | None = None

    def add(self, part: dealmill.DiffPart) -> None:
        """Add the differences of the next part of the runs."""
        for difference in part.differences:
            self.counts[difference.kind] += 1
            if self.counts[difference.kind] <= LISTED:
                self.listed.append(difference)
        self.reached = part.reached


class Comparisons:
    """The comparisons that pages have asked for. Large runs are compared one pair after the other."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1)
        self._kept: OrderedDict[tuple[int, ...], tuple[Comparison, Future[None] | None]] = OrderedDict()
        self.process: SpawnProcess | None = None

    def get(self, diff: dealmill.Diff) -> Comparison:
        """Return a comparison, finished or not. One of a run that is not finished is made again when it has changed."""
        key = (diff.one.id, diff.other.id, diff.one.solved, diff.other.solved, diff.one.items, diff.other.items)
        with self._lock:
            if known := self._kept.get(key):
                self._kept.move_to_end(key)
                return known[0]
            comparison = Comparison()
            large = max(diff.one.items, diff.other.items) > SMALL
            self._kept[key] = comparison, self._thread.submit(self._make, comparison, diff) if large else None
            if len(self._kept) > MAX_KEPT:
                _, (_, future) = self._kept.popitem(last=False)
                if future:
                    future.cancel()
        if not large:
            try:
                for part in diff.parts():
                    comparison.add(part)
                comparison.compared = diff.compared
            except dealmill.DealmillError as error:
                comparison.error = str(error)
            comparison.finished = True
        return comparison

    def close(self) -> None:
        """End the process."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self.process is not None:
            self.process.kill()

    def _make(self, comparison: Comparison, diff: dealmill.Diff) -> None:
        comparison.error = CUT_SHORT
        try:
            ours, theirs = get_context("spawn").Pipe(duplex=False)
            url = diff.database.url.render_as_string(hide_password=False)
            runs = diff.one.id, diff.other.id
            self.process = get_context("spawn").Process(target=_compare, args=(theirs, url, *runs), daemon=True)
            self.process.start()
            theirs.close()
            with suppress(EOFError):
                while True:
                    figures, comparison.error = ours.recv()
                    comparison.counts, comparison.listed, comparison.reached, comparison.compared = figures
            self.process.join()
        finally:
            comparison.finished = True


def _compare(connection: "Connection[Any, None]", url: str, left: int, right: int) -> None:
    """Compare two runs, and send what has been found after each part. The last message has no error unless there was
    one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.alarm(MAX_SECONDS)
    comparison = Comparison()
    try:
        with dealmill.open(url, read_only=True) as store:
            diff = _diff(store.find_run(left), store.find_run(right))
            for part in diff.parts():
                comparison.add(part)
                connection.send(((comparison.counts, comparison.listed, comparison.reached, 0), CUT_SHORT))
            comparison.compared = diff.compared
        error = None
    except dealmill.DealmillError as problem:
        error = str(problem)
    connection.send(((comparison.counts, comparison.listed, comparison.reached, comparison.compared), error))


@router.get("/compare")
def compare(request: Request, store: OpenStore, runs: Runs = []) -> Response:  # noqa: B006 -- FastAPI copies it
    """Show the differences between two runs; or a form to choose them."""
    if len(runs) != 2:
        newest = store.status(store.run_ids(limit=MAX_KEPT, descending=True))[::-1]
        return page(request, "choose.html", runs=newest, given=runs)
    left, right = map(store.find_run, runs)
    diff = _diff(left, right)
    comparison = request.app.state.comparisons.get(diff)
    contradictions = [each for each in comparison.listed if each.kind is dealmill.DifferenceKind.CONTRADICTED]
    explained = [_contradiction(request, left, right, each) for each in contradictions[:EXPLAINED]]
    return page(
        request,
        "compare.html",
        one=left,
        other=right,
        diff=diff,
        found=comparison,
        kinds=dealmill.DifferenceKind,
        nodes=diff.node_sample(SAMPLED),
        contradictions=explained,
        compared=COMPARED,
        listed=LISTED,
        sampled=SAMPLED,
        live=not comparison.finished,
        judging=any(side.judging for each in explained for side in each.sides),
        by_deal=left.game != right.game,
        beside=lambda difference: _beside(left, right, difference),
    )


def _diff(left: dealmill.Run, right: dealmill.Run) -> dealmill.Diff:
    """Return the diff of two runs, by deal if they are of two games."""
    return left.diff(right, by_deal=left.game != right.game)


@dataclass(frozen=True, slots=True)
class Side:
    """A verdict of a contradiction, with its engine, its judgement and its picture, or why one of them is missing."""

    result: dealmill.Result
    engine: Engine | None
    judgement: dealmill.Judgement | None
    why: str | None
    steps: Steps | None
    undrawn: str | None

    @property
    def judging(self) -> bool:
        """Whether the judgement is being made."""
        return self.judgement is None and self.why is None and is_small(self.result)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two verdicts on a layout of which one is false, and the URL of the page that steps through both."""

    sides: Sequence[Side]
    url: str | None

    @property
    def conclusion(self) -> str:
        """Which one is false, by the judgements of the referee."""
        valid = [side for side in self.sides if side.judgement and side.judgement.valid]
        if any(side.judging for side in self.sides):
            return "The referee is checking both."
        if len(valid) == 2:
            return "The referee accepts both: one of the games, engines or referees has an error. Please report it."
        if not valid:
            return "Neither is proved."
        [false] = [side for side in self.sides if side is not valid[0]]
        reason = "has no evidence" if false.result.unproved else "has evidence that is not valid"
        return f"Run {valid[0].result.run} is right: its evidence is valid. Run {false.result.run} {reason}."


def _side(request: Request, result: dealmill.Result, step: int | None = None, *, alone: bool = False) -> Side:
    """Return a verdict at a step of its evidence; by default, a proof at its first picture, a play at its layout. If
    that picture is shown `alone`, the steps of a play are not drawn."""
    engine, judgement, why = judged(request.app.state.judge, result)
    is_play = result.verdict is not dealmill.Verdict.UNWINNABLE
    steps, undrawn = drawn(request, replace(result, evidence=None) if alone and is_play else result, step)
    return Side(result, engine, judgement, why, steps, undrawn)


def _contradiction(
    request: Request, left: dealmill.Run, right: dealmill.Run, difference: dealmill.Difference
) -> Contradiction:
    """Return both verdicts of a difference."""
    answers = ((left, difference.one.position), (right, difference.other.position))
    sides = [_side(request, run.result(position), alone=True) for run, position in answers if position is not None]
    return Contradiction(sides, _beside(left, right, difference))


def _beside(left: dealmill.Run, right: dealmill.Run, difference: dealmill.Difference) -> str | None:
    """Return the URL of the page with both verdicts; None if there is only one."""
    positions = difference.one.position, difference.other.position
    if None in positions or difference.kind is dealmill.DifferenceKind.MISSING:
        return None
    return url(f"/compare/{left.progress.id}/{positions[0]}/{right.progress.id}/{positions[1]}", [])


@router.get("/compare/{run}/{position}/{run2}/{position2}")
def beside(
    request: Request,
    store: OpenStore,
    run: RunNumber,
    position: Position,
    run2: RunNumber,
    position2: Position,
    step: Number = None,
    step2: Annotated[Number, Query(alias="other")] = None,
) -> Response:
    """Show two verdicts side by side, each at a step of its evidence."""
    results = [
        store.find_run(number).result(item_position) for number, item_position in ((run, position), (run2, position2))
    ]
    sides = [_side(request, result, number) for result, number in zip(results, (step, step2), strict=True)]
    shown = [side.steps.number if side.steps else 0 for side in sides]
    path = f"/compare/{run}/{position}/{run2}/{position2}"

    def link(side: int, number: int) -> str:
        steps = [number if index == side else known for index, known in enumerate(shown)]
        return url(path, {"step": steps[0], "other": steps[1]})

    judging = any(side.judging for side in sides)
    return page(request, "beside.html", sides=sides, link=link, runs=(run, run2), judging=judging)
