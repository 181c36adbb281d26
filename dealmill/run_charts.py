"""The charts of runs: the share of winnable layouts, how its interval narrows, and the distributions of values and node
counts. Pages and files show the same ones."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.printable import decimal
from dealmill.pipeline.results.chart_parts import Chart
from dealmill.pipeline.results.charts import IntervalRow, SampleInterval, histogram, intervals, narrowing

if TYPE_CHECKING:
    from dealmill.pipeline.store.runs.status import RunStatus
    from dealmill.pipeline.survey.interval import Winnability
    from dealmill.runs import Run


def winnability_chart(runs: "Sequence[Run]", link: Callable[[int], str] | None = None) -> Chart | None:
    """Return the interval of the share of winnable layouts of each run that has one; None if none has. The exact share
    is drawn if it is the same for all. `link` is the address of the page of a run, by its number."""
    rows = [
        IntervalRow(
            _label(run.progress),
            run.progress.source_name,
            _interval(known),
            link and link(run.id),
        )
        for run in runs
        if (known := run.winnability)
    ]
    shares = {run.expectation for run in runs}
    exact = shares.pop() if len(shares) == 1 else None
    return intervals(rows, None if exact is None else float(exact)) if rows else None


def _interval(share: "Winnability") -> SampleInterval:
    return SampleInterval(share.share, share.low, share.high)


def _label(run: "RunStatus") -> str:
    limit = "" if run.max_nodes is None else f", {run.max_nodes:,} nodes"
    return f"{run.id}: {run.engine} {run.version}{limit}"


def narrowing_chart(run: "Run") -> Chart | None:
    """Return how the interval of the winnability of a run narrows; None if it has too few jobs, or no winnability."""
    points = {each.layouts: _interval(each.interval) for each in run.convergence()}
    exact = run.expectation
    return narrowing(points, None if exact is None else float(exact)) if len(points) > 2 else None


def distribution_chart(run: "Run", measure: str, link: Callable[[int, int], str] | None = None) -> Chart | None:
    """Return the histogram of a measure of a run (see `Run.histogram`), with the mean and the exact mean of values;
    None if there are no two different numbers. `link` is the address of the layouts with a number in a range."""
    distribution = run.histogram(measure)
    if distribution is None or len(distribution.bars) < 2:
        return None
    if measure != "value":
        return histogram(distribution.bars, measure.replace("-", " "), doubling=measure == "nodes", link=link)
    means = {"mean": run.progress.mean, "exactly": run.expectation}
    marks = {f"{name} {decimal(float(mean))}": float(mean) for name, mean in means.items() if mean is not None}
    return histogram(distribution.bars, _unit(run.progress), marks=marks, link=link)


def _unit(run: "RunStatus") -> str:
    """Return what the values of a run count; empty if its engine is not installed here."""
    try:
        return find_engine(run.referee_engine)[1].unit
    except DealmillError:
        return ""
