"""``retract`` and ``log``: retract the verdicts of a faulty engine version, and list the action log."""

from datetime import UTC, datetime

import click

import dealmill
from dealmill.cli.completion import complete_engine
from dealmill.cli.output import counted, json_option, output_options, tell, write_json, write_rows


@click.command()
@click.option(
    "--engine", metavar="GAME/ENGINE", required=True, shell_complete=complete_engine, help="The faulty engine."
)
@click.option("--version", required=True, help="The faulty version.")
@click.option("--why", required=True, help="The reason, stored with the verdicts and in the log.")
@click.option("--requeue", is_flag=True, help="Plan new runs by the installed version over the same layouts.")
@click.option("--undo", is_flag=True, help="Undo the retraction, for the reason --why.")
@json_option
def retract(engine: str, version: str, why: str, requeue: bool, undo: bool, as_json: bool) -> None:
    """Retract all verdicts of one version of an engine.

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
            _retract(store.retract(engine, version, why), engine, version, why, requeue, as_json)


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


@click.command()
@output_options
def log(form: str | None) -> None:
    """List all runs, reruns, audits and retractions, oldest first: when, who, what and why."""
    with dealmill.open() as store:
        actions = store.log()
    rows = [
        {
            "when": datetime.fromtimestamp(action.at, UTC).astimezone().isoformat(" ", "seconds"),
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
    write_rows(["when", "who", "what", "run", "audit", "engine", "version", "why", "dealmill"], rows, form)
