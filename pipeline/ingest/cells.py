"""Cells of tables: numbers and words as other programs write them, and layouts, as text or as numbers of deals."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache, partial
from hashlib import sha256
from itertools import groupby
from typing import Any, BinaryIO

import numpy as np

from dealmill.pipeline.arguments import formatted
from dealmill.pipeline.errors import BadLayout, UsageError
from dealmill.pipeline.games.batch import Entries, to_strings, to_texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange, parse_deals
from dealmill.pipeline.games.functions import CanonicalMask
from dealmill.pipeline.games.reading import read_pasted, rejected
from dealmill.pipeline.ingest.files import BLOCK_BYTES, Reached, Reopen, text_digest
from dealmill.pipeline.ingest.scanning import mask_loader
from dealmill.pipeline.ingest.tables import Column, Row, Unreadable, is_missing, is_text_table, row_reader
from dealmill.pipeline.store.database.row_checks import shown_value

LAYOUT = "layout"
NUMBER_OF_DEAL = "number"
PLAIN = bytes(range(ord(" "), ord("~") + 1))
NUMBER = re.compile(r"[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})([eE][+-]?\d{1,2})?", re.ASCII)
HUGE_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
"""A whole number that is too large for a deal, unless it is a `NUMBER`."""

Reasons = tuple[str, ...]
"""Why a row cannot be used."""


def whole_number(cell: Any) -> Any:
    """Return the whole number in a cell, None if it is missing, and the cell if it is anything else.

    Other programs write ``8.0`` and ``8.0e+00`` for 8, and ``nan`` for a number that is missing.
    """
    if cell is None or type(cell) is int:
        return cell
    if isinstance(cell, str):
        return _number_in(cell)
    if is_missing(cell):
        return None
    return _whole(Decimal(cell), cell) if isinstance(cell, float | Decimal) else cell


@lru_cache(maxsize=1 << 12)
def _number_in(cell: str) -> Any:
    if is_missing(cell):
        return None
    text = cell.strip()
    return _whole(Decimal(text), cell) if NUMBER.fullmatch(text) else cell


def _whole(number: Decimal, cell: Any) -> Any:
    is_whole = number.is_finite() and abs(number) < 2**63 and number == int(number)
    return int(number) if is_whole else cell


def is_plain(text: str) -> bool:
    """Return whether a text is one line of ASCII without control characters."""
    return not text.encode("utf-8", "surrogatepass").translate(None, PLAIN)


def word(cell: object) -> str:
    """Return a cell as a word in lower case, without blanks around it."""
    number = whole_number(cell)
    return str(cell if number is None else number).strip().casefold()


@dataclass(frozen=True, slots=True)
class LayoutColumn:
    """A column with layouts of a game, each written as a line of a file of layouts is, or on several lines as in a file
    with a single layout, such as a board of a patience."""

    game: Game
    name: str = LAYOUT
    option: str = field(default="--layout-column", compare=False)
    """The options that choose another column."""

    @property
    def column(self) -> Column:
        """The column."""
        return Column((self.name,), needed=True, option=self.option)

    @property
    def meaning(self) -> str:
        """What the column means, as part of the identity of a source."""
        return f"layouts in {self.name}"

    def read(self, cells: Sequence[Any], check: CanonicalMask | None) -> list[str | Reasons]:
        """Return the canonical text of the layout in each cell, or why there is none. `check` is the compiled check of
        the game; without it, all cells are read one by one."""
        layouts: list[str | Reasons] = [cell if type(cell) is str else "" for cell in cells]
        unchecked: Sequence[int] = range(len(cells))
        if check is not None:
            texts = to_texts([str(layout) for layout in layouts])
            unchecked = np.flatnonzero(~check(texts.text, texts.starts[:-1], texts.starts[1:])).tolist()
        for index in unchecked:
            layouts[index] = self._read_one(cells[index])
        return layouts

    def _read_one(self, cell: object) -> str | Reasons:
        if isinstance(cell, Unreadable):
            return (cell,)
        if is_missing(cell):
            return ("the layout is missing",)
        if not isinstance(cell, str):
            return (f"the layout is {shown_value(cell)}, not text",)
        try:
            return read_pasted(self.game, _without_surrogates(cell))
        except BadLayout as error:
            return error.reasons


@dataclass(frozen=True, slots=True)
class DealColumn:
    """A column with numbers of deals, which stand for their layouts.

    Raises
    ------
    UsageError
        If the deals are not a range.
    """

    deals: DealRange
    name: str = NUMBER_OF_DEAL

    def __post_init__(self) -> None:
        if self.deals.chosen is not None:
            raise UsageError(
                f"--deals {self.deals.name}: the file has the numbers, so name a range of deals, or a seed"
            )

    @property
    def game(self) -> Game:
        """The game of the deals."""
        return self.deals.game

    @property
    def column(self) -> Column:
        """The column."""
        return Column((self.name,), needed=True, option="--number-column")

    @property
    def description(self) -> dict[str, object]:
        """The deals of a source that has these numbers, as stored; see `DealRange.numbers`."""
        greatest = self.game.last_deal(self.deals.seed)
        return {**self.deals.numbers, "last": min(self.deals.last, greatest), "column": self.name}

    @property
    def meaning(self) -> str:
        """What the column means, as part of the identity of a source."""
        return f"numbers in {self.name} of {self.deals.name} by {self.game.generator}"

    def read(self, cells: Sequence[Any], _check: CanonicalMask | None = None) -> list[str | Reasons]:
        """Return the layout of the deal with the number in each cell, or why there is none."""
        numbers = list(map(whole_number, cells))
        layouts = list[str | Reasons]()
        for _, group in groupby(enumerate(numbers), self._consecutive):
            layouts += self._dealt([number for _, number in group])
        return layouts

    def no_number(self, cell: Any) -> str:
        """Return why a cell holds no number."""
        if isinstance(cell, Unreadable):
            return cell
        if isinstance(cell, str) and HUGE_NUMBER.fullmatch(cell.strip()):
            return f"the number of the deal is {shown_value(cell)}, expected {self._expected}"
        return f"the number of the deal is {shown_value(cell)}, not a whole number"

    @property
    def _expected(self) -> str:
        return f"a number from {formatted(self.deals.first)} to {formatted(self._last)}"

    @property
    def _last(self) -> int:
        """The greatest number of a deal."""
        return self.game.last_deal(self.deals.seed) if self.deals.endless else self.deals.last

    def _consecutive(self, numbered: tuple[int, Any]) -> tuple[bool, int]:
        """Return a key that consecutive numbers of deals share. What is no number of a deal is alone, and so are deals
        that may not exist."""
        index, number = numbered
        is_deal = type(number) is int and self.deals.first <= number <= self._last and not self.game.deals.limited
        return is_deal, number - index if is_deal else index

    def _dealt(self, numbers: Sequence[Any]) -> Sequence[str | Reasons]:
        first, deals = numbers[0], self.deals
        if type(first) is not int:
            return [(self.no_number(first),)]
        if not deals.first <= first <= self._last:
            return [(f"the number of the deal is {first}, expected {self._expected}",)]
        try:
            return to_strings(deals.part(first - deals.first + 1, numbers[-1] - deals.first + 2).texts())
        except UsageError as error:
            return [(str(error),)] * len(numbers)


def deal_column(
    deals: DealRange | str | None, layout_column: str | None, number_column: str | None
) -> DealColumn | None:
    """Return the column of a table that has the numbers of these deals, given as for `Store.run`; None without deals.

    Raises
    ------
    UsageError
        If the deals are not a range, or the arguments cannot be combined.
    NotFoundError
        If there is no such game.
    """
    if deals is None and number_column is not None:
        raise UsageError("--number-column needs --deals: name the deals whose numbers the file has")
    if deals is not None and layout_column is not None:
        raise UsageError("--layout-column and --deals exclude each other: a file has layouts or numbers of deals")
    if deals is None:
        return None
    return DealColumn(parse_deals(deals) if isinstance(deals, str) else deals, number_column or NUMBER_OF_DEAL)


@dataclass(frozen=True, slots=True)
class LayoutTable:
    """A table with a column of layouts, or of numbers of deals. `titles` are the names of its columns if it has no
    header."""

    file: str
    layouts: LayoutColumn | DealColumn
    reopen: Reopen
    titles: Sequence[str] | None = None

    def rows(self, file: BinaryIO, columns: Sequence[Column], reached: Reached) -> Iterator[Sequence[Row]]:
        """Yield the rows of the opened file in parts of a few MB: the cell of the layout, then those of the columns."""
        read = row_reader(self.file, self.titles)
        return read(file, self.file, (self.layouts.column, *columns), reached)

    def parts(
        self, columns: Sequence[Column], reached: Reached
    ) -> Iterator[tuple[Sequence[Row], Sequence[str | Reasons]]]:
        """Yield `rows` and their layouts."""
        with self.reopen() as file:
            find_mask = mask_loader(self.layouts.game, file)
            for rows in self.rows(file, columns, reached):
                yield rows, self.layouts.read([cells[0] for _, cells in rows], find_mask())

    def entries(self, reached: Reached) -> Iterator[Entries]:
        """Yield the layouts and the rejects. The lines of numbered deals are their numbers."""
        for rows, layouts in self.parts((), reached):
            entries = row_entries(rows, layouts)
            if isinstance(self.layouts, DealColumn):
                dealt = zip(rows, layouts, strict=True)
                numbers = [whole_number(cells[0]) for (_, cells), layout in dealt if isinstance(layout, str)]
                entries = replace(entries, lines=np.array(numbers, dtype=np.int64))
            yield entries

    def digest(self, about: str) -> bytes:
        """Return the digest of the contents of the file and of `about`, which says what they mean."""
        with self.reopen() as file:
            if is_text_table(row_reader(self.file, self.titles)):
                contents = text_digest(file, self.file)
            else:
                blocks = sha256()
                for block in iter(partial(file.read, BLOCK_BYTES), b""):
                    blocks.update(block)
                contents = blocks.digest()
        reader = self.layouts.game.reader if isinstance(self.layouts, LayoutColumn) else ""
        return sha256(about.encode() + contents + reader.encode()).digest()

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        with self.reopen() as file:
            return os.fstat(file.fileno()).st_size


def row_entries(rows: Sequence[Row], layouts: Sequence[str | Reasons]) -> Entries:
    """Return the entries of rows, given the layout of each or why it is rejected."""
    good = [index for index, layout in enumerate(layouts) if isinstance(layout, str)]
    bad = [index for index, layout in enumerate(layouts) if not isinstance(layout, str)]
    return Entries(
        np.array([rows[index][0] for index in good], dtype=np.int64),
        to_texts([str(layouts[index]) for index in good]),
        [rejected(rows[index][0], _shown(rows[index][1][0]), layouts[index]) for index in bad],
        np.array(bad, dtype=np.int64),
    )


def _shown(cell: object) -> str:
    """Return what is recorded of a rejected row: its first cell."""
    if isinstance(cell, Unreadable):
        return ""
    return _without_surrogates(cell) if isinstance(cell, str) else shown_value(cell)


def _without_surrogates(text: str) -> str:
    """Return a text without surrogates, which cannot be stored."""
    return text if text.isascii() else text.encode(errors="replace").decode()
