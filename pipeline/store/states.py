"""The state of a run in words. No words fit both a run that makes progress and one that has stopped."""

from collections.abc import Sequence
from dataclasses import dataclass

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import duration
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source


def describe(run: RunStatus) -> str:
    """Return the state of a run in words: how far it is and how long it will take, or why it does not go on."""
    match run.state:
        case "finished":
            words = _outcome(run)
        case "damaged":
            words = f"damaged: dealmill audit {run.id}"
        case "stopped":
            words = "stopped while reading: repeat the command"
        case "waiting":
            words = f"waiting for workers, {percent(run)}" if run.solved else "waiting for workers"
        case "reading":
            words = _reading(run)
        case "solving":
            left = f", {duration((run.ends - run.now).total_seconds())} left" if run.ends else ""
            words = f"solving, {percent(run)}{left}"
        case "paused" | "cancelled" as stopped:
            words = f"{stopped}, {percent(run)}"
        case other:
            words = other
    return f"{words}, {run.retried:,} retried" if run.retried and run.state in {"solving", "waiting"} else words


def _reading(run: RunStatus) -> str:
    """Return how far the reading is: of a range of deals, it is known how many there are."""
    doing, done = ("reading and solving", run.solved) if run.jobs else ("reading", run.items)
    last = None if run.deals is None else run.deals["last"]
    if run.deals is None or last is None:
        return f"{doing}, {done:,}{f' of {run.items:,}' if run.jobs else ''} so far"
    total = last - run.deals["first"] + 1
    left = f", {duration((total - done) / run.rate)} left" if run.jobs and run.rate else ""
    return f"{doing}, {done:,} of {total:,}{left}"


def _outcome(run: RunStatus) -> str:
    """Return what is to be said of a finished run."""
    if not run.items and run.rejected:
        lines = "the only line was" if run.rejected == 1 else f"all {run.rejected:,} lines were"
        return f"nothing to solve: {lines} rejected"
    if not run.items:
        return "nothing to solve"
    limit = "" if run.max_nodes is None else f" ({run.max_nodes:,} node{'' if run.max_nodes == 1 else 's'})"
    missing = {Verdict.FAILED: "", Verdict.UNDECIDED: limit}
    found = [
        f"{run.counts[verdict]:,} {verdict.word}{why}" for verdict, why in missing.items() if run.counts.get(verdict)
    ]
    return ", ".join(found) or "finished"


def percent(run: RunStatus) -> str:
    """Return the share of layouts that are solved, rounded down, so that only a solved run has 100 %."""
    return f"{100 * run.solved // max(run.items, 1)} %"


@dataclass(frozen=True, slots=True)
class Summary:
    """The results of an engine in some runs over some sources.

    `layouts` counts the valid layouts, as everywhere. `duplicates` is None if they were not counted, as in packed runs.
    `mean` is the mean of the values, None if no verdict is scored; `rate` is in layouts per second.
    """

    engine: str
    layouts: int
    duplicates: int | None
    rejected: int
    counts: dict[Verdict, int]
    mean: float | None
    rate: float | None
    runs: list[int]


def summarise(runs: Sequence[RunStatus], sources: Sequence[Source]) -> list[Summary]:
    """Return a summary for each engine, in the order of its first run."""
    engines = dict.fromkeys(run.engine for run in runs)
    return [_summary(engine, [run for run in runs if run.engine == engine], sources) for engine in engines]


def _summary(engine: str, runs: Sequence[RunStatus], sources: Sequence[Source]) -> Summary:
    over = {run.source: run.items for run in runs}
    read = [source for source in sources if source.id in over]
    scored = sum(run.counts.get(Verdict.SCORED, 0) for run in runs)
    seconds = sum(run.recent_seconds for run in runs)
    return Summary(
        engine=engine,
        layouts=sum(over.values()),
        duplicates=sum(source.duplicates for source in read) if all(source.complete for source in read) else None,
        rejected=sum(source.rejected for source in read),
        counts={verdict: sum(run.counts.get(verdict, 0) for run in runs) for verdict in Verdict},
        mean=sum(run.value_sum for run in runs) / scored if scored else None,
        rate=sum(run.recent for run in runs) / seconds if seconds else None,
        runs=[run.id for run in runs],
    )
