"""The main program, which reads an export row by row and has the referee check each row."""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import file_digest
from heapq import merge
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from threading import Event, Thread
from typing import Any, BinaryIO

from dealmill.pipeline.errors import Unchecked
from dealmill.pipeline.evidence.referee import Check, Outcome, judge_by
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.checker.facts import Export
from dealmill.pipeline.printable import printable
from dealmill.pipeline.results.record import RESULT, ResultRow

ReadRows = Callable[[BinaryIO], Iterator[ResultRow]]
Tally = Counter[tuple[Outcome | None, str]]
"""The number of rows that the referee has checked, by outcome and verdict; None are those that need Dealmill."""

REDRAW, REPORT = 0.2, 60.0
"""Seconds between two updates of the progress on a terminal, and between two lines of it in a file."""


class CheckFailed(Exception):
    """An export or a source that is not the recorded one, or a row that is not proved."""


def main(export: Export, check: Check, read_rows: ReadRows, arguments: Sequence[str] | None = None) -> int:
    """Check the file that the command line names, print the result, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = read_options(export, check, arguments)
    try:
        return check_export(export, with_limit(check, options.limit), read_rows, options)
    except CheckFailed as failed:
        print_line(f"{printable(options.file)}: {failed}")
        return 1
    except OSError as error:
        what = printable(str(error.filename or options.file))
        sys.stderr.write(f"{what} cannot be read: {error.strerror or error}\n")
        return 2
    except MemoryError:
        sys.stderr.write(f"there is not enough memory to check {printable(options.file)}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130


def read_options(export: Export, check: Check, arguments: Sequence[str] | None) -> Namespace:
    """Return the arguments of the command line; end the program with exit code 2 if they are not valid."""
    parser = ArgumentParser(description="Check an export of Dealmill. The top of this program says what it proves.")
    parser.add_argument("file", metavar="FILE", help="the export")
    parser.add_argument("--sample", metavar="N", type=int, help="check the evidence of N rows only, spread evenly")
    parser.add_argument(
        "--seed", metavar="S", type=int, default=1, help="select the sample by this number (default: 1)"
    )
    parser.add_argument(
        "--show",
        metavar="ROW",
        type=int,
        help="check the evidence of this row only, or also of a sample; print it and, if it is a loss, what proves it",
    )
    parser.add_argument(
        "--deal", metavar="NUMBER", type=int, help="like --show, for the row of this deal, or of this line of the file"
    )
    limit = getattr(check, "limit", None)
    bound = "the evidence of this game has no limit" if limit is None else f"default: {limit:,}"
    parser.add_argument("--limit", metavar="N", type=int, help=f"check losses of up to N positions ({bound})")
    parser.add_argument("--source", metavar="SOURCE", help="also compare the layouts with the file that was solved")
    options = parser.parse_args(arguments)
    if options.limit is not None and (limit is None or options.limit < 1):
        parser.error(f"--limit is {options.limit}, expected a number of positions" if limit else f"--limit: {bound}")
    if options.sample is not None and not 1 <= options.sample <= export.rows:
        parser.error(f"--sample is {options.sample}, expected 1 to {export.rows}, the number of rows")
    if options.show is not None and not 1 <= options.show <= export.rows:
        parser.error(f"--show is {options.show}, expected 1 to {export.rows}, the number of rows")
    if options.show is not None and options.deal is not None:
        parser.error("--show and --deal exclude each other: both name the row")
    if options.source and export.source_sha256 is None:
        parser.error(f"--source cannot be used, because {export.source} is not a file")
    return options


def with_limit(check: Check, limit: int | None) -> Check:
    """Return the referee that checks losses of up to so many positions; the same if None."""
    referee: Any = check  # a dataclass, if it has a limit
    return check if limit is None else replace(referee, limit=limit)


def check_export(export: Export, check: Check, read_rows: ReadRows, options: Namespace) -> int:
    """Check a file, print a summary, and return the exit code."""
    name = printable(options.file)
    with Path(options.file).open("rb") as file:
        changed = other_digest(file, export.sha256)
        if changed:  # go on: the first bad row says more
            print_line(f"{name} is not the file that was exported: {changed}")
        if export.incomplete:
            print_line(f"{name} is not complete: {export.incomplete}")
        if options.deal is not None:
            options.show = row_of_line(read_rows(file), options.deal)
            file.seek(0)
        with Progress(export.rows) as progress:
            tally = check_rows(export, check, progress.count(read_rows(file)), options)
        file.seek(0)
        equal = compare_source(export, read_rows(file), options.source) if options.source else 0
    print_line(f"{name}: {export.rows:,} row{'s' * (export.rows != 1)}{'' if changed else ', as exported'}")
    print_summary(export, check, options, tally, equal)
    needs_dealmill = any(outcome is None for outcome, _ in tally)
    return 1 if changed or export.incomplete else 3 if needs_dealmill else 0


def row_of_line(rows: Iterator[ResultRow], line: int) -> int:
    """Return the number of the first row with the number of a deal, or a line of the source.

    Raises
    ------
    CheckFailed
        If there is none, or a row before it cannot be read.
    """
    number = 0
    try:
        for number, row in enumerate(rows, start=1):
            if row.line == line:
                return number
    except (ValueError, RecursionError) as error:
        raise CheckFailed(f"row {number + 1:,} cannot be read: {printable(str(error))}") from error
    raise CheckFailed(f"no row is of deal or line {line}; the column line has their numbers")


def other_digest(file: BufferedReader, expected: str) -> str | None:
    """Return how the SHA-256 of a file differs from the expected one, or None, and go to the start of the file."""
    digest = file_digest(file, "sha256").hexdigest()
    file.seek(0)
    return None if digest == expected else f"SHA-256 {digest[:12]}…, expected {expected[:12]}…"


def rows_to_prove(export: Export, options: Namespace) -> Iterator[int]:
    """Return the numbers of the rows whose evidence is checked, in ascending order: of the sample and the row that is
    shown, or of all rows."""
    shown = [] if options.show is None else [options.show]
    size = options.sample or (0 if shown else export.rows)
    return merge((sampled(number, size, export.rows, options.seed) for number in range(1, size + 1)), shown)


def check_rows(export: Export, check: Check, rows: Iterator[ResultRow], options: Namespace) -> Tally:
    """Check all rows, and the evidence of those that the options select.

    Raises
    ------
    CheckFailed
        At the first row that is wrong.
    """
    chosen = rows_to_prove(export, options)
    engine, following = export.engine.partition("/")[2], next(chosen, 0)
    numbers = {verdict.word: verdict for verdict in Verdict}
    tally, number, position = Tally(), 0, 0
    try:
        for number, row in enumerate(rows, start=1):
            if wrong := wrong_column(export, row, number, position):
                raise CheckFailed(f"row {number:,}: {printable(wrong)}")
            position = row.position
            if number == following:
                while number == following:  # twice if the row that is shown is in the sample
                    following = next(chosen, 0)
                try:
                    judgement = judge_by(check, engine, row.layout, numbers[row.verdict], row.value, row.evidence)
                except Unchecked as unchecked:
                    print_line(f"row {number:,} (position {position:,}) needs {remedy(check)}: {unchecked}")
                    tally[None, row.verdict] += 1
                    continue
                if judgement.outcome is Outcome.INVALID:
                    raise CheckFailed(f"row {number:,} (position {position:,}) is {printable(str(judgement))}")
                tally[judgement.outcome, row.verdict] += 1
                if number == options.show:
                    show_row(check, row, numbers[row.verdict])
    except (ValueError, RecursionError) as error:
        raise CheckFailed(f"row {number + 1:,} cannot be read: {printable(str(error))}") from error
    if number < export.rows:
        raise CheckFailed(f"row {number + 1:,} is missing: {export.rows:,} rows were exported")
    return tally


def show_row(check: Check, row: ResultRow, verdict: Verdict) -> None:
    """Print a row that is proved, and what the referee says of its evidence, if it says more than that."""
    lines = [f"row of position {row.position:,}: {row.verdict}", row.layout]
    explained = getattr(check, "explained", None)
    if row.evidence is None:
        lines.append("There is no evidence.")
    else:
        lines += [row.evidence, *(explained(row.layout, verdict, row.evidence) if explained else ())]
    for line in lines:
        print_line(printable(line))


def wrong_column(export: Export, row: ResultRow, number: int, before: int) -> str | None:
    """Return what is wrong with a row, apart from its evidence, or None.

    `number` is the number of the row, and `before` the position of the row before it.
    """
    if number > export.rows:
        return f"only {export.rows:,} rows were exported"
    for column, value in zip(RESULT, row, strict=True):
        if type(value) is not column.type and not (value is None and column.nullable):
            return f"the type of {column.name} is {type(value).__name__}"
    highest = export.layouts - (export.rows - number)
    if not before < row.position <= highest:
        return (
            f"the position is {row.position}, expected {before + 1}{f' to {highest}' if highest > before + 1 else ''}"
        )
    if row.verdict not in export.verdicts:
        return f"the verdict is {row.verdict!r}, expected {' or '.join(export.verdicts)}"
    if row.value is not None and row.verdict != Verdict.SCORED.word:
        return f"the verdict is {row.verdict}, but there is a value"
    return None


def compare_source(export: Export, rows: Iterator[ResultRow], path: str) -> int:
    """Return the number of rows whose layout is the text of its line in the source.

    Raises
    ------
    CheckFailed
        If the source is not the recorded one.
    OSError
        If it cannot be read.
    """
    equal, number, text = 0, 0, b""
    with Path(path).open("rb") as file:
        if mismatch := other_digest(file, str(export.source_sha256)):
            raise CheckFailed(f"{printable(path)} is not the source: {mismatch}; unpack it first if it is gzipped")
        for row in rows:
            while number < row.line and (text := file.readline()):
                number += 1
            equal += number == row.line and text.strip() == row.layout.encode(errors="replace")
    return equal


class Progress:
    """The number of rows that are checked, on standard error: redrawn on a terminal, else a line each minute.

    A thread writes it, since a single row may take minutes.
    """

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.is_terminal, self.started, self.ended = sys.stderr.isatty(), time.monotonic(), Event()
        self.thread = Thread(target=self.show, daemon=True)

    def __enter__(self) -> "Progress":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()
        clear_progress()

    def count(self, rows: Iterator[ResultRow]) -> Iterator[ResultRow]:
        """Yield rows, and count those before."""
        for self.done, row in enumerate(rows):
            yield row

    def show(self) -> None:
        """Show the number until the end."""
        if self.is_terminal:
            self.write("\r", "")
        while not self.ended.wait(REDRAW if self.is_terminal else REPORT):
            self.write(*("\r", "") if self.is_terminal else ("", "\n"))

    def write(self, before: str, after: str) -> None:
        """Write how many rows were checked in how many seconds."""
        seconds, share = time.monotonic() - self.started, self.done / max(self.total, 1)
        sys.stderr.write(f"{before}{self.done:,} of {self.total:,} rows ({share:.0%}), {seconds:.0f} s{after}")
        sys.stderr.flush()


def clear_progress() -> None:
    """Remove the progress from a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def remedy(check: Check) -> str:
    """Return what can check the evidence that the referee leaves out."""
    return "a higher --limit, or Dealmill" if hasattr(check, "limit") else "Dealmill"


def print_summary(export: Export, check: Check, options: Namespace, tally: Tally, equal: int) -> None:
    """Print what was checked, and what was not; `equal` rows were found to have the layouts of their lines."""
    titles = {Outcome.VALID: "proved", Outcome.NO_EVIDENCE: "nothing to prove", None: f"needs {remedy(check)}"}
    for outcome, title in titles.items():
        counts = [f"{count:,} {word}" for word in export.verdicts if (count := tally[outcome, word])]
        if counts:
            print_line(f"{title}: {', '.join(counts)}")
    unchecked = ["node counts", "the fingerprint of the run"]
    if options.sample or options.show:
        unchecked.insert(0, f"the evidence of the other {export.rows - tally.total():,} rows")
    if options.source:
        print_line(f"in the source: {equal:,} layouts, each in its line")
    if equal < export.rows:
        which = f"the other {export.rows - equal:,} layouts" if equal else "the layouts"
        unchecked.append(f"whether {which} and their lines are those of {export.source}")
    if export.rows < export.layouts:
        unchecked.append(f"the other {export.layouts - export.rows:,} layouts of the run")
    for what in unchecked:
        print_line(f"not checked: {what}")


def print_line(line: str) -> None:
    """Print a line of the result."""
    clear_progress()
    sys.stdout.write(f"{line}\n")
