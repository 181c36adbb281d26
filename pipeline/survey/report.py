"""The report of a survey: a Markdown page, the same data as JSON, a table in LaTeX, and a plot of its narrowing
interval (SVG and PNG).

The same survey gives the same page and the same data, byte for byte, on every machine.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dealmill.pipeline.errors import OutputError
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.png import to_png
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.charts import SampleInterval, narrowing
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.distributions.histograms import extremes
from dealmill.pipeline.store.runs.planned import deals_of, expectation_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.survey.estimate import Estimate, estimates_after
from dealmill.pipeline.survey.figures import MEAN, WINNABILITY, format_figure
from dealmill.pipeline.survey.interval import Winnability
from dealmill.pipeline.survey.latex import latex_table
from dealmill.pipeline.system.atomic import write_files
from dealmill.pipeline.system.extras import check_extra

PAGE, DATA, TABLE, PICTURES = "survey.md", "survey.json", "table.tex", ("interval.svg", "interval.png")
POINTS = 300


def write_report(database: Database, run: RunStatus, facts: Mapping[str, object], folder: Path) -> None:
    """Write the five files into a folder, which is created if necessary; existing files are overwritten. If one of them
    cannot be written, none is.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    check_extra("pictures")
    deals, points = deals_of(run), list(_interval_points(database, run))
    picture = _chart(facts, points, find_engine(run.referee_engine)[1].unit)
    files = {
        DATA: (json.dumps({**facts, "closing": points}, indent=2) + "\n").encode(),
        PAGE: _page(facts, deals).encode(),
        TABLE: latex_table([facts]).encode(),
        PICTURES[0]: picture.encode(),
        PICTURES[1]: to_png(picture),
    }
    try:
        write_files(folder, files, database.owns)
    except OSError as error:
        raise OutputError(f"the report cannot be written into {folder}: {error.strerror or error}") from error


def survey_facts(database: Database, run: RunStatus, estimate: Estimate, refused: int = 0) -> dict[str, Any]:
    """Return the results of a survey, of whose verdicts the referee `refused` some, and everything needed to reproduce
    it."""
    sample = None if estimate.scored else Winnability.of(estimate.counts, refused=refused)
    interval = sample or estimate.interval
    facts: dict[str, Any] = {
        "engine": run.engine,
        "version": run.version,
        "max_nodes": run.max_nodes,
        "source": run.source_name,
        "generator": run.generator,
        "deals": estimate.deals,
        **{verdict.word: estimate.count(verdict) for verdict in Verdict},
        "refused": refused,
        "estimate": MEAN if estimate.scored else WINNABILITY,
        "low": interval.low,
        "high": interval.high,
        "value": sample.share if sample else estimate.value,
        "half_width": interval.half_width,
        "confidence": 0.95,
        "interval": "normal" if estimate.scored else "Wilson score, what is not decided counts both ways",
    }
    if estimate.scored:
        least, greatest = extremes(database, run.id)
        facts |= {"deviation": estimate.deviation, "least": least, "greatest": greatest}
    if (expectation := expectation_of(run)) is not None:
        facts |= {"theory": float(expectation), "standard_errors": estimate.errors_from(float(expectation))}
    return {**facts, "fingerprint": fingerprint_of(database, run.id, run.items), "dealmill": version("dealmill")}


MAX_ERRORS = 3.0
"""The standard errors from which on an estimate counts as different from the exact value."""


def summary_sentence(facts: Mapping[str, Any]) -> str:
    """Return the result of a survey as a sentence."""
    engine, source, deals = facts["engine"], facts["source"], facts["deals"]
    interval = f"{format_figure(facts, 'low')} to {format_figure(facts, 'high')}"
    counts = {verdict: facts[verdict.word] for verdict in Verdict}
    sample = Winnability.of(counts, refused=facts["refused"])
    if facts["estimate"] == WINNABILITY:
        what = f"{interval} of deals are winnable, with 95 % confidence{sample.basis}"
        figure = "" if sample.share is None else f", of which {format_figure(facts, 'value')} are"
    else:
        decided = " that are decided" if sample.layouts > counts[Verdict.SCORED] else ""
        what = f"the mean value of deals{decided} is {interval}, with 95 % confidence"
        figure = f", {counts[Verdict.SCORED]:,} of which have the mean {format_figure(facts, 'value')}"
    sentence = f"{what} ({engine} on {deals:,} deals of {source}{figure})"
    if "theory" not in facts:
        return sentence
    sentence += f"; the exact value is {format_figure(facts, 'theory')}"
    errors = facts["standard_errors"]
    if not isinstance(errors, float):
        return sentence
    return f"{sentence}: {'agrees' if errors < MAX_ERRORS else 'differs'} ({errors:.1f} standard errors)"


def _page(facts: Mapping[str, object], deals: DealRange) -> str:
    rows = "\n".join(f"| {key} | {_cell(value)} |" for key, value in facts.items() if value is not None)
    return (
        f"# {facts['engine']}: {facts['estimate']}\n\n{summary_sentence(facts)}.\n\n"
        f"![The narrowing interval]({PICTURES[0]})\n\n| | |\n| --- | --- |\n{rows}\n\n"
        f"To reproduce it, with the same fingerprint:\n\n```\n{_command(facts, deals)}\n```\n"
    )


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _command(facts: Mapping[str, object], deals: DealRange) -> str:
    words = ["dealmill", "survey", deals.game.name, "--engine", facts["engine"], "--seed", deals.seed]
    for name, value in deals.parameters.items():
        words += ["--param", f"{name}={value}"]
    if facts["max_nodes"] is not None:
        words += ["--max-nodes", facts["max_nodes"]]
    return " ".join(map(str, [*words, "--count", facts["deals"]]))


def _interval_points(database: Database, run: RunStatus) -> Iterator[dict[str, float | None]]:
    """Yield the estimate and its interval after numbers of blocks that are evenly spaced on a logarithmic scale."""
    last = run.items // BLOCK
    at = sorted({round(last ** (step / POINTS)) for step in range(POINTS + 1)})
    for point in estimates_after(database, run, at):
        interval = point.interval
        yield {"deals": point.deals, "low": interval.low, "high": interval.high, "value": point.value}


def _chart(facts: Mapping[str, object], points: Sequence[Mapping[str, Any]], unit: str) -> str:
    """Return how the interval narrows as an SVG document."""
    known = {int(point["deals"]): SampleInterval(point["value"], point["low"], point["high"]) for point in points}
    exact = facts.get("theory")
    chart = narrowing(
        known, exact if isinstance(exact, float) else None, unit=None if facts["estimate"] == WINNABILITY else unit
    )
    exactly = "" if exact is None else f": exactly {format_figure(facts, 'theory')}"
    return chart.document(f"{facts['engine']} {facts['version']}, {facts['source']}{exactly}")
