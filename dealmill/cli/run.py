"""``run``, ``ingest``, ``queue``, ``work`` and ``retry``: solve layouts."""

from collections.abc import Sequence
from typing import Any

import click

import dealmill
from dealmill.cli.options import (
    complete_engine,
    complete_run,
    complete_source,
    engine_option,
    read_sources,
    rules_option,
    run_options,
    source_options,
    workers_option,
)
from dealmill.cli.output import (
    called_as,
    counted,
    json_option,
    output_options,
    per_second,
    tell,
    tell_retryable,
    tell_undecided,
    tell_unproved,
    tell_winnability,
    write_json,
    write_rows,
)
from dealmill.cli.process import ERROR, REJECTED, resumable
from dealmill.cli.progress import shown_progress
from dealmill.cli.status import status_rows
from dealmill.pipeline.games.verdict import Verdict

MAX_NAMED = 10
"""The most other runs that a summary names."""


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
@source_options
@rules_option
@click.option(
    "--engine",
    "engines",
    metavar="GAME/ENGINE",
    multiple=True,
    shell_complete=complete_engine,
    help="Use this engine instead of the default; repeatable.",
)
@run_options
@click.option(
    "--on-finish",
    metavar="COMMAND",
    help="Run this shell command once for each run that is finished, with the JSON of its status on standard input.",
)
@workers_option
@output_options
@click.pass_context
@resumable()
def run(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    rules: tuple[str, ...],
    engines: tuple[str, ...],
    on_finish: str | None,
    form: str | None,
    **options: Any,
) -> None:
    """Read layouts, solve them with local workers and print a summary.

    FILE is a text file of layouts, numbered deals such as deal:camelot:seed=1:1-1000 or deal:klondike:seed=0:1,15,19,
    or anything else that `dealmill ingest` reads. Layouts that were solved before are not solved again, and an
    interrupted run resumes where it stopped.

    --rule changes the rules of numbered deals, and of files with --game. The name of the changed game lists the
    changes: klondike:stock.draw=1.

    A paused or cancelled run is not continued. --priority, --tag and --note apply to all runs of this command; repeat
    it to change them.
    """
    sources, options = read_sources(files, options, rules)
    with dealmill.open() as store:
        with shown_progress(store) as progress:
            commands = None
            if on_finish:
                from dealmill.cli.finishing import FinishCommands  # imports all events, which help texts do not need

                commands = FinishCommands(store, on_finish, progress)
            batch = store.run_all(sources, engines=engines, progress=commands or progress, **options)
        if batch.runs or form:
            _summarise(batch, form)
        retryable = tell_retryable(batch.runs)
    halted = [run.progress for run in batch.runs if run.progress.halted]
    for run in halted:
        tell(f"dealmill: run {run.id} is {run.control.word}; continue it with: dealmill resume {run.id}")
    if halted or retryable or (commands and not commands.all_succeeded()):
        ctx.exit(ERROR)
    _exit_after_reading(ctx, batch.errors, batch.sources)


def _summarise(batch: "dealmill.BatchResult", form: str | None) -> None:
    """Print one row per engine on standard output, and suggest the next commands on standard error."""
    rows = [_summary(summary) for summary in batch.summaries]
    used = [verdict.word for verdict in Verdict if any(row[verdict.word] for row in rows)]
    mean = ["mean"] if form or any(row["mean"] is not None for row in rows) else []
    for run in batch.runs:
        tell_winnability(run)
    write_rows(["engine", "layouts", "duplicates", "rejected", *used, *mean, "layouts/s", "runs"], rows, form)
    lost = next((run for run in batch.runs if run.progress.counts.get(Verdict.UNWINNABLE)), None)
    first = lost or next((run for run in batch.runs if run.progress.solved), None)
    if lost:
        tell(f"unwinnable layouts:  {called_as()} query {lost.id} --verdict unwinnable")
    if first:
        tell(f"all verdicts:        {called_as()} query {first.id}")
        tell(f"step by step:        {called_as()} show {first.id}:1")
    if first and (others := [run.id for run in batch.runs if run.id != first.id]):
        listed = ", ".join([*map(str, others[:MAX_NAMED]), *["…"] * (len(others) > MAX_NAMED)])
        tell(f"of the other runs:   the same with {listed}; {called_as()} status lists all runs")
    for run in batch.runs:
        tell_undecided(run)
        tell_unproved(run.progress.unproved, run.id)


def _summary(summary: "dealmill.Summary") -> dict[str, object]:
    return {
        "engine": summary.engine,
        "layouts": summary.layouts,
        "duplicates": summary.duplicates,
        "rejected": summary.rejected,
        **{verdict.word: number for verdict, number in summary.counts.items()},
        "mean": None if summary.mean is None else round(summary.mean, 3),
        "layouts/s": per_second(summary.rate),
        "runs": summary.runs,
    }


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
@source_options
@json_option
@click.pass_context
@resumable()
def ingest(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Read layouts into the store and validate them; duplicates are stored and counted.

    FILE is a plain or compressed text file, `-` for standard input, numbered deals, or a query of a finished run such
    as query:3:verdict=undecided. A file holds one canonical layout per line, has the format of its game's problem
    statement or, with --layout-column, is a table; with --deals, it has numbers of deals. An invalid layout is stored
    as a reject with its line and all reasons, and makes the exit code 4; reading continues. If reading was interrupted,
    it resumes where it stopped.

    Numbered deals are a range such as deal:camelot:seed=1:1-1000, or a list such as deal:klondike:seed=0:1,15,19-25.
    With --sample 5000 --of 1-1000000, 5,000 of the deals deal:klondike:seed=0 are drawn; that is
    deal:klondike:seed=0:1-1000000:sample=5000.
    """
    sources, options = read_sources(files, options)
    with dealmill.open() as store, shown_progress(store) as progress:
        ingestion = store.ingest(*sources, progress=progress, **options)
    if as_json:
        write_json(list(map(_source_row, ingestion.sources)))
    _exit_after_reading(ctx, ingestion.errors, ingestion.sources)


def _source_row(source: "dealmill.Source") -> dict[str, object]:
    return {
        "number": source.id,
        "source": source.name,
        "game": source.game,
        "layouts": source.accepted,
        "duplicates": source.duplicates if source.complete else None,
        "rejected": source.rejected,
        "complete": source.complete,
    }


def _exit_after_reading(
    ctx: click.Context, errors: Sequence["dealmill.InputError"], sources: Sequence["dealmill.Source"]
) -> None:
    if errors:
        ctx.exit(ERROR)
    if any(source.rejected for source in sources):
        ctx.exit(REJECTED)


@click.command()
@click.argument("source", shell_complete=complete_source)
@source_options
@engine_option
@run_options
@json_option
@click.pass_context
@resumable()
def queue(
    ctx: click.Context,
    /,
    source: str,
    engine: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Queue a run over SOURCE for workers to solve.

    SOURCE is the number or name of a source in the store, or a file, numbered deals or a query, as for
    `dealmill ingest`, which is first read into the store. The number of the run is printed on standard output; with
    --json, its status as in `dealmill status RUN --json`. If some layouts of a file are rejected, the exit code is 4.
    """
    [source], options = read_sources((source,), options)
    with dealmill.open() as store:
        with shown_progress(store) as progress:
            run = store.queue(source, engine=engine, progress=progress, **options)
        [run] = store.status(run.id)
        [row] = status_rows(store, [run])
    status = run.progress
    state = "is finished" if status.finished else f"has {counted(status.items - status.solved, 'layout')} to solve"
    tell(f"run {run.id}: {run.engine} on {run.source} {state}")
    if as_json:
        write_json(row)
    else:
        click.echo(run.id)
    if status.rejected:
        ctx.exit(REJECTED)


@click.command()
@workers_option
@click.option("--drain", is_flag=True, help="Stop when no jobs are left.")
@json_option
@click.pass_context
def work(ctx: click.Context, drain: bool, as_json: bool) -> None:
    """Start local workers and process the jobs of all runs and audits until Ctrl-C.

    Jobs of runs with the highest priority come first. Those of paused and cancelled runs are left; --drain reports
    those of paused ones.

    With --drain, the exit code is 1 if jobs are left that need versions of engines or deals that are not installed, or
    if layouts of the runs that it finished failed because of the machine (see `dealmill retry`). Jobs of retracted
    versions are reported but are not an error. With --json, the status of all runs is printed at the end, as by
    `dealmill status --json`.
    """
    with dealmill.open() as store:
        finished = {run.id for run in store.runs() if run.progress.finished}
        try:
            with shown_progress(store, timed=True) as progress:
                store.work(drain=drain, progress=progress)
        except KeyboardInterrupt:
            if drain:
                raise  # without --drain, Ctrl-C is the normal end
        if as_json:
            write_json(status_rows(store, store.status()))
        if drain and tell_retryable(run for run in store.runs() if run.id not in finished):
            ctx.exit(ERROR)


@click.command()
@click.argument("run", shell_complete=complete_run)
@workers_option
@json_option
@click.pass_context
def retry(ctx: click.Context, run: str, as_json: bool) -> None:
    """Retry the layouts of RUN (its number, or `last`) that failed because of the machine.

    These are layouts for which a program took too much time or memory, or on which the program or the worker died.
    Their verdict is `failed`, with an error that begins with "retryable:", and their run has no fingerprint. Jobs with
    such layouts are solved again. To give a program more time or memory, change `seconds` and `memory` in its manifest
    first. If such layouts are left, the exit code is 1.
    """
    with dealmill.open() as store:
        with shown_progress(store) as progress:
            retried = store.find_run(run)
            count = retried.retry(progress=progress)
        if count:
            failed = retried.progress.counts.get(dealmill.Verdict.FAILED, 0)
            tell(f"run {retried.id}: tried {counted(count, 'layout')} again; the run now has {failed:,} failed")
        else:
            tell(f"run {retried.id} has no layouts to try again")
        if as_json:
            write_json(status_rows(store, [retried])[0])
        if tell_retryable([retried]):
            ctx.exit(ERROR)
