"""The compact storage, of surveys whose engine is faster than a database: a row per block of verdicts.

Nothing is stored of a single deal but the error, if its engine failed, because solving again might not reproduce it.
Whoever asks for deals gets them from `block_again`, which deals and solves a block again and compares the result with
the row of the block: its digest, which covers layouts, verdicts and evidence, the number of each verdict, and the sums
of the values. Blocks whose numbers say that nothing can match are left out. Jobs consist of whole blocks, except for
the parts of a block that is not complete (`parts`).

Runs over ranges with an end, and by slow engines, are stored like this only if an earlier version of Dealmill did.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, bindparam, exists, literal_column, select

from dealmill.pipeline.errors import DamagedError, DamagedResults, VersionError
from dealmill.pipeline.evidence.digests import BLOCK, block_of, block_range
from dealmill.pipeline.evidence.referee import Judgement, Outcome
from dealmill.pipeline.games import game_by
from dealmill.pipeline.games.batch import Numbers, to_batch, to_strings
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import duration
from dealmill.pipeline.results.record import ANSWER
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import BEYOND_NUMBERS, greatest_below_end
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import DONE, audit_jobs, audits, blocks, jobs, judgements
from dealmill.pipeline.store.filters import BEHIND, Filter
from dealmill.pipeline.store.runs.jobs import MAX_ITEMS_PER_JOB
from dealmill.pipeline.store.runs.planned import PlannedRun, deals_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source, rules_of
from dealmill.pipeline.store.storages import compact_audit
from dealmill.pipeline.store.storages.audit_scans import AuditScan
from dealmill.pipeline.store.storages.compact_solving import (
    SolvedBlocks,
    SolvedPart,
    dealt_here,
    give_up,
    load_deals,
    results_of,
    solve_in_time,
    solve_range,
)
from dealmill.pipeline.store.storages.item_blocks import SUMS, unsolved
from dealmill.pipeline.store.storages.storage import (
    NO_RESULTS,
    BlockSummary,
    Page,
    ResultColumns,
    VerdictStorage,
    newest_judgement,
    next_job,
    result_columns,
    results_at,
)
from dealmill.pipeline.store.storages.summed_blocks import errors_of, summed_blocks

logger = logging.getLogger(__name__)

NOT_AS_RECORDED = "solving again does not give the recorded result, or the record is incomplete"
NO_BLOCK = "there is no valid row of blocks for them"
SOLVED_AGAIN = 5
"""The most blocks that are solved again for one page of a filter: some milliseconds."""
LEAST_PER_JOB, MAX_PER_JOB, JOBS = 5_000, 100_000, 64
"""Bounds on the items per job, for a tenth of a second to several seconds of work; and the number of jobs to aim for,
enough for all cores of a machine."""
LONG_SECONDS = 1.0
"""What takes longer is announced before it is solved again."""
OBJECTION = RowCheck(judgements.c.position, judgements.c.step, judgements.c.reason)


def block_again(database: Database, run: RunStatus, number: int) -> ResultColumns:
    """Deal and solve a block again and return its results.

    Raises
    ------
    VersionError
        If another version of the engine or of the generator is installed.
    DamagedError
        If the results do not have the recorded digest and sums.
    """
    deals, (first, stop) = dealt_here(run), block_range(number, run.items)
    with database.reading() as connection:
        errors = errors_of(connection, run.id, first, stop)
    _warn_of_waiting(run, first, stop)
    layouts, solved = solve_range(deals, run, first, stop, errors)
    if results_of(run, first, layouts, solved, 0.0).blocks != [*summed_blocks(database, run.id, number, number)]:
        raise DamagedResults(run.id, first, stop - 1, NOT_AS_RECORDED)
    return {
        "position": range(first, stop),
        "line": range(deals.first + first - 1, deals.first + stop - 1),
        "layout": to_strings(layouts),
        **to_batch(solved).columns,
    }


def _warn_of_waiting(run: RunStatus, first: int, stop: int) -> None:
    """Say which items are solved again, if that takes long."""
    seconds = (run.cpu_seconds or 0.0) / max(run.solved, 1) * (stop - first)
    if seconds > LONG_SECONDS:
        items = f"items {first:,} to {stop - 1:,} of run {run.id}"
        logger.warning("solving %s again, which takes about %s", items, duration(seconds))


def _objected(
    database: Database,
    run: RunStatus,
    filter_: Filter,
    outcome: Outcome,
    after: int,
    limit: int,
    before: int,
    *,
    backwards: bool,
) -> Page:
    """Return a page of results by the outcome of their newest audit. Valid judgements are not stored for compact
    runs."""
    objections = _objections(database, run.id, outcome, after, limit, before, backwards=backwards)
    rows, judgements = list[tuple[Any, ...]](), list[Judgement]()
    for number, inside in groupby(objections, lambda objection: block_of(objection[0])):
        judged = dict(inside)
        block = block_again(database, run, number)
        for index in _matching(run, filter_, block, [position - block["position"][0] for position in judged]):
            rows.append(tuple(column[index] for column in block.values()))
            judgements.append(judged[block["position"][index]])
    columns = result_columns(list(zip(*rows, strict=True)))
    return Page(run, columns, objections[-1][0] if objections else None, judgements)


def _matching(run: RunStatus, filter_: Filter, block: ResultColumns, indices: Sequence[int]) -> Sequence[int]:
    """Return those of these indices in a block whose results match `filter_`, apart from audits."""
    if replace(filter_, audit=None) == Filter():
        return indices
    results = Page(run, block, None).results
    return [index for index in indices if filter_.matches(results[index])]


def _objections(
    database: Database, run: int, outcome: Outcome, after: int, limit: int, before: int, *, backwards: bool
) -> list[tuple[int, Judgement]]:
    """Return the first items between the positions `after` and `before` with their newest judgement, if that has the
    given outcome; if `backwards`, the last items, last position first."""
    position = judgements.c.position
    query = (
        select(position, judgements.c.step, judgements.c.reason)
        .where(
            judgements.c.run_id == run,
            judgements.c.outcome == int(outcome),
            judgements.c.outcome != literal_column("1"),  # the literal condition of the partial index
            position.between(after + 1, before - 1),
            newest_judgement(),
            ~_found_valid_since(),
        )
        .order_by(position.desc() if backwards else position)
        .limit(limit)
    )
    with database.reading() as connection:
        rows = connection.execute(query).all()
    if rows:
        OBJECTION.check_results(run, list(zip(*rows, strict=True)))
    return [(row.position, Judgement(outcome, row.step, row.reason)) for row in rows]


def _found_valid_since() -> ColumnElement[bool]:
    """Return the condition that a later audit of all verdicts has covered the verdict of a judgement. It found the
    verdict valid, or there would be a newer judgement."""
    covered = (audit_jobs.c.first <= judgements.c.position) & (audit_jobs.c.stop > judgements.c.position)
    return exists().where(
        audits.c.id == audit_jobs.c.audit_id,
        audits.c.run_id == judgements.c.run_id,
        audits.c.id > judgements.c.audit_id,
        audits.c.size == audits.c.population,
        audit_jobs.c.state == DONE,
        covered,
    )


def _blocks_with(
    database: Database, run: RunStatus, filter_: Filter, after: int, before: int, *, backwards: bool
) -> Iterator[int]:
    """Yield the numbers of the blocks that may have results that match `filter_` between the positions `after` and
    `before`.

    Raises
    ------
    DamagedError
        If the run is finished, and a block between them has no valid row.
    """
    for first, stop in _stretches(database, run, filter_, after, before, backwards=backwards):
        numbers = range(block_of(first), block_of(stop - 1) + 1)
        left = numbers[::-1] if backwards else numbers
        for block in summed_blocks(database, run.id, numbers.start, numbers.stop - 1, backwards=backwards):
            index = left.index(block.number)
            _check_none(run, left[:index])
            left = left[index + 1 :]
            if block.has_any_of(filter_.verdict):
                yield block.number
        _check_none(run, left)


def _check_none(run: RunStatus, missing: range) -> None:
    """Check that a finished run has no missing blocks."""
    if run.finished and missing:
        first, last = block_range(min(missing), run.items)[0], block_range(max(missing), run.items)[1] - 1
        raise DamagedResults(run.id, first, last, NO_BLOCK)


def _stretches(
    database: Database, run: RunStatus, filter_: Filter, after: int, before: int, *, backwards: bool
) -> Iterator[tuple[int, int]]:
    """Yield the ranges `[first, stop)` between the positions `after` and `before` in which results may match: those of
    jobs, or with an empty filter all."""
    if filter_ == Filter() and after + 1 < before:
        yield after + 1, before
        return
    while True:
        with database.reading() as connection:
            job = next_job(connection, run.id, filter_, after, before, backwards=backwards)
        if job is None:
            return
        first, stop = max(after + 1, job[0]), min(before, job[1])
        yield first, stop
        after, before = (after, first) if backwards else (stop - 1, before)


LAST_BLOCK = greatest_below_end(
    blocks.c.number, blocks.c.run_id == bindparam("run"), blocks.c.number < BEYOND_NUMBERS // BLOCK
)
LAST_JOB = greatest_below_end(
    jobs.c.stop, jobs.c.run_id == bindparam("run"), jobs.c.stop <= jobs.c.first + MAX_ITEMS_PER_JOB
)


class Compact(VerdictStorage):
    """Sums of blocks of verdicts, on deals that are solved again on request."""

    stores_valid_judgements = False
    audits_end_within_blocks = False  # each job would solve the block again

    def check_deals(self, run: PlannedRun) -> None:
        deals_of(run)

    def count_items(self, connection: Connection, source: Source) -> tuple[int, bool]:
        assert source.deals is not None  # noqa: S101 -- only ranges of deals are compact
        deals = DealRange.of(game_by(source.game, rules_of(connection, source)), source.deals)
        return 0 if deals.endless else len(deals), True

    def items_per_job(self, items: int) -> int:
        return min(max(-(-items // JOBS // BLOCK) * BLOCK, LEAST_PER_JOB), MAX_PER_JOB)

    def page(
        self,
        database: Database,
        run: RunStatus,
        filter_: Filter,
        after: int,
        limit: int,
        *,
        before: int = BEHIND,
        backwards: bool = False,
    ) -> Page:
        before = min(before, run.items + 1)
        if filter_.audit:
            return _objected(database, run, filter_, filter_.audit, after, limit, before, backwards=backwards)
        end: int | None = None
        numbers = _blocks_with(database, run, filter_, after, before, backwards=backwards)
        for blocks_solved, number in enumerate(numbers):
            if blocks_solved == SOLVED_AGAIN:
                return Page(run, NO_RESULTS, end)
            first, stop = block_range(number, run.items)
            end = first if backwards else stop - 1
            block = block_again(database, run, number)
            between = range(max(after + 1, first) - first, min(before, stop) - first)
            if indices := _matching(run, filter_, block, between[::-1] if backwards else between):
                results = results_at(block, indices[:limit])
                return Page(run, results, end if len(indices) <= limit else results["position"][-1])
        return Page(run, NO_RESULTS, None)

    def block_summaries(self, database: Database, run: RunStatus) -> dict[int, BlockSummary]:
        recorded = summed_blocks(database, run.id, 0, block_of(run.items))
        return {block.number: BlockSummary(block.digest, block.sums) for block in recorded}

    def recorded_verdicts(self, database: Database, run: RunStatus, first: int, stop: int) -> list[RecordedVerdict]:
        with database.reading() as connection:
            if unsolved(connection, run.id, *block_range(block_of(first), run.items)):
                return [RecordedVerdict(position) for position in range(first, stop)]
        block = block_again(database, run, block_of(first))
        rows = zip(*(block[name] for name in ("position", *ANSWER)), strict=True)
        return [RecordedVerdict(*row) for row in islice(rows, stop - first)]

    def block_sums(self, database: Database, run: RunStatus) -> tuple[Numbers, Numbers]:
        sums = list[tuple[int, ...]]()
        for block in summed_blocks(database, run.id, 0, block_of(run.items)):
            if block.number != len(sums) or sum(block.sums[: len(Verdict)]) != BLOCK:
                break  # damaged: a survey has only whole blocks
            sums.append(block.sums)
        counts, moments = np.split(np.array(sums, dtype=np.int64).reshape(-1, len(SUMS)), [len(Verdict)], axis=1)
        return counts, moments

    def prepare(self, run: PlannedRun) -> None:
        load(run.solved_by)
        load_deals(game_by(run.game, run.rules))

    def prepare_audit(self, run: PlannedRun) -> None:
        with suppress(VersionError, DamagedError):  # the audit reports it
            dealt_here(run)
            self.prepare(run)

    def solve(self, _database: Database, run: PlannedRun, first: int, stop: int) -> SolvedBlocks | SolvedPart:
        return solve_in_time(deals_of(run), run, first, stop)

    def give_up(
        self, _database: Database, run: PlannedRun, first: int, stop: int, error: str
    ) -> SolvedBlocks | SolvedPart:
        return give_up(deals_of(run), run, first, stop, error)

    def last_recorded_position(self, connection: Connection, run: PlannedRun) -> int:
        block, job = (connection.execute(query, {"run": run.id}).scalar() for query in (LAST_BLOCK, LAST_JOB))
        return max(0 if block is None else (block + 1) * BLOCK, (job or 0) - 1)

    def check_readable(self, run: PlannedRun) -> None:
        dealt_here(run)

    def recorded_evidence(
        self, _connection: Connection, _run: PlannedRun, _positions: Sequence[int]
    ) -> Iterator[tuple[int, object, object]]:
        """Yield nothing: there is no evidence on record."""
        return iter(())

    def scan(self, database: Database, run: PlannedRun, count: int, positions: range) -> AuditScan:
        return compact_audit.scan(database, run, count, positions)

    def sample(self, database: Database, run: PlannedRun, count: int, positions: Sequence[int]) -> AuditScan:
        return compact_audit.sample(database, run, count, positions)
