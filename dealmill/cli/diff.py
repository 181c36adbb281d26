"""``rerun`` and ``diff``: solve a run again, and compare runs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import chain

import click

import dealmill
from dealmill.cli.limits import exceeded, fail_on_option
from dealmill.cli.options import complete_run, workers_option
from dealmill.cli.output import (
    UNPROVED,
    counted,
    lines_named,
    output_options,
    tell,
    tell_retryable,
    tell_unproved,
    write_first,
    write_json,
    write_rows,
)
from dealmill.cli.process import DIFFERENT, ERROR, resumable
from dealmill.cli.progress import shown_progress
from dealmill.pipeline.arguments import NODES, TIME, DifferenceKind
from dealmill.pipeline.results.record import ANSWER, ANSWERS

FIELDS = ("item", *ANSWER)
COLUMNS = ("layout", "kind", "line", *FIELDS, *(f"other_{name}" for name in FIELDS))
KINDS = list[object](DifferenceKind)
"""The kinds of differences, the most severe first."""


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.option("--any-version", is_flag=True, help="Rerun even if another version of the engine is installed.")
@workers_option
@output_options
@click.pass_context
@resumable()
def rerun(ctx: click.Context, run: str, any_version: bool, form: str | None) -> None:
    """Solve all layouts of RUN (its number, or `last`) again and compare the results.

    The rerun is a new run with the recorded engine, version, node limit and layouts. Differences are printed as by
    `dealmill diff`. The exit code is 3 if there are any, but 1 if layouts of the new run failed because of the machine:
    then compare the runs after `dealmill retry`.
    """
    with dealmill.open() as store:
        repeated = store.find_run(run)
        with shown_progress(store) as progress:
            differences = repeated.rerun(any_version=any_version, progress=progress)
        counts = _write_differences([differences], form)
        retryable = tell_retryable([store.find_run(differences.other.id)])
    if retryable:
        ctx.exit(ERROR)
    if counts:
        ctx.exit(DIFFERENT)


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.argument("other", required=False, shell_complete=complete_run)
@click.option(
    "--ignore",
    type=click.Choice([kind.value for kind in DifferenceKind]),
    multiple=True,
    help="Leave out this kind of difference; repeatable.",
)
@click.option(
    "--only",
    type=click.Choice([kind.value for kind in DifferenceKind]),
    multiple=True,
    help="Print only this kind of difference; repeatable.",
)
@click.option("--by-deal", is_flag=True, help="Compare runs of related games, such as two patiences, deal by deal.")
@click.option("--summary", is_flag=True, help="Print the differences by kind, and node counts, instead of layouts.")
@fail_on_option
@output_options
@click.pass_context
def diff(
    ctx: click.Context,
    run: str,
    other: str | None,
    ignore: tuple[str, ...],
    only: tuple[str, ...],
    by_deal: bool,
    summary: bool,
    limits: dict[str, float] | None,
    form: str | None,
) -> None:
    """Print every layout for which RUN and OTHER have different results, with both results. A table has the most severe
    differences first, in the order of the kinds below; --nl, --json and --csv have them in the order of positions.

    Without OTHER, RUN is compared with each other run in the store whose engine answers the same question, on the
    layouts that both have. Retracted runs are left out, and compact runs over other
    deals, or of a version that is not installed.

    The kinds of differences are: contradicted (decided by both, with different verdicts or values), question (decided
    by both, by engines that answer different questions), lost (decided by RUN only), gained (decided by OTHER only),
    evidence (the same verdict with other evidence), undecided (by both, for different reasons), and missing (in one of
    them).

    Runs over the same source are compared by position. Other runs of the same game are compared by layout; if a layout
    occurs several times, all its items count. A compact run can only be compared with runs over the same deals. Runs
    are equal if all their {answers} are equal; versions and node counts may differ. The exit code
    is 3 if the runs differ, and with --fail-on also if there is nothing to compare.

    With --by-deal, OTHER may be of a related game: a patience with other rules. Then layouts are the same if all that
    follows the name of the game is, and only verdicts are compared; two that differ are of the kind question.

    Node counts are compared on the layouts that both decided: their ratio is the geometric mean of OTHER's counts
    divided by RUN's, where counts of 0 are taken as 1. With --summary, the processor time of both runs is compared too:
    per layout and, over the same source, as the median of the ratios of jobs, with its 95 % confidence interval. It is
    noisy: --fail-on time=1.5 fails only if the whole interval is above 1.5.
    """
    if ignore and only:
        raise click.UsageError("--only and --ignore exclude each other")
    if only:
        ignore = tuple(kind for kind in DifferenceKind if kind not in only)
    allowed = limits or {}
    if both := sorted({*ignore} & {*allowed}):
        raise click.UsageError(f"{both[0]} is left out, but in --fail-on: name it in one option")
    if by_deal and other is None:
        raise click.UsageError("--by-deal compares two runs: name OTHER")
    with dealmill.open() as store:
        left = store.find_run(run)
        if other is None:
            diffs = [each for each in left.diffs(ignore=ignore) if each.compared]
            tell(f"run {left.id} has layouts in common with {counted(len(diffs), 'other run')} of the same question")
        else:
            diffs = [left.diff(store.find_run(other), ignore=ignore, by_deal=by_deal)]
        if other and NODES in allowed:
            nodes = [each.nodes for each in diffs]
        else:
            nodes = [_nodes(each) if summary or NODES in allowed else None for each in diffs]
        times = [each.time_ratio if summary or TIME in allowed else None for each in diffs]
        if summary:
            counts = _write_summaries(diffs, nodes, times, form, several=other is None)
        else:
            counts = _write_differences(diffs, form)
        failed = bool(counts) if limits is None else _nothing_compared(diffs) or exceeded(limits, counts, nodes, times)
    if failed:
        ctx.exit(DIFFERENT)


diff.help = str(diff.help).format(answers=ANSWERS)


def _nodes(diff: "dealmill.Diff") -> "dealmill.NodeCounts | None":
    """Return the node counts of two runs; None if one of them is compact, so that its layouts have none."""
    with suppress(dealmill.UsageError):
        return diff.nodes
    return None


def _nothing_compared(diffs: Sequence["dealmill.Diff"]) -> bool:
    """Return whether there was nothing to compare, and tell so."""
    if any(each.compared for each in diffs):
        return False
    tell("nothing was compared: there is no layout on which two runs have a verdict")
    return True


def _write_summaries(
    diffs: Sequence["dealmill.Diff"],
    nodes: Sequence["dealmill.NodeCounts | None"],
    times: Sequence["dealmill.TimeRatio | None"],
    form: str | None,
    *,
    several: bool,
) -> Mapping[str, int]:
    """Print the differences by kind, and the node counts; with the other run of each if there may be `several`. Return
    the numbers of differences by kind."""
    summaries = [each.summary for each in diffs]
    counts = sum((Counter(summary.counts) for summary in summaries), Counter[str]())
    if form == "json":
        documents = [_document(*each) for each in zip(diffs, summaries, nodes, times, strict=True)]
        write_json(documents if several else documents[0])
        return counts
    rows = [
        {"other": each.other.id, "kind": kind, "layouts": count}
        for each, summary in zip(diffs, summaries, strict=True)
        for kind, count in summary.counts.items()
    ]
    write_rows(("other", "kind", "layouts") if several else ("kind", "layouts"), rows, form, "no differences")
    for each, summary, growth, time in zip(diffs, summaries, nodes, times, strict=True):
        _tell_summary(each, summary, growth, time)
    return counts


def _document(
    diff: "dealmill.Diff",
    summary: "dealmill.DiffSummary",
    nodes: "dealmill.NodeCounts | None",
    time: "dealmill.TimeRatio | None",
) -> dict[str, object]:
    return {
        "run": diff.one.id,
        "other": diff.other.id,
        "compared": diff.compared,
        "differences": summary.counts,
        "evidence_lengths": summary.evidence_lengths,
        "nodes": asdict(nodes) if nodes else None,
        "cpu_seconds": [diff.one.cpu_seconds, diff.other.cpu_seconds],
        "cpu_ratio": diff.cost_ratio,
        "time_ratio": asdict(time) if time else None,
        "machines": diff.machines,
    }


def _tell_summary(
    diff: "dealmill.Diff",
    summary: "dealmill.DiffSummary",
    nodes: "dealmill.NodeCounts | None",
    time: "dealmill.TimeRatio | None",
) -> None:
    if summary.evidence_lengths:
        before, after = summary.evidence_lengths
        tell(f"other evidence has {before:.1f} characters on average, then {after:.1f}")
    if nodes:
        _tell_nodes(diff, nodes)
    if diff.cost_ratio is not None:
        costs = (
            f"{run.cpu_seconds:,.2f} s on {', '.join(machines)}"
            for run, machines in zip((diff.one, diff.other), diff.machines, strict=True)
        )
        tell(f"processor time: {', then '.join(costs)}; ratio per layout {diff.cost_ratio:.3f}")
    if time:
        tell(f"ratio of processor time by jobs: {time.words('job')}")
    _conclude(diff, summary.counts)


def _tell_nodes(diff: "dealmill.Diff", nodes: "dealmill.NodeCounts") -> None:
    tell(
        f"nodes of the {counted(nodes.layouts, 'layout')} that both decided: {nodes.total:,}, then "
        f"{nodes.other_total:,}; geometric mean of the ratio {nodes.ratio:.3f}"
    )
    bars = (f"{bar}: {number:,}" for bar, number in nodes.histogram.items() if number)
    tell(f"layouts by ratio: {', '.join(bars)}")
    for worse in nodes.worst:
        item = f"{diff.one.id}:{worse.position} and {diff.other.id}:{worse.other_position}"
        tell(f"{item}: {worse.nodes:,} nodes, then {worse.other_nodes:,}")


def _write_differences(diffs: Sequence["dealmill.Diff"], form: str | None) -> Mapping[str, int]:
    """Print all differences. Return their numbers by kind."""
    counts = [Counter[str]() for _ in diffs]

    def rows() -> Iterator[dict[str, object]]:
        for diff, count in zip(diffs, counts, strict=True):
            for difference in diff:
                count[difference.kind] += 1
                yield _difference_row(diff.one.id, diff.other.id, difference, form)

    are_deals = form is None and all(run.deals is not None for diff in diffs for run in (diff.one, diff.other))
    columns, different = lines_named(COLUMNS, rows(), are_deals=are_deals)
    first = next(different, None)
    if (form or first) and write_first(columns, chain([first] if first else [], different), form, order=_severity):
        tell("more differences follow; --nl prints all of them, and --summary counts them")
    for diff, count in zip(diffs, counts, strict=True):
        _conclude(diff, count)
    return sum(counts, Counter[str]())


def _severity(row: Mapping[str, object]) -> int:
    """Return the place of a difference in a table: contradictions come first."""
    return KINDS.index(row["kind"])


def _conclude(diff: "dealmill.Diff", counts: Mapping[str, int]) -> None:
    left, right = diff.one.id, diff.other.id
    if diff.deals_of_both is not None:
        tell(f"compared only the first {diff.deals_of_both:,} deals, which both runs have")
    for run in diff.unfinished:
        tell(f"run {run.id} is not finished: {counted(run.items - run.solved, 'layout')} pending")
    if counts:
        kinds = ", ".join(f"{counts[kind]:,} {kind}" for kind in DifferenceKind if kind in counts)
        tell(f"runs {left} and {right} differ on {counted(sum(counts.values()), 'layout')}: {kinds}")
        if DifferenceKind.EVIDENCE in counts and (diff.one.unproved or diff.other.unproved):
            tell("one of them has verdicts without evidence; leave these differences out with: --ignore evidence")
    elif diff.ignored:
        tell(f"runs {left} and {right} have no other differences: {diff.compared:,} verdicts")
    else:
        evidence = " with their evidence" if diff.one.game == diff.other.game else ""
        tell(f"runs {left} and {right} are equal: {diff.compared:,} verdicts{evidence}")
    for run in (diff.one, diff.other):
        tell_unproved(run.unproved, run.id)


def _difference_row(left: int, right: int, difference: "dealmill.Difference", form: str | None) -> dict[str, object]:
    row: dict[str, object] = {"layout": difference.layout, "kind": difference.kind, "line": difference.line}
    sides = (("", left, difference.one), ("other_", right, difference.other))
    row |= {f"{side}item": answer.position and f"{run}:{answer.position}" for side, run, answer in sides}
    row |= {f"{side}{name}": getattr(answer, name) for side, _, answer in sides for name in ANSWER}
    row |= {f"{side}verdict": answer.verdict and answer.verdict.word for side, _, answer in sides}
    row |= {f"{side}evidence": UNPROVED for side, _, answer in sides if form is None and answer.unproved}
    return {name: row[name] for name in COLUMNS}
