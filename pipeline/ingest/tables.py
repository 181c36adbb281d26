"""Tables: CSV, JSON and Parquet files, read row by row in bounded memory.

All forms give the same rows. A row has the cells of the columns that the caller names, whatever their order in the
file, and capitals and blanks around a name do not count. Rows of which all cells are empty are left out. A text without
a header is a table, too, if the caller names its columns.
"""

import csv
import json
import os
import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from dealmill.pipeline.errors import InputError, UsageError
from dealmill.pipeline.games.batch import Numbers
from dealmill.pipeline.ingest.files import (
    LONGEST_LINE,
    READ_BYTES,
    STDIN,
    Reached,
    begins_array,
    input_errors,
    text_blocks,
    unpacked,
)
from dealmill.pipeline.printable import counted, printable
from dealmill.pipeline.system.extras import check_extra

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

DELIMITERS = ",;\t "
"""What may separate cells; blanks, any number of them, are the last resort."""
COMMENT = re.compile(r"\s*#(?!\d)")
"""The beginning of a comment: of a line before the header, or anywhere in a text without one. ``#17`` is a number."""
SEPARATOR_LINE = re.compile(r'"?sep=.?"?')
"""The line before the header in which Excel names the delimiter."""
UNCLOSED = "a quoted cell does not end"
MAX_LINES_OF_ROW = 200
"""The lines after which a quoted cell that does not end is taken for a mistake in its first line alone."""
NAN = "nan"
"""A missing number in text, in lower case."""
COLUMNS_SHOWN = 12
"""The columns of a file that an error names."""
PARQUET_ROWS = 128
"""The rows of a Parquet file that are decoded together. A text of a megabyte may be stored once for all rows, and is
decoded for each."""
PARQUET_BYTES = 1 << 19
"""The least number of bytes of decoded rows that are yielded together."""

Row = tuple[int, Sequence[Any]]
"""The number of a row, and its cells in the order of the columns; None where one is missing. The first cell of a row
that cannot be read is the reason, as `Unreadable`.

The number is that of its line or, in a JSON array or a Parquet file, counts the elements or rows from 1.
"""


class Unreadable(str):
    """Why a row cannot be read."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column, under the first of its `names` that a table has. A table without a `needed` one is refused; `option`
    names the command's options that choose another one."""

    names: tuple[str, ...]
    needed: bool = False
    option: str | None = None


ReadRows = Callable[[BinaryIO, str, Sequence[Column], Reached], Iterator[list[Row]]]
"""Yields the rows of a file with this name in lists of a few MB, and reports how many bytes of it have been read."""


class ColumnError(Exception):
    """A table lacks a needed column, or has one twice."""


def is_missing(cell: object) -> bool:
    """Return whether a cell holds nothing: None, a NaN, also in text, or blank text."""
    if isinstance(cell, str):
        text = cell.strip()
        return not text or (len(text) == len(NAN) and text.casefold() == NAN)
    return cell is None or cell != cell  # noqa: PLR0124 -- a NaN differs from itself


def _is_empty(cells: Sequence[object]) -> bool:
    return is_missing(cells[0]) and all(map(is_missing, cells))


def _normalised(name: str) -> str:
    return name.strip().casefold()


def _column_indexes(header: Iterable[str], columns: Sequence[Column]) -> list[int]:
    """Return where each column is in a table with this header; -1 for a column that it does not have.

    Raises
    ------
    ColumnError
        If it does not have a needed column, or has one twice.
    """
    titles = [_normalised(title) for title in header]
    indexes = list[int]()
    for column in columns:
        name = next((name for name in map(_normalised, column.names) if name in titles), None)
        if name is None and column.needed:
            raise ColumnError(_missing_columns(titles, columns))
        if name is not None and titles.count(name) > 1:
            raise ColumnError(f"there is more than one column {printable(name)}")
        indexes.append(-1 if name is None else titles.index(name))
    return indexes


def _missing_columns(titles: Sequence[str], columns: Sequence[Column]) -> str:
    present = ", ".join([printable(repr(title[:40])) for title in titles[:COLUMNS_SHOWN]])
    missing = [column for column in columns if column.needed and not {*map(_normalised, column.names)} & {*titles}]
    names = " and no column ".join([" or ".join(column.names) for column in missing])
    options = " and ".join([column.option for column in missing if column.option])
    hint = f"; choose another one with {options}" if options else ""
    return f"there is no column {names}, only {present}{', …' * (len(titles) > COLUMNS_SHOWN)}{hint}"


Pick = Callable[[Sequence[Any]], Sequence[Any]]
"""Returns the cells of some columns, given those of the file with None after the last one."""


def _picker(header: Iterable[str], columns: Sequence[Column]) -> Pick:
    """Return the function that picks the columns; see `_column_indexes` for the errors."""
    first, *others = _column_indexes(header, columns)
    return itemgetter(first, *others) if others else lambda cells: (cells[first],)


def _unreadable(reason: str, columns: Sequence[object]) -> list[Any]:
    return [Unreadable(reason), *[None] * (len(columns) - 1)]


Line = tuple[int, str]
"""The number of a line, and its text."""


def _csv_rows(
    file: BinaryIO, name: str, columns: Sequence[Column], reached: Reached, titles: Sequence[str] | None = None
) -> Iterator[list[Row]]:
    """Yield the rows of a text. `titles` are the names of its first columns if it has no header."""
    csv.field_size_limit(LONGEST_LINE)  # that of the library, 131,072, is too low for some evidence
    header: _Header | None = None
    begun: Sequence[Line] = ()
    for first, block in text_blocks(file, name, reached):
        texts = [line.rstrip("\r") for line in block.decode("utf-8", "replace").split("\n")]
        lines = [line for line in enumerate(texts, start=first) if titles is None or not COMMENT.match(line[1])]
        if header is None:
            header, lines = _header_of(lines, name, columns, titles)
        if header:
            rows, begun = header.rows([*begun, *lines], columns)
            yield rows
    if header:
        yield header.rows(begun, columns, last=True)[0]


def _header_of(
    lines: list[Line], name: str, columns: Sequence[Column], titles: Sequence[str] | None
) -> "tuple[_Header | None, list[Line]]":
    """Return the header of a text that begins with these lines, and the lines after it; None if it comes later. If the
    text has no header, but `titles`, the lines begin with its first row."""
    for index, (number, text) in enumerate(lines):
        if text.strip() and not SEPARATOR_LINE.fullmatch(text.strip()) and not COMMENT.match(text):
            where = f"{name}, line {number}"
            if titles is None:
                return _Header.of(text, where, columns), lines[index + 1 :]
            return _Header.of_first_row(text, where, columns, titles), lines[index:]
    return None, []


@dataclass(frozen=True, slots=True)
class _Header:
    """The columns of a text: the delimiter, the number of cells, and the function that picks the columns."""

    delimiter: str
    count: int
    pick: Pick

    @classmethod
    def of(cls, text: str, where: str, columns: Sequence[Column]) -> "_Header":
        """Return the header in a line, by the first delimiter with which it has the columns.

        Raises
        ------
        InputError
            If it has them with none of the delimiters.
        """
        errors = list[tuple[int, str]]()
        for delimiter in DELIMITERS:
            titles = _cells_of_line(text, delimiter)
            if isinstance(titles, Unreadable):
                errors.append((1, f"{titles}; the first line has the names of the columns"))
                continue
            try:
                return cls(delimiter, len(titles), _picker(titles, columns))
            except ColumnError as error:
                hint = "; columns are separated by commas, semicolons, tabs or blanks" if len(titles) == 1 else ""
                errors.append((0 if delimiter == " " else len(titles), f"{error}{hint}"))
        _, reason = max(errors, key=lambda error: error[0])  # the first one, if several have as many columns
        raise InputError(f"{where}: {reason}")

    @classmethod
    def of_first_row(cls, text: str, where: str, columns: Sequence[Column], titles: Sequence[str]) -> "_Header":
        """Return the columns of a text without a header, by its first row: the first ones have these titles, others
        have none. Of several delimiters, one counts that gives as many cells as there are titles.

        Raises
        ------
        InputError
            If no delimiter gives so many cells.
        """
        rows = {delimiter: _cells_of_line(text, delimiter) for delimiter in DELIMITERS}
        counts = {delimiter: len(cells) for delimiter, cells in rows.items() if not isinstance(cells, Unreadable)}
        enough = [delimiter for delimiter, count in counts.items() if count >= len(titles)]
        if not enough:
            cells = counted(max(counts.values(), default=0), "cell")
            raise InputError(
                f"{where}: the line has {cells}, but --columns names {len(titles)}; cells are separated by commas, "
                "semicolons, tabs or blanks"
            )
        delimiter = min(enough, key=lambda each: (each == " ", counts[each] != len(titles)))
        nameless = [""] * (counts[delimiter] - len(titles))
        return cls(delimiter, counts[delimiter], _picker([*titles, *nameless], columns))

    def rows(
        self, lines: Sequence[Line], columns: Sequence[Column], *, last: bool = False
    ) -> tuple[list[Row], Sequence[Line]]:
        """Return the rows in some lines, and the lines of a row that goes on after them, unless they are the `last`."""
        rows, index = list[Row](), 0
        while index < len(lines):
            number, text = lines[index]
            if not text.strip():
                index += 1
                continue
            cells, count = _cells_of_line(text, self.delimiter), 1
            if isinstance(cells, Unreadable) and text.count('"') % 2:
                several = self._row_of_lines([text for _, text in lines[index : index + MAX_LINES_OF_ROW]])
                if several is None and not last and len(lines) - index < MAX_LINES_OF_ROW:
                    return rows, lines[index:]
                cells, count = several or (cells, 1)
            if row := self._row(cells, columns):
                rows.append((number, row))
            index += count
        return rows, ()

    def _row_of_lines(self, lines: Sequence[str]) -> tuple[list[str] | Unreadable, int] | None:
        """Return the cells of the row that begins with these lines, some of which are inside quoted cells, and the
        number of its lines. If they are no row, the first line is taken alone; None if the row does not end in them."""
        quotes = 0
        for count, line in enumerate(lines, start=1):
            quotes += line.count('"')
            if quotes % 2 == 0:
                cells = _cells_of_line("\n".join(lines[:count]), self.delimiter)
                is_row = not isinstance(cells, Unreadable) and len(cells) == self.count
                return (cells, count) if is_row else (Unreadable(UNCLOSED), 1)
        return None

    def _row(self, cells: list[str] | Unreadable, columns: Sequence[Column]) -> Sequence[Any] | None:
        """Return the cells of the columns in a row; None if all of them are empty."""
        if isinstance(cells, Unreadable):
            return _unreadable(cells, columns)
        if _is_empty(cells):
            return None
        if len(cells) != self.count:
            return _unreadable(f"the line has {len(cells)} cells, expected {self.count}", columns)
        return self.pick([*cells, None])


def _cells_of_line(text: str, delimiter: str) -> "list[str] | Unreadable":
    blanks = delimiter == " "
    try:
        [cells] = csv.reader(
            [text.strip() if blanks else text], delimiter=delimiter, skipinitialspace=blanks, strict=True
        )
    except csv.Error:
        return Unreadable(UNCLOSED)
    return cells


decode_json = json.JSONDecoder(object_pairs_hook=tuple).raw_decode
"""Decodes JSON at the beginning of a text; an object becomes a tuple of pairs, so that no name in it is lost."""


def _json_rows(file: BinaryIO, name: str, columns: Sequence[Column], reached: Reached) -> Iterator[list[Row]]:
    @lru_cache(maxsize=100)
    def picker(names: tuple[str, ...]) -> Pick:
        try:
            return _picker(names, columns)
        except ColumnError as error:
            cells = _unreadable(str(error), columns)
            return lambda _: cells

    def cells_of(value: object) -> Sequence[Any] | None:
        """Return the cells of a row; None if all of them are empty."""
        if type(value) is not tuple:
            return _unreadable(value if isinstance(value, Unreadable) else "the row is not a JSON object", columns)
        names, cells = zip(*value, strict=True) if value else ((), ())
        if cells and _is_empty(cells):
            return None
        return picker(names)((*cells, None))

    values = _array_elements if begins_array(file, name) else _json_lines
    for part in values(file, name, reached):
        yield [(number, cells) for number, value in part if (cells := cells_of(value)) is not None]


def _json_lines(file: BinaryIO, name: str, reached: Reached) -> Iterator[Iterator[tuple[int, object]]]:
    for first, block in text_blocks(file, name, reached):
        lines = enumerate(block.decode("utf-8", "replace").split("\n"), start=first)
        yield ((number, _json_value(text)) for number, line in lines if (text := line.strip()))


def _json_value(text: str) -> object:
    try:
        value, end = decode_json(text)
    except (json.JSONDecodeError, RecursionError):
        return Unreadable("the line is not JSON")
    except ValueError:  # a limit of Python
        return Unreadable(f"a number has more than {sys.get_int_max_str_digits():,} digits")
    return value if end == len(text) else Unreadable("the line is not JSON")


NEXT_ELEMENT = re.compile(r"\s*[\[,]\s*")
END_OF_ARRAY = re.compile(r"\s*\]\s*")


def _array_elements(file: BinaryIO, name: str, reached: Reached) -> Iterator[list[tuple[int, object]]]:
    """Yield the elements of a JSON array that may be in one line, with their numbers, in parts.

    Raises
    ------
    InputError
        At an element that is not JSON, or longer than a line may be, and if the array does not end.
    """
    text, number, decoder = "", 1, getincrementaldecoder("utf-8-sig")("replace")
    with input_errors(name):
        for block in iter(partial(unpacked(file, name).read, READ_BYTES), b""):
            text += decoder.decode(block)
            elements, end = _elements_of(text)
            yield list(enumerate(elements, start=number))
            number += len(elements)
            text = text[end:]
            if len(text) > LONGEST_LINE + READ_BYTES:
                break
            reached(file.tell())
    if not END_OF_ARRAY.fullmatch(text):
        raise InputError(
            f"{name}: element {number} of the JSON array cannot be read: it is not complete, not JSON, or longer than "
            f"{LONGEST_LINE:,} characters"
        )


def _elements_of(text: str) -> tuple[list[object], int]:
    """Return the whole elements at the beginning of a text, and where they end. An element is known to be whole if
    something follows it."""
    elements, end = list[object](), 0
    while begin := NEXT_ELEMENT.match(text, end):
        try:
            value, stop = decode_json(text, begin.end())
        except (ValueError, RecursionError):
            break
        if stop == len(text) or stop - begin.end() >= LONGEST_LINE:
            break
        elements.append(value)
        end = stop
    return elements, end


def _parquet_rows(file: BinaryIO, name: str, columns: Sequence[Column], reached: Reached) -> Iterator[list[Row]]:
    check_extra("parquet")
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    size, number = os.fstat(file.fileno()).st_size, 1
    try:
        table = ParquetFile(file)
        schema = table.schema_arrow
        indexes = _column_indexes(schema.names, columns)
        used = [schema.field(index) for index in indexes if index >= 0]
        for field in used:
            if pa.types.is_nested(field.type):
                raise InputError(f"{name}: the column {field.name} has the type {field.type}, expected text or numbers")
        names = [field.name for field in used]
        skip_empty = len(used) == len(schema)
        rows, held = list[Row](), 0
        for batch in _parquet_batches(table, names, name):
            arrays = [batch[schema.names[index]] if index >= 0 else pa.nulls(len(batch)) for index in indexes]
            for cells in _batch_cells(arrays, batch.nbytes):
                if not (skip_empty and _is_empty(cells)):
                    rows.append((number, cells))
                number += 1
            held += batch.nbytes
            if held >= PARQUET_BYTES:
                yield rows
                rows, held = [], 0
            reached(size * number // max(table.metadata.num_rows, 1))
        yield rows
    except ColumnError as error:
        raise InputError(f"{name}: {error}") from error
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{name} is damaged, or is not a Parquet file: {reason}") from error


def _parquet_batches(table: "ParquetFile", names: list[str], file: str) -> "Iterator[pa.RecordBatch]":
    """Yield the rows of a Parquet file with the columns of these names, in small batches.

    Sizes are read of whole row groups only: to read those of a column, pyarrow ends the process if they are damaged.

    Raises
    ------
    InputError
        If a row group is so large for its rows and columns that some cell must be too long.
    """
    for number in range(table.num_row_groups):
        group = table.metadata.row_group(number)
        if group.total_byte_size > (group.num_rows + 1) * group.num_columns * LONGEST_LINE:
            raise InputError(
                f"{file}: row group {number + 1} has {group.total_byte_size:,} bytes in {group.num_rows:,} rows of "
                f"{group.num_columns:,} columns, expected cells of less than {LONGEST_LINE:,} bytes"
            )
        yield from table.iter_batches(PARQUET_ROWS, row_groups=[number], columns=names, use_threads=False)


def _batch_cells(columns: "Sequence[pa.Array]", size: int) -> Iterator[Sequence[Any]]:
    """Yield the cells of each row of a batch of `size` bytes. Of a cell that is too long, only the length is read."""
    import pyarrow as pa

    columns = [
        column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column for column in columns
    ]  # a twenty times as fast as `to_pylist` of a column of categories
    if size < LONGEST_LINE:
        yield from zip(*(column.to_pylist() for column in columns), strict=True)
        return
    longest = np.max([_cell_lengths(column) for column in columns], axis=0)
    short = pa.array(np.flatnonzero(longest < LONGEST_LINE))
    cells = zip(*(column.take(short).to_pylist() for column in columns), strict=True)
    for length in longest.tolist():
        reason = f"a cell has {length:,} bytes, expected less than {LONGEST_LINE:,}"
        yield next(cells) if length < LONGEST_LINE else _unreadable(reason, columns)


def _cell_lengths(column: "pa.Array") -> Numbers:
    """Return the length of each cell in bytes; 0 if it is not text."""
    import pyarrow as pa
    from pyarrow import compute

    if not any(is_text(column.type) for is_text in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return np.zeros(len(column), dtype=np.int64)
    lengths: Numbers = compute.binary_length(column).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths


FORMS: dict[str, ReadRows] = {
    ".jsonl": _json_rows,
    ".json": _json_rows,
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
    ".parquet": _parquet_rows,
}
COMPRESSED = (".gz", ".bz2", ".xz")
"""The suffixes of compressed text formats; how a file is compressed is told by its first bytes."""


def is_table(file: str) -> bool:
    """Return whether a file is a table by its suffix."""
    return _suffix(file) in FORMS


def is_text_table(read: ReadRows) -> bool:
    """Return whether a reader is one of a text format, which may be compressed."""
    return read is not _parquet_rows


def row_reader(file: str, titles: Sequence[str] | None = None) -> ReadRows:
    """Return the reader of a file by its suffix; standard input is JSON. With `titles`, the names of the first columns,
    the file is a text without a header, such as ``.csv`` or ``.txt``, and so is standard input.

    Raises
    ------
    UsageError
        If the suffix is none of `FORMS`, all but Parquet also with one of `COMPRESSED`; or, with `titles`, if the
        format has the names of the columns.
    """
    suffix = _suffix(file)
    if titles is not None:
        if FORMS.get(suffix, _csv_rows) is not _csv_rows:
            raise UsageError(f"{file} has the names of its columns: leave out --columns, for text without a header")
        return partial(_csv_rows, titles=titles)
    if file == STDIN:
        return _json_rows
    if suffix not in FORMS:
        compressed = " or ".join([", ".join(COMPRESSED[:-1]), COMPRESSED[-1]])
        raise UsageError(f"{file} must end in {', '.join(FORMS)}, or {compressed} after one of the text formats")
    return FORMS[suffix]


def check_titles(titles: Sequence[str], columns: Sequence[Column]) -> None:
    """Check that a text with these titles in place of a header has the columns.

    Raises
    ------
    UsageError
        If one that is needed is not among them, or one occurs twice.
    """
    try:
        _column_indexes(titles, columns)
    except ColumnError as error:
        raise UsageError(f"--columns {','.join(titles)}: {error}") from error


def _suffix(file: str) -> str:
    path = Path(file.lower())
    unpacked_suffix = Path(path.stem).suffix
    return unpacked_suffix if path.suffix in COMPRESSED and unpacked_suffix != ".parquet" else path.suffix
