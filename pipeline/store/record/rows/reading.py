"""Reading rows of verdicts page by page. Every page starts beyond the last position of the previous one, so the
thousandth page is as fast as the first."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from sqlalchemy import Row, Select, select

from dealmill.pipeline.digests import block_digest, block_of, block_range, verdict_codes
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.filters import BEHIND, Filter, Ordering
from dealmill.pipeline.store.record.blocks import mark, read_block
from dealmill.pipeline.store.record.contract import Fault, Page, Said
from dealmill.pipeline.store.record.rows.statements import Conditions, by_number, by_position, parameters
from dealmill.pipeline.store.record.skipping import next_job
from dealmill.pipeline.store.runs import PlannedRun, RunStatus
from dealmill.pipeline.store.tables import Shape, items, judgements, verdicts

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
SEARCHED = 50_000
"""The most verdicts that are read for one page of a filter: some milliseconds."""
JUDGED = Shape(*COLUMNS, judgements.c.outcome, judgements.c.step, judgements.c.reason)


def check_readable(_run: PlannedRun) -> None:
    """Do nothing: rows can always be read. See `dealmill.pipeline.store.record.contract.Record`, also for the other
    functions of this module."""


def page(
    store: Database,
    run: RunStatus,
    wanted: Filter,
    after: int,
    most: int,
    *,
    before: int = BEHIND,
    backwards: bool = False,
) -> Page:
    if wanted != Filter() and wanted.audit in (None, Outcome.VALID):
        return _searched(store, run, wanted, after, before, most, backwards=backwards)
    rows = _between(store, run, wanted, after, before, most, backwards=backwards)
    whole = wanted == Filter() and run.finished
    read_to = int(rows[-1][0]) if len(rows) == most else None
    first = read_to if backwards and read_to is not None else after
    stop = read_to if not backwards and read_to is not None else min(before, run.items + 1)
    results, faults = _readable(run, wanted, rows)
    missing = _missing([row[0] for row in rows], first, stop) if whole else []
    return Page(results, [*missing, *faults], int(rows[-1][0]) if rows else None)


def _searched(
    store: Database, run: RunStatus, wanted: Filter, after: int, before: int, most: int, *, backwards: bool
) -> Page:
    """Return the matching verdicts among the next `SEARCHED` ones, beginning with a job that may have some."""
    with store.reading() as connection:
        job = next_job(connection, run.id, wanted, after, before, backwards=backwards)
    if job is None:
        return Page([], [], None)
    if backwards:
        before = min(before, job[1])
        after = max(after, before - 1 - SEARCHED)
    else:
        after = max(after, job[0] - 1)
        before = min(before, after + 1 + SEARCHED)
    rows = _between(store, run, wanted, after, before, most, backwards=backwards)
    results, faults = _readable(run, wanted, rows)
    searched_to = after + 1 if backwards else before - 1
    return Page(results, faults, int(rows[-1][0]) if len(rows) == most else searched_to)


def _between(
    store: Database, run: RunStatus, wanted: Filter, after: int, before: int, most: int, *, backwards: bool
) -> list[Row[*tuple[Any, ...]]]:
    """Return the rows of a page in order."""
    where = {"first": after + 1, "last": before - 1, "most": most}
    rows = _rows(store, run, by_position(Conditions.of(wanted), backwards), wanted, where)
    return sorted(rows, key=itemgetter(0), reverse=backwards)


def ordered(store: Database, run: RunStatus, wanted: Filter, ordering: Ordering, most: int) -> Page:
    rows = _rows(store, run, by_number(Conditions.of(wanted), ordering), wanted, {"most": most})
    results, faults = _readable(run, wanted, rows)
    return Page(sorted(results, key=ordering.key), faults, None)


def _rows(
    store: Database, run: RunStatus, query: Select[*tuple[Any, ...]], wanted: Filter, where: Mapping[str, int]
) -> list[Row[*tuple[Any, ...]]]:
    with store.reading() as connection:
        return list(connection.execute(query, {**parameters(run, wanted), **where}).all())


def _readable(
    run: RunStatus, wanted: Filter, rows: Sequence[Row[*tuple[Any, ...]]]
) -> tuple[list[Result], list[Fault]]:
    """Return the results in these rows, and faults for those that cannot be read."""
    shape, results, faults = JUDGED if wanted.audit else ROW, list[Result](), list[Fault]()
    for row in rows:
        if trouble := shape.trouble(row):
            faults.append(Fault(int(row[0]), int(row[0]), trouble))
        else:
            results.append(_result(run, *row))
    return results, faults


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


def _missing(positions: Sequence[int], after: int, before: int) -> list[Fault]:
    """Return faults for the gaps that these positions leave between `after` and `before` in a finished run."""
    there = [after, *sorted(position for position in positions if after < position < before), before]
    return [
        Fault(one + 1, next_one - 1, "there is no verdict on record")
        for one, next_one in pairwise(there)
        if next_one - one > 1
    ]


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
        for row in connection.execute(query).all():
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
