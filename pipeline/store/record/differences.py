"""Two runs side by side: the layouts of which they do not say the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import FromClause, Select, and_, func, or_, select

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import items, verdicts
from dealmill.pipeline.store.runs.status import RunStatus

FETCHED = 1_000


@dataclass(frozen=True, slots=True)
class Said:
    """What a run says of a layout; `position` is None where it does not have the layout, `verdict` where it has none
    on it."""

    position: int | None
    verdict: Verdict | None
    value: int | None
    evidence: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A layout, and what two runs say of it."""

    layout: str
    one: Said
    other: Said


def differences(store: Database, one: RunStatus, other: RunStatus) -> Iterator[Difference]:
    """All layouts of which two runs do not say the same verdict with the same value and evidence.

    Over the same source they are compared item by item, else layout by layout, wherever it stands.
    """
    with store.browsing() as connection:
        rows = connection.execution_options(yield_per=FETCHED).execute(_differing(one, other))
        for text, here, verdict, value, evidence, there, other_verdict, other_value, other_evidence in rows:
            yield Difference(
                text,
                Said(here, None if verdict is None else Verdict(verdict), value, evidence),
                Said(there, None if other_verdict is None else Verdict(other_verdict), other_value, other_evidence),
            )


def _differing(one: RunStatus, other: RunStatus) -> Select[*tuple[Any, ...]]:
    pairs = _pairs(one, other)
    mine, theirs = verdicts.alias("mine"), verdicts.alias("theirs")
    told = [mine.c[name].is_distinct_from(theirs.c[name]) for name in ("verdict", "value", "evidence")]
    order = (pairs.c.here,) if one.source == other.source else (pairs.c.here.nulls_last(), pairs.c.there)
    alone = or_(pairs.c.here.is_(None), pairs.c.there.is_(None))
    query: Select[*tuple[Any, ...]] = (
        select(
            pairs.c.layout,
            pairs.c.here,
            mine.c.verdict,
            mine.c.value,
            mine.c.evidence,
            pairs.c.there,
            theirs.c.verdict.label("other_verdict"),
            theirs.c.value.label("other_value"),
            theirs.c.evidence.label("other_evidence"),
        )
        .select_from(
            pairs.outerjoin(mine, and_(mine.c.run_id == one.id, mine.c.position == pairs.c.here)).outerjoin(
                theirs, and_(theirs.c.run_id == other.id, theirs.c.position == pairs.c.there)
            )
        )
        .where(or_(alone, *told))
        .order_by(*order)
    )
    return query


def _pairs(one: RunStatus, other: RunStatus) -> FromClause:
    """Which item of one run belongs to which of the other: columns `here`, `there`, `layout`."""
    if one.source == other.source:
        return (
            select(items.c.position.label("here"), items.c.position.label("there"), items.c.layout)
            .where(items.c.source_id == one.source)
            .subquery("pairs")
        )
    mine, theirs = (
        select(items.c.layout, func.min(items.c.position).label("position"))
        .where(items.c.source_id == source)
        .group_by(items.c.layout)
        .subquery(name)
        for source, name in ((one.source, "ours"), (other.source, "others"))
    )
    return (
        select(
            mine.c.position.label("here"),
            theirs.c.position.label("there"),
            func.coalesce(mine.c.layout, theirs.c.layout).label("layout"),
        )
        .select_from(mine.join(theirs, mine.c.layout == theirs.c.layout, full=True))
        .subquery("pairs")
    )
