"""``rerun`` and ``diff``: the same again, and whether it is the same."""

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from dealmill.cli.audit import DIFFERENT
from dealmill.cli.output import counted, output_options, write_first
from dealmill.cli.sources import open_configured_store
from dealmill.cli.work import solve_runs

if TYPE_CHECKING:
    from dealmill.pipeline.store.database import Database
    from dealmill.pipeline.store.differences import Difference
    from dealmill.pipeline.store.runs import RunStatus

TOLD = ("item", "verdict", "value", "evidence")
COLUMNS = ("layout", *TOLD, *(f"other_{name}" for name in TOLD))


@click.command()
@click.argument("run")
@click.option("--any-version", is_flag=True, help="Though another version of the engine is installed.")
@output_options
@click.pass_context
def rerun(ctx: click.Context, run: str, any_version: bool, form: str | None) -> None:
    """Solve all layouts of RUN (its number, or `last`) once more, and compare.

    Engine, version, limit and layouts are those on record. The repetition is a run of its own. Layouts on which the two
    differ go to standard output, as with `dealmill diff`; exit code 3 if there are any.
    """
    from dealmill.pipeline.rerun import queue_rerun
    from dealmill.pipeline.store.runs import find_run

    store = open_configured_store()
    repeated = find_run(store, run)
    number = queue_rerun(store, repeated, any_version=any_version)
    click.echo(f"run {number} repeats run {repeated.id}", err=True)
    solve_runs(store, [number])
    _compare(ctx, store, repeated, find_run(store, str(number)), form)


@click.command()
@click.argument("run")
@click.argument("other")
@output_options
@click.pass_context
def diff(ctx: click.Context, run: str, other: str, form: str | None) -> None:
    """Compare two runs of a game: every layout on which RUN and OTHER do not say the same, with what both say.

    Runs over the same source are compared item by item, others layout by layout. Two runs are equal if all verdicts,
    values and evidence are; versions and node counts may differ. Exit code 3 if they are not equal.
    """
    from dealmill.pipeline.store.runs import find_run

    store = open_configured_store()
    _compare(ctx, store, find_run(store, run), find_run(store, other), form)


def _compare(ctx: click.Context, store: "Database", one: "RunStatus", other: "RunStatus", form: str | None) -> None:
    from dealmill.pipeline.compare import compare

    number = 0

    def rows() -> Iterator[dict[str, object]]:
        nonlocal number
        for number, difference in enumerate(compare(store, one, other), start=1):  # noqa: B007
            yield _row(one, other, difference)

    different = rows()
    first = next(different, None)
    if form or first:
        cut = write_first(COLUMNS, chain([first] if first else [], different), form)
        if cut:
            deque(different, maxlen=0)  # to count them
            click.echo("there are more: --nl gives all", err=True)
    if one.items != other.items and one.survey and other.survey:
        click.echo(f"only the first {min(one.items, other.items):,} deals of both were compared", err=True)
    for run in (one, other):
        if not run.finished:
            click.echo(f"run {run.id} is not finished: {run.items - run.solved:,} layouts to come", err=True)
    if first:
        click.echo(f"runs {one.id} and {other.id} differ on {counted(number, 'layout')}", err=True)
        ctx.exit(DIFFERENT)
    solved = min(one.solved, other.solved)
    click.echo(f"runs {one.id} and {other.id} are equal: {solved:,} verdicts with their evidence", err=True)


def _row(one: "RunStatus", other: "RunStatus", difference: "Difference") -> dict[str, object]:
    row: dict[str, object] = {"layout": difference.layout}
    for run, said, prefix in ((one, difference.one, ""), (other, difference.other, "other_")):
        row[f"{prefix}item"] = None if said.position is None else f"{run.id}:{said.position}"
        row[f"{prefix}verdict"] = None if said.verdict is None else said.verdict.word
        row[f"{prefix}value"] = said.value
        row[f"{prefix}evidence"] = said.evidence
    return row
