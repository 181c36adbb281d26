"""The node counts of the layouts that two runs stored as rows have both decided."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, select

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.descriptions import DECIDED
from dealmill.pipeline.results.node_counts import NodeCounts, NodeSample, compare_nodes
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import NUMBER_LIST, one_of
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import verdicts
from dealmill.pipeline.store.diffs.difference import layouts_are_stored
from dealmill.pipeline.store.diffs.rows import pairs_of_layouts
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.rows_pages import check_complete

if TYPE_CHECKING:
    from numpy.typing import NDArray

COUNTS_PER_FETCH = 20_000
"""Rows that are read at once."""
NODES = RowCheck(verdicts.c.position, verdicts.c.nodes)


def node_counts(database: Database, left: RunStatus, right: RunStatus) -> NodeCounts | None:
    """Compare the node counts of two runs; None if no layout was decided by both, or one of them counted no nodes.

    Raises
    ------
    UsageError
        If one of the runs is compact, so that its node counts are not stored one by one.
    DamagedError
        If a stored node count is not a number.
    """
    for run in (left, right):
        if not run.storage.stores_layouts:
            raise UsageError(f"run {run.id} is compact: the node counts of its layouts are not stored")
        check_complete(database, run)
    with database.browsing() as connection:
        rows = connection.execution_options(yield_per=COUNTS_PER_FETCH).execute(_decided_by_both(left, right))
        return compare_nodes(_node_columns(rows.partitions(), left, right))


def node_sample(database: Database, left: RunStatus, right: RunStatus, limit: int) -> NodeSample | None:
    """Return the node counts at `limit` positions that are evenly spaced over two runs stored as rows over one source;
    None for other runs, and if no layout in the sample was decided by both, or one of them counted no nodes."""
    if not layouts_are_stored(left, right) or left.source != right.source:
        return None
    positions = sorted({1 + number * left.items // limit for number in range(limit)}) if left.items else []
    with database.reading() as connection:
        rows = connection.execute(_decided_by_both(left, right, sampled=True), {"numbers": positions}).all()
    if not rows:
        return None
    _check_nodes(rows, left, right)
    counts = [(position, left_nodes, right_nodes) for position, _, left_nodes, right_nodes in rows]
    both_counted = any(left_nodes for _, left_nodes, _ in counts) == any(right_nodes for *_, right_nodes in counts)
    return NodeSample(counts) if both_counted else None


def _node_columns(parts: Iterable[Sequence[Any]], left: RunStatus, right: RunStatus) -> "Iterator[NDArray[Any]]":
    import numpy as np  # loads slowly

    for part in parts:
        _check_nodes(part, left, right)
        yield np.array([*map(tuple, part)]).T  # NumPy would look for an interface in each row


def _check_nodes(rows: Sequence[Any], left: RunStatus, right: RunStatus) -> None:
    """Check rows of the positions and node counts of two runs."""
    left_positions, right_positions, left_nodes, right_nodes = zip(*rows, strict=True)
    NODES.check_results(left.id, (left_positions, left_nodes))
    NODES.check_results(right.id, (right_positions, right_nodes))


def _decided_by_both(left: RunStatus, right: RunStatus, *, sampled: bool = False) -> Select[*tuple[Any, ...]]:
    """Select the positions and node counts of the layouts that both runs decided; if `sampled`, only at the positions
    bound to `NUMBER_LIST`."""
    left_verdicts, right_verdicts = verdicts.alias("left_verdicts"), verdicts.alias("right_verdicts")
    decided = [of_run.c.verdict.in_(sorted(DECIDED)) for of_run in (left_verdicts, right_verdicts)]
    query: Select[*tuple[Any, ...]] = select(
        left_verdicts.c.position, right_verdicts.c.position, left_verdicts.c.nodes, right_verdicts.c.nodes
    )
    if left.source == right.source:
        joined = left_verdicts.join(right_verdicts, left_verdicts.c.position == right_verdicts.c.position)
    else:
        pairs = pairs_of_layouts(left, right)
        joined = pairs.join(left_verdicts, left_verdicts.c.position == pairs.c.left_position).join(
            right_verdicts, right_verdicts.c.position == pairs.c.right_position
        )
    return (
        query.select_from(joined)
        .where(left_verdicts.c.run_id == left.id, right_verdicts.c.run_id == right.id, *decided)
        .where(*[one_of(left_verdicts.c.position, NUMBER_LIST)] * sampled)
        .order_by(left_verdicts.c.position)
    )
