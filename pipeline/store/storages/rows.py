"""Storage of verdicts as rows: one row per verdict, and layouts in the rows of the source."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, func, select

from dealmill.pipeline.errors import DamagedResults, NotFoundError
from dealmill.pipeline.evidence.digests import BLOCK, block_digest, block_of, block_range
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.record import ANSWER
from dealmill.pipeline.results.result import RecordedVerdict, Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import greatest_below_end
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import items, jobs, verdicts
from dealmill.pipeline.store.filters import BEHIND, Filter, Ordering
from dealmill.pipeline.store.runs.jobs import CHUNK
from dealmill.pipeline.store.runs.planned import PlannedRun, item_count
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source, lock_source
from dealmill.pipeline.store.storages import rows_audit
from dealmill.pipeline.store.storages.audit_scans import AuditScan
from dealmill.pipeline.store.storages.item_blocks import read_block
from dealmill.pipeline.store.storages.rows_pages import (
    COUNTED,
    NO_VERDICT,
    Conditions,
    between,
    check_complete,
    first_pages,
    page_of,
    parameters,
    searched,
    select_counts,
    unfiltered,
)
from dealmill.pipeline.store.storages.rows_solving import SolvedRows, layouts_of, solved_rows
from dealmill.pipeline.store.storages.storage import BlockSummary, Page, VerdictStorage

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Numbers

RECORDED = RowCheck(*(verdicts.c[name] for name in ANSWER))


def recorded_verdict(run: RunStatus, position: int | None, row: Sequence[Any]) -> RecordedVerdict:
    """Return the verdict in a row of the fields of an `ANSWER`; an item without a verdict may have no fields.

    Raises
    ------
    DamagedError
        If it cannot be read, or a finished run has none.
    """
    if not any(value is not None for value in row):
        if run.finished and position is not None and position <= run.items:
            raise DamagedResults(run.id, position, position, NO_VERDICT)
        return RecordedVerdict(position)
    if position is not None and (error := RECORDED.error(row)):
        raise DamagedResults(run.id, position, position, error)
    verdict, *others = row
    return RecordedVerdict(position, Verdict(verdict), *others)


ROWS_PER_FETCH = 10_000
SUMMED = RowCheck(verdicts.c.verdict, verdicts.c.value)
BLOCK_NUMBER = ((verdicts.c.position - 1) // BLOCK).label("number")
BLOCK_SUMS = (
    select(BLOCK_NUMBER, verdicts.c.verdict, verdicts.c.value, func.count())
    .where(verdicts.c.run_id == bindparam("run"))
    .group_by(BLOCK_NUMBER, verdicts.c.verdict, verdicts.c.value)
    .order_by(BLOCK_NUMBER)
)
LAST_ITEM = greatest_below_end(items.c.position, items.c.source_id == bindparam("source"))
LAST_JOB = greatest_below_end(jobs.c.stop, jobs.c.run_id == bindparam("run"))


class Rows(VerdictStorage):
    """Verdicts as rows."""

    stores_valid_judgements = True
    audits_end_within_blocks = True

    def check_deals(self, _run: PlannedRun) -> None:
        """Do nothing: the layouts are rows, also if they were dealt. See `VerdictStorage`, also for the other methods
        of this class."""

    def count_items(self, connection: Connection, source: Source) -> tuple[int, bool]:
        accepted, complete = lock_source(connection, source.id)
        if source.complete and not complete:
            raise NotFoundError(f"source {source.id} was deleted; read it again: {source.name}")
        if source.endless:
            return 0, True
        return item_count(f"source {source.id}", accepted), complete

    def items_per_job(self, _items: int) -> int:
        return CHUNK

    def check_readable(self, _run: PlannedRun) -> None:
        """Do nothing: rows can always be read."""

    def prepare(self, run: PlannedRun) -> None:
        from dealmill.pipeline.solving.loading import load

        load(run.solved_by)

    def prepare_audit(self, _run: PlannedRun) -> None:
        """Do nothing: a referee needs no preparation."""

    def solve(self, database: Database, run: PlannedRun, first: int, stop: int) -> SolvedRows:
        from dealmill.pipeline.solving.solve import cpu_seconds, solve_part

        layouts, errors = layouts_of(database, run, first, stop)
        begun = cpu_seconds(run.solved_by)
        solved = solve_part(run.solved_by, layouts, run.max_nodes, errors)
        cost = cpu_seconds(run.solved_by) - begun
        return solved_rows(database, run, first, layouts.part(0, len(solved.verdicts)), solved, cost)

    def give_up(self, database: Database, run: PlannedRun, first: int, stop: int, error: str) -> SolvedRows:
        from dealmill.pipeline.solving.solve import failed_verdicts

        layouts, _ = layouts_of(database, run, first, stop)
        return solved_rows(database, run, first, layouts, failed_verdicts(error, len(layouts)), 0.0)

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
        if filter_ == Filter():
            return unfiltered(database, run, after, before, limit, backwards=backwards)
        if filter_.audit in (None, Outcome.VALID):
            return searched(database, run, filter_, after, before, limit, backwards=backwards)
        rows = between(database, run, filter_, after, before, limit, backwards=backwards)
        return page_of(run, filter_, rows, int(rows[-1][0]) if rows else None)

    def ordered(
        self, database: Database, numbers: Sequence[int], filter_: Filter, ordering: Ordering, limit: int
    ) -> Iterator[Result]:
        for page in first_pages(database, numbers, filter_, ordering, limit):
            yield from page.results

    def node_counts(self, database: Database, run: RunStatus, filter_: Filter) -> Counter[tuple[int, int]]:
        check_complete(database, run)
        with database.reading() as connection:
            rows = connection.execute(select_counts(Conditions.of(filter_)), parameters(run, filter_)).all()
        if any(COUNTED.error(row[:2]) for row in rows):
            return super().node_counts(database, run, filter_)  # tells what is wrong
        return Counter({(verdict, nodes): count for verdict, nodes, count in rows})

    def block_sums(self, database: Database, run: RunStatus) -> "tuple[Numbers, Numbers]":
        import numpy as np  # slow to import, and needed only here

        counts, moments = list[list[int]](), list[list[int]]()
        with database.browsing() as connection:
            rows = connection.execution_options(yield_per=ROWS_PER_FETCH).execute(BLOCK_SUMS, {"run": run.id})
            for number, of_block in groupby(rows, attrgetter("number")):
                in_block, sums = dict.fromkeys(Verdict, 0), [0, 0]
                for _, verdict, value, count in of_block:
                    if SUMMED.error((verdict, value)):
                        break
                    in_block[Verdict(verdict)] += count
                    if value is not None:
                        sums = [sums[0] + value * count, sums[1] + value * value * count]
                if number != len(counts) or sum(in_block.values()) != BLOCK:
                    break
                counts.append([*in_block.values()])
                moments.append(sums)
        return np.array(counts, dtype=np.int64).reshape(-1, len(Verdict)), np.array(moments, dtype=object).reshape(
            -1, 2
        )

    def block_summaries(self, database: Database, run: RunStatus) -> dict[int, BlockSummary]:
        """See `VerdictStorage`. They are computed from the rows as they are now, not from the recorded digests."""
        records = {}
        for number in range(block_of(run.items) + 1):
            start, end = block_range(number, run.items)
            with database.reading() as connection:
                layouts, *contents = read_block(connection, run.id, start, end)
            if len(layouts) == end - start:
                records[number] = BlockSummary(block_digest(start, layouts, *contents), None)
        return records

    def recorded_verdicts(self, database: Database, run: RunStatus, first: int, stop: int) -> list[RecordedVerdict]:
        query = select(verdicts.c.position, *(verdicts.c[name] for name in ANSWER)).where(
            verdicts.c.run_id == run.id, verdicts.c.position >= first, verdicts.c.position < stop
        )
        with database.reading() as connection:
            rows = {position: row for position, *row in connection.execute(query).all()}
        return [recorded_verdict(run, position, rows.get(position, ())) for position in range(first, stop)]

    def last_recorded_position(self, connection: Connection, run: PlannedRun) -> int:
        last_item = connection.execute(LAST_ITEM, {"source": run.source}).scalar()
        last_job = connection.execute(LAST_JOB, {"run": run.id}).scalar()
        return max(last_item or 0, (last_job or 0) - 1)

    def recorded_evidence(
        self, connection: Connection, run: PlannedRun, positions: Sequence[int]
    ) -> Iterator[tuple[int, object, object]]:
        return rows_audit.recorded_evidence(connection, run, positions)

    def scan(self, database: Database, run: PlannedRun, count: int, positions: range) -> AuditScan:
        return rows_audit.scan(database, run, count, positions)

    def sample(self, database: Database, run: PlannedRun, count: int, positions: Sequence[int]) -> AuditScan:
        return rows_audit.sample(database, run, count, positions)
