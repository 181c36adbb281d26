"""Export of the results of a run to a Parquet, CSV or JSON Lines file, page by page."""

import csv
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from dealmill.pipeline.errors import (
    DamagedError,
    DamagedResults,
    DamagedWarning,
    InvalidEvidence,
    UnfinishedError,
    UsageError,
)
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import cell_text, counted
from dealmill.pipeline.progress.events import Exporting, Progress, silent
from dealmill.pipeline.results.record import RESULT, UNFINISHED
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.queries.results import Query
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.arrow import COLUMNS, record_batch, schema_of
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.store.storages.storage import ResultColumns
from dealmill.pipeline.system.atomic import atomic_file
from dealmill.pipeline.system.extras import check_extra

if TYPE_CHECKING:
    import pyarrow as pa

GROUP = 25
"""Pages in a row group of Parquet: 50,000 rows are few enough to keep in memory, and enough to compress well."""


WORDS = {int(verdict): verdict.word for verdict in Verdict}
Write = Callable[[ResultColumns], None]
Form = Callable[[BinaryIO, Sequence[str], Mapping[str, str]], AbstractContextManager[Write]]
"""Returns the function that writes pages to a file, given the names of the columns and the metadata of the run."""


def export(
    database: Database,
    run: RunStatus,
    path: Path,
    verdicts: Sequence[Verdict] = (),
    *,
    force: bool = False,
    excel: bool = False,
    playback: bool = False,
    skip_damaged: bool = False,
    progress: Progress = silent,
) -> int:
    """Write all results of a run, or those with some verdicts, in the format of the file's suffix; return their number.

    With `skip_damaged`, results that cannot be read are left out, and one `DamagedWarning` says at the end how many.

    With `excel`, the text of a CSV file that a spreadsheet may calculate has an apostrophe before it (`cell_text`).
    With `playback`, each object of a JSON Lines file has the solution as data, too; null if it cannot be played.

    The file appears only when it is complete. If the path is a symbolic link, its target is written and the link is
    kept. Of an unfinished run, the file has the results that exist while it is written, and a column that says why it
    is not finished; so that each file says so, there must be at least one result.

    Raises
    ------
    UsageError
        If the suffix is not one of those in `FORMS`, or not that of CSV if `excel` is set or of JSON Lines if
        `playback` is, or is that of Parquet and the extra ``parquet`` is missing.
    UnfinishedError
        If no result of an unfinished run matches.
    DamagedError
        If a result cannot be read, without `skip_damaged`; or if not all results of a finished run are there.
    """
    form = _form_of(path)
    if excel and form is not _csv:
        raise UsageError(f"{path} must end in .csv: only CSV files are written for spreadsheets")
    if playback:
        if form is not _json_lines:
            raise UsageError(f"{path} must end in .jsonl: only JSON Lines have solutions as data")
        form = _json_lines_with_playback
    query = Query(database, [run], Filter(verdict=tuple(verdicts)))
    total, why_unfinished = count_of(run, verdicts), run.why_unfinished
    columns = columns_of(run)
    written = damaged = 0

    def leave_out(results: DamagedResults) -> None:
        nonlocal damaged
        damaged += results.last - results.first + 1

    with (
        atomic_file(path, force, database.owns) as file,
        form(file, columns, metadata(database, run, verdicts)) as write,
    ):
        for page in query.pages(leave_out if skip_damaged else None):
            if count := len(page):
                results = marked(page.columns, why_unfinished)
                if playback:
                    results = {**results, "playback": list(map(_playback, page.results))}
                write(_for_spreadsheets(results) if excel else results)
                written += count
                progress(Exporting(written, max(written, total)))
        if why_unfinished and not written:
            raise UnfinishedError(f"run {run.id} is not finished ({why_unfinished}), and has no such results yet")
        if verdicts and run.finished and written != total:  # the verdicts that are missing may be damaged, too
            if not skip_damaged:
                raise DamagedError(
                    f"the jobs of run {run.id} counted {total:,} such verdicts, but there are {written:,}; find all "
                    f"faults with: dealmill audit {run.id}; export these with --skip-damaged"
                )
            damaged = max(damaged, total - written)
    if damaged:
        message = f"{counted(damaged, 'result')} of run {run.id} left out, with values that cannot be read"
        warnings.warn(DamagedWarning(f"{message}; find all faults with: dealmill audit {run.id}"), stacklevel=2)
    return written


def to_arrow(database: Database, run: RunStatus, verdicts: Sequence[Verdict] = ()) -> "pa.Table":
    """Return all results of a run, or those with some verdicts, with the columns and metadata of a Parquet file."""
    schema = schema_of(columns_of(run), metadata(database, run, verdicts))
    import pyarrow as pa

    pages = Query(database, [run], Filter(verdict=tuple(verdicts))).pages()
    batches = [record_batch(schema, marked(page.columns, run.why_unfinished)) for page in pages]
    return pa.Table.from_batches(batches, schema)


def count_of(run: RunStatus, verdicts: Sequence[Verdict]) -> int:
    """Return the number of results of a run with some verdicts, or of all."""
    return sum(run.counts.get(verdict, 0) for verdict in set(verdicts)) if verdicts else run.solved


def columns_of(run: RunStatus) -> tuple[str, ...]:
    """Return the columns of an export."""
    return COLUMNS + (UNFINISHED.name,) * (not run.finished)


def marked(results: ResultColumns, why_unfinished: str | None) -> ResultColumns:
    """Return results with a further column if their run is not finished, which says why."""
    if why_unfinished is None:
        return results
    return {**results, UNFINISHED.name: [why_unfinished] * len(results["position"])}


def _form_of(path: Path) -> Form:
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path} must end in {' or '.join(FORMS)}, which determines the format")
    if form is _parquet:
        check_extra("parquet")
    return form


def metadata(database: Database, run: RunStatus, verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return the metadata of an exported run; entries that do not apply are left out."""
    about = {
        "run": str(run.id),
        "game": run.game,
        "engine": run.engine,
        "version": run.version,
        "max_nodes": None if run.max_nodes is None else str(run.max_nodes),
        "rules": run.rules and run.rules.text,
        "source": run.source_name,
        "verdicts": " ".join(verdict.word for verdict in verdicts) or None,
        "retracted": run.retracted,
        "fingerprint": fingerprint_of(database, run.id, run.items) if run.finished else None,
        UNFINISHED.name: run.why_unfinished,
        "dealmill": version("dealmill"),
    }
    return {key: value for key, value in about.items() if value is not None}


@contextmanager
def _csv(file: BinaryIO, columns: Sequence[str], _: Mapping[str, str]) -> Iterator[Write]:
    text = TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    yield lambda results: writer.writerows(zip(*_with_words(results).values(), strict=True))
    text.detach()  # flushes, and leaves the file open


@contextmanager
def _json_lines(file: BinaryIO, columns: Sequence[str], _: Mapping[str, str]) -> Iterator[Write]:
    line = "{" + ", ".join(f"{json.dumps(name)}: %s" for name in columns) + "}\n"

    def write(results: ResultColumns) -> None:  # faster than `json.dumps` of each row, with the same text
        values = map(_json_values, _with_words(results).values())
        file.write("".join([line % row for row in zip(*values, strict=True)]).encode())

    yield write


@contextmanager
def _json_lines_with_playback(file: BinaryIO, _columns: Sequence[str], _: Mapping[str, str]) -> Iterator[Write]:
    def write(results: ResultColumns) -> None:
        values = _with_words(results)
        rows = (dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True))
        file.write("".join(json.dumps(row) + "\n" for row in rows).encode())

    yield write


def _playback(result: Result) -> dict[str, object] | None:
    """Return a solution as data; None if the game does not tell, or the recorded evidence cannot be played."""
    with suppress(InvalidEvidence):
        if playback := result.playback():
            return playback.row
    return None


def _json_values(column: Sequence[int | str | None]) -> list[str]:
    """Return each value of a column in JSON, which has no line ends."""
    return json.dumps(column, separators=("\n", ":"))[1:-1].split("\n")


def _for_spreadsheets(results: ResultColumns) -> ResultColumns:
    """Return results whose texts no spreadsheet calculates."""
    return {**results, **{field.name: list(map(cell_text, results[field.name])) for field in RESULT if field.is_text}}


def _with_words(results: ResultColumns) -> ResultColumns:
    """Return results with the words of their verdicts instead of their codes."""
    return {**results, "verdict": [WORDS[code] for code in results["verdict"]]}


@contextmanager
def _parquet(file: BinaryIO, columns: Sequence[str], about: Mapping[str, str]) -> Iterator[Write]:
    """Collect pages as columns, which are smaller than rows, and write them as row groups."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = schema_of(columns, about)
    waiting: list[pa.RecordBatch] = []
    with ParquetWriter(file, schema, compression="zstd") as writer:

        def write_group() -> None:
            writer.write_table(pa.Table.from_batches(waiting, schema))
            waiting.clear()

        def write(results: ResultColumns) -> None:
            waiting.append(record_batch(schema, results))
            if len(waiting) == GROUP:
                write_group()

        yield write
        if waiting:
            write_group()


FORMS: dict[str, Form] = {".parquet": _parquet, ".csv": _csv, ".jsonl": _json_lines}
