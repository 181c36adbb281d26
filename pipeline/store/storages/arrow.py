"""Results and runs as Arrow tables and, made from these, data frames of pandas and Polars."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.record import FRAME, JUDGEMENT, RESULT, UNFINISHED, Fact, RecordField, run_fields
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.system.extras import check_extra

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

COLUMNS = tuple(field.name for field in RESULT)
"""The columns of the results of a run."""
QUERY_COLUMNS = ("run", "engine", *COLUMNS)
"""The columns of a query."""
COUNTS = [RecordField(verdict.word, int, False, *Fact(f"the number of {verdict.word} layouts")) for verdict in Verdict]
RUN_FIELDS = [each for field in run_fields(FRAME) for each in (COUNTS if field.name == "counts" else [field])]
RUN_COLUMNS = tuple(field.name for field in RUN_FIELDS)
"""The columns of a list of runs, with the count of each verdict."""
FIELDS = {field.name: field for field in (*RESULT, UNFINISHED, *JUDGEMENT, *RUN_FIELDS)}
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

    types = {int: pa.int64(), float: pa.float64(), str: pa.string(), datetime: pa.timestamp("us", "UTC")}
    types[list[str]] = pa.list_(pa.string())
    word = pa.dictionary(pa.int32(), pa.string())
    fields = [
        pa.field(field.name, word if field.is_word else types[field.type], nullable=field.nullable)
        for field in map(FIELDS.__getitem__, columns)
    ]
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


def table_of_runs(runs: Iterable[RunStatus]) -> "pa.Table":
    """Return runs as an Arrow table."""
    schema = schema_of(RUN_COLUMNS)
    import pyarrow as pa

    return pa.Table.from_pylist([{**dict.fromkeys(WORDS, 0), **run.row, **run.row["counts"]} for run in runs], schema)
