"""The storage of verdicts as rows: solving, writing, reading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from dealmill.pipeline.fingerprint import block_digest, block_of, block_range, whole_blocks
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.result import Result
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import items, verdicts
from dealmill.pipeline.store.record.blocks import read_block, record_blocks
from dealmill.pipeline.store.record.contract import Record, Said, Solution, Stretch, Wanted
from dealmill.pipeline.store.record.rows import audit, pages
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Solved, Texts


@dataclass(frozen=True, slots=True)
class SolvedRows:
    """What a job found: rows of verdicts on the items from `first` to before `stop`, the digests of the blocks that
    these alone are, and totals."""

    run: int
    first: int
    stop: int
    rows: list[tuple[object, ...]]
    whole: Mapping[int, bytes]
    totals: Mapping[str, int]

    def write(self, connection: Connection) -> None:
        """See `dealmill.pipeline.store.record.contract.Solution`."""
        insert_rows(connection, verdicts, ("run_id", "position", "verdict", "value", "nodes", "evidence"), self.rows)
        record_blocks(connection, self.run, self.first, self.stop, self.whole)


class Rows(Record):
    """A row for each verdict, beside the rows of its layout."""

    keeps_valid = True

    def check_readable(self, run: PlannedRun) -> None:
        """See `Record`, as for the other methods."""

    def prepare(self, run: PlannedRun) -> None:
        from dealmill.pipeline.solve import load

        load(run.engine)

    def solve(self, store: Database, run: PlannedRun, first: int, stop: int) -> Solution:
        from dealmill.pipeline.solve import solve_texts

        layouts = _layouts(store, run, first, stop)
        return solved_rows(run, first, layouts, solve_texts(run.engine, layouts, run.max_nodes))

    def give_up(self, store: Database, run: PlannedRun, first: int, stop: int, trouble: str) -> Solution:
        from dealmill.pipeline.solve import broken_down

        layouts = _layouts(store, run, first, stop)
        return solved_rows(run, first, layouts, broken_down(trouble, len(layouts)))

    def page(self, store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> list[Result]:
        return pages.page(store, run, wanted, after, most)

    def digests(self, store: Database, run: RunStatus) -> Mapping[int, bytes]:
        """Those of the rows as they are now, whatever is on record."""
        found = {}
        for number in range(block_of(run.items) + 1 if run.items else 0):
            start, end = block_range(number, run.items)
            with store.reading() as connection:
                block = read_block(connection, run.id, start, end)
            if len(block[0]) == end - start:
                found[number] = block_digest(start, *block)
        return found

    def said(self, store: Database, run: RunStatus, first: int, stop: int) -> list[Said] | None:
        query = (
            select(verdicts.c.position, verdicts.c.verdict, verdicts.c.value, verdicts.c.evidence)
            .where(verdicts.c.run_id == run.id, verdicts.c.position >= first, verdicts.c.position < stop)
            .order_by(verdicts.c.position)
        )
        with store.reading() as connection:
            there = {
                position: Said(position, Verdict(verdict), value, evidence)
                for position, verdict, value, evidence in connection.execute(query)
            }
        return [there.get(position, Said(position, None, None, None)) for position in range(first, stop)]

    def verdicts(self, store: Database, run: RunStatus, first: int, stop: int) -> list[Verdict | None]:
        return [one.verdict for one in self.said(store, run, first, stop) or ()]

    def stretch(self, store: Database, run: PlannedRun, items: int, positions: range) -> Stretch:
        return audit.stretch(store, run, items, positions)

    def sample(self, store: Database, run: PlannedRun, items: int, positions: Sequence[int]) -> Stretch:
        return audit.sample(store, run, positions)


def _layouts(store: Database, run: PlannedRun, first: int, stop: int) -> "Texts":
    from dealmill.pipeline.games.batch import pack

    query = (
        select(items.c.layout)
        .where(items.c.source_id == run.source, items.c.position >= first, items.c.position < stop)
        .order_by(items.c.position)
    )
    with store.reading() as connection:
        return pack([text for (text,) in connection.execute(query).all()])


def solved_rows(run: PlannedRun, first: int, layouts: "Texts", solved: "Solved") -> SolvedRows:
    """What a job found: `solved` on the `layouts` from position `first` on."""
    from dealmill.pipeline.games.batch import listed

    batch, codes, stop = listed(solved), solved.verdicts.tolist(), first + len(layouts)
    said = zip(range(first, stop), codes, batch.values, batch.nodes, batch.evidence, strict=True)
    totals = {verdict.word: codes.count(int(verdict)) for verdict in Verdict}
    return SolvedRows(
        run=run.id,
        first=first,
        stop=stop,
        rows=[(run.id, *row) for row in said],
        whole=whole_blocks(first, layouts, solved),
        totals={
            **totals,
            "value_sum": sum(value for value in batch.values if value is not None),
            "nodes": sum(batch.nodes),
        },
    )
