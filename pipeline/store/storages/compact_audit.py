"""What audits read of compact runs, together with the result of dealing and solving the items again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from time import monotonic
from typing import NamedTuple

from sqlalchemy import bindparam, exists, func, or_, select

from dealmill.pipeline.evidence.digests import block_of, block_range
from dealmill.pipeline.games.batch import to_batch, unpack
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.database.tables import DONE, jobs, packs, verdicts
from dealmill.pipeline.store.runs.jobs import SPREAD
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages import audit_scans
from dealmill.pipeline.store.storages.audit_scans import (
    UNFINISHED,
    AuditScan,
    BlockRecord,
    ItemRecord,
    JobRecord,
    JobRow,
    job_record,
    sound_jobs,
    stray_jobs,
)
from dealmill.pipeline.store.storages.bitmaps import errors_of, stored_block
from dealmill.pipeline.store.storages.compact_solving import (
    SolvedBlocks,
    SolvedPart,
    dealt_here,
    joined,
    results_of,
    solve_blocks,
    solve_range,
)
from dealmill.pipeline.store.storages.item_blocks import stray_blocks
from dealmill.pipeline.store.storages.parts import decode, encode

PACKS = select(packs).where(
    packs.c.run_id == bindparam("run"), packs.c.first.between(bindparam("first"), bindparam("last"))
)
ERRORS = select(verdicts.c.position, verdicts.c.verdict, verdicts.c.value, verdicts.c.nodes, verdicts.c.evidence).where(
    verdicts.c.run_id == bindparam("run"), verdicts.c.position.between(bindparam("first"), bindparam("last"))
)
STRAY_PACKS = select(packs.c.first).where(
    packs.c.run_id == bindparam("run"),
    ~exists().where(
        jobs.c.run_id == bindparam("run"),
        jobs.c.first == packs.c.first,
        jobs.c.stop == packs.c.stop,
        jobs.c.state == DONE,
    ),
)
END_OF_JOBS = select(func.coalesce(func.max(jobs.c.stop), 1)).where(jobs.c.run_id == bindparam("run")).scalar_subquery()
STRAY_ERRORS = select(verdicts.c.position).where(
    verdicts.c.run_id == bindparam("run"), or_(verdicts.c.position < 1, verdicts.c.position >= END_OF_JOBS)
)
ADDED = tuple(name for name in SPREAD if name not in ("least_value", "greatest_value"))
"""The columns that are NULL in jobs of compact runs from before revision 0011."""


def scan(database: Database, run: PlannedRun, count: int, positions: range) -> AuditScan:
    """See `VerdictStorage`, as for `sample`."""
    deals = dealt_here(run)
    blocks = _blocks(database, run, deals, count, positions)
    items = [item for block in blocks for item in block.items]
    positions = positions[: len(items)]
    jobs, damaged = _jobs(
        database, run, deals, positions, {block.first: block.solved for block in blocks if block.solved}
    )
    records = [record for block in blocks for record in block.records if record.first >= positions.start]
    begins = positions.start == 1
    damaged += _damaged_errors(database, run, positions.start, positions.stop)
    damaged += _stray_jobs(database, run, count) if begins else []
    return AuditScan(positions, items, jobs, records, _strays(database, run, count) if begins else [], damaged=damaged)


def sample(database: Database, run: PlannedRun, count: int, positions: Sequence[int]) -> AuditScan:
    """See `VerdictStorage`."""
    blocks = _blocks(database, run, dealt_here(run), count, positions)
    items = [item for block in blocks for item in block.items]
    records = [record for block in blocks for record in block.records]
    return AuditScan(positions[: len(items)], items, None, records, [])


class Block(NamedTuple):
    """A block that was dealt and solved again: its items, or the sampled ones among them, and its digests and results
    if all of its jobs are done."""

    first: int
    items: list[ItemRecord]
    records: list[BlockRecord]
    solved: SolvedBlocks | None


def _blocks(database: Database, run: PlannedRun, deals: DealRange, count: int, positions: Sequence[int]) -> list[Block]:
    """Return the blocks of these positions; if they take long, only the first ones."""
    blocks = list[Block]()
    end = monotonic() + audit_scans.PART_SECONDS
    for number, inside in groupby(positions, block_of):
        block = _block(database, run, deals, *block_range(number, count))
        blocks.append(block._replace(items=[block.items[position - block.first] for position in inside]))
        if monotonic() > end:
            break
    return blocks


def _block(database: Database, run: PlannedRun, deals: DealRange, first: int, stop: int) -> Block:
    """Deal and solve a block again."""
    stored = stored_block(database, run.id, first, stop)
    if stored.unsolved:
        texts = enumerate(unpack(deals.part(first, stop).texts()), start=first)
        return Block(
            first, [ItemRecord(position, text, None, False, None, None, None) for position, text in texts], [], None
        )
    if stored.verdicts is None:  # nothing to compare with
        missing = [ItemRecord(position, "", None, True, None, None, None) for position in range(first, stop)]
        return Block(first, missing, [], None)
    layouts, solved = solve_range(deals, run, first, stop, stored.errors)
    batch = to_batch(solved)
    rows = zip(unpack(layouts), stored.verdicts.tolist(), batch.values, batch.evidence, batch.verdicts, strict=True)
    items = [
        ItemRecord(position, text, None, True, verdict, value, evidence, int(verdict_again))
        for position, (text, verdict, value, evidence, verdict_again) in enumerate(rows, start=first)
    ]
    results = results_of(run, first, layouts, solved, 0.0)
    [digest] = results.digests.values()
    return Block(first, items, [BlockRecord(first, stop, stored.digest, digest)], results)


def _jobs(
    database: Database, run: PlannedRun, deals: DealRange, positions: range, blocks: Mapping[int, SolvedBlocks]
) -> tuple[list[JobRecord], list[Fault]]:
    """Return the jobs that overlap a stretch, with the values in their bitmaps, and a fault for each damaged job. A job
    without one is not solved again, nor are `blocks`, whose results are known by their first position."""
    where = {"run": run.id, "first": positions.start, "last": positions.stop - 1}
    with database.reading() as connection:
        over, damaged = sound_jobs(connection, run.id, positions)
        bitmaps = {(row.first, row.stop): row for row in connection.execute(PACKS, where)}
        errors = {row.id: errors_of(connection, run.id, row.first, row.stop) for row in over}
    jobs = []
    for row in over:
        bitmap = bitmaps.get((row.first, row.stop))
        counted: Mapping[str, object] = {}
        if row.first >= positions.start and row.state != DONE:
            counted = UNFINISHED
        elif bitmap is not None:
            solved = _solved_again(deals, run, row, errors[row.id], blocks)
            counted = {**solved.totals, **_recorded(row, solved.distributions), "moments": solved.stored_moments}
        elif row.part is not None:
            counted = _counted_part(deals, run, row)
        job = job_record(row, counted)
        jobs.append(replace(job, totals={**job.totals, "moments": getattr(bitmap, "moments", None)}))
    return jobs, damaged


def _solved_again(
    deals: DealRange, run: PlannedRun, job: JobRow, errors: Mapping[int, str], blocks: Mapping[int, SolvedBlocks]
) -> SolvedBlocks:
    """Return the results of a job, of which the first `blocks` have just been solved again."""
    parts, start = list[SolvedBlocks](), job.first
    while (block := blocks.get(start)) and block.stop <= job.stop:
        parts.append(block)
        start = block.stop
    if start < job.stop:
        parts.append(solve_blocks(deals, run, start, job.stop, errors))
    return joined(parts)


def _counted_part(deals: DealRange, run: PlannedRun, job: JobRow) -> Mapping[str, object]:
    """Return the values in the row of a job that is a part of a block, computed again."""
    try:
        recorded = to_batch(decode(job.part))
    except (TypeError, ValueError):
        return {"part": "results of its items"}
    rows = enumerate(zip(recorded.verdicts, recorded.evidence, strict=True), start=job.first)
    errors = {position: str(error) for position, (verdict, error) in rows if verdict is Verdict.FAILED}
    _, solved = solve_range(deals, run, job.first, job.stop, errors)
    part = SolvedPart(run, job.first, solved, 0.0)
    return {**part.totals, **part.distributions, "part": encode(solved)}


def _recorded(job: JobRow, distributions: Mapping[str, object]) -> Mapping[str, object]:
    """Return the distributions of a job without those that no job of a compact run had before revision 0011, if it has
    none of them."""
    if any(getattr(job, name) is not None for name in ADDED):
        return distributions
    return {name: value for name, value in distributions.items() if name not in ADDED}


def _damaged_errors(database: Database, run: PlannedRun, first: int, stop: int) -> list[Fault]:
    """Return a fault for each row of a failed layout that holds more than its error."""
    with database.reading() as connection:
        rows = connection.execute(ERRORS, {"run": run.id, "first": first, "last": stop - 1}).all()
    return [
        Fault(int(row.position), int(row.position), "the row of a layout that failed holds more than its error")
        for row in rows
        if (row.verdict, row.value, row.nodes, type(row.evidence)) != (int(Verdict.FAILED), None, 0, str)
    ]


def _stray_jobs(database: Database, run: PlannedRun, count: int) -> list[Fault]:
    with database.reading() as connection:
        return stray_jobs(connection, run, count)


def _strays(database: Database, run: PlannedRun, count: int) -> list[int]:
    """Return the positions of packs without a finished job, and of errors and digests outside all jobs."""
    with database.reading() as connection:
        positions = {
            *connection.execute(STRAY_PACKS, {"run": run.id}).scalars(),
            *connection.execute(STRAY_ERRORS, {"run": run.id}).scalars(),
            *stray_blocks(connection, run.id, count),
        }
    return sorted(positions)
