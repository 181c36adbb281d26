"""Results and runs as Arrow tables and, made from these, data frames of pandas and Polars."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dealmill.pipeline.extras import check_extra
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.runs.status import RunStatus

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

COLUMNS = ("position", "line", "layout", "verdict", "value", "nodes", "evidence")
"""The columns of the results of a run."""
QUERY_COLUMNS = ("run", "engine", *COLUMNS)
"""The columns of a query."""
RUN_COLUMNS = (
    *("run", "game", "engine", "version", "source", "max_nodes", "storage", "repeats", "layouts", "rejected", "solved"),
    *(verdict.word for verdict in Verdict),
    *("mean", "nodes", "state", "retracted", "started", "seconds", "cpu_seconds", "tags", "note"),
)
"""The columns of a list of runs."""
NULLABLE = {
    *("value", "evidence", "step", "reason"),
    *("max_nodes", "repeats", "mean", "retracted", "started", "seconds", "cpu_seconds", "note"),
}
WORDS = [verdict.word for verdict in sorted(Verdict)]


class Tabular(ABC):
    """Something that has rows and columns."""

    __slots__ = ()

    @abstractmethod
    def to_arrow(self) -> "pa.Table":
        """Return the rows as an Arrow table."""

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the rows as a pandas data frame, with the columns of `to_arrow`.

        Verdicts are categories, times have a time zone, and integers that can be missing are of type ``Int64``.

        Raises
        ------
        UsageError
            If the extra ``pandas`` is not installed.
        """
        check_extra("pandas")
        import pandas
        import pyarrow as pa

        table, integers = self.to_arrow(), {pa.int64(): pandas.Int64Dtype()}
        columns = {
            field.name: table[field.name].to_pandas(types_mapper=integers.get if field.nullable else None)
            for field in table.schema
        }
        return pandas.DataFrame(columns, copy=False)

    def to_polars(self) -> "polars.DataFrame":
        """Return the rows as a Polars data frame, with the columns of `to_arrow`. Verdicts are categories.

        Raises
        ------
        UsageError
            If the extra ``polars`` is not installed.
        """
        check_extra("polars")
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)  # noqa: S101 -- it is a series only for an array
        return frame


def schema_of(columns: Sequence[str], metadata: Mapping[str, str] | None = None) -> "pa.Schema":
    """Return the schema of a table with some of the columns above.

    Raises
    ------
    UsageError
        If the extra ``parquet`` is not installed.
    """
    check_extra("parquet")
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    types = dict.fromkeys(("verdict", "engine", "audit", "game", "storage", "state"), word)
    types |= dict.fromkeys(("layout", "evidence", "reason", "version", "source", "retracted", "note"), pa.string())
    types |= dict.fromkeys(("mean", "seconds", "cpu_seconds"), pa.float64())
    types |= {"started": pa.timestamp("us", "UTC"), "tags": pa.list_(pa.string())}
    fields = [pa.field(name, types.get(name, pa.int64()), nullable=name in NULLABLE) for name in columns]
    return pa.schema(fields, metadata=metadata)


def record_batch(schema: "pa.Schema", columns: Mapping[str, Sequence[Any]]) -> "pa.RecordBatch":
    """Return columns as a record batch. Verdicts are given by their codes."""
    import pyarrow as pa

    def array(name: str, kind: "pa.DataType") -> "pa.Array":
        if name == "verdict":
            indices = pa.array([code - 1 for code in columns[name]], pa.int32())
            return pa.DictionaryArray.from_arrays(indices, pa.array(WORDS))
        return pa.array(columns[name], kind)

    return pa.RecordBatch.from_arrays([array(field.name, field.type) for field in schema], schema=schema)


def run_row(run: RunStatus) -> dict[str, object]:
    """Return a run as a row of a list of runs, by column."""
    counts = {verdict.word: run.counts.get(verdict, 0) for verdict in Verdict}
    return counts | {
        "run": run.id,
        "game": run.game,
        "engine": run.engine,
        "version": run.version,
        "source": run.source_name,
        "max_nodes": run.max_nodes,
        "storage": run.storage.word,
        "repeats": run.repeats,
        "layouts": run.items,
        "rejected": run.rejected,
        "solved": run.solved,
        "mean": run.mean,
        "nodes": run.nodes,
        "state": run.state,
        "retracted": run.retracted,
        "started": run.started,
        "seconds": run.seconds,
        "cpu_seconds": run.cpu_seconds,
        "tags": list(run.tags),
        "note": run.note,
    }


def table_of_runs(runs: Iterable[RunStatus]) -> "pa.Table":
    """Return runs as an Arrow table."""
    schema = schema_of(RUN_COLUMNS)
    import pyarrow as pa

    return pa.Table.from_pylist(list(map(run_row, runs)), schema)
