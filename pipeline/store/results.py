"""Reading verdicts, page by page: every page starts behind the last position of the one before, so that the
thousandth is as fast as the first."""

from dataclasses import dataclass

from sqlalchemy import select

from pipeline.games.contract import Verdict
from pipeline.store.database import Store
from pipeline.store.runs import Run
from pipeline.store.tables import items, layouts, verdicts

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


def page(store: Store, run: Run, wanted: Wanted, after: int, most: int) -> list[Result]:
    """The next verdicts of a run behind position `after`, in the order of their positions.

    The page is cut out of the verdicts before anything is joined to it, and the items too begin behind `after`, so that
    no database takes it into its head to join everything, or to walk there from the first item.
    """
    cut = (
        select(verdicts)
        .where(verdicts.c.run_id == run.id, verdicts.c.position > after)
        .order_by(verdicts.c.position)
        .limit(most)
    )
    if wanted.verdicts:
        cut = cut.where(verdicts.c.verdict.in_([int(verdict) for verdict in wanted.verdicts]))
    if wanted.values != ALL:
        cut = cut.where(verdicts.c.value.between(*wanted.values))
    if wanted.nodes != ALL:
        cut = cut.where(verdicts.c.nodes.between(*wanted.nodes))
    found = cut.subquery()
    query = (
        select(
            found.c.position,
            items.c.line,
            found.c.verdict,
            found.c.value,
            found.c.nodes,
            found.c.evidence,
            layouts.c.text,
        )
        .select_from(found)
        .join(items, items.c.position == found.c.position)
        .join(layouts, layouts.c.id == items.c.layout_id)
        .where(items.c.source_id == run.source, items.c.position > after)
        .order_by(found.c.position)
    )
    with store.reading() as connection:
        return [
            Result(run.id, position, line, Verdict(verdict), value, nodes, evidence, text)
            for position, line, verdict, value, nodes, evidence, text in connection.execute(query)
        ]
