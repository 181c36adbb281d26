"""Checks of stored rows: whether each value has the type and the range of its column; and faults, which checks find."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement

from dealmill.pipeline.errors import DamagedError, DamagedResults, DamagedWarning
from dealmill.pipeline.printable import counted, printable
from dealmill.pipeline.store.database.tables import CODES, MAX_CHARACTERS, NodeLimit

KINDS: dict[type, str] = {
    bool: "true or false",
    bytes: "bytes",
    dict: "a JSON object",
    float: "a number",
    int: "a whole number",
    str: "text",
}

Row = TypeVar("Row")
Listed = TypeVar("Listed")
LONGEST_SHOWN = 60
"""The most characters of a value that a message shows."""


class RowCheck:
    """A validator for rows of the given columns, in that order."""

    def __init__(self, *columns: ColumnElement[Any]) -> None:
        self._columns = columns
        self._codes = [(index, column, set(column.info[CODES])) for index, column in _with(CODES, columns)]
        self._texts = [index for index, column in enumerate(columns) if column.type.python_type is str]
        self._bounded = _with(MAX_CHARACTERS, columns)
        self._valid_types: set[tuple[type, ...]] = set()

    def check_results(self, run: int, columns: Sequence[Sequence[Any]]) -> None:
        """Check rows of the results of a run, given by `columns` of equal length, of which the first one has positions.

        Raises
        ------
        DamagedResults
            If one of them is not valid. The error is for the first one, and for those beside it with the same reason.
        """
        if all(self._is_valid(column, values) for column, values in zip(self._columns, columns, strict=True)):
            return
        first, last, reason = 0, 0, ""
        for row in zip(*columns, strict=True):
            error = self.error(row)
            position = int(row[0]) if isinstance(row[0], int | float) else 0
            if reason and (error != reason or abs(position - last) != 1):
                break
            if error:
                first, last, reason = first or position, position, error
        if reason:
            raise DamagedResults(run, min(first, last), max(first, last), reason)

    def _is_valid(self, column: ColumnElement[Any], values: Sequence[Any]) -> bool:
        """Return whether all values of a column are valid."""
        one_of_each_type = dict(zip(map(type, values), values, strict=True))
        if not all(_fits(column, value) for value in one_of_each_type.values()):
            return False
        if CODES in column.info:
            return {*values} <= {None, *column.info[CODES]}
        return str not in one_of_each_type or _are_unicode(values)

    def error(self, row: Sequence[Any]) -> str | None:
        """Return what is wrong with a row, or None.

        Raises
        ------
        ValueError
            If it has other columns.
        """
        types = tuple(map(type, row))
        if types not in self._valid_types:
            for column, value in zip(self._columns, row, strict=True):
                if not _fits(column, value):
                    return f"{column} is {shown_value(value)}, not {KINDS[column.type.python_type]}"
            self._valid_types.add(types)
        for index, column, codes in self._codes:
            if row[index] is not None and row[index] not in codes:
                return f"{column} is {row[index]}, which is not a valid {column.info[CODES].__name__.lower()}"
        for index in self._texts:
            if not is_unicode(row[index]):
                return f"{self._columns[index]} is {shown_value(row[index])}, which is not UTF-8"
        for index, column in self._bounded:
            if len(row[index] or "") > (limit := column.info[MAX_CHARACTERS]):
                return f"{column} is {shown_value(row[index])}, which is longer than {limit:,} characters"
        return None


def _with(key: str, columns: Sequence[ColumnElement[Any]]) -> list[tuple[int, ColumnElement[Any]]]:
    return [(index, column) for index, column in enumerate(columns) if key in column.info]


def _fits(column: ColumnElement[Any], value: object) -> bool:
    if value is None:
        return isinstance(column.type, NodeLimit) or bool(getattr(column, "nullable", True))
    python_type = column.type.python_type
    return type(value) is python_type or (python_type is float and type(value) is int)


def is_unicode(text: str | None) -> bool:
    """Return whether a stored text is valid UTF-8. Invalid bytes were decoded as surrogates."""
    if text is None or text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _are_unicode(texts: Sequence[str | None]) -> bool:
    """Return whether all texts are valid UTF-8."""
    return "".join(filter(None, texts)).isascii() or all(map(is_unicode, texts))


def shown_value(value: object) -> str:
    """Return a stored value of any type as a message shows it."""
    if value is None:
        return "missing"
    text = printable(repr(value))
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def readable(rows: Iterable[Row], read: Callable[[Row], Listed]) -> Iterator[Listed]:
    """Yield what `read` makes of the rows of a list, without those for which it raises a `DamagedError`. One
    `DamagedWarning` at the end names the first of them."""
    damaged = list[DamagedError]()
    try:
        for row in rows:
            try:
                listed = read(row)
            except DamagedError as error:
                damaged.append(error)
            else:
                yield listed
    finally:  # also if the caller takes only the first rows
        if damaged:
            others = f"; {counted(len(damaged) - 1, 'other row')} of the list left out, too" if damaged[1:] else ""
            warnings.warn(DamagedWarning(f"{damaged[0]}{others}"), stacklevel=2)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in the record of the items `first` to `last` (both inclusive)."""

    first: int
    last: int
    reason: str
