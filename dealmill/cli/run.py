"""``run``, ``ingest``, ``queue``, ``work``, ``retry`` and ``survey``: solve layouts."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

import dealmill
from dealmill.cli.options import (
    WholeNumber,
    complete_engine,
    complete_game,
    complete_run,
    complete_source,
    engine_option,
    game_option,
    given_options,
    given_parameters,
    given_words,
    nodes_option,
    notation_option,
    parameters_option,
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
from dealmill.cli.process import DIFFERENT, ERROR, REJECTED, resumable
from dealmill.cli.progress import shown_progress
from dealmill.cli.status import status_rows
from dealmill.pipeline.arguments import MAX_ITEMS, MOST_NODES, MOST_SEED
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.system.extras import check_extra

MOST_NAMED = 10
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
        listed = ", ".join([*map(str, others[:MOST_NAMED]), *["…"] * (len(others) > MOST_NAMED)])
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
    type=WholeNumber(1, MOST_NODES),
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
                file, engine=engine, version=version, words=given_words(words), progress=progress, **options
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
            tried = retried.retry(progress=progress)
        if tried:
            failed = retried.progress.counts.get(dealmill.Verdict.FAILED, 0)
            tell(f"run {retried.id}: tried {counted(tried, 'layout')} again; the run now has {failed:,} failed")
        else:
            tell(f"run {retried.id} has no layouts to try again")
        if as_json:
            write_json(status_rows(store, [retried])[0])
        if tell_retryable([retried]):
            ctx.exit(ERROR)


def _tell_defaults(game: str, parameters: Mapping[str, int]) -> None:
    """Print the parameters of the deals that were not given."""
    offered = dealmill.games(game)[game].deals.parameters
    defaults = [f"{name}={parameter.default}" for name, parameter in offered.items() if name not in parameters]
    if defaults:
        tell(f"other parameters:    {', '.join(defaults)}")


SURVEY_COLUMNS = ("run", "engine", "deals", *(verdict.word for verdict in Verdict))


@click.command()
@click.argument("game", shell_complete=complete_game)
@engine_option
@click.option(
    "--half-width",
    metavar="W",
    default="0.1%",
    show_default=True,
    help="Half the width of the interval to reach: a share (0.1% or 0.001); for mean values a number, or a percentage "
    "of the mean.",
)
@click.option(
    "--count",
    type=WholeNumber(1, MAX_ITEMS),
    help="Solve this many deals, rounded up to whole thousands, whatever the width of the interval.",
)
@click.option("--seed", type=WholeNumber(0, MOST_SEED), default=1, show_default=True, help="The seed of the deals.")
@parameters_option
@rules_option
@nodes_option
@click.option(
    "--report",
    metavar="FOLDER",
    type=click.Path(),
    help="Write a report with pictures and a table in LaTeX to this folder.",
)
@workers_option
@output_options
@click.pass_context
@resumable()
def survey(
    ctx: click.Context,
    game: str,
    engine: str | None,
    half_width: str,
    count: int | None,
    seed: int,
    given: tuple[str, ...],
    rules: tuple[str, ...],
    max_nodes: int | None,
    report: str | None,
    form: str | None,
) -> None:
    """Estimate the share of winnable deals of GAME, or their mean value, from random deals.

    Local workers deal and solve deals until the 95 % confidence interval is narrow enough. An interrupted survey
    resumes where it stopped, and a finished one is not repeated. A survey is a run: `query`, `show`, `audit`, `rerun`,
    `diff` and `export` accept its number. An engine that is faster than a database stores no deals: those that are
    asked for are dealt and solved again, a thousand at a time, and compared with the stored verdicts and digests.
    """
    from dealmill.pipeline.games.deals import variant_name  # slow to import, not needed for the help text

    parameters, game = given_parameters(given), variant_name(game, rules)
    if report is not None:
        check_extra("pictures")
    with dealmill.open() as store:
        if count is not None:
            _tell_thousands(game, seed, count, parameters, max_nodes)
        with shown_progress() as progress:
            outcome = store.survey(
                game,
                engine=engine,
                half_width=half_width,
                count=count,
                seed=seed,
                parameters=parameters,
                max_nodes=max_nodes,
                progress=progress,
            )
        _write(outcome, form)
        if parameters:
            _tell_defaults(game, parameters)
        if count is not None and outcome.deals >= count + 1_000:  # more than rounding up explains
            tell(f"the survey had {counted(outcome.deals, 'deal')} before, more than --count, and all of them count")
        if report is not None:
            outcome.report(report)
            tell(f"report:              {report}")
        if outcome.facts.get(Verdict.UNWINNABLE.word):
            tell(f"unwinnable layouts:  {called_as()} query {outcome.id} --verdict unwinnable")
        tell(f"step by step:        {called_as()} show {outcome.id}:1")
        tell_undecided(outcome)
        if tell_retryable([outcome]):
            ctx.exit(ERROR)


def _tell_thousands(game: str, seed: int, count: int, parameters: Mapping[str, int], max_nodes: int | None) -> None:
    """Say that a survey has more deals than were asked for, and how to solve just these."""
    from dealmill.pipeline.games import engine_of
    from dealmill.pipeline.games.deals import DealRange

    block = dealmill.Survey.block
    if count % block:
        deals = DealRange(engine_of(game)[0], seed, 1, count, parameters)
        limit = "" if max_nodes is None else f" --max-nodes {max_nodes}"
        tell(
            f"a survey has whole thousands of deals: {count + -count % block:,} instead of {count:,}; for exactly "
            f"{count:,}: {called_as()} run {deals.name}{limit}"
        )


def _write(outcome: "dealmill.Survey", form: str | None) -> None:
    """Print a sentence with the interval on standard error, and the figures on standard output."""
    tell(str(outcome))
    row = {"run": outcome.id, **outcome.facts}
    if form is None:
        used = [name for name in SURVEY_COLUMNS if row.get(name) != 0]
        write_rows([*used, *outcome.figures], [row | outcome.figures], None)
    else:
        write_rows(list(row), [row], form)
