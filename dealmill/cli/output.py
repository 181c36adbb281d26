"""Rows on standard output: a table for people, or JSON, JSON lines or CSV for programs."""

import csv
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from heapq import nsmallest
from itertools import islice
from typing import Any, TypeVar

import click

import dealmill
from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import cell_text, percentage, printable
from dealmill.pipeline.printable import counted as counted  # noqa: PLC0414 -- for all commands
from dealmill.pipeline.system.log_lines import in_log_format

Command = TypeVar("Command", bound=Callable[..., Any])
Row = TypeVar("Row", bound=Mapping[str, object] | str)

WIDE, NO_PAGER = "dealmill.wide", "dealmill.no-pager"
"""Where the context of a command has its options ``--wide`` and ``--no-pager``."""
MAX_NAMED = 3
"""The most columns that are named as left out; of the rest, only the number is told."""
SCREEN = 100
"""Rows of a table by default; the other formats have no limit."""


def no_pager_option(command: Command) -> Command:
    """Add ``--no-pager``, which `write_text` and tables heed."""
    meaning = "Print directly, not through $PAGER, what is longer than the terminal."
    return _remembered(NO_PAGER, meaning)(command)


def output_options(command: Command) -> Command:
    """Add ``--json``, ``--nl``, ``--csv`` and ``--excel``, which the command receives as `form`; and options of
    tables."""
    command = no_pager_option(command)
    command = _remembered(WIDE, "Print tables in full, even if they are wider than the terminal or COLUMNS.")(command)
    for form, meaning in (
        ("excel", "Print rows as CSV for spreadsheets: text that they would change gets an apostrophe before it."),
        ("csv", "Print rows as CSV."),
        ("nl", "Print rows as one JSON object per line."),
        ("json", "Print rows as a JSON array."),
    ):
        command = click.option(f"--{form}", "form", flag_value=form, help=meaning)(command)
    return command


def _remembered(name: str, meaning: str) -> Callable[[Command], Command]:
    """Return the decorator that adds a flag, which the context of the command has under `name`."""

    def remember(ctx: click.Context, _option: click.Parameter, is_set: bool) -> None:
        ctx.meta[name] = is_set

    flag = f"--{name.removeprefix('dealmill.')}"
    return click.option(flag, is_flag=True, expose_value=False, callback=remember, help=meaning)


def json_option(command: Command) -> Command:
    """Add ``--json`` to a command whose result is not rows; the command receives it as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def called_as() -> str:
    """Return how the user calls the command: its name if it is on the PATH, else the path that was typed."""
    from pathlib import Path  # slow to import, not needed for help texts

    path = Path(sys.argv[0])
    return path.name if shutil.which(path.name) else str(path)


def tell(message: str) -> None:
    """Print a line on standard error, as a JSON object if the log of workers is in JSON."""
    click.echo(printable(in_log_format(message)), err=True)


UNPROVED = "not proved"
"""What tables show as the evidence of a claim."""


def tell_unproved(verdicts: int, run: int) -> None:
    """Print how many verdicts of a run are claims without evidence, if there are any."""
    if verdicts:
        tell(f"{UNPROVED}: {counted(verdicts, 'verdict')} of run {run}, without evidence")


def tell_winnability(run: "dealmill.Run") -> None:
    """Print the confidence interval of the share of winnable deals, if a run is over random numbered deals."""
    interval = run.winnability if run.progress.is_random and run.progress.retracted is None else None
    if interval is not None:
        low, high = percentage(interval.low), percentage(interval.high)
        tell(f"winnable deals:      {low} to {high} of all deals, with 95 % confidence{interval.basis} (run {run.id})")


def tell_undecided(run: "dealmill.Run") -> None:
    """Print how many layouts of a run are undecided, and what a higher limit would decide, if that is known."""
    if higher := run.higher_limit:
        tell(f"undecided layouts:   {higher.effect} {called_as()} {higher.command}")


def tell_retryable(runs: "Iterable[dealmill.Run]") -> bool:
    """Return whether layouts of finished runs failed because of the machine, and say how to try them again."""
    failed = [run for run in runs if run.progress.finished and run.progress.counts.get(Verdict.FAILED)]
    retryable = [run.id for run in failed if run.fingerprint is None]
    for run_id in retryable:
        tell(f"failures to retry:   {called_as()} retry {run_id}")
    return bool(retryable)


def written_time(time: datetime, form: str | None) -> str:
    """Return a time as all commands write it: for people local, with its zone; in data in UTC."""
    if form is None:
        return f"{time.astimezone():%Y-%m-%d %H:%M:%S %Z}"
    return time.astimezone(UTC).isoformat(" ", "seconds")


def write_line(text: str) -> None:
    """Print a line on standard output."""
    click.echo(printable(text))


def write_text(lines: Iterable[str]) -> None:
    """Print lines on standard output, with a pager if a terminal has fewer; before an error, those that there are."""
    from dealmill.cli.tables import print_lines  # needed for texts only

    listed, error = _before_error(map(printable, lines))
    print_lines(listed, pager=_may_page())
    if error:
        raise error


def _may_page() -> bool:
    return not click.get_current_context().meta.get(NO_PAGER, False)


def per_second(rate: float | None) -> float | None:
    """Return a rate as it is printed: a whole number, unless it is below one."""
    if rate is None:
        return None
    return round(rate) if rate >= 1 else round(rate, 3)


def write_json(value: object) -> None:
    """Write a JSON document on standard output."""
    import json  # slow to import, not needed for help texts

    click.echo(json.dumps(value))


def write_rows(
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    form: str | None,
    empty: str = "there is nothing to list",
    narrow: Sequence[str] = (),
) -> None:
    """Write rows to standard output. Only a table holds all of them in memory; the other formats stream.

    Instead of a table without rows, the message `empty` is printed on standard error. A table that is wider than the
    terminal has the columns `narrow` instead, if there are any.
    """
    match form:
        case "json" | "nl":
            _write_json(rows, lines=form == "nl")
        case "csv" | "excel":
            writer = csv.DictWriter(sys.stdout, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            shown = _cell_of_csv if sys.stdout.isatty() else _joined
            cells = ({name: shown(value) for name, value in row.items()} for row in rows)
            if form == "excel":
                cells = ({name: cell_text(cell) for name, cell in row.items()} for row in cells)
            writer.writerows(cells)
        case _:
            from dealmill.cli.tables import write_table  # needed for tables only

            listed, error = _before_error(rows)
            if listed:
                wide = click.get_current_context().meta.get(WIDE, False)
                missing = write_table(columns, listed, wide=wide, narrow=narrow, pager=_may_page())
                if missing:
                    more = len(missing) - MAX_NAMED
                    names = ", ".join(missing[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
                    tell(f"left out: {names}; show all with --wide")
            elif not error:
                tell(empty)
            if error:
                raise error


def _before_error(
    rows: Iterable[Row], collect: Callable[[Iterable[Row]], list[Row]] = list
) -> tuple[list[Row], DealmillError | None]:
    """Return the rows before an error, as `collect` returns them, which are shown, too, and the error."""
    errors = list[DealmillError]()

    def before_error() -> Iterator[Row]:
        try:
            yield from rows
        except DealmillError as error:
            errors.append(error)

    return collect(before_error()), next(iter(errors), None)


def write_first(
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    form: str | None,
    limit: int = SCREEN,
    empty: str = "there is nothing to list",
    order: Callable[[Mapping[str, object]], int] | None = None,
) -> Mapping[str, object] | None:
    """Write all rows, or the first `limit` as a table, if there is an `order`, in this order. Return the last row shown
    if there are more, else None."""
    if form:
        write_rows(columns, rows, form)
        return None
    if order:
        head, error = _before_error(rows, partial(nsmallest, limit + 1, key=order))
    else:
        head, error = _before_error(islice(rows, limit + 1))
    if head or not error:
        write_rows(columns, head[:limit], form, empty)
    if error:
        raise error
    return head[limit - 1] if len(head) > limit else None


def lines_named(
    columns: Sequence[str],
    rows: Iterable[Mapping[str, object]],
    *,
    are_deals: bool,
) -> tuple[Sequence[str], Iterator[Mapping[str, object]]]:
    """Return the columns and rows of results. In a table for people, the column of lines is called deal if they are
    numbers of deals in all runs."""
    if not are_deals:
        return columns, iter(rows)
    return ["deal" if column == "line" else column for column in columns], (
        {**row, "deal": row["line"]} for row in rows
    )


def _write_json(rows: Iterable[Mapping[str, object]], *, lines: bool) -> None:
    import json  # slow to import, not needed for help texts

    opening = "["
    for row in rows:
        if lines:
            click.echo(json.dumps(row))
        else:
            click.echo(f"{opening}\n{json.dumps(row)}", nl=False)
            opening = ","
    if not lines:
        click.echo("[]" if opening == "[" else "\n]")


def _joined(value: object) -> object:
    return "; ".join(map(str, value)) if isinstance(value, list) else value


def _cell_of_csv(value: object) -> object:
    """Escape control characters for a terminal. Files and pipes get the text unchanged."""
    text = _joined(value)
    return printable(text) if isinstance(text, str) else text
