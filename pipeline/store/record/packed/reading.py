"""Reading packed verdicts page by page. Blocks without matching verdicts are skipped, and others are solved again."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import numpy as np
from sqlalchemy import ColumnElement, exists, literal_column, select

from dealmill.pipeline.arguments import MOST
from dealmill.pipeline.errors import DifferenceError, VersionError
from dealmill.pipeline.fingerprint import BLOCK, block_of, block_range
from dealmill.pipeline.games.batch import VERDICTS, to_batch, unpack
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import DONE, audit_jobs, audits, judgements
from dealmill.pipeline.store.record.blocks import mark, recorded_digests
from dealmill.pipeline.store.record.contract import ALL, Fault, Page, Said, Wanted, newest_judgement
from dealmill.pipeline.store.record.packed.again import as_kept, dealt_here, solve_part
from dealmill.pipeline.store.record.packed.packs import kept_of, next_pack
from dealmill.pipeline.store.runs.status import RunStatus

NOT_AS_RECORDED = "solving again does not give the recorded result, or the record is incomplete"
OBJECTION = Shape(judgements.c.position, judgements.c.step, judgements.c.reason)


def page(store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> Page:
    """See `dealmill.pipeline.store.record.contract.Record`, also for `marks` and `said`. A block that cannot be
    reproduced is left out, with a fault in its place."""
    if wanted.audit:
        return _objected(store, run, wanted, wanted.audit, after, most)
    for found in _blocks_with(store, run, wanted, after):
        if isinstance(found, Fault):
            return Page([], [found], found.last)
        first, stop = block_range(found, run.items)
        try:
            block = block_again(store, run, found)
        except DifferenceError:
            return Page([], [Fault(max(first, after + 1), stop - 1, NOT_AS_RECORDED)], stop - 1)
        if results := [one for one in block if one.position > after and _fits(one, wanted)]:
            return Page(results[:most], [], stop - 1 if len(results) <= most else results[most - 1].position)
    return Page([], [], None)


def block_again(store: Database, run: RunStatus, number: int) -> list[Result]:
    """Deal and solve a block again and return its results.

    Raises
    ------
    VersionError
        If another version of the engine or of the generator is installed.
    DifferenceError
        If the results do not have the recorded verdicts and the recorded digest.
    """
    deals, (first, stop) = dealt_here(run), block_range(number, run.items)
    kept = kept_of(store, run.id, first, stop)
    layouts, solved = solve_part(deals, run, first, stop, kept.errors)
    if not as_kept(kept, first, layouts, solved):
        raise DifferenceError(f"items {first:,} to {stop - 1:,} of run {run.id}: {NOT_AS_RECORDED}")
    said = to_batch(solved)
    rows = zip(unpack(layouts), said.verdicts, said.values, said.nodes, said.evidence, strict=True)
    return [
        Result(run.engine, *row, position, deals.first + position - 1, run.id)
        for position, row in enumerate(rows, start=first)
    ]


def marks(store: Database, run: RunStatus) -> dict[int, bytes]:
    digests, found, after = recorded_digests(store, run.id), {}, 0
    while pack := next_pack(store, run.id, after):
        for first in range(pack.first, pack.stop, BLOCK) if pack.verdicts is not None else ():
            codes = pack.part(first, min(first + BLOCK, pack.stop))
            if codes is not None and block_of(first) in digests:
                found[block_of(first)] = mark(digests[block_of(first)], codes.tobytes())
        after = pack.stop - 1
    return found


def said(store: Database, run: RunStatus, first: int, stop: int, *, bare: bool) -> list[Said] | None:
    kept = kept_of(store, run.id, first, stop)
    if bare or kept.to_come:
        codes = [None] * (stop - first) if kept.verdicts is None else map(VERDICTS.get, kept.verdicts.tolist())
        return [Said(position, verdict, None, None) for position, verdict in enumerate(codes, start=first)]
    try:
        block = block_again(store, run, block_of(first))
    except (DifferenceError, VersionError):
        return None
    return [Said(one.position, one.verdict, one.value, one.evidence) for one in block if one.position < stop]


def _objected(store: Database, run: RunStatus, wanted: Wanted, outcome: Outcome, after: int, most: int) -> Page:
    """Return a page of results by the outcome of their newest audit. Valid judgements are not stored for packed
    runs."""
    objections, faults = _objections(store, run.id, outcome, after, most)
    results: list[Result] = []
    for number, inside in groupby(objections, lambda objection: block_of(objection[0])):
        judged = dict(inside)
        try:
            block = block_again(store, run, number)
        except DifferenceError:
            faults += [Fault(position, position, NOT_AS_RECORDED) for position in judged]
            continue
        said = [replace(block[(position - 1) % BLOCK], judgement=judgement) for position, judgement in judged.items()]
        results += [result for result in said if _fits(result, wanted)]
    reached = [position for position, _ in objections] + [fault.last for fault in faults]
    return Page(results, faults, max(reached, default=None))


def _objections(
    store: Database, run: int, outcome: Outcome, after: int, most: int
) -> tuple[list[tuple[int, Judgement]], list[Fault]]:
    """Return the first items after position `after` with their newest judgement, if that has the given outcome, and
    faults for rows that cannot be read."""
    query = (
        select(judgements.c.position, judgements.c.step, judgements.c.reason)
        .where(
            judgements.c.run_id == run,
            judgements.c.outcome == int(outcome),
            judgements.c.outcome != literal_column("1"),  # the literal condition of the partial index
            judgements.c.position.between(after + 1, MOST),
            newest_judgement(),
            ~_found_valid_since(),
        )
        .order_by(judgements.c.position)
        .limit(most)
    )
    found, faults = [], []
    with store.reading() as connection:
        for row in connection.execute(query):
            if trouble := OBJECTION.trouble(row):
                faults.append(Fault(int(row.position), int(row.position), trouble))
            else:
                found.append((row.position, Judgement(outcome, row.step, row.reason)))
    return found, faults


def _found_valid_since() -> ColumnElement[bool]:
    """Return the condition that a later audit of all verdicts has covered the verdict of a judgement. It found the
    verdict valid, or there would be a newer judgement."""
    past = (audit_jobs.c.first <= judgements.c.position) & (audit_jobs.c.stop > judgements.c.position)
    return exists().where(
        audits.c.id == audit_jobs.c.audit_id,
        audits.c.run_id == judgements.c.run_id,
        audits.c.id > judgements.c.audit_id,
        audits.c.size == audits.c.population,
        audit_jobs.c.state == DONE,
        past,
    )


def _blocks_with(store: Database, run: RunStatus, wanted: Wanted, after: int) -> Iterator[int | Fault]:
    """Yield the numbers of the blocks that may have matching verdicts after position `after`, and faults where verdicts
    are missing or damaged."""
    codes = [int(verdict) for verdict in wanted.verdicts] or list(map(int, Verdict))
    while pack := next_pack(store, run.id, after):
        if run.finished and pack.first > after + 1:
            yield Fault(after + 1, pack.first - 1, NOT_AS_RECORDED)
        if pack.verdicts is None:
            yield Fault(max(pack.first, after + 1), pack.stop - 1, NOT_AS_RECORDED)
        elif pack.holds(*wanted.values):
            begin = max(after + 1, pack.first)
            for number in range(block_of(begin), block_of(pack.stop - 1) + 1):
                first = max(number * BLOCK + 1, begin) - pack.first
                if np.isin(pack.verdicts[first : (number + 1) * BLOCK + 1 - pack.first], codes).any():
                    yield number
        after = pack.stop - 1
    if run.finished and after < run.items:
        yield Fault(after + 1, run.items, NOT_AS_RECORDED)


def _fits(result: Result, wanted: Wanted) -> bool:
    return (
        (not wanted.verdicts or result.verdict in wanted.verdicts)
        and (wanted.values == ALL or (result.value is not None and _within(result.value, wanted.values)))
        and _within(result.nodes, wanted.nodes)
    )


def _within(number: int, ends: tuple[int, int]) -> bool:
    return ends[0] <= number <= ends[1]
