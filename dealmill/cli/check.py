"""``audit``, ``retract`` and ``log``: check results, and withdraw wrong ones."""

import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Unpack

import click

import dealmill
from dealmill.cli.options import (
    ChosenRuns,
    WholeNumber,
    chosen_options,
    complete_engine,
    confirm,
    runs_argument,
    workers_option,
    yes_option,
)
from dealmill.cli.output import (
    counted,
    json_option,
    output_options,
    tell,
    tell_unproved,
    write_first,
    write_json,
    write_rows,
    written_time,
)
from dealmill.cli.process import DIFFERENT, NOT_PROVED, resumable
from dealmill.cli.progress import shown_progress

FINDING_COLUMNS = ("items", "finding", "step", "reason")


@click.command()
@runs_argument
@chosen_options
@click.option("--sample", type=WholeNumber(1), help="Check only this many verdicts, spread evenly.")
@click.option("--seed", type=WholeNumber(0, 2**63 - 1), default=1, show_default=True, help="The seed of the sample.")
@click.option("--seal", metavar="SEAL", help="Compare with this seal, printed by an earlier audit.")
@workers_option
@output_options
@click.pass_context
@resumable()
def audit(
    ctx: click.Context,
    runs: tuple[str, ...],
    sample: int | None,
    seed: int,
    seal: str | None,
    form: str | None,
    **chosen: Unpack[ChosenRuns],
) -> None:
    """Check every stored verdict of each RUN (a number, a range such as 3-7, `last` or `all`) with the referee of its
    game.

    The referee knows only the rules and shares no code with the engine. Its judgement on each verdict is stored (for a
    compact run, only if it is not `valid`); `dealmill query RUN --audit invalid` lists the verdicts that failed.

    Without --sample, an audit also checks the invariants of the record: layouts, jobs, totals and digests, the plan of
    the run, its source, the action log and earlier audits. Findings are printed on standard output. If there are none
    and the run is finished, the audit prints a seal. Keep the seal outside the database: `--seal` in a later audit
    detects changes even if all digests were recomputed.

    The exit code is 3 if there are findings or the seal differs. Otherwise it is 4 if some verdicts are not proved:
    those of layouts that are pending, and claims without evidence.
    """
    with dealmill.open() as store:
        audited = store.select(*runs, **chosen)
        if seal is not None and len(audited) > 1:
            raise click.UsageError("--seal is that of one run: name one run with it")
        with shown_progress(store) as progress:
            results = [run.audit(sample=sample, seed=seed, seal=seal, progress=progress) for run in audited]
        all_valid = all(result.valid for result in results)
        findings = (_finding_row(finding) for result in results for finding in result.findings())
        if (form or not all(result.status.clean for result in results)) and write_first(
            FINDING_COLUMNS, findings, form
        ):
            tell("more findings follow; --nl prints all of them")
        proved = [_tell_audit(run, result, seal) for run, result in zip(audited, results, strict=True)]
    if not all_valid:
        ctx.exit(DIFFERENT)
    if not all(proved):
        ctx.exit(NOT_PROVED)


def _tell_audit(run: "dealmill.Run", result: "dealmill.Audit", seal: str | None) -> bool:
    """Print the figures of an audit, its seal, and what is missing. Return whether the run is finished, and no verdict
    that was checked lacks evidence."""
    figures, status = result.status, run.status()
    tell(
        f"audit {figures.id} of run {run.id}: {figures.valid:,} valid, {figures.invalid:,} invalid, "
        f"{figures.no_evidence:,} without evidence; {counted(figures.faults, 'fault')} in the record",
    )
    tell_unproved(result.unproved, run.id)
    if result.seal:
        tell(f"seal: {result.seal}")
    if result.sealed is False:
        tell(
            f"the record of run {run.id} does not match the seal {seal}: if that is the seal of this run, restore the "
            "database from a backup"
        )
    if not status.finished:
        pending = counted(status.items - status.solved, "layout")
        tell(f"run {run.id} is not finished, so it has no seal: {pending} pending")
    elif figures.judged < status.items and not figures.is_sample:
        later = counted(status.items - figures.judged, "verdict")
        tell(f"{later} came later, so there is no seal; audit run {run.id} again")
        return False
    return status.finished and not result.unproved


def _finding_row(finding: "dealmill.Finding") -> dict[str, object]:
    return {"items": finding.items, "finding": finding.finding, "step": finding.step, "reason": finding.reason}


@click.command()
@click.option(
    "--engine",
    metavar="GAME/ENGINE",
    required=True,
    shell_complete=complete_engine,
    help="The faulty engine; or a family such as patience: then --version is that of its engines, without the digest "
    "of rules.",
)
@click.option("--version", required=True, help="The faulty version.")
@click.option("--why", required=True, help="The reason, stored with the verdicts and in the log.")
@click.option("--requeue", is_flag=True, help="Plan new runs by the installed version over the same layouts.")
@click.option("--undo", is_flag=True, help="Undo the retraction, for the reason --why.")
@yes_option
@json_option
def retract(engine: str, version: str, why: str, requeue: bool, undo: bool, yes: bool, as_json: bool) -> None:
    """Retract all verdicts of one version of an engine.

    This first says which runs and verdicts it withdraws, and asks for confirmation on a terminal unless --yes is given.
    Nothing is deleted, but `query`, `show` and `export` show retracted verdicts only with --retracted. The version gets
    no new runs, and its unfinished runs are not continued. If the version was retracted before, the first reason is
    kept.

    With --requeue, which can also be given later, each retracted run is replaced by a run of the installed version.
    The numbers of the new runs are printed on standard output; `dealmill work --drain` solves them.

    With --undo, the verdicts are valid again. The log keeps both the retraction and its undoing.
    """
    if undo and requeue:
        raise click.UsageError("--undo and --requeue cannot be combined")
    with dealmill.open() as store:
        if undo:
            runs = store.unretract(engine, version, why)
            tell(f"no longer retracted: {engine} version {version} in {counted(len(runs), 'run')}")
            if as_json:
                write_json({"engine": engine, "version": version, "why": why, "runs": [run.id for run in runs]})
        else:
            effect = _effect([run for run in store.runs_of(engine, version) if run.progress.retracted is None])
            if effect and sys.stdin.isatty() and not yes:
                confirm(effect)
            elif effect:
                tell(f"this {effect}")
            _retract(store.retract(engine, version, why), engine, version, why, requeue, as_json)


MAX_NAMED = 20
"""The most runs that are named before they are retracted."""


def _effect(runs: Sequence["dealmill.Run"]) -> str:
    """Return what the retraction of these runs withdraws; nothing if there are none."""
    verdicts = counted(sum(run.progress.solved for run in runs), "verdict")
    numbers = [str(run.id) for run in runs[:MAX_NAMED]] + ["…"] * (len(runs) > MAX_NAMED)
    return f"withdraws {verdicts} in {counted(len(runs), 'run')}: {', '.join(numbers)}" if runs else ""


def _retract(
    retraction: "dealmill.Retraction", engine: str, version: str, why: str, requeue: bool, as_json: bool
) -> None:
    verdicts = counted(sum(run.solved for run in retraction.runs), "verdict")
    runs = counted(len(retraction.runs), "run")
    if retraction.why in {why, None}:
        tell(f"retracted: {verdicts} of {engine} version {version} in {runs}")
    else:
        before = f"{engine} version {version} was already retracted ({retraction.why})"
        tell(f"{before}; the first reason is kept")
    replaced = retraction.requeue() if requeue else []
    for run, planned in replaced:
        tell(f"run {planned.id} replaces run {run.id}: version {planned.version}")
        if not as_json:
            click.echo(planned.id)
    if as_json:
        write_json(
            {
                "engine": engine,
                "version": version,
                "why": retraction.why,
                "runs": [run.id for run in retraction.runs],
                "requeued": [{"run": planned.id, "replaces": run.id} for run, planned in replaced],
            }
        )


class Moment(click.ParamType[datetime]):
    """A time: ``yesterday``, ``today``, a date, or a date with a time, in local time."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the time; of a day, its beginning."""
        midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        days = {"today": midnight, "yesterday": midnight - timedelta(days=1)}
        try:
            return days[value] if value in days else datetime.fromisoformat(value).astimezone()
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not a time; write yesterday, today, 2026-01-31 or '2026-01-31 18:00'", param, ctx)


@click.command()
@click.option("--since", metavar="TIME", type=Moment(), help="Only from this time on, with what went wrong since.")
@output_options
def log(since: datetime | None, form: str | None) -> None:
    """List what was done to the store, oldest first: when, who, what and why.

    These are runs, reruns, retries, audits, retractions and deletions, and what was decided about runs: pauses,
    priorities, tags and notes.

    With --since, only what was done from TIME on (`yesterday`, `today`, a date, or a date with a time), and what went
    wrong since: outages of the database and the broker, deaths of workers and retries of jobs, of the last month.
    """
    with dealmill.open() as store:
        actions = [action for action in store.log() if since is None or action.at >= since]
        incidents = [] if since is None else store.incidents(since)
    rows = [
        {
            "when": written_time(action.at, form),
            "who": action.who,
            "what": action.what,
            "run": action.run,
            "audit": action.audit,
            "engine": action.engine,
            "version": action.version,
            "why": action.why,
            "dealmill": action.dealmill,
        }
        for action in actions
    ]
    if since is not None:
        rows += [
            {
                "when": written_time(incident.first, form),
                "until": None if incident.first == incident.last else written_time(incident.last, form),
                "who": incident.machine,
                "what": incident.kind,
                "why": incident.what,
                "times": incident.count,
            }
            for incident in incidents
        ]
        times = [action.at for action in actions] + [incident.first for incident in incidents]
        rows = [row for _, row in sorted(zip(times, rows, strict=True), key=lambda pair: pair[0])]
        columns = ["when", "until", "who", "what", "times", "run", "audit", "engine", "version", "why", "dealmill"]
        rows = [dict.fromkeys(columns) | row for row in rows]
        write_rows(columns, rows, form, "nothing was done, and nothing went wrong")
        return
    write_rows(["when", "who", "what", "run", "audit", "engine", "version", "why", "dealmill"], rows, form)
