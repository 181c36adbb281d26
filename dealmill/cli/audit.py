"""``audit``: check the verdicts of a run with the referee, and its record for consistency."""

import click

import dealmill
from dealmill.cli.completion import complete_run
from dealmill.cli.exits import DIFFERENT
from dealmill.cli.output import counted, output_options, tell, write_first
from dealmill.cli.progress import shown

COLUMNS = ("items", "finding", "step", "reason")


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.option("--sample", type=click.IntRange(1), help="Check only this many verdicts, spread evenly.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="The seed of the sample.")
@click.option("--seal", metavar="SEAL", help="Compare with this seal, printed by an earlier audit.")
@output_options
@click.pass_context
def audit(ctx: click.Context, run: str, sample: int | None, seed: int, seal: str | None, form: str | None) -> None:
    """Check every stored verdict of RUN (its number, or `last`) with the referee of its game.

    The referee knows only the rules and shares no code with the engine. Its judgement on each verdict is stored (for a
    packed run, only if it is not `valid`); `dealmill query RUN --audit invalid` lists the verdicts that failed.

    Without --sample, an audit also checks the invariants of the record: layouts, jobs, totals and digests, the plan of
    the run, its source, the action log and earlier audits. Findings are printed on standard output. If there are none
    and the run is finished, the audit prints a seal. Keep the seal outside the database: `--seal` in a later audit
    detects changes even if all digests were recomputed.

    The exit code is 3 if there are findings or the seal differs.
    """
    with dealmill.open() as store:
        audited = store.find_run(run)
        with shown(store) as progress:
            result = audited.audit(sample=sample, seed=seed, seal=seal, progress=progress)
        if (form or not result.valid) and write_first(COLUMNS, map(_row, result.findings()), form):
            tell("more findings follow; --nl prints all of them")
        found, status, sealed = result.status, audited.status(), result.seal
    tell(
        f"audit {found.id} of run {audited.id}: {found.valid:,} valid, {found.invalid:,} invalid, "
        f"{found.no_evidence:,} without evidence; {counted(found.faults, 'fault')} in the record",
    )
    if sealed:
        tell(f"seal: {sealed}")
    if result.sealed is False:
        tell(f"run {audited.id} or the action log does not match the seal {seal}: restore the database from a backup")
    if not status.finished:
        tell(f"run {audited.id} is not finished: {counted(status.items - status.solved, 'layout')} pending")
    if not result.valid:
        ctx.exit(DIFFERENT)


def _row(finding: "dealmill.Finding") -> dict[str, object]:
    return {"items": finding.items, "finding": finding.finding, "step": finding.step, "reason": finding.reason}
