"""The chart of several runs: the winnability of each with its confidence interval, as a page, a picture or a table."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import cell_text
from dealmill.web import plots
from dealmill.web.compare import Runs
from dealmill.web.filters import url
from dealmill.web.site import OpenStore, RunNumber, page

router = APIRouter(include_in_schema=False)

MAX_RUNS = 50
"""The most runs of a chart."""
Order = Literal["run", "engine", "limit", "source", "time", "share"]
KEYS: dict[Order, Callable[[dealmill.RunStatus], tuple[object, ...]]] = {
    "run": lambda run: (run.id,),
    "engine": lambda run: (run.engine, run.version, run.id),
    "limit": lambda run: (run.max_nodes is None, run.max_nodes or 0, run.id),
    "source": lambda run: (run.source_name, run.id),
    "time": lambda run: (run.started is None, run.started or run.now, run.id),
    "share": lambda run: (run.counts.get(Verdict.WINNABLE, 0) / run.solved, run.id),
}
CHART_COLUMNS = (
    "run",
    "engine",
    "version",
    "source",
    "max_nodes",
    "started",
    "solved",
    "winnable",
    "share",
    "low",
    "high",
)
Form = Annotated[Literal["page", "svg", "csv"], Query(alias="as", description="A page, a picture or a table.")]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A run with the share of winnable layouts among the solved ones, and its confidence interval."""

    run: dealmill.RunStatus
    share: float
    interval: dealmill.Interval

    @property
    def label(self) -> str:
        """The run in a few words."""
        limit = "" if self.run.max_nodes is None else f", {self.run.max_nodes:,} nodes"
        return f"{self.run.id}: {self.run.engine} {self.run.version}{limit}"

    @property
    def row(self) -> list[object]:
        """The values of `CHART_COLUMNS`."""
        run = self.run
        named = [
            run.id,
            run.engine,
            run.version,
            run.source_name,
            run.max_nodes,
            run.started and run.started.isoformat(),
        ]
        figures = [run.solved, run.counts.get(Verdict.WINNABLE, 0), self.share, self.interval.low, self.interval.high]
        return [*map(cell_text, named), *figures]


@router.get("/chart")
def chart(
    request: Request,
    store: OpenStore,
    runs: Runs = [],  # noqa: B006 -- FastAPI copies it
    by: Order = "run",
    form: Form = "page",
) -> Response:
    """Show the winnability of some runs, or of the newest ones."""
    chosen = runs or store.run_numbers(limit=MAX_RUNS, descending=True)
    candidates = store.status(sorted(set(chosen)))
    estimates = [
        Estimate(run.progress, run.progress.counts.get(Verdict.WINNABLE, 0) / run.progress.solved, interval)
        for run in candidates
        if run.progress.retracted is None and (interval := run.winnability)
    ]
    estimates.sort(key=lambda estimate: KEYS[by](estimate.run))
    if form == "csv":
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([CHART_COLUMNS, *(estimate.row for estimate in estimates)])
        return _file(text.getvalue(), "winnability.csv", "text/csv")
    drawn = plots.intervals([(each.label, each.run.source_name, each.share, each.interval) for each in estimates])
    if form == "svg":
        return _file(plots.document(drawn), "winnability.svg", "image/svg+xml")

    def link(**changes: object) -> str:
        parameters = {"by": by, **changes}
        return url("/chart", [*(("run", number) for number in runs), *parameters.items()])

    return page(
        request,
        "chart.html",
        estimates=estimates,
        drawn=drawn,
        left_out=len(candidates) - len(estimates),
        by=by,
        orders=KEYS,
        given=runs,
        link=link,
    )


@router.get("/runs/{run}/convergence.svg")
def convergence(store: OpenStore, run: RunNumber) -> Response:
    """Send how the confidence interval of a run narrows as a picture."""
    points = store.find_run(run).convergence()
    if len(points) < 3:
        raise dealmill.NotFoundError(f"run {run} has no such picture: it has too few jobs, or no winnability")
    return _file(plots.document(plots.convergence(points)), f"run-{run}-convergence.svg", "image/svg+xml")


def _file(text: str, name: str, media_type: str) -> Response:
    return Response(text, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
