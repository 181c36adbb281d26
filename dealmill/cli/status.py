"""``status``: how far the runs are, and who works on them."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import click

import dealmill
from dealmill.cli.output import counted, output_options, tell, write_rows
from dealmill.pipeline.games.verdict import Verdict

COLUMNS = ("run", "engine", "version", "source", "layouts", "solved", "pending")
COUNTED = (*(verdict.word for verdict in Verdict), "retracted")
SHOWN = 12
"""Digits of a fingerprint in a table; the other forms give all."""

HOME_AND_CLEAR = "\x1b[H\x1b[J"


@click.command()
@click.argument("run", required=False)
@click.option("--workers", is_flag=True, help="The workers of the last hour in place of the runs.")
@click.option("--watch", is_flag=True, help="Show it anew every second, until everything is solved.")
@output_options
def status(run: str | None, workers: bool, watch: bool, form: str | None) -> None:
    """Show how far all runs are, or one RUN (its number, or `last`).

    With --workers, show who works on them: each worker process with its version of Dealmill, the jobs and items it did
    in the last hour, its items a second in the last minute, when it took or finished a job, and which it holds. One
    that has had no job for an hour is not listed.
    """
    with dealmill.open() as store:
        for overviews in store.watch(run) if watch else [store.status(run)]:
            if watch and sys.stdout.isatty():
                click.echo(HOME_AND_CLEAR, nl=False)
            if workers:
                _show_workers(store, form)
            else:
                _show_runs(overviews, form)


def _show_workers(store: "dealmill.Store", form: str | None) -> None:
    rows = [
        {
            "worker": one.name,
            "dealmill": one.version,
            "jobs": one.jobs,
            "items": one.items,
            "items/s": None if one.rate is None else round(one.rate),
            "seconds_ago": round(one.seen, 1),
            "holds": [_held(job) for job in one.holds],
        }
        for one in store.workers()
    ]
    if not rows:
        tell("no worker had a job in the last hour; start some with: dealmill work")
    write_rows(["worker", "dealmill", "jobs", "items", "items/s", "seconds_ago", "holds"], rows, form)


def _held(job: "dealmill.Held") -> str:
    late = ", lease over" if job.late else ""
    return f"{job.what}: {job.first}-{job.last} for {job.seconds:.0f} s{late}"


def _show_runs(overviews: Sequence["dealmill.Overview"], form: str | None) -> None:
    if not overviews:
        tell("there are no runs yet; begin with: dealmill run FILE…")
    rows = list(map(_row, overviews))
    used = [word for word in COUNTED if any(row[word] for row in rows)]
    packed = any(overview.run.storage is dealmill.Storage.PACKED for overview in overviews)
    stored = ["storage"] if packed or form is not None else []  # in a table only where not all of them are rows
    if form is None:
        rows = [{**row, "fingerprint": str(row["fingerprint"] or "")[:SHOWN]} for row in rows]
    write_rows([*COLUMNS, *stored, *used, "mean", "layouts/s", "audit", "fingerprint", "state"], rows, form)


def _row(overview: "dealmill.Overview") -> dict[str, object]:
    run = overview.run
    answers = {} if run.retracted is not None else run.counts
    return {
        "run": run.id,
        "engine": run.engine,
        "version": run.version,
        "source": run.source_name,
        "max_nodes": run.max_nodes,
        "storage": run.storage.word,
        "repeats": run.repeats,
        "layouts": run.items,
        "solved": run.solved,
        "pending": run.items - run.solved,
        **{verdict.word: answers.get(verdict, 0) for verdict in Verdict},
        "retracted": 0 if run.retracted is None else run.solved,
        "why_retracted": run.retracted,
        "mean": None if run.mean is None or run.retracted is not None else round(run.mean, 3),
        "nodes": run.nodes,
        "jobs": run.jobs,
        "jobs_pending": run.pending,
        "jobs_leased": run.leased,
        "jobs_done": run.done,
        "jobs_retried": run.retried,
        "layouts/s": None if run.rate is None else round(run.rate),
        "audit": None if overview.audit is None else _audit(overview.audit),
        "fingerprint": overview.fingerprint,
        "state": _state(run),
    }


def _audit(audit: "dealmill.AuditStatus") -> str:
    """The newest audit of a run in a few words."""
    if not audit.finished:
        return f"{audit.judged:,} of {audit.size:,}"
    if not audit.clean:
        return f"{audit.invalid:,} invalid, {counted(audit.faults, 'fault')}"
    return f"{audit.valid:,} valid" if audit.size == audit.population else f"{audit.valid:,} of a sample valid"


def _state(run: "dealmill.RunStatus") -> str:
    if run.retracted is not None:
        return "retracted"
    if run.finished:
        return "finished"
    if run.damaged:
        return f"damaged: dealmill audit {run.id}"
    if not run.complete:
        return "its source is not read to the end"
    if run.started is None:
        return "waiting for workers"
    jobs = f"{counted(run.pending + run.leased, 'job')} left, {run.leased:,} in work"
    retried = f", {run.retried:,} retried" if run.retried else ""
    return f"{jobs}{retried}{_end(run)}"


def _end(run: "dealmill.RunStatus") -> str:
    """When it will be ready if it goes on as in the last minute in which anything was done; that must be now."""
    if not run.leased or not run.rate:
        return ""
    now = datetime.fromtimestamp(run.now, UTC).astimezone()
    end = now + timedelta(seconds=(run.items - run.solved) / run.rate)
    return f", ready at {end:%H:%M:%S}" if end.date() == now.date() else f", ready at {end:%Y-%m-%d %H:%M}"
