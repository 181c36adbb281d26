"""The counts of the results of a run by verdict, nodes and audit, each of which leads to its results."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import dealmill
from dealmill.pipeline.games.verdict import Verdict
from dealmill.web.filters import PageFilter
from dealmill.web.overview import is_live
from dealmill.web.searches import OUTCOMES, Cell, Searches


@dataclass(frozen=True, slots=True)
class Count:
    """A number of results, the address of the page that lists them, and whether that page is shown."""

    name: str
    count: int
    link: str
    current: bool


@dataclass(frozen=True, slots=True)
class Facets:
    """The results of a run by verdict, by the number of digits of their nodes, and by the outcome of their audit.

    Counts by verdict and nodes are of the results with the outcome in the filter; counts by outcome are of those with
    its verdicts and nodes. All obey the other conditions of the filter, as the list of results does.
    """

    counts: Counter[Cell]
    filter: PageFilter

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts of the results."""
        return sorted({cell.verdict for cell in self.counts})

    @property
    def rows(self) -> list[list[Count]]:
        """A row of counts for all nodes and for each number of digits, with a column for all verdicts and for each."""
        spans = [_span(digits) for digits in sorted({cell.digits for cell in self.counts})]
        words = [verdict.word for verdict in self.verdicts]
        audit = self.filter.text("audit")
        return [
            [self._count(nodes, [nodes] * bool(nodes), [word] * bool(word), audit) for word in ["", *words]]
            for nodes in ["", *spans]
        ]

    @property
    def outcomes(self) -> list[Count]:
        """The counts by outcome of the audit; empty if there is no audit, or the filter has other ranges of nodes."""
        verdicts, nodes = self._values("verdict"), self._values("nodes")
        if not self._counts_nodes:
            return []
        audits = [outcome for outcome in OUTCOMES if any(cell.audit == outcome for cell in self.counts)]
        return [self._count(outcome, nodes, verdicts, outcome) for outcome in audits]

    @property
    def matches(self) -> int | None:
        """The number of results that match the filter; None if it has other ranges of nodes."""
        if not self._counts_nodes:
            return None
        return self._count("", self._values("nodes"), self._values("verdict"), self.filter.text("audit")).count

    @property
    def _counts_nodes(self) -> bool:
        """Whether the range of nodes in the filter is one of those that are counted, or there is none."""
        return {*self._values("nodes")} <= {_span(cell.digits) for cell in self.counts}

    def _values(self, key: str) -> list[str]:
        return [text for name, text in self.filter.pairs if name == key]

    def _count(self, name: str, nodes: Sequence[str], verdicts: Sequence[str], audit: str) -> Count:
        """Return the count of the results with one of these ranges of nodes and verdicts, and this outcome. Empty ones
        stand for all."""
        count = sum(
            count
            for cell, count in self.counts.items()
            if (not nodes or _span(cell.digits) in nodes)
            and (not verdicts or cell.verdict.word in verdicts)
            and audit in {"", cell.audit}
        )
        pairs = [("verdict", word) for word in verdicts] + [("nodes", span) for span in nodes]
        pairs += [("audit", audit)] * bool(audit) + self.filter.uncounted.pairs
        return Count(name, count, f"?{urlencode(pairs)}", {*pairs} == {*self.filter.pairs})


def _span(digits: int) -> str:
    """Return the numbers with some digits as a range of a filter."""
    if digits < 2:
        return "1..9" if digits else "0"
    return f"{10 ** (digits - 1)}..{10**digits - 1}"


def facets_of(run: dealmill.Run, page_filter: PageFilter, searches: Searches) -> tuple[Facets | None, bool]:
    """Return the facets of a run, and whether they are still being counted. There are none while it is worked on, and
    if its results cannot be read."""
    if is_live(run):
        return None, False
    try:
        counts = searches.counts(run, page_filter.uncounted)
    except dealmill.DealmillError:
        return None, False
    return (None, True) if counts is None else (Facets(counts, page_filter), False)
