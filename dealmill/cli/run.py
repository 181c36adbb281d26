"""``run``, ``ingest``, ``queue`` and ``work``: solve layouts, in one command or step by step."""

from collections.abc import Sequence

import click

import dealmill
from dealmill.cli.completion import complete_engine, complete_source
from dealmill.cli.exits import ERROR, REJECTED
from dealmill.cli.options import engine_option, game_option, nodes_option, packed_option
from dealmill.cli.output import called_as, counted, json_option, output_options, tell, write_json, write_rows
from dealmill.cli.progress import shown
from dealmill.cli.status import status_row
from dealmill.pipeline.games.verdict import Verdict


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
@game_option
@click.option(
    "--engine",
    "engines",
    metavar="GAME/ENGINE",
    multiple=True,
    shell_complete=complete_engine,
    help="Use this engine instead of the default; repeatable.",
)
@nodes_option
@packed_option
@output_options
@click.pass_context
def run(
    ctx: click.Context,
    files: tuple[str, ...],
    game: str | None,
    engines: tuple[str, ...],
    max_nodes: int | None,
    packed: bool,
    form: str | None,
) -> None:
    """Read layouts, solve them with local workers and print a summary.

    FILE is the same as for `dealmill ingest`. Layouts that were solved before are not solved again, and an interrupted
    run resumes where it stopped.

    --packed is meant for hundreds of millions of numbered deals. A packed run stores one or two bits per verdict plus
    digests, but no layouts and no evidence. To show a deal, Dealmill deals and solves its block of a thousand again and
    compares the result with the stored verdicts and digest. The same deals with and without --packed are two separate
    runs.
    """
    with dealmill.open() as store:
        with shown(store) as progress:
            batch = store.run_all(
                files, game=game, engines=engines, max_nodes=max_nodes, packed=packed, progress=progress
            )
        if batch.runs or form:
            _summarise(batch, form)
    _exit_after_reading(ctx, batch.errors, batch.sources)


def _summarise(batch: "dealmill.BatchResult", form: str | None) -> None:
    """Print one row per engine on standard output, and suggest the next commands on standard error."""
    rows = [_summary(summary) for summary in batch.summaries]
    used = [verdict.word for verdict in Verdict if any(row[verdict.word] for row in rows)]
    write_rows(["engine", "layouts", "duplicates", "rejected", *used, "mean", "layouts/s", "runs"], rows, form)
    lost = next((run for run in batch.statuses if run.counts.get(Verdict.UNWINNABLE)), None)
    first = lost or next((run for run in batch.statuses if run.solved), None)
    if lost:
        tell(f"unwinnable layouts:  {called_as()} query {lost.id} --verdict unwinnable")
    if first:
        tell(f"all verdicts:        {called_as()} query {first.id}")
        tell(f"step by step:        {called_as()} show {first.id}:1")
    both = zip(batch.runs, batch.statuses, strict=True)
    retryable = [run.id for run, status in both if status.counts.get(Verdict.FAILED) and run.fingerprint is None]
    name = called_as()
    for number in retryable:
        tell(f"failures to retry:   {name} retry {number}")


def _summary(summary: "dealmill.Summary") -> dict[str, object]:
    return {
        "engine": summary.engine,
        "layouts": summary.layouts,
        "duplicates": summary.duplicates,
        "rejected": summary.rejected,
        **{verdict.word: number for verdict, number in summary.counts.items()},
        "mean": None if summary.mean is None else round(summary.mean, 3),
        "layouts/s": None if summary.rate is None else round(summary.rate),
        "runs": summary.runs,
    }


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())
@game_option
@json_option
@click.pass_context
def ingest(ctx: click.Context, files: tuple[str, ...], game: str | None, as_json: bool) -> None:
    """Read layouts into the store and validate them; duplicates are stored and counted.

    FILE is a plain or gzipped text file, `-` for standard input, a range of numbered deals such as
    deal:camelot:seed=1:1-1000, or a query of a finished run such as query:3:verdict=undecided. A file holds one
    canonical layout per line, or has the format of its game's problem statement. An invalid layout is stored as a
    reject with its line and all reasons, and makes the exit code 4; reading continues. If reading was interrupted, it
    resumes where it stopped.
    """
    with dealmill.open() as store, shown(store) as progress:
        ingestion = store.ingest(*files, game=game, progress=progress)
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
@engine_option
@nodes_option
@packed_option
@json_option
def queue(source: str, engine: str | None, max_nodes: int | None, packed: bool, as_json: bool) -> None:
    """Queue a run over SOURCE for workers to solve.

    SOURCE is the number or name of a source read by `dealmill ingest`, or a range of numbered deals or a query, as for
    `dealmill ingest`, which is first read into the store (except for deals with --packed). The number of the run is
    printed on standard output; with --json, its status as in `dealmill status RUN --json`.
    """
    with dealmill.open() as store:
        with shown(store) as progress:
            run = store.queue(source, engine=engine, max_nodes=max_nodes, packed=packed, progress=progress)
        [overview] = store.status(run.id)
    status = overview.run
    state = "is finished" if status.finished else f"has {counted(status.items - status.solved, 'layout')} to solve"
    tell(f"run {run.id}: {run.engine} on {run.source} {state}")
    if as_json:
        write_json(status_row(overview))
    else:
        click.echo(run.id)


@click.command()
@click.option("--drain", is_flag=True, help="Stop when no jobs are left.")
@json_option
def work(drain: bool, as_json: bool) -> None:
    """Start local workers and process the jobs of all runs and audits until Ctrl-C.

    With --drain, the exit code is 1 if jobs are left that need versions of engines or deals that are not installed.
    Jobs of retracted versions are reported but are not an error. With --json, the status of all runs is printed at the
    end, as by `dealmill status --json`.
    """
    with dealmill.open() as store:
        try:
            with shown(store) as progress:
                store.work(drain=drain, progress=progress)
        except KeyboardInterrupt:
            if drain:
                raise  # without --drain, Ctrl-C is the normal end
        if as_json:
            write_json(list(map(status_row, store.status())))
