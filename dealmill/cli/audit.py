"""``audit``: all verdicts of a run before the referee, and all rows of its record against each other."""

import click

import dealmill
from dealmill.cli.exits import DIFFERENT
from dealmill.cli.output import counted, output_options, tell, write_first
from dealmill.cli.progress import shown

COLUMNS = ("items", "finding", "step", "reason")


@click.command()
@click.argument("run")
@click.option("--sample", type=click.IntRange(1), help="Only so many verdicts, spread evenly.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Which sample.")
@click.option("--seal", metavar="SEAL", help="Also compare with this seal, which an earlier audit printed.")
@output_options
@click.pass_context
def audit(ctx: click.Context, run: str, sample: int | None, seed: int, seal: str | None, form: str | None) -> None:
    """Check every stored verdict of RUN (its number, or `last`) with the referee of its game.

    The referee knows only the rules, and shares no code with the engine. What it says is stored for every verdict
    (of a packed run, only where it is not `valid`): `dealmill query RUN --audit invalid` lists those that do not hold.
    An audit of all verdicts also checks the invariants of the record: items, texts and their digests, jobs and their
    totals, the digests of what was written, the plan, the source, the log of actions and earlier audits. Findings go to
    standard output; a sound run has none, and gets a seal: keep it elsewhere, and a later audit with --seal finds out
    whether somebody has changed the record with all its digests. Exit code 3 if there are findings, or if the seal
    differs.
    """
    with dealmill.open() as store:
        audited = store.find_run(run)
        with shown(store) as progress:
            result = audited.audit(sample=sample, seed=seed, seal=seal, progress=progress)
        if (form or not result.valid) and write_first(COLUMNS, map(_row, result.findings()), form):
            tell("there are more: --nl gives all")
        found, status, sealed = result.status, audited.status(), result.seal
    tell(
        f"audit {found.id} of run {audited.id}: {found.valid:,} valid, {found.invalid:,} invalid, "
        f"{found.no_evidence:,} without evidence; {counted(found.faults, 'fault')} in the record",
    )
    if sealed:
        tell(f"seal: {sealed}")
    if result.sealed is False:
        tell(f"run {audited.id} or the log of actions is not the one that was sealed as {seal}: restore a backup of it")
    if not status.finished:
        tell(f"run {audited.id} is not finished: {status.items - status.solved:,} layouts to come")
    if not result.valid:
        ctx.exit(DIFFERENT)


def _row(finding: "dealmill.Finding") -> dict[str, object]:
    return {"items": finding.items, "finding": finding.finding, "step": finding.step, "reason": finding.reason}
