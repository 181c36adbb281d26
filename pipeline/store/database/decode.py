"""Validation of rows: a row is untrusted input, and is checked against its columns before it is used.

SQLite stores any value in any column, and anyone with write access to a database can store values that Dealmill never
writes. The table definitions say what is valid: the type of a column, whether it may be NULL, and its codes.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement

from dealmill.pipeline.printable import printable
from dealmill.pipeline.store.database.tables import CODES, NodeLimit

KINDS: dict[type, str] = {
    bool: "true or false",
    bytes: "bytes",
    dict: "a JSON object",
    float: "a number",
    int: "a whole number",
    str: "text",
}
LONGEST = 60
"""The most characters of a value that a message shows."""


class Shape:
    """A validator for rows of the given columns, in that order."""

    def __init__(self, *columns: ColumnElement[Any]) -> None:
        self._columns = columns
        self._codes = [(place, column, set(column.info[CODES])) for place, column in _with_codes(columns)]
        self._texts = [place for place, column in enumerate(columns) if column.type.python_type is str]
        self._sound: set[tuple[type, ...]] = set()

    def trouble(self, row: Sequence[Any]) -> str | None:
        """Return what is wrong with a row, or None. Extra columns at the end of the row are ignored."""
        values = row[: len(self._columns)]
        types = tuple(map(type, values))
        if types not in self._sound:
            for column, value in zip(self._columns, values, strict=True):
                if not _fits(column, value):
                    return f"{column} is {_shown(value)}, not {KINDS[column.type.python_type]}"
            self._sound.add(types)
        for place, column, codes in self._codes:
            if values[place] is not None and values[place] not in codes:
                return f"{column} is {values[place]}, which is not a valid {column.info[CODES].__name__.lower()}"
        for place in self._texts:
            if not _is_unicode(values[place]):
                return f"{self._columns[place]} is {_shown(values[place])}, which is not UTF-8"
        return None


def _with_codes(columns: Sequence[ColumnElement[Any]]) -> list[tuple[int, ColumnElement[Any]]]:
    return [(place, column) for place, column in enumerate(columns) if CODES in column.info]


def _fits(column: ColumnElement[Any], value: object) -> bool:
    if value is None:
        return isinstance(column.type, NodeLimit) or bool(getattr(column, "nullable", True))
    wanted = column.type.python_type
    return type(value) is wanted or (wanted is float and type(value) is int)


def _is_unicode(text: str | None) -> bool:
    """Return whether a stored text is valid UTF-8. Invalid bytes were decoded as surrogates."""
    if text is None or text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: object) -> str:
    if value is None:
        return "missing"
    text = printable(repr(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
