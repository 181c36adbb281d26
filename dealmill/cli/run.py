"""``run``, ``ingest``, ``queue`` and ``work``: from files to verdicts."""

from collections.abc import Sequence

import click

import dealmill
from dealmill.cli.exits import ERROR, REJECTED
from dealmill.cli.options import engine_option, game_option, nodes_option, packed_option
from dealmill.cli.output import called_as, counted, output_options, tell, write_rows
from dealmill.cli.progress import shown
from dealmill.pipeline.games.verdict import Verdict


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@game_option
@click.option(
    "--engine", "engines", metavar="GAME/ENGINE", multiple=True, help="Not the game's default one; repeatable."
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
    """Read layouts, solve them with local workers, and sum up: the main job.

    FILE is what `dealmill ingest` takes. What was done before is not done again, and what was broken off goes on where
    it was.

    With --packed, which is meant for hundreds of millions of numbered deals, a run stores a bit or two for each verdict
    and digests, but no layouts and no evidence. To show one deal, its block of a thousand is dealt and solved again and
    compared with them. The same deals with and without --packed are two runs.
    """
    with dealmill.open() as store:
        with shown(store) as progress:
            batch = store.run_all(
                files, game=game, engines=engines, max_nodes=max_nodes, packed=packed, progress=progress
            )
        if batch.runs:
            _summarise(batch, form)
    _exit_after_reading(ctx, batch.errors, batch.sources)


def _summarise(batch: "dealmill.BatchResult", form: str | None) -> None:
    """A row per engine on standard output, and what to type next on standard error."""
    rows = [_summary(summary) for summary in batch.summaries]
    used = [verdict.word for verdict in Verdict if any(row[verdict.word] for row in rows)]
    write_rows(["engine", "layouts", "duplicates", "rejected", *used, "mean", "layouts/s", "runs"], rows, form)
    lost = next((run for run in batch.statuses if run.counts.get(Verdict.UNWINNABLE)), None)
    first = lost or next((run for run in batch.statuses if run.solved), None)
    if lost:
        tell(f"which ones cannot be won:  {called_as()} query {lost.id} --verdict unwinnable")
    if first:
        tell(f"a run's verdicts:          {called_as()} query {first.id}")
        tell(f"one, step by step:         {called_as()} show {first.id}:1")


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
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@game_option
@click.pass_context
def ingest(ctx: click.Context, files: tuple[str, ...], game: str | None) -> None:
    """Read layouts into the store, each validated; duplicates are kept and counted.

    FILE is a text file in the format of its game's statement or with one canonical layout a line, plain or gzipped,
    `-` for standard input, or a range of numbered deals such as deal:camelot:seed=1:1-1000. Bad layouts are kept as
    rejects with their line and all reasons (exit code 4); the rest goes on. A file that broke off goes on where it
    was.
    """
    with dealmill.open() as store, shown(store) as progress:
        ingestion = store.ingest(*files, game=game, progress=progress)
    _exit_after_reading(ctx, ingestion.errors, ingestion.sources)


def _exit_after_reading(
    ctx: click.Context, errors: Sequence["dealmill.InputError"], sources: Sequence["dealmill.Source"]
) -> None:
    if errors:
        ctx.exit(ERROR)
    if any(source.rejected for source in sources):
        ctx.exit(REJECTED)


@click.command()
@click.argument("source")
@engine_option
@nodes_option
@packed_option
def queue(source: str, engine: str | None, max_nodes: int | None, packed: bool) -> None:
    """Plan a run over SOURCE, for workers to take up.

    SOURCE is the number or name of a source that `dealmill ingest` has read, or a range of numbered deals such as
    deal:camelot:seed=1:1-1000, which is read first, unless --packed is given. The number of the run goes to standard
    output.
    """
    with dealmill.open() as store:
        with shown(store) as progress:
            run = store.queue(source, engine=engine, max_nodes=max_nodes, packed=packed, progress=progress)
        status = run.status()
    state = "is finished" if status.finished else f"has {counted(status.items - status.solved, 'layout')} to solve"
    tell(f"run {run.id}: {run.engine} on {run.source} {state}")
    click.echo(run.id)


@click.command()
@click.option("--drain", is_flag=True, help="Stop as soon as nothing is left to do.")
def work(drain: bool) -> None:
    """Start local workers and keep them at work on all runs and audits, until Ctrl-C.

    With --drain, exit code 1 if jobs are left that only other versions of engines or of deals can do. Jobs of retracted
    versions are reported, and are no error.
    """
    try:
        with dealmill.open() as store, shown(store) as progress:
            store.work(drain=drain, progress=progress)
    except KeyboardInterrupt:
        if drain:
            raise  # else it is the end that was waited for
