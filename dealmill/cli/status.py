"""``status``: show the progress of runs, the workers and the sources."""

import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import Any

import click

import dealmill
from dealmill.cli.options import chosen_options, runs_argument
from dealmill.cli.output import (
    NO_PAGER,
    called_as,
    counted,
    output_options,
    per_second,
    tell,
    tell_undecided,
    tell_winnability,
    write_rows,
    written_time,
)
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import decimal, duration
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.results.record import STATUS, run_fields

STATUS_COLUMNS = ("run", "engine", "version", "source", "layouts", "solved", "pending")
VERDICT_WORDS = tuple(verdict.word for verdict in Verdict)
COUNTED = (*VERDICT_WORDS, "unproved", "retracted")
LABELS = ("storage", "max_nodes", "checked_as", "repeats", "rejected", "priority", "tags", "note")
"""Columns that a table has only if some run has something there."""
REPLACED = {"counts", "rate", "retracted"}
"""Fields of a run for which a row has other columns."""
NARROW = ("run", "engine", "results", "source", "state")
"""The columns of a table on a terminal that is too narrow for all."""
FIELDS = tuple(field.name for field in run_fields(STATUS) if field.name not in REPLACED)
SHOWN = 12
"""Digits of a fingerprint in a table; the other formats have all 64."""

RECORDED = (Order.NODES.word, Order.VALUE.word)
"""The numbers whose distributions are recorded, so that showing them takes no time."""

HOME_AND_CLEAR = "\x1b[H\x1b[J"


@click.command()
@runs_argument
@chosen_options
@click.option("--note", metavar="TEXT", help="Show only the runs with this text in their note.")
@click.option(
    "--histogram",
    "measures",
    metavar="NUMBER",
    multiple=True,
    help="For a single RUN, show the distribution of this number: layout-length, evidence-length, or a number in the "
    "engine's evidence; repeatable.",
)
@click.option("--workers", is_flag=True, help="Show the workers of the last hour instead of the runs.")
@click.option("--sources", is_flag=True, help="Show the sources, with their numbers, instead of the runs.")
@click.option("--watch", is_flag=True, help="Refresh every second until everything is solved.")
@output_options
@click.pass_context
def status(
    ctx: click.Context,
    runs: tuple[str, ...],
    tags: tuple[str, ...],
    game: str | None,
    engine: str | None,
    note: str | None,
    measures: tuple[str, ...],
    workers: bool,
    sources: bool,
    watch: bool,
    form: str | None,
) -> None:
    """Show the progress of all runs, or of each RUN (a number, a range such as 3-7, or `last`).

    For a single RUN, also show why layouts failed; how its node counts and values are distributed: bounds that half,
    90 % and 99 % of the layouts do not exceed, and histograms; for numbered deals, the 95 % confidence interval of the
    share of winnable deals; and what a higher --max-nodes would decide, if the node counts of the run tell. --histogram
    adds other numbers.

    With --workers, show the worker processes instead: the version of Dealmill, the jobs and items completed in the last
    hour, the items per second in the last minute, the seconds since the worker last claimed or finished a job, and the
    jobs it holds. Another line says which workers lack versions of engines that pending jobs need. With --sources, show
    what was read: files, ranges of deals and queries, with the number by which `queue`, `query` and `delete` know them.
    """
    selected = bool(runs or game or engine or (tags and watch))
    if (sources or workers) and (selected or tags or note is not None or (sources and (workers or watch))):
        raise click.UsageError("--sources and --workers list all of them: give no runs with them")
    if note is not None and (selected or watch):
        raise click.UsageError("--note chooses among all runs: give nothing but --tag with it")
    if measures and (watch or form):
        raise click.UsageError("--histogram prints a text: give no --watch and no other format with it")
    labelled = bool(tags) or note is not None
    if watch:
        ctx.meta[NO_PAGER] = True
    with dealmill.open() as store:
        chosen = [run.id for run in store.select(*runs, tags=tags, game=game, engine=engine)] if selected else None
        if measures and len(chosen or ()) != 1:
            raise click.UsageError("--histogram shows a single run: name one")
        for listed in store.watch(chosen) if watch else [store.status(chosen, tags=tags, note=note)]:
            if watch and sys.stdout.isatty():
                click.echo(HOME_AND_CLEAR, nl=False)
            if workers:
                _show_workers(store, form)
            elif sources:
                _show_sources(store, form)
            else:
                asked = {measure: _histogram(listed[0], measure) for measure in measures}  # or a usage error
                _show_runs(store, listed, form, labelled=labelled)
                if form is None:
                    _tell_missing(store)
                _tell_run(store, listed, asked, quiet=not (runs or measures) or form is not None)


def _tell_run(
    store: "dealmill.Store",
    runs: Sequence["dealmill.Run"],
    asked: Mapping[str, "dealmill.Histogram | None"],
    *,
    quiet: bool,
) -> None:
    """Print what is known of a single run beside its progress, and distributions: those that are recorded, and those
    that are asked for, by measure."""
    if quiet or len(runs) != 1:
        return
    [run] = runs
    _tell_work(store, run)
    _tell_failures(run)
    _tell_cost(run)
    tell_winnability(run)
    tell_undecided(run)
    recorded = {measure: _histogram(run, measure) for measure in RECORDED}
    for measure, histogram in {**recorded, **asked}.items():
        _tell_numbers(run, measure, histogram, asked=measure in asked)


def _show_workers(store: "dealmill.Store", form: str | None) -> None:
    rows = [
        {
            "worker": worker.name,
            "dealmill": worker.version,
            "jobs": worker.jobs,
            "items": worker.items,
            "items/s": None if worker.rate is None else round(worker.rate),
            "seconds_ago": None if worker.seen is None else round(worker.seen, 1),
            "last_job": "none in the last hour" if worker.seen is None else f"{duration(worker.seen)} ago",
            "reports": worker.reported is not None,
            "lacks": [" ".join(engine) for engine in worker.lacks],
            "holds": [_held(job) for job in worker.holds],
        }
        for worker in store.workers()
    ]
    none = "no worker reports or had a job in the last hour; start some with: dealmill work"
    columns = ["last_job", "holds"] if form is None else ["seconds_ago", "reports", "lacks", "holds"]
    write_rows(["worker", "dealmill", "jobs", "items", "items/s", *columns], rows, form, none)
    if form is None:
        _tell_missing(store)


def _tell_missing(store: "dealmill.Store") -> None:
    for missing in store.missing_engines():
        tell(f"{missing}")


def _show_sources(store: "dealmill.Store", form: str | None) -> None:
    rows = [
        {
            "source": source.id,
            "game": source.game,
            "name": source.name,
            "layouts": source.accepted,
            "duplicates": None if source.endless else source.duplicates,
            "rejected": source.rejected,
            "state": "read" if source.complete else "endless" if source.endless else "not fully read",
        }
        for source in store.sources()
    ]
    columns = ["source", "game", "name", "layouts", "duplicates", "rejected", "state"]
    write_rows(columns, rows, form, "no sources yet; read one with: dealmill ingest FILE…")


def _held(job: "dealmill.Held") -> str:
    late = ", lease expired" if job.late else ""
    return f"{job.what}: {job.first}-{job.last} for {job.seconds:.0f} s{late}"


def _show_runs(
    store: "dealmill.Store", runs: Sequence["dealmill.Run"], form: str | None, *, labelled: bool = False
) -> None:
    empty = "no run has these tags and this note" if labelled else "no runs yet; start one with: dealmill run FILE…"
    rows = status_rows(store, runs)
    used = [word for word in COUNTED if any(row[word] for row in rows)]
    if form is None:
        rows = [row | _words(run, row) for run, row in zip(runs, rows, strict=True)]
        named = [name for name in LABELS if any(row[name] for row in rows)]
        columns = [
            *STATUS_COLUMNS,
            *named,
            *used,
            "mean",
            "layouts/s",
            "started",
            "elapsed",
            "audit",
            "fingerprint",
            "state",
        ]
    else:
        ends = ("mean", "layouts/s", "started", "seconds", "cpu_seconds", "audit", "fingerprint", "state")
        columns = [*STATUS_COLUMNS, *LABELS, *used, *ends]
    write_rows(columns, rows, form, empty, narrow=NARROW)


def _tell_work(store: "dealmill.Store", run: "dealmill.Run") -> None:
    """Say which jobs of a run are being done, where, and for how long; of many, the one that takes longest."""
    held = [
        (job.seconds, job, worker) for worker in store.workers() for job in worker.holds if job.what == f"run {run.id}"
    ]
    if held:
        _, job, worker = max(held, key=lambda each: each[0])
        tell(f"{counted(len(held), 'job')} at work, the longest: {worker.name}: {_held(job)}")


SHARES = (0.5, 0.9, 0.99)
"""The shares of layouts for which `_tell_numbers` prints a bound."""
MAX_REASONS = 5
"""The most reasons of failures that are printed."""
SHORTEST = 0.01
"""The shortest processor time in seconds that is printed."""
LONGEST_BAR = 40
"""The characters of the longest bar of a histogram."""


def _histogram(run: "dealmill.Run", measure: str) -> "dealmill.Histogram | None":
    """Return the distribution of a number of the verdicts of a run; None if they are retracted or have none."""
    return None if run.progress.retracted is not None else run.histogram(measure)


def _tell_numbers(run: "dealmill.Run", measure: str, histogram: "dealmill.Histogram | None", *, asked: bool) -> None:
    """Print bounds on a number of the verdicts of a run, and its histogram, if it has several bars or was asked for."""
    if histogram is None or (len(histogram.bars) == 1 and not asked):
        if asked:
            retracted = run.progress.retracted is not None
            why = "its verdicts are retracted" if retracted else "none is recorded, or no verdict has this number"
            tell(f"run {run.id} has no distribution of {measure}: {why}")
        return
    bounds = (f"{100 * share:.0f} % at most {histogram.bound(share):,}" for share in SHARES)
    tell(f"distribution of {'values' if measure == Order.VALUE.word else measure}: {', '.join(bounds)}")
    for line in _bars(histogram):
        tell(line)


def _bars(histogram: "dealmill.Histogram") -> list[str]:
    """Return a line for each bar of a histogram, with its numbers, its count and its length; one line for several empty
    bars next to each other."""
    joined = [list(bars) for _, bars in groupby(histogram.bars, key=lambda bar: bar.low if bar.count else None)]
    bars = [(bars[0].low, bars[-1].high, bars[0].count) for bars in joined]
    spans = [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high, _ in bars]
    counts = [count for _, _, count in bars]
    longest, digits = max(map(len, spans)), len(f"{max(counts):,}")
    lengths = [ceil(LONGEST_BAR * count / max(counts)) for count in counts]
    rows = zip(spans, counts, lengths, strict=True)
    return [f"  {span:>{longest}}  {count:>{digits},}  {'#' * length}".rstrip() for span, count, length in rows]


def _tell_failures(run: "dealmill.Run") -> None:
    """Print for which reasons layouts failed, the most frequent first."""
    if not run.progress.counts.get(Verdict.FAILED):
        return
    failures = run.failures()
    for failure in failures[:MAX_REASONS]:
        tell(f"{failure.count:,} failed, first {run.id}:{failure.first}: {failure.reason}")
    if rest := failures[MAX_REASONS:]:
        tell(f"{sum(failure.count for failure in rest):,} failed for {counted(len(rest), 'other reason')}")
    tell(f"list them with: {called_as()} query {run.id} --verdict failed")


def _tell_cost(run: "dealmill.Run") -> None:
    if (seconds := run.progress.cpu_seconds) is not None:
        cost = f"{seconds:,.2f} s" if seconds >= SHORTEST else f"less than {SHORTEST} s"
        tell(f"run {run.id} took {cost} of processor time on {', '.join(run.machines)}")


def _words(run: "dealmill.Run", row: dict[str, Any]) -> dict[str, object]:
    """Return the columns of a table that differ from those for programs."""
    status, seconds = run.progress, row["seconds"]
    return {
        "results": _results(row),
        "storage": None if run.storage.stores_layouts else run.storage.word,
        "started": None if status.started is None else written_time(status.started, None),
        "elapsed": None if seconds is None else duration(seconds),
        "fingerprint": str(row["fingerprint"] or "")[:SHOWN],
        "state": run.state,
    }


def _results(row: dict[str, Any]) -> str:
    """Return what a run has found, in words, such as ``211 winnable, 89 unwinnable, 1 rejected``."""
    names = (*VERDICT_WORDS, "rejected")
    mean = [] if row["mean"] is None else [f"mean {decimal(row['mean'])}"]
    unproved = [f"{row['unproved']:,} not proved"] if row["unproved"] else []
    return ", ".join([*(f"{row[name]:,} {name}" for name in names if row[name]), *mean, *unproved])


def status_rows(store: "dealmill.Store", runs: Sequence["dealmill.Run"]) -> list[dict[str, object]]:
    """Return the progress of runs as rows with all columns."""
    fingerprints = store.fingerprints(runs)
    return [_status_row(run, fingerprints.get(run.id)) for run in runs]


def _status_row(run: "dealmill.Run", fingerprint: str | None) -> dict[str, object]:
    status, audit = run.progress, run.latest_audit
    row: Mapping[str, Any] = status.valid_row
    counts = row["counts"]
    return {
        **{name: row[name] for name in FIELDS},
        "pending": status.items - status.solved,
        **{word: counts.get(word, 0) for word in VERDICT_WORDS},
        "retracted": 0 if status.retracted is None else status.solved,
        "why_retracted": status.retracted,
        "jobs": status.jobs,
        "jobs_pending": status.pending,
        "jobs_leased": status.leased,
        "jobs_done": status.done,
        "jobs_retried": status.retried,
        "layouts/s": per_second(status.rate),
        "audit": None if audit is None else audit.status.summary,
        "fingerprint": fingerprint,
        "started": None if status.started is None else written_time(status.started, "json"),
        **{name: None if row[name] is None else round(row[name], 3) for name in ("mean", "seconds", "cpu_seconds")},
    }
