"""The chart of several runs: the winnability of each with its confidence interval, as a page, a picture or a table."""

import csv
from collections.abc import Callable
from io import StringIO
from itertools import starmap
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.printable import cell_text
from dealmill.pipeline.results.chart_parts import STYLE, Chart
from dealmill.run_charts import narrowing_chart, winnability_chart
from dealmill.web.compare import Runs
from dealmill.web.filters import url
from dealmill.web.site import OpenStore, RunNumber, conditional, page

router = APIRouter(include_in_schema=False)

MAX_RUNS = 50
"""The most runs of a chart."""
Order = Literal["run", "engine", "limit", "source", "time", "share"]
KEYS: dict[Order, Callable[[dealmill.RunStatus, dealmill.Winnability], tuple[object, ...]]] = {
    "run": lambda run, _: (run.id,),
    "engine": lambda run, _: (run.engine, run.version, run.id),
    "limit": lambda run, _: (run.max_nodes is None, run.max_nodes or 0, run.id),
    "source": lambda run, _: (run.source_name, run.id),
    "time": lambda run, _: (run.started is None, run.started or run.now, run.id),
    "share": lambda run, share: (share.low, share.high, run.id),
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
    "unproved",
    "refused",
    "low",
    "high",
    "share",
)
Form = Annotated[Literal["page", "svg", "csv"], Query(alias="as", description="A page, a picture or a table.")]


def _row(run: dealmill.Run, share: dealmill.Winnability) -> list[object]:
    """Return the values of `CHART_COLUMNS`."""
    status = run.progress
    started = status.started and status.started.isoformat()
    named = [status.id, status.engine, status.version, status.source_name, status.max_nodes, started]
    counts = (status.solved, share.winnable, share.unproved, share.refused)
    return [*map(cell_text, named), *counts, share.low, share.high, share.share]


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
    known = [(run, run.winnability) for run in candidates if run.progress.retracted is None]
    shown = [(run, share) for run, share in known if share]
    shown.sort(key=lambda each: KEYS[by](each[0].progress, each[1]))
    drawn = [run for run, _ in shown]
    if form == "csv":
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([CHART_COLUMNS, *starmap(_row, shown)])
        return _file(text.getvalue(), "winnability.csv", "text/csv")
    if form == "svg":
        return _picture(winnability_chart(drawn), "The share of winnable layouts", "winnability.svg")

    def link(**changes: object) -> str:
        parameters = {"by": by, **changes}
        return url("/chart", [*(("run", number) for number in runs), *parameters.items()])

    return page(
        request,
        "chart.html",
        shown=shown,
        drawn=winnability_chart(drawn, lambda number: f"/runs/{number}"),
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
