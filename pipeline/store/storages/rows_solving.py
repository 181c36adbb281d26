"""Solving the items of runs that are stored as rows, and the rows of their verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import nan
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Select, bindparam, case, func, literal, select

from dealmill.pipeline.evidence.digests import whole_blocks
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import items, verdicts
from dealmill.pipeline.store.distributions.histograms import distribution_columns
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages.item_blocks import record_blocks

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Solved, Texts
    from dealmill.pipeline.store.database.columns import Insert

ITEM = RowCheck(items.c.position, items.c.layout)
LOST = "fault of the record: this item is missing from the source"


@dataclass(frozen=True, slots=True)
class SolvedRows:
    """The results of a job, for the items `[first, stop)`: the function that inserts their rows, the digests of the
    whole blocks among them (by number), the totals, the distributions, and what they cost."""

    run: int
    first: int
    stop: int
    insert: "Insert"
    block_digests: Mapping[int, bytes]
    totals: Mapping[str, int]
    distributions: Mapping[str, object]
    cpu_seconds: float

    def write(self, connection: Connection) -> None:
        """See `SolvedJob`."""
        self.insert(connection)
        record_blocks(connection, self.run, self.first, self.stop, self.block_digests)


def layouts_of(database: Database, run: PlannedRun, first: int, stop: int) -> "tuple[Texts, dict[int, str]]":
    """Return the layouts at the positions `[first, stop)`, and errors by index from 0. A layout that is missing or
    damaged is empty and has an error."""

    from dealmill.pipeline.games.batch import to_texts

    with database.reading() as connection:
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
        index = int(row.position) - first
        if error := ITEM.error(row):
            errors[index] = f"fault of the record: {error}"
        else:
            texts[index] = row.layout
            del errors[index]
    return to_texts(texts), errors


def solved_rows(
    database: Database, run: PlannedRun, first: int, layouts: "Texts", solved: "Solved", cpu_seconds: float = nan
) -> SolvedRows:
    """Return the results of a job, given the `solved` verdicts on the `layouts` from position `first` on."""
    from dealmill.pipeline.store.database.columns import Columns, Fixed, Nullable, prepare_insert

    stop = first + len(layouts)
    scored = solved.verdicts == int(Verdict.SCORED)
    fixed: dict[str, Fixed] = {"run_id": run.id, "position": range(first, stop)}
    for name, (numbers, meaningful) in solved.numbers.items():
        fixed[name] = numbers if meaningful is None else Nullable(numbers, meaningful)
    codes = solved.verdicts.tolist()
    return SolvedRows(
        run=run.id,
        first=first,
        stop=stop,
        insert=prepare_insert(database, verdicts, Columns(fixed, "evidence", solved.evidence, solved.has_evidence)),
        block_digests=whole_blocks(first, layouts, solved),
        totals={
            **{verdict.word: codes.count(int(verdict)) for verdict in Verdict},
            "unproved": solved.claims,
            "value_sum": sum(solved.values[scored].tolist()),
            "nodes": sum(solved.nodes.tolist()),
        },
        distributions=distribution_columns(solved.values[scored], solved.nodes),
        cpu_seconds=cpu_seconds,
    )


def joined_layouts(connection: Connection, source: int, first: int, stop: int) -> "Texts | None":
    """Return the layouts at the positions `[first, stop)`. Return None if any of them is missing, or is not a single
    line of ASCII text; then the caller has to fetch and check them one by one. For the fastest engines, fetching
    one row per layout would take longer than solving them."""
    import numpy as np  # slow to import, and needed only here

    from dealmill.pipeline.games.batch import Texts, lengths_to_starts

    where = {"source": source, "first": first, "stop": stop}
    count, text = connection.execute(_joined(connection.dialect.name), where).one()
    if count != stop - first or not text.isascii() or text.count("\n") != count - 1:
        return None
    encoded = text.encode()
    ends = np.flatnonzero(np.frombuffer(encoded + b"\n", dtype=np.uint8) == ord("\n"))
    lengths = np.diff(ends, prepend=-1) - 1
    return Texts(np.frombuffer(encoded.replace(b"\n", b""), dtype=np.uint8), lengths_to_starts(lengths))


@cache
def _joined(dialect: str) -> Select[int, str]:
    rows = (
        select(items.c.position, items.c.layout)
        .where(
            items.c.source_id == bindparam("source"),
            items.c.position >= bindparam("first"),
            items.c.position < bindparam("stop"),
        )
        .order_by(items.c.position)
        .subquery()
    )
    if dialect == "sqlite":  # group_concat keeps the order of the inner query
        texts = func.count(case((func.typeof(rows.c.layout) == "text", 1)))
        return select(texts, func.group_concat(rows.c.layout, "\n"))
    joined = func.string_agg(rows.c.layout, literal("\n"))
    return select(func.count(rows.c.layout), joined.aggregate_order_by(rows.c.position))
