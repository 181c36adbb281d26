"""``run`` and ``queue``: the main job, and its first step."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from dealmill.cli.output import called_as, counted, output_options, write_rows
from dealmill.cli.progress import progress_bar
from dealmill.cli.sources import (
    REJECTED,
    game_of_source,
    game_option,
    open_configured_store,
    read_to_the_end,
    readings,
)
from dealmill.cli.work import solve_runs
from dealmill.pipeline.deals import is_deal_range
from dealmill.pipeline.errors import NotFoundError, StoreError
from dealmill.pipeline.games import find_engine, find_game, games
from dealmill.pipeline.games.contract import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.store.database import Database
    from dealmill.pipeline.store.runs import RunStatus
    from dealmill.pipeline.store.sources import Source

limit_option = click.option(
    "--limit",
    type=click.IntRange(1, NO_LIMIT),
    default=NO_LIMIT,
    help="Nodes for one layout; then it is undecided.",
    show_default="none",
)


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@game_option
@click.option(
    "--engine", "engines", metavar="GAME/ENGINE", multiple=True, help="Not the game's default one; repeatable."
)
@limit_option
@output_options
@click.pass_context
def run(
    ctx: click.Context, files: tuple[str, ...], game: str | None, engines: tuple[str, ...], limit: int, form: str | None
) -> None:
    """Read layouts, solve them with local workers, and sum up: the main job.

    FILE is what `dealmill ingest` takes. What was done before is not done again, and what was broken off goes on where
    it was.
    """
    for name in files if engines else ():
        _engines_for(game_of_source(name, game).name, engines)
    store = open_configured_store()
    with readings(store, files, game) as found:
        numbers = [
            _queue(store, reading.source, engine, limit)
            for reading in found
            for engine in (_engines_for(reading.source.game, engines) if engines else [reading.source.game])
        ]
        solve_runs(store, numbers, found)
        sources = list({reading.source.id: reading.source for reading in found}.values())
        summarise(store, numbers, sources, form)
    if any(source.rejected for source in sources):
        ctx.exit(REJECTED)


def _engines_for(game: str, engines: Iterable[str]) -> list[str]:
    found = [find_engine(engine, None if engine in games() else find_game(game)) for engine in engines]
    fitting = [owner.full_name(engine) for owner, engine in found if owner.name == game]
    if not fitting:
        raise NotFoundError(f"none of the engines named with --engine is one of {game}")
    return fitting


def _queue(store: "Database", source: "Source", engine: str, limit: int) -> int:
    from dealmill.pipeline.runs import queue_run

    return queue_run(store, source, engine, limit)


def summarise(store: "Database", numbers: Sequence[int], sources: Sequence["Source"], form: str | None) -> None:
    """A row per engine on standard output, and what to type next on standard error."""
    from dealmill.pipeline.store.runs import list_runs

    runs = list_runs(store, numbers)
    rows = []
    for engine in dict.fromkeys(one.engine for one in runs):
        mine = [one for one in runs if one.engine == engine]
        over = {one.source for one in mine}
        read = [source for source in sources if source.id in over]
        rows.append(_summary(engine, mine, read))
    used = [verdict.word for verdict in Verdict if any(row[verdict.word] for row in rows)]
    write_rows(["engine", "layouts", "duplicates", "rejected", *used, "mean", "layouts/s", "runs"], rows, form)
    _tell_what_next(runs)


def _summary(engine: str, runs: Sequence["RunStatus"], sources: Sequence["Source"]) -> dict[str, object]:
    scored = sum(one.counts.get(Verdict.SCORED, 0) for one in runs)
    seconds = sum(one.recent_seconds for one in runs)
    return {
        "engine": engine,
        "layouts": sum(source.accepted + source.rejected for source in sources),
        "duplicates": sum(source.duplicates for source in sources),
        "rejected": sum(source.rejected for source in sources),
        **{verdict.word: sum(one.counts.get(verdict, 0) for one in runs) for verdict in Verdict},
        "mean": round(sum(one.value_sum for one in runs) / scored, 3) if scored else None,
        "layouts/s": round(sum(one.recent for one in runs) / seconds) if seconds else None,
        "runs": [one.id for one in runs],
    }


def _tell_what_next(runs: Sequence["RunStatus"]) -> None:
    lost = next((one for one in runs if one.counts.get(Verdict.UNWINNABLE)), None)
    shown = lost or next((one for one in runs if one.solved), None)
    if lost:
        click.echo(f"which ones cannot be won:  {called_as()} query {lost.id} --verdict unwinnable", err=True)
    if shown:
        click.echo(f"a run's verdicts:          {called_as()} query {shown.id}", err=True)
        click.echo(f"one, step by step:         {called_as()} show {shown.id}:1", err=True)


@click.command()
@click.argument("source")
@click.option("--engine", metavar="GAME/ENGINE", help="Not the game's default one.")
@limit_option
def queue(source: str, engine: str | None, limit: int) -> None:
    """Plan a run over SOURCE, for workers to take up.

    SOURCE is the number or name of a source that `dealmill ingest` has read, or a range of numbered deals such as
    deal:camelot:seed=1:1-1000. The number of the run goes to standard output.
    """
    from dealmill.pipeline.store.runs import find_run
    from dealmill.pipeline.store.sources import find_source

    store = open_configured_store()
    if is_deal_range(source):
        with readings(store, [source], None) as [reading], progress_bar("reading") as bar:
            read_to_the_end(store, reading, bar)
            found = reading.source
    else:
        found = find_source(store, source)
    if not found.complete:
        raise StoreError(f"{found.name} has not been read to its end; read it in again with: dealmill ingest")
    planned = find_run(store, str(_queue(store, found, engine or found.game, limit)))
    state = "is finished" if planned.finished else f"has {counted(planned.items - planned.solved, 'layout')} to solve"
    click.echo(f"run {planned.id}: {planned.engine} on {planned.source_name} {state}", err=True)
    click.echo(planned.id)
