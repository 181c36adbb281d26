"""``status``: how far the runs are."""

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from pipeline.cli.output import output_options, write_rows
from pipeline.cli.sources import open_configured_store
from pipeline.games.contract import NO_LIMIT, Verdict

if TYPE_CHECKING:
    from pipeline.store.database import Store
    from pipeline.store.runs import Run

SECOND = 1.0
HOME_AND_CLEAR = "\x1b[H\x1b[J"


@click.command()
@click.argument("run", required=False)
@click.option("--watch", is_flag=True, help="Show it anew every second, until everything is solved.")
@output_options
def status(run: str | None, watch: bool, form: str | None) -> None:
    """Show how far all runs are, or one RUN (its number, or `last`)."""
    store = open_configured_store()
    while True:
        runs = _runs(store, run)
        if not runs:
            click.echo("there are no runs yet; begin with: dealmill run FILE…", err=True)
        if watch and sys.stdout.isatty():
            click.echo(HOME_AND_CLEAR, nl=False)
        used = [verdict.word for verdict in Verdict if any(verdict in one.counts for one in runs)]
        write_rows(
            ["run", "engine", "version", "source", "layouts", "solved", "pending", *used, "mean", "layouts/s", "state"],
            map(_row, runs),
            form,
        )
        if not watch or all(one.finished for one in runs):
            return
        time.sleep(SECOND)


def _runs(store: "Store", key: str | None) -> list["Run"]:
    from pipeline.store.runs import find_run, list_runs

    return list_runs(store) if key is None else [find_run(store, key)]


def _row(run: "Run") -> dict[str, object]:
    return {
        "run": run.id,
        "engine": run.engine,
        "version": run.version,
        "source": run.source_name,
        "limit": None if run.limit == NO_LIMIT else run.limit,
        "layouts": run.items,
        "solved": run.solved,
        "pending": run.items - run.solved,
        **{verdict.word: run.counts.get(verdict, 0) for verdict in Verdict},
        "mean": None if run.mean is None else round(run.mean, 3),
        "nodes": run.nodes,
        "jobs": run.jobs,
        "jobs_pending": run.pending,
        "jobs_leased": run.leased,
        "jobs_done": run.done,
        "layouts/s": None if run.rate is None else round(run.rate),
        "state": _state(run),
    }


def _state(run: "Run") -> str:
    if run.finished:
        return "finished"
    if run.started is None:
        return "waiting for workers"
    if not run.leased or not run.rate:
        return "unfinished"
    end = datetime.fromtimestamp(run.now + (run.items - run.solved) / run.rate, UTC).astimezone()
    return f"ready at {end:%H:%M:%S}"
