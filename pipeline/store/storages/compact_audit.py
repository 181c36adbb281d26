"""What audits read of compact runs, together with the result of dealing and solving the items again."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from time import monotonic
from typing import NamedTuple

from sqlalchemy import RowMapping, bindparam, func, or_, select

from dealmill.pipeline.evidence.digests import block_of, block_range
from dealmill.pipeline.games.batch import to_batch, to_strings
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.database.tables import DONE, jobs, verdicts
from dealmill.pipeline.store.runs.job_totals import SPREAD
from dealmill.pipeline.store.runs.jobs import MAX_ITEMS_PER_JOB
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
from dealmill.pipeline.store.storages.compact_solving import (
    SolvedBlocks,
    SolvedPart,
    dealt_here,
    joined,
    results_of,
    solve_blocks,
    solve_range,
)
from dealmill.pipeline.store.storages.item_blocks import SUMS, blocks_from, stray_blocks
from dealmill.pipeline.store.storages.parts import decode, encode
from dealmill.pipeline.store.storages.summed_blocks import errors_of

ERRORS = select(verdicts).where(
    verdicts.c.run_id == bindparam("run"), verdicts.c.position.between(bindparam("first"), bindparam("last"))
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
        database, run, deals, count, positions, {block.first: block.solved for block in blocks if block.solved}
    )
    records = [record for block in blocks for record in block.records if record.first >= positions.start]
    strays = [block.first for block in blocks if block.is_early]
    damaged += _damaged_errors(database, run, positions.start, positions.stop)
    if positions.start == 1:
        damaged += _stray_jobs(database, run, count)
        strays += _strays(database, run, count)
    return AuditScan(positions, items, jobs, records, strays, damaged=damaged)


def sample(database: Database, run: PlannedRun, count: int, positions: Sequence[int]) -> AuditScan:
    """See `VerdictStorage`."""
    blocks = _blocks(database, run, dealt_here(run), count, positions)
    items = [item for block in blocks for item in block.items]
    records = [record for block in blocks for record in block.records]
    return AuditScan(positions[: len(items)], items, None, records, [])


class Block(NamedTuple):
    """A block with its items, or the sampled ones among them. If all of its jobs are done, it was dealt and solved
    again: then it has its digests and sums, and the results. Otherwise, `is_early` says whether it has a row."""

    first: int
    items: list[ItemRecord]
    records: list[BlockRecord]
    solved: SolvedBlocks | None
    is_early: bool = False


def _blocks(database: Database, run: PlannedRun, deals: DealRange, count: int, positions: Sequence[int]) -> list[Block]:
    """Return the blocks of these positions; if they take long, only the first ones."""
    blocks = list[Block]()
    end = monotonic() + audit_scans.PART_SECONDS
    for number, inside in groupby(positions, block_of):
        block = _block(database, run, deals, count, *block_range(number, count))
        blocks.append(block._replace(items=[block.items[position - block.first] for position in inside]))
        if monotonic() > end:
            break
    return blocks


def _block(database: Database, run: PlannedRun, deals: DealRange, count: int, first: int, stop: int) -> Block:
    """Deal and solve a block again, unless some of its jobs are not done."""
    with database.reading() as connection:
        [(_, digest, sums, done)] = blocks_from(connection, run.id, count, first, first + 1)
        errors = errors_of(connection, run.id, first, stop)
    if not done:
        items = [ItemRecord(position, "", None, False, None, None, None) for position in range(first, stop)]
        return Block(first, items, [], None, is_early=digest is not None)
    layouts, solved = solve_range(deals, run, first, stop, errors)
    batch = to_batch(solved)
    rows = zip(to_strings(layouts), batch.verdicts, batch.values, batch.evidence, strict=True)
    items = [
        ItemRecord(position, text, None, True, int(verdict), value, evidence)
        for position, (text, verdict, value, evidence) in enumerate(rows, start=first)
    ]
    results = results_of(run, first, layouts, solved, 0.0)
    [block] = results.blocks
    counted = dict(zip(SUMS, block.sums, strict=True))
    return Block(first, items, [BlockRecord(first, stop, digest, block.digest, sums, counted)], results)


def _jobs(
    database: Database,
    run: PlannedRun,
    deals: DealRange,
    count: int,
    positions: range,
    blocks: Mapping[int, SolvedBlocks],
) -> tuple[list[JobRecord], list[Fault]]:
    """Return the jobs that overlap a stretch, with the totals computed again of those that begin in it, and a fault for
    each damaged job. `blocks`, whose results are known by their first position, are not solved again."""
    with database.reading() as connection:
        over, damaged = sound_jobs(connection, run.id, positions)
        errors = {row.id: errors_of(connection, run.id, row.first, row.stop) for row in over}
    records = []
    for row in over:
        counted: Mapping[str, object] = {}
        if row.first < positions.start:
            pass  # the stretch in which it begins has it
        elif row.state != DONE:
            counted = UNFINISHED
        elif _has_whole_blocks(row, count):
            solved = _solved_again(deals, run, row, errors[row.id], blocks)
            counted = {**solved.totals, **_recorded(row, solved.distributions)}
        else:
            counted = _counted_part(deals, run, row)
        records.append(job_record(row, counted))
    return records, damaged


def _has_whole_blocks(job: JobRow, count: int) -> bool:
    """Return whether a job of a run of `count` items consists of whole blocks of it."""
    ends = (block_range(block_of(position), count) for position in (job.first, job.stop - 1))
    (first, _), (_, stop) = ends
    return (first, stop) == (job.first, job.stop) and stop - first <= MAX_ITEMS_PER_JOB


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
        if not _is_error(row._mapping)
    ]


def _is_error(row: RowMapping) -> bool:
    """Return whether a row has nothing but the verdict ``failed`` and the text of an error."""
    only = dict.fromkeys(row) | {"verdict": Verdict.FAILED, "nodes": 0}
    same = ("run_id", "position", "evidence")
    return isinstance(row["evidence"], str) and all(row[name] == only[name] for name in row if name not in same)


def _stray_jobs(database: Database, run: PlannedRun, count: int) -> list[Fault]:
    with database.reading() as connection:
        return stray_jobs(connection, run, count)


def _strays(database: Database, run: PlannedRun, count: int) -> list[int]:
    """Return the positions of errors and digests outside all jobs."""
    with database.reading() as connection:
        errors = connection.execute(STRAY_ERRORS, {"run": run.id}).scalars()
        return sorted({*errors, *stray_blocks(connection, run.id, count)})
