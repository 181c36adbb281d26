"""Files of verdicts of any solver: JSON Lines, CSV and Parquet, in the columns of an export.

Each verdict has a layout and a verdict; a value, a node count and evidence are optional, and other columns are ignored.
What cannot be used becomes a reject. The verdicts are stored with their layouts, as a source and a run over it.
"""

import csv
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dealmill.pipeline.arguments import NUMBERS
from dealmill.pipeline.errors import BadLayout, InputError, StoreError, UsageError
from dealmill.pipeline.extras import check_extra
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import Bytes, Entries, Numbers, Solved, pack
from dealmill.pipeline.games.contract import CanonicalMask, Engine, Game, Reject
from dealmill.pipeline.games.reading import read_one, rejected
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.files import (
    BLOCK_BYTES,
    LONGEST_LINE,
    STDIN,
    Reached,
    Reopen,
    decoded,
    lines_of,
    rereadable,
    text_blocks,
    text_digest,
)
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.ingest.scanning import check_of
from dealmill.pipeline.ingest.sources import LOOKED_AT, game_of_file
from dealmill.pipeline.printable import printable
from dealmill.pipeline.referee import judge
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.shapes import shown_value
from dealmill.pipeline.store.planning import plan_run
from dealmill.pipeline.store.runs.status import RunStatus, find_run, runs_over
from dealmill.pipeline.store.sources.writing import open_source

NEEDED = ("layout", "verdict")
COLUMNS = (*NEEDED, "value", "nodes", "evidence")
CODES = {verdict.word: int(verdict) for verdict in Verdict}
SCORED, UNDECIDED = (Verdict.SCORED.word, Verdict.UNDECIDED.word)
COUNTS = range(NUMBERS.stop)
"""The node counts that can be stored."""
PRINTABLE = range(ord(" "), ord("~") + 1)
UNCLOSED = "a quoted cell does not end in its line"
AT_ONCE = 5_000
"""Rows of a Parquet file that are read together."""

Fields = Sequence[Sequence[Any]]
"""The fields of some rows, of any types, in columns in the order of `COLUMNS`; None for a field that is missing. The
layout of a row that cannot be read is the reason, as `Unreadable`."""
Judge = Callable[[str, str, int | None], bool]
"""Tells whether empty evidence proves a verdict with this layout, word and value."""


class Unreadable(str):
    """Why a row cannot be read."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Claimed:
    """The engine that verdicts are imported for.

    `checked_as` is the full name of an installed engine, as which the referee checks them; None if `engine` is the name
    of an installed engine itself. `verdicts` are the words of those that it can give.
    """

    game: Game
    engine: str
    version: str
    checked_as: str | None
    verdicts: Sequence[str]

    @classmethod
    def of(cls, engine: str, version: str, game: str | None, checked_as: str | None, file: str) -> "Claimed":
        """Return the engine with a name, which may be without that of its game. The game is `game`, or else the one in
        the name of the file.

        Raises
        ------
        NotFoundError, InputError
            If the game is unknown, or the engine `checked_as`.
        UsageError
            If a name or the version cannot be used.
        """
        own, slash, name = engine.rpartition("/")
        if slash and game is not None and game != own:
            raise UsageError(f"{engine} is not an engine of {game}: leave out the game, or correct it")
        owner = find_game(own) if slash else find_game(game) if game else game_of_file(file)
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
            raise UsageError(f"{engine!r} is not the name of an engine; write GAME/NAME in lower case")
        if not re.fullmatch(r"[!-~]{1,40}", version):
            raise UsageError(f"{version!r} is not a version; write up to 40 characters without spaces")
        installed: dict[str, Engine] = {known.name: known for known in owner.engines}
        if name in installed and checked_as is not None:
            raise UsageError(f"{owner.name}/{name} is installed, and is checked as itself: leave out --checked-as")
        if name in installed:
            return cls(owner, f"{owner.name}/{name}", version, None, _verdicts(owner, installed[name]))
        judging, like = find_engine(checked_as or owner.name, owner)
        if judging.name != owner.name:
            raise UsageError(f"{checked_as} is not an engine of {owner.name}")
        return cls(owner, f"{owner.name}/{name}", version, owner.full_name(like), _verdicts(owner, like))


def _verdicts(game: Game, engine: Engine) -> list[str]:
    """Return the words of the verdicts that an engine can give."""
    return [verdict.word for verdict in game.verdicts_of(engine)]


def verdict_reading(
    store: Database, file: str, claimed: Claimed, max_nodes: int | None, copies: ExitStack
) -> tuple[Reading, RunStatus]:
    """Return the reading of a file of verdicts, and the run that they become; `copies` closes copies of standard input.

    Raises
    ------
    InputError
        If it cannot be read, or is empty, or none of its rows, or of its first `LOOKED_AT` ones, is a verdict on a
        layout of the game.
    UsageError
        If its suffix is not one of those in `FORMS`.
    StoreError
        If the run was deleted, but not its source.
    """
    read = _form_of(file)
    reopen = rereadable(file, copies)
    entries = partial(_entries, file, claimed, read, reopen)
    name = "stdin" if file == STDIN else printable(file)
    _check_beginning(name, claimed.game, entries)
    with reopen() as opened:
        size = os.fstat(opened.fileno()).st_size
        text = _digest(opened) if read is _parquet_rows else text_digest(opened, file)
    about = f"verdicts of {claimed.engine} {claimed.version} {claimed.checked_as} {max_nodes}\n"
    source = open_source(store, claimed.game.name, name, sha256(about.encode() + text).digest())
    plan = claimed.engine, claimed.version, max_nodes
    if source.entries and plan not in [(run.engine, run.version, run.max_nodes) for run in runs_over(store, source.id)]:
        raise StoreError(
            f"the run of {name} was deleted, but not its layouts: dealmill delete source:{source.id}, and repeat the "
            "command"
        )
    why = None if claimed.checked_as is None else f"imported; checked as {claimed.checked_as}"
    number = plan_run(store, source, *plan, why=why or "imported", checked_as=claimed.checked_as)
    run = find_run(store, number)
    return Reading(store, source, name, entries, size, run), run


def _digest(file: BinaryIO) -> bytes:
    digest = sha256()
    for block in iter(partial(file.read, BLOCK_BYTES), b""):
        digest.update(block)
    return digest.digest()


def read_verdicts(game: Game, file: str) -> Iterator[Entries]:
    """Yield the verdicts in a file, without storing anything.

    Raises
    ------
    InputError
        If the file cannot be read, or a row of it cannot be used.
    """
    engine = game.engines[0]
    claimed = Claimed(game, game.name, "", game.full_name(engine), _verdicts(game, engine))
    with ExitStack() as copies:
        for entries in _entries(file, claimed, _form_of(file), rereadable(file, copies), lambda _: None):
            for reject in entries.rejects:
                raise InputError(f"{file}, line {reject.line}: {'; '.join(reject.reasons)}")
            yield entries


def _check_beginning(file: str, game: Game, entries: Callable[[Reached], Iterator[Entries]]) -> None:
    rejects = list[Reject]()
    for part in entries(lambda _: None):
        if len(part.layouts):
            return
        rejects += part.rejects
        if len(rejects) >= LOOKED_AT:
            break
    if not rejects:
        raise InputError(f"{file} is empty: there is no verdict in it")
    rows = "rows" if len(rejects) < LOOKED_AT else f"first {LOOKED_AT} rows"
    raise InputError(
        f"{file} seems to be of something else: none of its {rows} is a verdict on a layout of {game.name} "
        f"(line {rejects[0].line}: {'; '.join(rejects[0].reasons[:2])}); nothing of it is stored"
    )


def _entries(file: str, claimed: Claimed, read: "ReadRows", reopen: Reopen, reached: Reached) -> Iterator[Entries]:
    judged_as = claimed.checked_as or claimed.engine

    def proves(layout: str, verdict: str, value: int | None) -> bool:
        return judge(judged_as, layout, CODES.get(verdict, 0), value, "").valid

    with reopen() as opened:
        find_check = check_of(claimed.game, opened)
        for lines, fields in read(opened, file, proves, reached):
            yield _checked(claimed, lines, fields, find_check())


def _checked(claimed: Claimed, lines: Sequence[int], fields: Fields, check: CanonicalMask | None) -> Entries:
    """Return the verdicts and the rejects in some rows."""
    texts, claims = fields[0], fields[1:]
    solved = _all_solved(fields, claimed)
    bad = {} if solved else _bad_rows(fields, claimed)
    layouts = ["" if place in bad else text for place, text in enumerate(texts)] if bad else list(texts)
    for place in _unchecked(layouts, check):
        if place not in bad:
            try:
                layouts[place] = read_one(claimed.game, _unicode(layouts[place]))
            except BadLayout as error:
                bad[place] = error.reasons
    places = sorted(bad)
    rejects = [rejected(lines[place], _shown(texts[place]), bad[place]) for place in places]
    if bad:
        good = [place for place in range(len(lines)) if place not in bad]
        lines, layouts = [lines[place] for place in good], [layouts[place] for place in good]
        solved = _solved(*([column[place] for place in good] for column in claims))
    numbers, indexes = np.array(lines, dtype=np.int64), np.array(places, dtype=np.int64)
    return Entries(numbers, pack(layouts), rejects, indexes, solved)


def _unchecked(layouts: Sequence[str], check: CanonicalMask | None) -> Sequence[int]:
    """Return the places of the texts that the compiled check does not find to be canonical layouts."""
    if check is None:
        return range(len(layouts))
    packed = pack(layouts)
    found: list[int] = np.flatnonzero(~check(packed.text, packed.starts[:-1], packed.starts[1:])).tolist()
    return found


def _bad_rows(fields: Fields, claimed: Claimed) -> dict[int, Sequence[str]]:
    """Return what is wrong with rows, by place, apart from the contents of their layouts and evidence."""
    wrong = (_wrong(row, claimed) for row in zip(*fields, strict=True))
    return {place: reasons for place, reasons in enumerate(wrong) if reasons}


def _all_solved(fields: Fields, claimed: Claimed) -> Solved | None:
    """Return the verdicts in rows, or None if `_wrong` objects to one of them. Rows that have the same verdict and
    fields of the same types differ only in numbers and texts, so it looks at one of each kind."""
    if not {*map(type, fields[1])} <= {str}:
        return None
    kinds = zip(fields[1], *(map(type, column) for column in fields), strict=True)
    one_of_each_kind = {kind: place for place, kind in enumerate(kinds)}.values()
    if any(_wrong([column[place] for column in fields], claimed) for place in one_of_each_kind):
        return None
    try:
        solved = _solved(*fields[1:])
    except OverflowError:
        return None
    if np.diff(solved.evidence.starts)[solved.verdicts == CODES[UNDECIDED]].any():
        return None
    contents = ((NUMBERS, solved.values), (COUNTS, solved.nodes), (PRINTABLE, solved.evidence.text))
    return solved if all(_are_in(allowed, numbers) for allowed, numbers in contents) else None


def _are_in(allowed: range, numbers: Numbers | Bytes) -> bool:
    return int(numbers.min(initial=allowed[-1])) in allowed and int(numbers.max(initial=allowed[0])) in allowed


def _wrong(row: Sequence[Any], claimed: Claimed) -> list[str]:
    """Return what is wrong with a row, apart from the contents of its layout and its evidence."""
    layout, verdict, value, nodes, evidence = row
    if isinstance(layout, Unreadable):
        return [layout]
    wrong = []
    if type(layout) is not str:
        wrong.append(f"the layout is {shown_value(layout)}, not text")
    if type(verdict) is not str or verdict not in claimed.verdicts:
        wrong.append(f"the verdict is {shown_value(verdict)}, expected one of: {', '.join(claimed.verdicts)}")
    if verdict == SCORED and (type(value) is not int or value not in NUMBERS):
        wrong.append(f"the value is {shown_value(value)}, not a whole number of at most 40 bits")
    if verdict != SCORED and value is not None:
        wrong.append(f"the value is {shown_value(value)}, but only the verdict scored has one")
    if nodes is not None and (type(nodes) is not int or nodes not in COUNTS):
        wrong.append(f"the number of nodes is {shown_value(nodes)}, not a whole number of at most 40 bits")
    if evidence is not None and (type(evidence) is not str or not evidence.isascii() or not evidence.isprintable()):
        wrong.append(f"the evidence is {shown_value(evidence)}, not one line of ASCII text")
    if verdict == UNDECIDED and evidence:
        wrong.append("the verdict is undecided, but there is evidence")
    if claimed.checked_as is None and evidence is None and verdict != UNDECIDED:
        wrong.append("there is no evidence, but the engine gives some for each verdict: import it as another engine")
    return wrong


def _shown(layout: object) -> str:
    """Return what is recorded of a rejected row: its layout."""
    if isinstance(layout, Unreadable):
        return ""
    return _unicode(layout) if isinstance(layout, str) else shown_value(layout)


def _unicode(text: str) -> str:
    """Return a text without surrogates, which cannot be stored."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _solved(
    verdicts: Sequence[str],
    values: Sequence[int | None],
    nodes: Sequence[int | None],
    evidence: Sequence[str | None],
) -> Solved:
    """Return the verdicts in columns that are right."""
    codes = np.array([CODES[word] for word in verdicts], dtype=np.int8)
    unproved = np.array([text is None for text in evidence], dtype=np.bool_)
    return Solved(
        codes,
        np.array([value or 0 for value in values], dtype=np.int64),
        np.array([count or 0 for count in nodes], dtype=np.int64),
        pack([text or "" for text in evidence]),
        unproved,
    )


NumberedFields = tuple[Sequence[int], Fields]
"""The numbers of some rows, and their fields."""
ReadRows = Callable[[BinaryIO, str, Judge, Reached], Iterator[NumberedFields]]
"""Yields the rows of a file with this name in parts, and reports how many bytes of it have been read."""

scan_json: Callable[[str, int], tuple[object, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def _json_rows(file: BinaryIO, name: str, _proves: Judge, reached: Reached) -> Iterator[NumberedFields]:
    for number, block in text_blocks(file, name, reached):
        if found := _json_objects(block):
            lines: Sequence[int] = range(number, number + len(found))
        else:
            filled = {line: text for line, each in lines_of(number, block) if (text := each.strip())}
            lines, found = list(filled), [_json_object(text) for text in filled.values()]
        yield lines, [[row.get(column) for row in found] for column in COLUMNS]


def _json_objects(block: bytes) -> list[dict[str, Any]] | None:
    """Return the objects in a block that has one in each line; None if it has anything else, or objects in objects.

    As many objects as lines, each of which begins with the only brace in it, cannot be spread over the lines otherwise.
    """
    text = np.frombuffer(block, dtype=np.uint8)
    beginnings = np.append(0, np.flatnonzero(text == ord("\n")) + 1)
    if not np.array_equal(np.flatnonzero(text == ord("{")), beginnings):
        return None
    try:
        found = json.loads("[" + decoded(block).replace("\n", ",") + "]")
    except (ValueError, RecursionError):
        return None
    return found if len(found) == len(beginnings) and {*map(type, found)} == {dict} else None


def _json_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return {"layout": Unreadable("the line is not JSON")}
    except ValueError:  # a limit of Python
        return {"layout": Unreadable(f"a number has more than {sys.get_int_max_str_digits():,} digits")}
    return found if type(found) is dict else {"layout": Unreadable("the line is not a JSON object")}


def _csv_rows(file: BinaryIO, name: str, proves: Judge, reached: Reached) -> Iterator[tuple[Sequence[int], Fields]]:
    csv.field_size_limit(LONGEST_LINE)  # that of the library, 131,072, is too low for some evidence
    columns = list[str]()
    for number, block in text_blocks(file, name, reached):
        texts = decoded(block).split("\n")
        lines: Sequence[int] = range(number, number + len(texts))
        if not all(map(str.strip, texts)):
            lines = [line for line, text in zip(lines, texts, strict=True) if text.strip()]
            texts = [text for text in texts if text.strip()]
        if texts and not columns:
            header = _cells_of_line(texts[0])
            if header is None:
                raise InputError(f"{name}, line {lines[0]}: {UNCLOSED}; the first line has the names of the columns")
            columns = _checked_columns(name, header)
            lines, texts = lines[1:], texts[1:]
        if texts:
            cells, missing = list(zip(*_cells(texts, len(columns)), strict=True)), [""] * len(texts)
            fields = [cells[columns.index(column)] if column in columns else missing for column in COLUMNS]
            yield lines, _csv_fields(fields, proves if "evidence" in columns else _proves_nothing)


def _checked_columns(name: str, columns: Iterable[str]) -> list[str]:
    found = list(columns)
    if missing := [column for column in NEEDED if column not in found]:
        raise InputError(f"{name} has no column {' and no column '.join(missing)}; name them in its first line")
    if twice := [column for column in COLUMNS if found.count(column) > 1]:
        raise InputError(f"{name} has more than one column {twice[0]}")
    return found


def _cells(texts: Sequence[str], count: int) -> Sequence[Sequence[str]]:
    """Return the cells of each line of a CSV file. All cells of a line that does not have `count` cells are the reason,
    as `Unreadable`."""
    try:
        together = list(csv.reader(texts, strict=True))
    except csv.Error:
        together = []
    if len(together) == len(texts) and {*map(len, together)} == {count}:
        return together
    return [_counted(_cells_of_line(text), count) for text in texts]


def _cells_of_line(text: str) -> list[str] | None:
    """Return the cells of a line; None if a quoted cell does not end in it."""
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error:
        return None


def _counted(cells: Sequence[str] | None, count: int) -> Sequence[str]:
    if cells is None:
        return [Unreadable(UNCLOSED)] * count
    return cells if len(cells) == count else [Unreadable(f"the line has {len(cells)} cells, expected {count}")] * count


def _csv_fields(cells: Sequence[Sequence[str]], proves: Judge) -> Fields:
    """Return the fields in columns of cells. An empty cell may be empty evidence: where nothing can be moved, a trace
    is empty."""
    layouts, verdicts, values, nodes, evidence = cells[0], cells[1], _numbers(cells[2]), _numbers(cells[3]), cells[4]
    if "" not in evidence:
        return layouts, verdicts, values, nodes, evidence
    proved = [
        text or ("" if verdict != UNDECIDED and proves(layout, verdict, value) else None)
        for layout, verdict, value, text in zip(layouts, verdicts, values, evidence, strict=True)
    ]
    return layouts, verdicts, values, nodes, proved


def _proves_nothing(_layout: str, _verdict: str, _value: int | None) -> bool:
    return False


def _numbers(cells: Sequence[str]) -> list[Any]:
    numbers = {cell: _number(cell) for cell in {*cells}}
    return [numbers[cell] for cell in cells]


def _number(cell: str) -> Any:
    """Return the whole number in a cell, None if it is empty, and the cell if it has something else."""
    digits = cell.removeprefix("-")
    return int(cell) if digits.isdecimal() and digits.isascii() and len(digits) < 20 else cell or None


def _parquet_rows(file: BinaryIO, name: str, _proves: Judge, reached: Reached) -> Iterator[NumberedFields]:
    check_extra("parquet")
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    def listed(column: pa.Array) -> list[Any]:
        if isinstance(column, pa.DictionaryArray):
            column = column.dictionary_decode()  # twenty times as fast
        return list(column.to_pylist())

    size, line = os.fstat(file.fileno()).st_size, 1
    try:
        table = ParquetFile(file)
        _checked_columns(name, table.schema_arrow.names)
        present = [column for column in COLUMNS if column in table.schema_arrow.names]
        for batch in table.iter_batches(AT_ONCE, columns=present):
            columns: Mapping[str, list[Any]] = {column: listed(batch[column]) for column in present}
            nothing = [None] * len(batch)
            yield range(line, line + len(batch)), [columns.get(column, nothing) for column in COLUMNS]
            line += len(batch)
            reached(size * line // max(table.metadata.num_rows, 1))
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(f"{name} is damaged, or is not a Parquet file: {str(error).splitlines()[0]}") from error


FORMS: Mapping[str, ReadRows] = {
    ".jsonl": _json_rows,
    ".jsonl.gz": _json_rows,
    ".csv": _csv_rows,
    ".csv.gz": _csv_rows,
    ".parquet": _parquet_rows,
}


def _form_of(file: str) -> ReadRows:
    """Return how to read a file by its suffix; standard input has JSON Lines."""
    name = "stdin.jsonl" if file == STDIN else Path(file).name.lower()
    form = next((read for suffix, read in FORMS.items() if name.endswith(suffix)), None)
    if form is None:
        raise UsageError(f"{file} must end in {' or '.join(FORMS)}, which determines the format")
    return form
