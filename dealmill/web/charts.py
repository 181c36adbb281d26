"""The chart of several runs: the winnability of each with its confidence interval, as a page, a picture or a table."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.charts import STYLE, Chart
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import cell_text
from dealmill.run_charts import narrowing_chart, share_of, winnability_chart
from dealmill.web.compare import Runs
from dealmill.web.filters import url
from dealmill.web.site import OpenStore, RunNumber, conditional, page

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
    "share": lambda run: (share_of(run), run.id),
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


def _row(run: dealmill.Run) -> list[object]:
    """Return the values of `CHART_COLUMNS`."""
    status, interval = run.progress, run.winnability
    assert interval is not None  # noqa: S101 -- others are left out
    started = status.started and status.started.isoformat()
    named = [status.id, status.engine, status.version, status.source_name, status.max_nodes, started]
    winnable = status.counts.get(Verdict.WINNABLE, 0)
    return [*map(cell_text, named), status.solved, winnable, share_of(status), interval.low, interval.high]


@router.get("/chart")
def chart(
    request: Request,
    store: OpenStore,
    runs: Runs = [],  # noqa: B006 -- FastAPI copies it
    by: Order = "run",
    form: Form = "page",
) -> Response:
    """Show the winnability of some runs, or of the newest ones."""
    chosen = runs or store.run_ids(limit=MAX_RUNS, descending=True)
    candidates = store.status(sorted(set(chosen)))
    shown = [run for run in candidates if run.progress.retracted is None and run.winnability]
    shown.sort(key=lambda run: KEYS[by](run.progress))
    if form == "csv":
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([CHART_COLUMNS, *map(_row, shown)])
        return _file(text.getvalue(), "winnability.csv", "text/csv")
    if form == "svg":
        return _picture(winnability_chart(shown), "The share of winnable layouts", "winnability.svg")

    def link(**changes: object) -> str:
        parameters = {"by": by, **changes}
        return url("/chart", [*(("run", number) for number in runs), *parameters.items()])

    return page(
        request,
        "chart.html",
        shown=shown,
        drawn=winnability_chart(shown, lambda number: f"/runs/{number}"),
        share_of=share_of,
        left_out=len(candidates) - len(shown),
        by=by,
        orders=KEYS,
        given=runs,
        link=link,
    )


@router.get("/runs/{run}/convergence.svg")
def convergence(store: OpenStore, run: RunNumber) -> Response:
    """Send how the confidence interval of a run narrows as a picture."""
    subject = store.find_run(run)
    title = f"Run {run}: {subject.progress.engine}, {subject.progress.source_name}"
    return _picture(narrowing_chart(subject), title, f"run-{run}-convergence.svg")


@router.get("/charts.css")
def style(request: Request) -> Response:
    """Send the style sheet of charts."""
    return conditional(request, STYLE.encode(), "text/css; charset=utf-8")


def _picture(chart: Chart | None, title: str, name: str) -> Response:
    """Return a chart as a file."""
    if chart is None:
        raise dealmill.NotFoundError("there is no such picture: too few layouts are winnable or unwinnable")
    return _file(chart.document(title), name, "image/svg+xml")


def _file(text: str, name: str, media_type: str) -> Response:
    return Response(text, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
