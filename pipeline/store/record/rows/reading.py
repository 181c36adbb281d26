"""Reading rows of verdicts page by page. Every page starts after the last position of the previous one, so the
thousandth page is as fast as the first."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import Select, and_, literal_column, null, select

from dealmill.pipeline.arguments import MOST
from dealmill.pipeline.fingerprint import block_digest, block_of, block_range, verdict_codes
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import items, judgements, verdicts
from dealmill.pipeline.store.record.blocks import mark, read_block
from dealmill.pipeline.store.record.contract import ALL, Fault, Page, Said, Wanted, newest_judgement
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus

SAID = Shape(verdicts.c.verdict, verdicts.c.value, verdicts.c.evidence)
COLUMNS = (
    verdicts.c.position,
    verdicts.c.verdict,
    verdicts.c.value,
    verdicts.c.nodes,
    verdicts.c.evidence,
    items.c.line,
    items.c.layout,
)
ROW = Shape(*COLUMNS)
JUDGED = Shape(*COLUMNS, judgements.c.outcome, judgements.c.step, judgements.c.reason)


def check_readable(_run: PlannedRun) -> None:
    """Do nothing: rows can always be read. See `dealmill.pipeline.store.record.contract.Record`, also for the other
    functions of this module."""


def page(store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> Page:
    """Return the next verdicts of a run after position `after`, in order of position.

    The page is selected from the verdicts first, and items are then fetched by scalar subqueries, so that no query
    planner joins the complete tables.
    """
    found = _selected(run, wanted, after, most).subquery()
    said = (found.c[name] for name in ("position", "verdict", "value", "nodes", "evidence"))
    item = (
        select(items.c[name])
        .where(items.c.source_id == run.source, items.c.position == found.c.position)
        .scalar_subquery()
        for name in ("line", "layout")
    )
    judged = (found.c.outcome, found.c.step, found.c.reason)
    query: Select[*tuple[Any, ...]] = select(*said, *item, *judged).order_by(found.c.position)
    with store.reading() as connection:
        rows = connection.execute(query).all()
    whole = wanted == Wanted() and run.finished
    faults = _missing(run, [row[0] for row in rows], after, most) if whole else []
    shape, results = JUDGED if wanted.audit else ROW, []
    for row in rows:
        if trouble := shape.trouble(row):
            faults.append(Fault(int(row[0]), int(row[0]), trouble))
        else:
            results.append(_result(run, *row))
    return Page(results, faults, int(rows[-1][0]) if rows else None)


def _result(
    run: RunStatus,
    position: int,
    verdict: int,
    value: int | None,
    nodes: int,
    evidence: str | None,
    line: int,
    layout: str,
    outcome: int | None,
    step: int | None,
    reason: str | None,
) -> Result:
    judgement = None if outcome is None else Judgement(Outcome(outcome), step, reason)
    return Result(run.engine, layout, Verdict(verdict), value, nodes, evidence, position, line, run.id, judgement)


def _missing(run: RunStatus, positions: Sequence[int], after: int, most: int) -> list[Fault]:
    """Return faults for the gaps between the positions of a page of a finished run."""
    ends = positions if len(positions) == most else [*positions, run.items + 1]
    return [
        Fault(before + 1, behind - 1, "there is no verdict on record")
        for before, behind in pairwise([after, *ends])
        if behind - before > 1
    ]


def _selected(run: RunStatus, wanted: Wanted, after: int, most: int) -> Select[*tuple[Any, ...]]:
    judged = (null().label("outcome"), null().label("step"), null().label("reason"))
    cut: Select[*tuple[Any, ...]] = select(verdicts, *judged)
    place = verdicts.c.position
    if wanted.audit:
        place = judgements.c.position
        cut = _judged(wanted.audit).where(judgements.c.run_id == run.id)
    cut = cut.where(verdicts.c.run_id == run.id, place.between(after + 1, MOST)).order_by(place).limit(most)
    if wanted.verdicts:
        cut = cut.where(verdicts.c.verdict.in_([int(verdict) for verdict in wanted.verdicts]))
    if wanted.values != ALL:
        cut = cut.where(verdicts.c.value.between(*wanted.values))
    if wanted.nodes != ALL:
        cut = cut.where(verdicts.c.nodes.between(*wanted.nodes))
    return cut


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


def marks(store: Database, run: RunStatus) -> dict[int, bytes]:
    """Return the marks of the rows as they are now. They are computed from the rows, not from the recorded digests."""
    found = {}
    for number in range(block_of(run.items) + 1):
        start, end = block_range(number, run.items)
        with store.reading() as connection:
            block = read_block(connection, run.id, start, end)
        if len(block[0]) == end - start:
            found[number] = mark(block_digest(start, *block), verdict_codes(block[1]))
    return found


def said(store: Database, run: RunStatus, first: int, stop: int, *, bare: bool) -> list[Said]:
    query = select(verdicts.c.position, verdicts.c.verdict, verdicts.c.value, verdicts.c.evidence).where(
        verdicts.c.run_id == run.id, verdicts.c.position >= first, verdicts.c.position < stop
    )
    there = {position: Said(position, None, None, None) for position in range(first, stop)}
    with store.reading() as connection:
        for row in connection.execute(query):
            there[int(row.position)] = said_by(int(row.position), row[1:], bare=bare)
    return list(there.values())


def said_by(position: int | None, row: Sequence[Any], *, bare: bool = False) -> Said:
    """Return the verdict in a row of verdict, value and evidence, or the reason why it cannot be read. With `bare`,
    leave out value and evidence."""
    if not any(value is not None for value in row):
        return Said(position, None, None, None)
    if trouble := SAID.trouble(row):
        return Said(position, None, None, None, trouble)
    verdict, value, evidence = row
    return Said(position, Verdict(verdict), *((None, None) if bare else (value, evidence)))
