"""Reading rows of verdicts, page by page: every page starts behind the last position of the one before, so that the
thousandth is as fast as the first."""

from typing import Any

from sqlalchemy import Select, and_, literal_column, null, select

from dealmill.pipeline.fingerprint import block_digest, block_of, block_range, verdict_codes
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import items, judgements, verdicts
from dealmill.pipeline.store.record.blocks import mark, read_block
from dealmill.pipeline.store.record.contract import ALL, Said, Wanted, newest_judgement
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus


def check_readable(_run: PlannedRun) -> None:
    """See `dealmill.pipeline.store.record.contract.Record`, as for all functions here: rows can always be read."""


def page(store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> list[Result]:
    """The next verdicts of a run behind position `after`, in the order of their positions.

    The page is cut out of the verdicts before anything is joined to it, and the items too begin behind `after`, so that
    no database takes it into its head to join everything, or to walk there from the first item.
    """
    found = _cut(run, wanted, after, most).subquery()
    query = (
        select(
            found.c.position,
            items.c.line,
            found.c.verdict,
            found.c.value,
            found.c.nodes,
            found.c.evidence,
            items.c.layout,
            found.c.outcome,
            found.c.step,
            found.c.reason,
        )
        .select_from(found)
        .join(items, items.c.position == found.c.position)
        .where(items.c.source_id == run.source, items.c.position > after)
        .order_by(found.c.position)
    )
    with store.reading() as connection:
        return [
            Result(
                run.engine,
                text,
                Verdict(verdict),
                value,
                nodes,
                evidence,
                position,
                line,
                run.id,
                None if outcome is None else Judgement(Outcome(outcome), step, reason),
            )
            for position, line, verdict, value, nodes, evidence, text, outcome, step, reason in connection.execute(
                query
            )
        ]


def _cut(run: RunStatus, wanted: Wanted, after: int, most: int) -> Select[*tuple[Any, ...]]:
    judged = (null().label("outcome"), null().label("step"), null().label("reason"))
    cut: Select[*tuple[Any, ...]] = select(verdicts, *judged)
    place = verdicts.c.position
    if wanted.audit:
        place = judgements.c.position
        cut = _judged(wanted.audit).where(judgements.c.run_id == run.id)
    cut = cut.where(verdicts.c.run_id == run.id, place > after).order_by(place).limit(most)
    if wanted.verdicts:
        cut = cut.where(verdicts.c.verdict.in_([int(verdict) for verdict in wanted.verdicts]))
    if wanted.values != ALL:
        cut = cut.where(verdicts.c.value.between(*wanted.values))
    if wanted.nodes != ALL:
        cut = cut.where(verdicts.c.nodes.between(*wanted.nodes))
    return cut


def _judged(outcome: Outcome) -> Select[*tuple[Any, ...]]:
    """The verdicts with this judgement, and no newer one."""
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
    if outcome is not Outcome.VALID:  # says so in the words of the index of what is not valid
        query = query.where(judgements.c.outcome != literal_column("1"))
    return query


def marks(store: Database, run: RunStatus) -> dict[int, bytes]:
    """Those of the rows as they are now, whatever digest is on record."""
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
        for position, verdict, *rest in connection.execute(query):
            there[position] = Said(position, Verdict(verdict), *((None, None) if bare else rest))
    return list(there.values())
