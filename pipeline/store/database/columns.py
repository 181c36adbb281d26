"""Insert whole columns with one statement: numbers and texts go from arrays to rows without a tuple per row.

On SQLite, the rows come from a JSON list that holds the texts. All other columns are passed as bytes with a fixed width
per row and are sliced by row number. They are bytes, not text, because slicing text would mean counting characters.
PostgreSQL receives the rows by binary COPY. Measurements: docs/decisions/0031-arrays-from-file-to-row.md.
"""

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import BigInteger, Connection, Integer, SmallInteger, Table

from dealmill.pipeline.games.batch import Bytes, Mask, Numbers, Texts, lengths_to_starts, to_strings
from dealmill.pipeline.store.database.bulk import copying
from dealmill.pipeline.store.database.connections import Database

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLAIN = bytes(sign for sign in range(ord(" "), ord("~") + 1) if chr(sign) not in '"\\')
"""The ASCII characters that need no escape in a JSON string."""
BETWEEN = b'","'
"""The separator between two strings of a JSON list."""
BEGIN = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
COPY_TRAILER = struct.pack(">h", -1)
NULL = -1
"""The field length that marks a NULL in binary COPY."""
WIDTHS: tuple[tuple[type, str], ...] = ((SmallInteger, ">i2"), (BigInteger, ">i8"), (Integer, ">i4"))


@dataclass(frozen=True, slots=True, eq=False)
class Nullable:
    """A nullable column: the numbers where `not_null` is true, NULL elsewhere."""

    numbers: Numbers
    not_null: Mask


@dataclass(frozen=True, slots=True, eq=False)
class ByteStrings:
    """Byte strings of equal length, as an array of n × length."""

    rows: Bytes


Fixed = int | range | Numbers | Nullable | ByteStrings
"""A column of n rows with a fixed width: one number for all rows, consecutive numbers, n numbers, or byte strings."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Rows of a table: the fixed-width columns by name, and one text column `name`. Texts are NULL where `not_null` is
    false."""

    fixed: Mapping[str, Fixed]
    name: str
    texts: Texts
    not_null: Mask | None = None


Insert = Callable[[Connection], object]
"""A function that inserts prepared rows. They are prepared outside the transaction to keep it short, because SQLite
allows one writer at a time."""


def prepare_insert(database: Database, table: Table, columns: Columns) -> Insert:
    """Prepare the statement that inserts the columns as rows of a table."""
    if not len(columns.texts):
        return lambda _: None
    if database.embedded:
        return _from_json(table, columns)
    return _copied(table, columns)


def _from_json(table: Table, columns: Columns) -> Insert:
    expressions, parameters = list[str](), list[Any]()
    for column in columns.fixed.values():
        expression, arguments = _expression(column)
        expressions.append(expression)
        parameters += arguments
    text = "value"
    if columns.not_null is not None and not columns.not_null.all():
        text = "CASE substr(?, key + 1, 1) WHEN x'01' THEN value END"
        parameters.append(columns.not_null.tobytes())
    names = ", ".join([*columns.fixed, columns.name])
    statement = f"INSERT INTO {table.name} ({names}) SELECT {', '.join([*expressions, text])} FROM json_each(?)"  # noqa: S608
    values = (*parameters, _json(columns.texts))
    return lambda connection: connection.exec_driver_sql(statement, values)


def _expression(column: Fixed) -> tuple[str, list[Any]]:
    """Return the SQL expression for the value of a column in row number `key`, and its parameters."""
    match _shortest(column):
        case None:
            return "NULL", []
        case int(number):
            return "?", [number]
        case range(start=start):
            return "? + key", [start]
        case ByteStrings(rows):
            width = rows.shape[1]
            return f"substr(?, key * {width} + 1, {width})", [rows.tobytes()]
        case Nullable(numbers, not_null):
            digits = _digits(numbers)
            digits[~not_null] = ord(" ")
            text, parameters = _expression(ByteStrings(digits))
            return f"CAST(nullif({text}, ?) AS INTEGER)", [*parameters, b" " * digits.shape[1]]
        case numbers:
            text, parameters = _expression(ByteStrings(_digits(numbers)))
            return f"CAST({text} AS INTEGER)", parameters


def _shortest(column: Fixed) -> Fixed | None:
    """Return the column in the form that is cheapest for SQLite; None if every value is NULL."""
    if isinstance(column, Nullable):
        if column.not_null.all():
            return _shortest(column.numbers)
        return column if column.not_null.any() else None
    if isinstance(column, np.ndarray):
        first = int(column[0])
        if (column == first).all():
            return first
        if (np.diff(column) == 1).all():
            return range(first, first + len(column))
    return column


def _digits(numbers: Numbers) -> Bytes:
    """Return the numbers in ASCII, one per row: the sign, then as many digits as the longest number has."""
    magnitudes = np.abs(numbers)
    width = len(str(magnitudes.max()))
    characters = np.empty((len(numbers), width + 1), dtype=np.uint8)
    characters[:, 0] = np.where(numbers < 0, ord("-"), ord(" "))
    for column in range(width, 0, -1):
        magnitudes, digits = np.divmod(magnitudes, 10)
        characters[:, column] = digits + ord("0")
    return characters


def _json(texts: Texts) -> str:
    """Return the texts as a JSON list."""
    if texts.concatenated_text.tobytes().translate(None, PLAIN):
        return json.dumps(to_strings(texts))
    heads = np.tile(np.frombuffer(BETWEEN, dtype=np.uint8), len(texts))
    written = _interleave(heads, np.full(len(texts), len(BETWEEN)), texts)
    return f'["{written[len(BETWEEN) :].decode()}"]'


def _interleave(heads: Bytes, lengths: Numbers, texts: Texts) -> bytes:
    """Return head 1, text 1, head 2, text 2, … as one byte string. `heads` holds the concatenated heads; `lengths` are
    their lengths in bytes."""
    both = np.stack([lengths, texts.lengths], axis=1)
    of_heads = np.repeat(np.tile([True, False], len(texts)), both.ravel())
    written = np.empty(len(of_heads), dtype=np.uint8)
    written[of_heads] = heads
    written[~of_heads] = texts.concatenated_text
    return written.tobytes()


def _copied(table: Table, columns: Columns) -> Insert:
    rows, sent = _row_heads(table, columns)
    texts = columns.texts if columns.not_null is None else _emptied(columns.texts, columns.not_null)
    body = _interleave(rows[sent], sent.sum(axis=1), texts)
    names, written = [*columns.fixed, columns.name], b"".join([BEGIN, body, COPY_TRAILER])

    def insert(connection: Connection) -> None:
        with copying(connection, table, names) as copy:
            copy.write(written)

    return insert


def _emptied(texts: Texts, not_null: Mask) -> Texts:
    """Return the texts, with an empty text where `not_null` is false."""
    sent = texts.concatenated_text[np.repeat(not_null, texts.lengths)]
    return Texts(sent, lengths_to_starts(np.where(not_null, texts.lengths, 0)))


def _row_heads(table: Table, columns: Columns) -> tuple[Bytes, Mask]:
    """Return all bytes of each row except its text (n × bytes), and a mask of the bytes to send: a NULL field has
    none."""
    count = len(columns.texts)
    fields = [_field(table, name, column, count) for name, column in columns.fixed.items()]
    parts = [_bytes(np.full(count, len(fields) + 1, dtype=">i2"))]
    sent = [np.ones_like(parts[0], dtype=np.bool_)]
    for field, not_null in fields:
        parts += [_lengths(np.full(count, field.shape[1]), not_null), field]
        sent += [np.ones((count, 4), dtype=np.bool_), np.repeat(not_null[:, None], field.shape[1], axis=1)]
    everywhere = np.ones(count, dtype=np.bool_)
    parts.append(_lengths(columns.texts.lengths, everywhere if columns.not_null is None else columns.not_null))
    return np.hstack(parts), np.hstack([*sent, np.ones((count, 4), dtype=np.bool_)])


def _field(table: Table, name: str, column: Fixed, count: int) -> tuple[Bytes, Mask]:
    """Return the bytes of a field (n × bytes), and a mask of the rows in which it is not NULL."""
    not_null = np.ones(count, dtype=np.bool_)
    kind = next((kind for known, kind in WIDTHS if isinstance(table.c[name].type, known)), "")
    match column:
        case ByteStrings(rows):
            return rows, not_null
        case int():
            return _bytes(np.full(count, column, dtype=kind)), not_null
        case range():
            return _bytes(np.arange(column.start, column.start + count, dtype=kind)), not_null
        case Nullable(numbers, not_null):
            return _bytes(numbers.astype(kind)), not_null
        case _:
            return _bytes(column.astype(kind)), not_null


def _lengths(lengths: Numbers, not_null: Mask) -> Bytes:
    return _bytes(np.where(not_null, lengths, NULL).astype(">i4"))


def _bytes(numbers: "NDArray[Any]") -> Bytes:
    """Return the bytes of n numbers (n × bytes)."""
    return numbers.view(np.uint8).reshape(len(numbers), -1)
