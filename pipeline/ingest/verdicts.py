"""Files of verdicts of any solver: JSON Lines, CSV and Parquet, in the columns of an export.

Each verdict has a layout and a verdict; a value, a node count and evidence are optional, and other columns are ignored.
What cannot be used becomes a reject. The verdicts are stored with their layouts, as a source and a run over it.
"""

import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dealmill.pipeline.errors import BadLayout, InputError, StoreError, UsageError
from dealmill.pipeline.extras import check_extra
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.batch import Entries, Solved, pack
from dealmill.pipeline.games.contract import CanonicalMask, Engine, Game
from dealmill.pipeline.games.reading import Line, read_one, rejected
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.files import BLOCK_BYTES, STDIN, Reopen, lines_of, rereadable, text_blocks, text_digest
from dealmill.pipeline.ingest.reading import Reached, Reading
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
NUMBERS = range(-(2**62), 2**62)
"""The values that can be stored; node counts are not negative."""
AT_ONCE = 5_000
"""Rows of a Parquet file that are read together."""

Row = tuple[Any, Any, Any, Any, Any]
"""The fields of a verdict in the order of `COLUMNS`, of any types; None for a field that is missing."""
Rows = list[tuple[int, Row | str]]
"""Numbered rows; a text in place of a row says why it cannot be read."""
Judge = Callable[[str, str, int | None], bool]
"""Tells whether empty evidence proves a verdict with this layout, word and value."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The engine that verdicts are imported for.

    `checked_as` is the full name of an installed engine, as which the referee checks them; None if `engine` is the name
    of an installed engine itself.
    """

    game: Game
    engine: str
    version: str
    checked_as: str | None

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
        if not re.fullmatch(r"[!-~]{1,100}", version):
            raise UsageError(f"{version!r} is not a version; write up to 100 characters without spaces")
        installed: dict[str, Engine] = {known.name: known for known in owner.engines}
        if name in installed and checked_as is not None:
            raise UsageError(f"{owner.name}/{name} is installed, and is checked as itself: leave out --checked-as")
        if name in installed:
            return cls(owner, f"{owner.name}/{name}", version, None)
        judging, like = find_engine(checked_as or owner.name, owner)
        if judging.name != owner.name:
            raise UsageError(f"{checked_as} is not an engine of {owner.name}")
        return cls(owner, f"{owner.name}/{name}", version, owner.full_name(like))


def verdict_reading(
    store: Database, file: str, claimed: Claimed, max_nodes: int | None, copies: ExitStack
) -> tuple[Reading, RunStatus]:
    """Return the reading of a file of verdicts, and the run that they become; `copies` closes copies of standard input.

    Raises
    ------
    InputError
        If it cannot be read, or none of its first `LOOKED_AT` rows is a verdict on a layout of the game.
    UsageError
        If its suffix is not one of those in `FORMS`.
    StoreError
        If the run was deleted, but not its source.
    """
    read = _form_of(file)
    reopen = rereadable(file, copies)
    entries = partial(_entries, file, claimed, read, reopen)
    _check_beginning(file, claimed.game, entries)
    with reopen() as opened:
        size = os.fstat(opened.fileno()).st_size
        text = _digest(opened) if read is _parquet_rows else text_digest(opened, file)
    about = f"verdicts of {claimed.engine} {claimed.version} {claimed.checked_as} {max_nodes}\n"
    name = "stdin" if file == STDIN else printable(file)
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
    claimed = Claimed(game, game.name, "", game.full_name(game.engines[0]))
    with ExitStack() as copies:
        for entries in _entries(file, claimed, _form_of(file), rereadable(file, copies), lambda _: None):
            for reject in entries.rejects:
                raise InputError(f"{file}, line {reject.line}: {'; '.join(reject.reasons)}")
            yield entries


def _check_beginning(file: str, game: Game, entries: Callable[[Reached], Iterator[Entries]]) -> None:
    for first in islice(entries(lambda _: None), 1):
        if not len(first.layouts) and len(first.rejects) >= LOOKED_AT:
            line, reasons = first.rejects[0].line, first.rejects[0].reasons
            raise InputError(
                f"{file} seems to be of something else: none of its first {LOOKED_AT} rows is a verdict on a layout of "
                f"{game.name} (line {line}: {'; '.join(reasons[:2])}); nothing of it is stored"
            )


def _entries(file: str, claimed: Claimed, read: "ReadRows", reopen: Reopen, reached: Reached) -> Iterator[Entries]:
    done = 0

    def report(read: int) -> None:
        nonlocal done
        done = read
        reached(read)

    judged_as = claimed.checked_as or claimed.engine

    def proves(layout: str, verdict: str, value: int | None) -> bool:
        return judge(judged_as, layout, CODES.get(verdict, 0), value, "").valid

    with reopen() as opened, check_of(claimed.game) as find_check:
        for rows in read(opened, file, proves, report):
            yield _checked(claimed, rows, find_check(done))


def _checked(claimed: Claimed, rows: Rows, check: CanonicalMask | None) -> Entries:
    """Return the verdicts and the rejects in some rows."""
    bad: dict[int, Sequence[str]] = {}
    good: dict[int, Row] = {}
    for place, (_, row) in enumerate(rows):
        if isinstance(row, str):
            bad[place] = [row]
        elif wrong := _wrong(row, needs_evidence=claimed.checked_as is None):
            bad[place] = wrong
        else:
            good[place] = row
    texts = {place: row[0] for place, row in good.items()}
    for place in _unchecked(texts, check):
        try:
            texts[place] = read_one(claimed.game, texts[place])
        except BadLayout as error:
            bad[place] = error.reasons
            del texts[place], good[place]
    places = sorted(bad)
    rejects = [rejected(rows[place][0], _shown(rows[place][1]), bad[place]) for place in places]
    lines = np.array([rows[place][0] for place in good], dtype=np.int64)
    packed = pack(list(texts.values()))
    return Entries(lines, packed, rejects, np.array(places, dtype=np.int64), _solved(list(good.values())))


def _unchecked(texts: Mapping[int, str], check: CanonicalMask | None) -> Sequence[int]:
    """Return the places of the texts that the compiled check does not find to be canonical layouts."""
    if check is None:
        return list(texts)
    packed, places = pack(list(texts.values())), np.array(list(texts), dtype=np.int64)
    found: list[int] = places[~check(packed.text, packed.starts[:-1], packed.starts[1:])].tolist()
    return found


def _wrong(row: Row, *, needs_evidence: bool) -> list[str]:
    """Return what is wrong with a row, apart from the contents of its layout and its evidence."""
    layout, verdict, value, nodes, evidence = row
    wrong = []
    if type(layout) is not str:
        wrong.append(f"the layout is {shown_value(layout)}, not text")
    if type(verdict) is not str or verdict not in CODES:
        wrong.append(f"the verdict is {shown_value(verdict)}, expected one of: {', '.join(CODES)}")
    if verdict == SCORED and (type(value) is not int or value not in NUMBERS):
        wrong.append(f"the value is {shown_value(value)}, not a whole number of at most 62 bits")
    if verdict != SCORED and value is not None:
        wrong.append(f"the value is {shown_value(value)}, but only the verdict scored has one")
    if nodes is not None and (type(nodes) is not int or nodes < 0 or nodes not in NUMBERS):
        wrong.append(f"the number of nodes is {shown_value(nodes)}, not a whole number from 0 to 2⁶² − 1")
    if evidence is not None and (type(evidence) is not str or not evidence.isascii() or not evidence.isprintable()):
        wrong.append(f"the evidence is {shown_value(evidence)}, not one line of ASCII text")
    if verdict == UNDECIDED and evidence is not None:
        wrong.append("the verdict is undecided, but there is evidence")
    if needs_evidence and evidence is None and verdict != UNDECIDED:
        wrong.append("there is no evidence, but the engine gives some for each verdict: import it as another engine")
    return wrong


def _shown(row: Row | str) -> str:
    """Return what is recorded of a rejected row: its layout."""
    return "" if isinstance(row, str) else row[0] if type(row[0]) is str else shown_value(row[0])


def _solved(rows: Sequence[Row]) -> Solved:
    """Return the verdicts in rows that are right."""
    _, verdicts, values, nodes, evidence = zip(*rows, strict=True) if rows else ((),) * len(COLUMNS)
    codes = np.array([CODES[word] for word in verdicts], dtype=np.int8)
    unproved = np.array([text is None for text in evidence], dtype=np.bool_)
    return Solved(
        codes,
        np.array([value or 0 for value in values], dtype=np.int64),
        np.array([count or 0 for count in nodes], dtype=np.int64),
        pack([text or "" for text in evidence]),
        unproved,
    )


ReadRows = Callable[[BinaryIO, str, Judge, Reached], Iterator[Rows]]
"""Yields the rows of a file with this name in parts, and reports how many bytes of it have been read."""

scan_json: Callable[[str, int], tuple[object, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def _json_rows(file: BinaryIO, name: str, _proves: Judge, reached: Reached) -> Iterator[Rows]:
    for number, block in text_blocks(file, name, reached):
        yield [(line, _json_row(text)) for line, found in lines_of(number, block) if (text := found.strip())]


def _json_row(text: str) -> Row | str:
    try:
        found, end = scan_json(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return "the line is not JSON"
    if end != len(text) or type(found) is not dict:
        return "the line is not a JSON object"
    get = found.get
    return _unicode(get("layout")), get("verdict"), get("value"), get("nodes"), get("evidence")


def _unicode(value: object) -> object:
    """Return a text without surrogates, which cannot be stored, and any other value as it is."""
    return value.encode(errors="replace").decode() if isinstance(value, str) and not value.isascii() else value


def _csv_rows(file: BinaryIO, name: str, proves: Judge, reached: Reached) -> Iterator[Rows]:
    columns = list[str]()
    for number, block in text_blocks(file, name, reached):
        lines = [(line, text) for line, text in lines_of(number, block) if text.strip()]
        cells = _cells(lines)
        if not columns and cells:
            columns = _checked_columns(name, cells.pop(0))
            del lines[0]
            fields = itemgetter(*(columns.index(column) if column in columns else -1 for column in COLUMNS))
        count, proves_empty = len(columns), proves if "evidence" in columns else _proves_nothing
        rows: Rows = []
        for (line, _), each in zip(lines, cells, strict=True):
            if each is None:
                rows.append((line, "a quoted cell does not end in its line"))
            elif len(each) != count:
                rows.append((line, f"the line has {len(each)} cells, expected {count}"))
            else:
                each.append("")  # the field of a column that is missing
                rows.append((line, _csv_row(fields(each), proves_empty)))
        yield rows


def _checked_columns(name: str, columns: Iterable[str] | None) -> list[str]:
    found = list(columns or ())
    if missing := [column for column in NEEDED if column not in found]:
        raise InputError(f"{name} has no column {' and no column '.join(missing)}; name them in its first line")
    return found


def _cells(lines: Sequence[Line]) -> list[list[str] | None]:
    """Return the cells of each line of a CSV file; None if a quoted cell does not end in it."""
    try:
        together: list[list[str] | None] = list(csv.reader([text for _, text in lines], strict=True))
    except csv.Error:
        together = []
    return together if len(together) == len(lines) else [_cells_of_line(text) for _, text in lines]


def _cells_of_line(text: str) -> list[str] | None:
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error:
        return None


def _csv_row(fields: Sequence[str], proves: Judge) -> Row:
    layout, verdict, value, nodes, evidence = fields
    worth = _number(value)
    if evidence or verdict == UNDECIDED or not proves(layout, verdict, worth):
        return layout, verdict, worth, _number(nodes), evidence or None
    return layout, verdict, worth, _number(nodes), ""  # where nothing can be moved, an empty trace is evidence


def _proves_nothing(_layout: str, _verdict: str, _value: int | None) -> bool:
    return False


def _number(cell: str) -> Any:
    """Return the whole number in a cell, None if it is empty, and the cell if it has something else."""
    digits = cell.removeprefix("-")
    return int(cell) if digits.isdecimal() and digits.isascii() and len(digits) < 20 else cell or None


def _parquet_rows(file: BinaryIO, name: str, _proves: Judge, reached: Reached) -> Iterator[Rows]:
    check_extra("parquet")
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    size, line = os.fstat(file.fileno()).st_size, 1
    try:
        table = ParquetFile(file)
        _checked_columns(name, table.schema_arrow.names)
        present = [column for column in COLUMNS if column in table.schema_arrow.names]
        for batch in table.iter_batches(AT_ONCE, columns=present):
            columns: Mapping[str, list[Any]] = {column: batch[column].to_pylist() for column in present}
            nothing = [None] * len(batch)
            fields = zip(*(columns.get(column, nothing) for column in COLUMNS), strict=True)
            yield list(enumerate(fields, start=line))
            line += len(batch)
            reached(size * line // max(table.metadata.num_rows, 1))
    except (pa.ArrowException, UnicodeDecodeError) as error:
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
