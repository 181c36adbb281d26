"""The option ``--fail-on`` of ``diff`` and ``bench-engine``: limits on differences, node counts and times."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING

import click

from dealmill.cli.output import tell
from dealmill.pipeline.arguments import NODES, TIME, difference_limits

if TYPE_CHECKING:
    import dealmill


def _limits(_ctx: click.Context, _option: click.Parameter, given: str | None) -> dict[str, float] | None:
    return None if given is None else difference_limits(given)


fail_on_option = click.option(
    "--fail-on",
    "limits",
    metavar="KIND,…",
    callback=_limits,
    help="Exit with 3 only for these kinds of differences, or if node counts or times grow by more than a factor: "
    "contradicted,lost,nodes=1.05,time=1.5",
)


def exceeded(
    limits: Mapping[str, float],
    kinds: Mapping[str, int],
    nodes: "Sequence[dealmill.NodeCounts | None]",
    times: "Sequence[dealmill.TimeRatio | None]",
) -> bool:
    """Return whether limits are exceeded, and tell why if the differences do not show it. If there are no node counts
    or times to compare for a limit, it is.

    A time exceeds its limit if the whole interval does, so that noise alone rarely makes a comparison fail.
    """
    growths = [(NODES, "node counts grow by a factor of", each.ratio) for each in nodes if each]
    growths += [(TIME, "the time grows by a factor of at least", each.low) for each in times if each]
    too_high = [growth for growth in growths if growth[2] > limits.get(growth[0], inf)]
    for name, sentence, factor in too_high:
        tell(f"{sentence} {factor:.3f}, more than {limits[name]:g}")
    missing = limits.keys() & {NODES, TIME} - {name for name, *_ in growths}
    if NODES in missing:
        tell("no node counts were compared: no two runs decided the same layout and counted nodes")
    if TIME in missing:
        tell("no times were compared: there are none on record of the same layouts, in the same order, in both runs")
    return bool(limits.keys() & kinds or too_high or missing)
