"""``rerun`` and ``diff``: repeat a run, and compare two runs."""

from collections import deque
from collections.abc import Iterator
from itertools import chain

import click

import dealmill
from dealmill.cli.completion import complete_run
from dealmill.cli.exits import DIFFERENT
from dealmill.cli.output import counted, output_options, tell, write_first
from dealmill.cli.progress import shown

FIELDS = ("item", "verdict", "value", "evidence")
COLUMNS = ("layout", *FIELDS, *(f"other_{name}" for name in FIELDS))
FAULTS = ("fault", "other_fault")
"""Why a stored verdict cannot be read. A table shows this in place of the evidence."""


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.option("--any-version", is_flag=True, help="Rerun even if another version of the engine is installed.")
@output_options
@click.pass_context
def rerun(ctx: click.Context, run: str, any_version: bool, form: str | None) -> None:
    """Solve all layouts of RUN (its number, or `last`) again and compare the results.

    The rerun is a new run with the recorded engine, version, node limit and layouts. Differences are printed as by
    `dealmill diff`. The exit code is 3 if there are any.
    """
    with dealmill.open() as store:
        repeated = store.find_run(run)
        with shown(store) as progress:
            differences = repeated.rerun(any_version=any_version, progress=progress)
        _write(ctx, differences, form)


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.argument("other", shell_complete=complete_run)
@output_options
@click.pass_context
def diff(ctx: click.Context, run: str, other: str, form: str | None) -> None:
    """Print every layout for which RUN and OTHER have different results, with both results.

    Runs over the same source are compared by position, other runs of the same game by layout. A packed run can only be
    compared with runs over the same deals. Runs are equal if all their verdicts, values and evidence are equal;
    versions and node counts may differ. The exit code is 3 if the runs differ.
    """
    with dealmill.open() as store:
        _write(ctx, store.find_run(run).diff(store.find_run(other)), form)


def _write(ctx: click.Context, diff: "dealmill.Diff", form: str | None) -> None:
    one, other = diff.one.id, diff.other.id
    number = 0

    def rows() -> Iterator[dict[str, object]]:
        nonlocal number
        for number, difference in enumerate(diff, start=1):  # noqa: B007
            yield _row(one, other, difference, form)

    different = rows()
    first = next(different, None)
    if form or first:
        cut = write_first((*COLUMNS, *FAULTS) if form else COLUMNS, chain([first] if first else [], different), form)
        if cut:
            deque(different, maxlen=0)  # to count them
            tell("more differences follow; --nl prints all of them")
    if diff.deals_of_both is not None:
        tell(f"compared only the first {diff.deals_of_both:,} deals, which both runs have")
    for run in diff.unfinished:
        tell(f"run {run.id} is not finished: {counted(run.items - run.solved, 'layout')} pending")
    if first:
        tell(f"runs {one} and {other} differ on {counted(number, 'layout')}")
        ctx.exit(DIFFERENT)
    tell(f"runs {one} and {other} are equal: {diff.compared:,} verdicts with their evidence")


def _row(one: int, other: int, difference: "dealmill.Difference", form: str | None) -> dict[str, object]:
    row: dict[str, object] = {"layout": difference.layout}
    for run, said, prefix in ((one, difference.one, ""), (other, difference.other, "other_")):
        row[f"{prefix}item"] = None if said.position is None else f"{run}:{said.position}"
        row[f"{prefix}verdict"] = None if said.verdict is None else said.verdict.word
        row[f"{prefix}value"] = said.value
        row[f"{prefix}evidence"] = f"cannot be read: {said.fault}" if said.fault and not form else said.evidence
        row[f"{prefix}fault"] = said.fault
    return row
