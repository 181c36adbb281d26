"""Solving items that are rows: their layouts are read, and a row is written for each verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from dealmill.pipeline.fingerprint import whole_blocks
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.tables import items, verdicts
from dealmill.pipeline.store.record.blocks import record_blocks
from dealmill.pipeline.store.runs.planned import PlannedRun

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Solved, Texts
    from dealmill.pipeline.store.database.columns import Insert

ITEM = Shape(items.c.position, items.c.layout)
LOST = "fault of the record: the source has lost this item"


@dataclass(frozen=True, slots=True)
class SolvedRows:
    """What a job found: verdicts on the items from `first` to before `stop`, as rows to `insert`, the digests of the
    blocks that these alone are, and totals."""

    run: int
    first: int
    stop: int
    insert: "Insert"
    whole: Mapping[int, bytes]
    totals: Mapping[str, int]

    def write(self, connection: Connection) -> None:
        """See `dealmill.pipeline.store.record.contract.Found`."""
        self.insert(connection)
        record_blocks(connection, self.run, self.first, self.stop, self.whole)


def prepare(run: PlannedRun) -> None:
    """See `dealmill.pipeline.store.record.contract.Record`, as for `solve` and `give_up`."""
    from dealmill.pipeline.solve import load

    load(run.engine)


def solve(store: Database, run: PlannedRun, first: int, stop: int) -> SolvedRows:
    from dealmill.pipeline.solve import solve_texts

    layouts, errors = _layouts(store, run, first, stop)
    return solved_rows(store, run, first, layouts, solve_texts(run.engine, layouts, run.max_nodes, errors))


def give_up(store: Database, run: PlannedRun, first: int, stop: int, trouble: str) -> SolvedRows:
    from dealmill.pipeline.solve import broken_down

    layouts, _ = _layouts(store, run, first, stop)
    return solved_rows(store, run, first, layouts, broken_down(trouble, len(layouts)))


def _layouts(store: Database, run: PlannedRun, first: int, stop: int) -> "tuple[Texts, dict[int, str]]":
    """The layouts at these positions. One that is lost or damaged is empty, and has an error by its place from 0."""
    from dealmill.pipeline.games.batch import pack
    from dealmill.pipeline.store.sources.layouts import joined_layouts

    with store.reading() as connection:
        layouts = joined_layouts(connection, run.source, first, stop)
        if layouts is not None:
            return layouts, {}
        rows = connection.execute(
            select(items.c.position, items.c.layout)
            .where(items.c.source_id == run.source, items.c.position >= first, items.c.position < stop)
            .order_by(items.c.position)
        ).all()
    texts, errors = [""] * (stop - first), dict.fromkeys(range(stop - first), LOST)
    for row in rows:
        place = int(row.position) - first
        if trouble := ITEM.trouble(row):
            errors[place] = f"fault of the record: {trouble}"
        else:
            texts[place] = row.layout
            del errors[place]
    return pack(texts), errors


def solved_rows(store: Database, run: PlannedRun, first: int, layouts: "Texts", solved: "Solved") -> SolvedRows:
    """What a job found: `solved` on the `layouts` from position `first` on."""
    from dealmill.pipeline.store.database.columns import Columns, Fixed, Some, prepare_insert

    stop = first + len(layouts)
    scored, decided = solved.verdicts == int(Verdict.SCORED), solved.verdicts != int(Verdict.UNDECIDED)
    fixed: dict[str, Fixed] = {
        "run_id": run.id,
        "position": range(first, stop),
        "verdict": solved.verdicts.astype("int64"),
        "nodes": solved.nodes,
        "value": Some(solved.values, scored),
    }
    codes = solved.verdicts.tolist()
    return SolvedRows(
        run=run.id,
        first=first,
        stop=stop,
        insert=prepare_insert(store, verdicts, Columns(fixed, "evidence", solved.evidence, decided)),
        whole=whole_blocks(first, layouts, solved),
        totals={
            **{verdict.word: codes.count(int(verdict)) for verdict in Verdict},
            "value_sum": sum(solved.values[scored].tolist()),
            "nodes": sum(solved.nodes.tolist()),
        },
    )
