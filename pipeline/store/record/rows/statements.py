"""The statements that read pages of verdicts. Each is built once for all pages with the same kind of filter."""

from functools import lru_cache
from typing import Any, NamedTuple, Self

from sqlalchemy import BigInteger, ColumnElement, Select, and_, bindparam, func, literal_column, null, select

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.store.filters import Filter, Order, Ordering
from dealmill.pipeline.store.record.contract import newest_judgement
from dealmill.pipeline.store.runs import RunStatus
from dealmill.pipeline.store.tables import items, judgements, verdicts


class Conditions(NamedTuple):
    """A filter without the ends of its ranges, which are parameters of its statements."""

    verdicts: tuple[Verdict, ...]
    audit: Outcome | None
    ranges: tuple[Order, ...]

    @classmethod
    def of(cls, wanted: Filter) -> Self:
        """Return the filter for `wanted`."""
        return cls(wanted.verdict, wanted.audit, tuple(wanted.ranges))


def parameters(run: RunStatus, wanted: Filter) -> dict[str, int]:
    """Return the parameters of a statement for a run and a filter. Callers add ``most``, the number of rows, and for
    `by_position` the positions ``first`` and ``last``."""
    found = {"run": run.id, "source": run.source}
    for order, ends in wanted.ranges.items():
        found |= zip(_ends(order), ends, strict=True)
    return found


def _ends(order: Order) -> tuple[str, str]:
    """Return the names of the parameters for a range."""
    return f"least_{order.name}", f"greatest_{order.name}"


@lru_cache
def by_position(filtered: Conditions, backwards: bool) -> Select[*tuple[Any, ...]]:
    """Select the first ``most`` matching verdicts at the positions ``first`` to ``last``; the last ones if
    `backwards`."""
    place = judgements.c.position if filtered.audit else verdicts.c.position
    cut = _selected(filtered).where(place.between(bindparam("first"), bindparam("last")))
    return _with_items(cut.order_by(place.desc() if backwards else place))


@lru_cache
def by_number(filtered: Conditions, ordering: Ordering) -> Select[*tuple[Any, ...]]:
    """Select the first ``most`` matching verdicts in the given order."""
    number = _number(ordering.order)
    first = number.desc() if ordering.descending else number.asc()
    return _with_items(_selected(filtered).order_by(first.nulls_last(), verdicts.c.position))


def _with_items(cut: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """Select the first of these verdicts with their lines and layouts, in any order.

    The verdicts are selected first, and items are then fetched by scalar subqueries, so that no query planner joins the
    complete tables.
    """
    found = cut.limit(bindparam("most", type_=BigInteger)).subquery()
    said = (found.c[name] for name in ("position", "verdict", "value", "nodes", "evidence"))
    item = (
        select(items.c[name])
        .where(items.c.source_id == bindparam("source"), items.c.position == found.c.position)
        .scalar_subquery()
        for name in ("line", "layout")
    )
    return select(*said, *item, found.c.outcome, found.c.step, found.c.reason)


def _selected(filtered: Conditions) -> Select[*tuple[Any, ...]]:
    """Select the verdicts of a run that match a filter, with their judgements if an outcome is wanted."""
    judged = (null().label("outcome"), null().label("step"), null().label("reason"))
    cut: Select[*tuple[Any, ...]] = select(verdicts, *judged)
    if filtered.audit:
        cut = _judged(filtered.audit).where(judgements.c.run_id == bindparam("run"))
    cut = cut.where(verdicts.c.run_id == bindparam("run"))
    if filtered.verdicts:
        cut = cut.where(verdicts.c.verdict.in_([int(verdict) for verdict in filtered.verdicts]))
    for order in filtered.ranges:
        least, greatest = _ends(order)
        cut = cut.where(_number(order).between(bindparam(least), bindparam(greatest)))
    return cut


def _number(order: Order) -> ColumnElement[Any]:
    """Return the expression for the number by which verdicts are ordered (see `Order.measure`)."""
    match order:
        case Order.POSITION:
            return verdicts.c.position
        case Order.NODES:
            return verdicts.c.nodes
        case Order.VALUE:
            return verdicts.c.value
        case Order.EVIDENCE_LENGTH:
            return func.length(verdicts.c.evidence)
    return (
        select(func.length(items.c.layout))
        .where(items.c.source_id == bindparam("source"), items.c.position == verdicts.c.position)
        .correlate(verdicts)
        .scalar_subquery()
    )


def _judged(outcome: Outcome) -> Select[*tuple[Any, ...]]:
    """Select the verdicts whose newest judgement has the given outcome."""
    query: Select[*tuple[Any, ...]] = (
        select(verdicts, judgements.c.outcome, judgements.c.step, judgements.c.reason)
        .select_from(
            judgements.join(
                verdicts,
                and_(verdicts.c.run_id == judgements.c.run_id, verdicts.c.position == judgements.c.position),
            )
        )
        .where(
            judgements.c.outcome == int(outcome),
            newest_judgement(),
        )
    )
    if outcome is not Outcome.VALID:  # add the literal condition of the partial index
        query = query.where(judgements.c.outcome != literal_column("1"))
    return query
