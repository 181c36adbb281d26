"""The state of a run in words. No words fit both a run that makes progress and one that has stopped."""

from dealmill.pipeline.games.deals import deal_count
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import duration
from dealmill.pipeline.store.runs.status import RunStatus


def describe(run: RunStatus) -> str:
    """Return the state of a run in words: how far it is and how long it will take, or why it does not go on."""
    match run.state:
        case "finished":
            words = _outcome(run)
        case "damaged":
            words = f"damaged: dealmill audit {run.id}"
        case "stopped":
            words = "not fully read: correct the input, or repeat the command"
        case "waiting":
            words = f"waiting for workers, {percent(run)}" if run.solved else "waiting for workers"
        case "reading":
            words = _reading(run)
        case "stuck":
            words = f"stuck, {percent(run)}: fix the cause, then dealmill work"
        case "solving":
            left = f", {duration((run.ends - run.now).total_seconds())} left" if run.ends else ""
            words = f"solving, {percent(run)}{left}"
        case "paused" | "cancelled" as stopped:
            words = f"{stopped}, {percent(run)}"
        case other:
            words = other
    return f"{words}, {run.retried:,} retried" if run.retried and run.state in {"solving", "waiting"} else words


def _reading(run: RunStatus) -> str:
    """Return how far the reading is: of numbered deals, it is known how many there are."""
    doing, done = ("reading and solving", run.solved) if run.jobs else ("reading", run.items)
    total = deal_count(run.deals)
    if total is None:
        return f"{doing}, {done:,}{f' of {run.items:,}' if run.jobs else ''} so far"
    left = f", {duration((total - done) / run.rate)} left" if run.jobs and run.rate else ""
    return f"{doing}, {done:,} of {total:,}{left}"


def _outcome(run: RunStatus) -> str:
    """Return what is to be said of a finished run."""
    if not run.items and run.rejected:
        lines = "the only line was" if run.rejected == 1 else f"all {run.rejected:,} lines were"
        return f"nothing to solve: {lines} rejected"
    if not run.items:
        return "nothing to solve"
    limit = "" if run.max_nodes is None else f" ({run.max_nodes:,} node{'' if run.max_nodes == 1 else 's'})"
    missing = {Verdict.FAILED: "", Verdict.UNDECIDED: limit}
    parts = [
        f"{run.counts[verdict]:,} {verdict.word}{why}" for verdict, why in missing.items() if run.counts.get(verdict)
    ]
    return ", ".join(parts) or "finished"


def percent(run: RunStatus) -> str:
    """Return the share of layouts that are solved, rounded down, so that only a solved run has 100 %."""
    return f"{100 * run.solved // max(run.items, 1)} %"
