"""``retract``: quarantine for what a faulty engine version has said; and ``log``: who did what to the store."""

from datetime import UTC, datetime

import click

import dealmill
from dealmill.cli.output import counted, output_options, tell, write_rows


@click.command()
@click.option("--engine", metavar="GAME/ENGINE", required=True, help="The faulty engine.")
@click.option("--version", required=True, help="Its faulty version.")
@click.option("--why", required=True, help="What is wrong with it; kept with the verdicts and in the log.")
@click.option("--requeue", is_flag=True, help="Have the version that is installed solve the layouts anew.")
@click.option("--undo", is_flag=True, help="Undo the retraction; --why is the reason for that.")
def retract(engine: str, version: str, why: str, requeue: bool, undo: bool) -> None:
    """Retract every verdict that a version of an engine has given.

    They are kept, but `query`, `show` and `export` show them only with --retracted; and that version gets no new runs,
    and goes no further with those it has. With --requeue, now or later, the installed version gets a run in the place
    of each; the numbers of these runs go to standard output, and `dealmill work --drain` solves them. The reason of the
    first retraction stays. With --undo, the verdicts are answers again; the log keeps both entries.
    """
    if undo and requeue:
        raise click.UsageError("--undo and --requeue exclude each other")
    with dealmill.open() as store:
        if undo:
            runs = counted(len(store.unretract(engine, version, why)), "run")
            tell(f"no longer retracted: {engine} version {version} in {runs}")
        else:
            _retract(store.retract(engine, version, why), engine, version, why, requeue)


def _retract(retraction: "dealmill.Retraction", engine: str, version: str, why: str, requeue: bool) -> None:
    verdicts = counted(sum(run.solved for run in retraction.runs), "verdict")
    runs = counted(len(retraction.runs), "run")
    if retraction.why in {why, None}:
        tell(f"retracted: {verdicts} of {engine} version {version} in {runs}")
    else:
        before = f"{engine} version {version} was retracted before ({retraction.why})"
        tell(f"{before}; that reason stays, the new one is dropped")
    for run, planned in retraction.requeue() if requeue else ():
        tell(f"run {planned.id} takes the place of run {run.id}: version {planned.version}")
        click.echo(planned.id)


@click.command()
@output_options
def log(form: str | None) -> None:
    """List who did what to the store, when and why: runs, reruns, audits and retractions, oldest first."""
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
