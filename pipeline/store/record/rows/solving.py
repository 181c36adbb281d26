"""Solving the jobs of runs stored as rows: layouts are read from the store, and one row is written per verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from dealmill.pipeline.digests import whole_blocks
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.histograms import spread_of
from dealmill.pipeline.store.record.blocks import record_blocks
from dealmill.pipeline.store.runs import PlannedRun
from dealmill.pipeline.store.tables import Shape, items, verdicts

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Solved, Texts
    from dealmill.pipeline.store.columns import Insert

ITEM = Shape(items.c.position, items.c.layout)
LOST = "fault of the record: this item is missing from the source"


@dataclass(frozen=True, slots=True)
class SolvedRows:
    """The results of a job, for the items `[first, stop)`: the function that inserts their rows, the digests of the
    whole blocks among them (by number), the totals, and the distributions."""

    run: int
    first: int
    stop: int
    insert: "Insert"
    whole: Mapping[int, bytes]
    totals: Mapping[str, int]
    spread: Mapping[str, object]

    def write(self, connection: Connection) -> None:
        """See `dealmill.pipeline.store.record.contract.Found`."""
        self.insert(connection)
        record_blocks(connection, self.run, self.first, self.stop, self.whole)


def prepare(run: PlannedRun) -> None:
    """See `dealmill.pipeline.store.record.contract.Record`, also for `solve` and `give_up`."""
    from dealmill.pipeline.solve import load

    load(run.engine)


def solve(store: Database, run: PlannedRun, first: int, stop: int) -> SolvedRows:
    from dealmill.pipeline.solve import solve_part

    layouts, errors = _layouts(store, run, first, stop)
    solved = solve_part(run.engine, layouts, run.max_nodes, errors)
    return solved_rows(store, run, first, layouts.part(0, len(solved.verdicts)), solved)


def give_up(store: Database, run: PlannedRun, first: int, stop: int, trouble: str) -> SolvedRows:
    from dealmill.pipeline.solve import failed_verdicts

    layouts, _ = _layouts(store, run, first, stop)
    return solved_rows(store, run, first, layouts, failed_verdicts(trouble, len(layouts)))


def _layouts(store: Database, run: PlannedRun, first: int, stop: int) -> "tuple[Texts, dict[int, str]]":
    """Return the layouts at the positions `[first, stop)`, and errors by index from 0. A layout that is missing or
    damaged is empty and has an error."""
    from dealmill.pipeline.games.batch import pack
    from dealmill.pipeline.store.joined_layouts import joined_layouts

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
    """Return the results of a job, given the `solved` verdicts on the `layouts` from position `first` on."""
    from dealmill.pipeline.store.columns import Columns, Fixed, Some, prepare_insert

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
        spread=spread_of(solved.values[scored], solved.nodes),
    )
