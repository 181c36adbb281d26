"""The filter of a page: in its URL, as a command and as SQL."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query

import dealmill

SQL = {
    "value": "value",
    "nodes": "nodes",
    "layout-length": "length(layout)",
    "evidence-length": "length(evidence)",
}
"""The numbers that a filter can limit, as expressions over the view of results."""


@dataclass(frozen=True, slots=True)
class PageFilter(dealmill.Filter):
    """The filter of a page. `retracted` shows the results of a retracted run."""

    retracted: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The parameters of the URL, by name."""
        return self.conditions + [("retracted", "1")] * self.retracted

    @property
    def query(self) -> str:
        """The filter as the query part of a URL, without ``?``."""
        return urlencode(self.pairs)

    def text(self, name: str) -> str:
        """Return the text of a condition; empty if there is none."""
        return dict(self.conditions).get(name, "")

    def link(self, path: str, **more: object) -> str:
        """Return a URL with this filter, and with more parameters; those that are None are left out."""
        return url(path, [*self.pairs, *((name, value) for name, value in more.items() if value is not None)])

    def of_retracted(self) -> "PageFilter":
        """Return the same filter for the results of a retracted run."""
        return replace(self, retracted=True)

    def query_of(self, store: dealmill.Store, run: dealmill.Run | int, **more: Any) -> dealmill.Query:
        """Return the results of a run that match; `more` are arguments of `dealmill.Store.query`."""
        return store.query(run=run, retracted=self.retracted, **self.arguments, **more)

    def command(self, run: int) -> str:
        """Return the command that lists the same results."""
        words = ["dealmill", "query", str(run)]
        for name, value in self.conditions:
            words += [f"--{name}", value]
        return shlex.join(words + ["--retracted"] * self.retracted)

    def sql(self, run: int) -> str | None:
        """Return SQL for the same results; None if the views do not have the outcomes of audits."""
        if self.audit:
            return None
        where = [f"run = {run}"] + ["retracted"] * self.retracted
        if self.verdict:
            where.append(f"verdict IN ({', '.join(repr(verdict.word) for verdict in self.verdict)})")
        for name, number in SQL.items():
            low, high = self.arguments.get(name.replace("-", "_"), (None, None))
            where += [f"{number} >= {low}"] * (low is not None) + [f"{number} <= {high}"] * (high is not None)
        return f"SELECT * FROM results_view WHERE {' AND '.join(where)} ORDER BY position"  # noqa: S608 -- numbers and words


def url(path: str, parameters: Mapping[str, object] | Sequence[tuple[str, object]]) -> str:
    """Return a URL with parameters."""
    return f"{path}?{urlencode(parameters)}" if parameters else path


def _filter(
    verdict: Annotated[Sequence[str], Query(description="Only this verdict; repeatable.", max_length=5)] = (),
    value: Annotated[str, Query(description="Only values in this range: 70..80, 70.., ..80 or 75.")] = "",
    nodes: Annotated[str, Query(description="Only node counts in this range, written in the same way.")] = "",
    layout_length: Annotated[
        str, Query(alias="layout-length", description="Only layouts with a number of characters in this range.")
    ] = "",
    evidence_length: Annotated[
        str, Query(alias="evidence-length", description="Only evidence with a number of characters in this range.")
    ] = "",
    audit: Annotated[str, Query(description="Only this outcome of the newest audit.")] = "",
    retracted: Annotated[bool, Query(description="Show the results of a retracted run.")] = False,
) -> PageFilter:
    others = {
        "value": value.strip(),
        "nodes": nodes.strip(),
        "layout-length": layout_length.strip(),
        "evidence-length": evidence_length.strip(),
        "audit": audit,
    }
    conditions = [*(("verdict", word) for word in verdict), *others.items()]
    return replace(PageFilter.parse((name, text) for name, text in conditions if text), retracted=retracted)


Filtered = Annotated[PageFilter, Depends(_filter)]
