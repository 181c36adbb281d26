"""Reading verdicts, page by page: every page starts behind the last position of the one before, so that the
thousandth is as fast as the first."""

from dataclasses import dataclass

from sqlalchemy import select

from pipeline.games.contract import Verdict
from pipeline.store.database import Store
from pipeline.store.tables import items, layouts, runs, verdicts

ALL = (-(2**62), 2**62)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which verdicts are asked for; ranges include both ends. A verdict without a value is in no narrower range."""

    verdicts: tuple[Verdict, ...] = ()
    values: tuple[int, int] = ALL
    nodes: tuple[int, int] = ALL


@dataclass(frozen=True, slots=True)
class Result:
    """One verdict with its layout."""

    run: int
    position: int
    line: int
    verdict: Verdict
    value: int | None
    nodes: int
    evidence: str | None
    layout: str


def page(store: Store, run: int, wanted: Wanted, after: int, most: int) -> list[Result]:
    """The next verdicts of a run behind position `after`, in the order of their positions."""
    query = (
        select(
            verdicts.c.run_id,
            verdicts.c.position,
            items.c.line,
            verdicts.c.verdict,
            verdicts.c.value,
            verdicts.c.nodes,
            verdicts.c.evidence,
            layouts.c.text,
        )
        .select_from(verdicts)
        .join(runs, runs.c.id == verdicts.c.run_id)
        .join(items, (items.c.source_id == runs.c.source_id) & (items.c.position == verdicts.c.position))
        .join(layouts, layouts.c.id == items.c.layout_id)
        .where(verdicts.c.run_id == run, verdicts.c.position > after)
        .order_by(verdicts.c.position)
        .limit(most)
    )
    if wanted.verdicts:
        query = query.where(verdicts.c.verdict.in_([int(verdict) for verdict in wanted.verdicts]))
    if wanted.values != ALL:
        query = query.where(verdicts.c.value.between(*wanted.values))
    if wanted.nodes != ALL:
        query = query.where(verdicts.c.nodes.between(*wanted.nodes))
    with store.reading() as connection:
        return [
            Result(run, position, line, Verdict(verdict), value, nodes, evidence, text)
            for run, position, line, verdict, value, nodes, evidence, text in connection.execute(query)
        ]
