"""``import``: store the verdicts of any solver, or the runs of an archive."""

from typing import Any

import click

import dealmill
from dealmill.cli.options import (
    WholeNumber,
    complete_engine,
    game_option,
    given_options,
    notation_option,
    parse_words,
)
from dealmill.cli.output import (
    called_as,
    counted,
    json_option,
    tell,
    tell_unproved,
    write_json,
)
from dealmill.cli.process import DIFFERENT, REJECTED, resumable
from dealmill.cli.progress import shown_progress
from dealmill.cli.status import status_rows
from dealmill.pipeline.arguments import MAX_NODES


@click.command(name="import")
@click.argument("file", type=click.Path())
@click.option(
    "--engine",
    metavar="GAME/NAME",
    help="The solver; NAME alone is enough if the name of FILE contains the game.",
)
@click.option("--version", help="The version of the solver.")
@game_option
@click.option(
    "--checked-as",
    metavar="ENGINE",
    shell_complete=complete_engine,
    help="The engine of the game that answers the same question; by default the first.",
)
@click.option(
    "--max-nodes",
    type=WholeNumber(1, MAX_NODES),
    help="The node limit that the solver had; it is recorded, and the rows are not compared with it.",
)
@click.option("--layout-column", metavar="NAME", help="The column of layouts, if it is not called layout.")
@click.option(
    "--deals",
    metavar="DEALS",
    help="The deals, such as deal:camelot:seed=1, if FILE has their numbers instead of layouts.",
)
@click.option(
    "--number-column", metavar="NAME", help="The column of the numbers of deals, with --deals; by default number."
)
@click.option("--verdict-column", metavar="NAME", help="The column of verdicts, if it is not called verdict or result.")
@click.option("--verdict", metavar="VERDICT", help="The verdict of all rows, if FILE is a list of those that have it.")
@click.option(
    "--columns",
    metavar="NAME,…",
    help="The names of the first columns, if FILE is text without a header; columns without a name are ignored.",
)
@click.option(
    "--absent",
    metavar="VERDICT",
    help="The verdict on the deals whose numbers FILE leaves out, of those that --of or --deals names.",
)
@click.option("--of", metavar="FIRST-LAST", help="The numbers of deals that FILE is about, with --absent.")
@click.option(
    "--words",
    metavar="WORD=VERDICT,…",
    help="Other words for verdicts, such as solved=winnable,unsolvable=unwinnable,unknown=undecided.",
)
@notation_option
@json_option
@click.pass_context
@resumable()
def import_(
    ctx: click.Context,
    /,
    file: str,
    engine: str | None,
    version: str | None,
    words: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Store verdicts of any solver as a run. Nothing is solved.

    FILE ends in .jsonl, .json, .csv, .tsv or .parquet, all but the last also with .gz, .bz2 or .xz; `-` is JSON
    on standard input. With --columns, FILE is text of any name, one row in each line, and so is standard input.
    Each row has a layout and a verdict (or result) and, optionally, the other columns that `dealmill export` writes,
    such as evidence. With --notation, the evidence may be called solution or moves, and is that program's. A row that
    cannot be used is stored as a reject with its line and all reasons, and makes the exit code 4. If a layout has two
    different verdicts, both are stored and their lines named, and the exit code is 3. If the command is interrupted,
    repeat it.

    The number of the run is printed on standard output. Audit it to have the referee check the evidence. If the engine
    is not installed, it exists only on record: its runs cannot be solved again, and a verdict without evidence counts
    as not proved.

    FILE.zip is an archive that `dealmill archive` has written: all of its runs are stored, each with its engine,
    version and fingerprint, and nothing else needs to be said.
    """
    if file.lower().endswith(".zip"):
        if given_options(ctx) - {"file", "as_json"}:
            raise click.UsageError("an archive says all about its runs: dealmill import FILE.zip takes only --json")
        _import_archive(file, as_json)
        return
    if engine is None or version is None:
        raise click.MissingParameter(
            ctx=ctx, param_type="option", param_hint="'--engine'" if engine is None else "'--version'"
        )
    with dealmill.open() as store:
        with shown_progress(store) as progress:
            run = store.import_verdicts(
                file, engine=engine, version=version, words=parse_words(words), progress=progress, **options
            )
        tell(f"run {run.id}: {counted(run.progress.solved, 'verdict')} of {run.engine} {run.version}")
        tell_unproved(run.progress.unproved, run.id)
        contradicted = bool(run.contradictions(1))
        if as_json:
            write_json(status_rows(store, [run])[0])
        else:
            click.echo(run.id)
    if contradicted:
        tell(f"dealmill: all are stored; see which ones their evidence proves with: {called_as()} audit {run.id}")
        ctx.exit(DIFFERENT)
    if run.progress.rejected:
        ctx.exit(REJECTED)


def _import_archive(file: str, as_json: bool) -> None:
    """Store the runs of an archive, and print their numbers."""
    with dealmill.open() as store:
        with shown_progress(store) as progress:
            runs = store.import_archive(file, progress=progress)
        for run in runs:
            tell(f"run {run.id}: {counted(run.progress.solved, 'verdict')} of {run.engine} {run.version}, as archived")
            tell_unproved(run.progress.unproved, run.id)
        if as_json:
            write_json(status_rows(store, runs))
        else:
            click.echo("\n".join(str(run.id) for run in runs))
