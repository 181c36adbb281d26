"""``work``, and what all commands share that need work done: local workers, kept up until it is."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from dealmill.cli.interrupt import check_interrupted
from dealmill.cli.output import tell
from dealmill.cli.progress import Bar, progress_bar
from dealmill.cli.sources import open_configured_store, read_to_the_end, tell_source

if TYPE_CHECKING:
    from dealmill.pipeline.ingest import Reading
    from dealmill.pipeline.store.database import Database
    from dealmill.pipeline.store.runs import RunStatus

LEAST_PAUSE, LONGEST_PAUSE = 0.2, 1.0
"""Seconds between two looks at how far the work is, a fiftieth of those it has taken; each look takes time from it."""


def keep_working(
    store: "Database", title: str, done: Callable[[Bar], bool], readings: Sequence["Reading"] = ()
) -> None:
    """Work with local workers until `done`, which also shows how far the work is; read these sources meanwhile. While
    the database is away, wait for it."""
    from dealmill.pipeline.store.patience import patiently
    from dealmill.workers.farm import Farm

    with progress_bar(title) as bar, Farm(store, bar.say) as farm:
        for reading in readings:
            read_to_the_end(store, reading, bar, farm.tick)
        begun = time.monotonic()
        while not patiently(partial(done, bar), farm.say):
            check_interrupted()
            farm.tick(at_once=True)
            time.sleep(min(max((time.monotonic() - begun) / 50, LEAST_PAUSE), LONGEST_PAUSE))


def solve_runs(store: "Database", numbers: Sequence[int], readings: Sequence["Reading"] = ()) -> None:
    """Work until these runs are finished, with progress, while their sources are still being read; not at all if they
    are finished."""
    from dealmill.pipeline.runs import refuse_retracted
    from dealmill.pipeline.store.database import refresh_statistics
    from dealmill.pipeline.store.runs import list_runs

    known = {one.id: one for one in list_runs(store, numbers)}
    finished = all(one.finished for one in known.values())
    if finished:
        for reading in readings:
            tell_source(store, reading.source, tell)
    for one in known.values():
        if one.finished:
            click.echo(f"run {one.id}: {one.engine} on {one.source_name} is already solved", err=True)
        elif one.solved:
            total = f"{one.items:,}" if one.complete else f"{one.items:,} that were read so far"
            click.echo(
                f"run {one.id}: {one.engine} on {one.source_name} goes on at {one.solved:,} of {total}", err=True
            )
    if finished:
        return

    def done(bar: Bar) -> bool:
        known.update((one.id, one) for one in list_runs(store, [one.id for one in known.values() if not one.finished]))
        found = list(known.values())
        for one in found:
            refuse_retracted(one)
        _show_runs(bar, found)
        broken = {reading.source.id for reading in readings if reading.broken}
        return all(one.finished or (one.source in broken and not one.pending + one.leased) for one in found)

    keep_working(store, "solving", done, readings)
    refresh_statistics(store)


def _show_runs(bar: Bar, runs: Sequence["RunStatus"]) -> None:
    working = next((one for one in runs if not one.finished), runs[-1])
    rate = f", {working.rate:,.0f}/s" if working.rate else ""
    bar.update(
        sum(one.solved for one in runs),
        sum(one.items for one in runs),
        f"{working.engine} on {working.source_name}{rate}",
    )


@click.command()
@click.option("--drain", is_flag=True, help="Stop as soon as nothing is left to do.")
def work(drain: bool) -> None:
    """Start local workers and keep them at work on all runs and audits, until Ctrl-C."""
    from dealmill.workers.reconciler import unfinished

    store = open_configured_store()
    most = 0

    def done(bar: Bar) -> bool:
        nonlocal most
        left = unfinished(store)
        most = max(most, left) if left else 0
        bar.update(most - left, most, f"{left:,} jobs left")
        return drain and not left

    try:
        keep_working(store, "working", done)
    except KeyboardInterrupt:
        if drain:
            raise  # else it is the end that was waited for
