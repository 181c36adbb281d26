"""``audit``: all verdicts of a run before the referee, and all rows of its record against each other."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from dealmill.cli.output import counted, output_options, write_first
from dealmill.cli.progress import Bar
from dealmill.cli.sources import open_configured_store
from dealmill.cli.work import keep_working

if TYPE_CHECKING:
    from dealmill.pipeline.store.audits import AuditStatus
    from dealmill.pipeline.store.database import Database

COLUMNS = ("items", "finding", "step", "reason")
DIFFERENT = 3
"""The exit code of an audit or a comparison that found a difference."""


@click.command()
@click.argument("run")
@click.option("--sample", type=click.IntRange(1), help="Only so many verdicts, spread evenly.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Which sample.")
@output_options
@click.pass_context
def audit(ctx: click.Context, run: str, sample: int | None, seed: int, form: str | None) -> None:
    """Check every stored verdict of RUN (its number, or `last`) with the referee of its game.

    The referee knows only the rules, and shares no code with the engine. What it says is kept for every verdict:
    `dealmill query RUN --audit invalid` lists those that do not hold. An audit of all verdicts also goes through the
    whole record: items, texts and their digests, totals, and the digests of what was written. Findings go to standard
    output; there are none where all is well. Exit code 3 if there are any.
    """
    from dealmill.pipeline.audit import queue_audit
    from dealmill.pipeline.store.audits import find_audit
    from dealmill.pipeline.store.runs import find_run

    store = open_configured_store()
    audited = find_run(store, run)
    number = queue_audit(store, audited, sample, seed)
    _work(store, number)
    result = find_audit(store, number)
    if (form or not result.clean) and write_first(COLUMNS, _findings(store, result), form):
        click.echo("there are more: --nl gives all", err=True)
    click.echo(f"audit {number} of run {audited.id}: {_summary(result)}", err=True)
    if audited.items > audited.solved:
        click.echo(f"run {audited.id} is not finished: {audited.items - audited.solved:,} layouts to come", err=True)
    if not result.clean:
        ctx.exit(DIFFERENT)


def _work(store: "Database", number: int) -> None:
    from dealmill.pipeline.store.audits import find_audit

    def done(bar: Bar) -> bool:
        found = find_audit(store, number)
        wrong = f", {found.invalid:,} invalid, {counted(found.faults, 'fault')}" if not found.clean else ""
        bar.update(found.judged, found.size, f"{found.judged:,} verdicts{wrong}")
        return found.finished

    keep_working(store, "auditing", done)


def _summary(found: "AuditStatus") -> str:
    return (
        f"{found.valid:,} valid, {found.invalid:,} invalid, {found.no_evidence:,} without evidence; "
        f"{counted(found.faults, 'fault')} in the record"
    )


def _findings(store: "Database", found: "AuditStatus") -> Iterator[dict[str, object]]:
    from dealmill.pipeline.store.audits import faults_of, objections_of

    for fault in faults_of(store, found.id):
        last = "" if fault.last == fault.first else f"-{fault.last}"
        yield {"items": f"{found.run}:{fault.first}{last}", "finding": "fault", "step": None, "reason": fault.reason}
    for position, judgement in objections_of(store, found):
        yield {
            "items": f"{found.run}:{position}",
            "finding": "invalid",
            "step": judgement.step,
            "reason": judgement.reason,
        }
