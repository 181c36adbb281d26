"""Fetch the layouts of a source as one text. For the fastest engines, fetching one row per layout would take longer
than solving them."""

from functools import cache

import numpy as np
from sqlalchemy import Connection, Select, bindparam, case, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from dealmill.pipeline.games.batch import Texts, lengths_to_starts
from dealmill.pipeline.store.tables import items


def joined_layouts(connection: Connection, source: int, first: int, stop: int) -> Texts | None:
    """Return the layouts at the positions `[first, stop)`. Return None if any of them is missing, or is not a single
    line of ASCII text; then the caller has to fetch and check them one by one."""
    where = {"source": source, "first": first, "stop": stop}
    count, text = connection.execute(_joined(connection.dialect.name), where).one()
    if count != stop - first or not text.isascii() or text.count("\n") != count - 1:
        return None
    whole = text.encode()
    ends = np.flatnonzero(np.frombuffer(whole + b"\n", dtype=np.uint8) == ord("\n"))
    lengths = np.diff(ends, prepend=-1) - 1
    return Texts(np.frombuffer(whole.replace(b"\n", b""), dtype=np.uint8), lengths_to_starts(lengths))


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
    joined = func.string_agg(rows.c.layout, aggregate_order_by(literal("\n"), rows.c.position))
    return select(func.count(rows.c.layout), joined)
