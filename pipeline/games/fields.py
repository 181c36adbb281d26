"""The fields of an array of words that kernels share: each gets its offset, one after the other.

An offset is a plain number, which numba compiles as a constant. Type checkers tell three kinds from other numbers, and
so find an index that is none: a `Word` is used as it is, a `Row` with a number added, which makes it an `Item`.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:

    class Word:
        """The offset of a word."""

        def __index__(self) -> int: ...
        def __sub__(self, row: "Row") -> int: ...

    class Row:
        """The offset of the first of several words."""

        def __add__(self, number: int) -> "Item": ...
        def __sub__(self, row: "Row") -> int: ...

    class Item:
        """The offset of one of the words of a row."""

        def __index__(self) -> int: ...
        def __add__(self, number: int) -> "Item": ...
        def __sub__(self, number: int) -> "Item": ...

else:
    Word = Row = Item = int

row_of = cast(Callable[[Row], Row], np.int64)
"""Makes a variable of a row: a function would be compiled again for each row that it is called with."""


class Fields:
    """The fields of an array, in their order; `size` is the number of words of all so far."""

    def __init__(self, size: int = 0) -> None:
        self.size = size

    def words(self, count: int) -> tuple[Word, ...]:
        """Return the offsets of the next words."""
        return cast(tuple[Word, ...], tuple(self._next(1, count)))

    def word(self) -> Word:
        """Return the offset of the next word."""
        return self.words(1)[0]

    def rows(self, count: int, length: int) -> tuple[Row, ...]:
        """Return the offsets of the next rows of some words each."""
        return cast(tuple[Row, ...], tuple(self._next(length, count)))

    def row(self, length: int) -> Row:
        """Return the offset of the next row of some words."""
        return self.rows(1, length)[0]

    def coming(self) -> Row:
        """Return the offset of the row that the fields to come are, together."""
        return self.rows(1, 0)[0]

    def _next(self, length: int, count: int) -> Iterator[int]:
        for _ in range(count):
            yield self.size
            self.size += length
