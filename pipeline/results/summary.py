"""Summaries of runs, by engine."""

from collections.abc import Sequence
from dataclasses import dataclass

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.stored import Source


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
