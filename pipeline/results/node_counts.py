"""Comparison of the node counts of two runs, or of two engines."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from math import exp, log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BARS = ("at most 1/4", "to 1/2", "less than 1", "1", "more than 1", "from 2", "at least 4")
"""The bars of a histogram of ratios. A ratio is in the bar whose number is that of the bounds it passes."""
ABOVE, FROM = (1 / 4, 1 / 2, 1.0), (1.0, 2.0, 4.0)
"""The bounds that a ratio passes if it is greater; and those that it passes also if it is equal."""
WORST = 10


@dataclass(frozen=True, slots=True)
class Increase:
    """A layout for which the other run searched more nodes than the first, with the positions in both."""

    position: int
    other_position: int
    nodes: int
    other_nodes: int

    @property
    def ratio(self) -> float:
        """The node count of the other run divided by that of the first; counts of 0 are taken as 1."""
        return max(self.other_nodes, 1) / max(self.nodes, 1)


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """The node counts of the layouts that both runs decided.

    `ratio` is the geometric mean of the ratios of the other run's counts to those of the first, where counts of 0 are
    taken as 1. `histogram` has the number of layouts by ratio, and `worst` the layouts with the highest ratios.
    """

    layouts: int
    total: int
    other_total: int
    ratio: float
    histogram: Mapping[str, int]
    worst: list[Increase]


def compare_nodes(parts: "Iterable[NDArray[Any]]") -> NodeCounts | None:
    """Compare the node counts of layouts that two sides decided; None if there are none, or if one side counted no
    nodes. Each part is an array of four rows: the positions on both sides, and the node counts of both."""
    import numpy as np  # loads slowly

    layouts = total = other_total = 0
    logarithms, bars, worst = 0.0, np.zeros(len(BARS), dtype=np.int64), list[Increase]()
    for columns in parts:
        total += columns[2].astype(object).sum()  # without overflow
        other_total += columns[3].astype(object).sum()
        layouts += columns.shape[1]
        ratios = np.maximum(columns[3], 1) / np.maximum(columns[2], 1)
        logarithms += float(np.log(ratios).sum())
        bars += _counted_ratios(ratios)
        worse = np.argsort(-ratios, kind="stable")[:WORST]
        increases = [Increase(*map(int, columns[:, at])) for at in worse if ratios[at] > 1]
        worst = nlargest(WORST, [*worst, *increases], key=lambda increase: increase.ratio)
    if not layouts or bool(total) != bool(other_total):
        return None
    histogram = dict(zip(BARS, bars.tolist(), strict=True))
    return NodeCounts(layouts, total, other_total, exp(logarithms / layouts), histogram, worst)


def _counted_ratios(ratios: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """Return the number of ratios in each of the `BARS`."""
    import numpy as np  # loads slowly

    indexes = np.searchsorted(ABOVE, ratios, side="left") + np.searchsorted(FROM, ratios, side="right")
    return np.bincount(indexes, minlength=len(BARS))


@dataclass(frozen=True, slots=True)
class NodeSample:
    """The node counts of a sample of the layouts that both runs decided: positions, and the counts of both runs."""

    counts: list[tuple[int, int, int]]

    @property
    def ratio(self) -> float:
        """The geometric mean of the ratios, as in `NodeCounts`."""
        return exp(sum(log(max(theirs, 1) / max(ours, 1)) for _, ours, theirs in self.counts) / len(self.counts))

    @property
    def histogram(self) -> Mapping[str, int]:
        """The number of layouts by ratio, as in `NodeCounts`."""
        import numpy as np  # loads slowly

        ratios = np.array([max(theirs, 1) / max(ours, 1) for _, ours, theirs in self.counts])
        return dict(zip(BARS, _counted_ratios(ratios).tolist(), strict=True))
