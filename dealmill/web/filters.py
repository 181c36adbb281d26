"""Filters of results: in the URL, as arguments of a query, as a command and as SQL."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query

from dealmill import Outcome, Verdict
from dealmill.pipeline.arguments import number_range

Ends = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Filter:
    """The results that a page shows: these verdicts, values and node counts (see `parse_range`) and audit outcome.

    Empty fields do not restrict anything. `retracted` shows the results of a retracted run.
    """

    verdicts: tuple[Verdict, ...] = ()
    value: str = ""
    nodes: str = ""
    audit: str = ""
    retracted: bool = False

    @property
    def query(self) -> str:
        """The filter as the query part of a URL, without ``?``."""
        return urlencode(self.pairs)

    def link(self, path: str, **more: object) -> str:
        """Return a URL with this filter, and with more parameters; those that are None are left out."""
        return url(path, [*self.pairs, *((name, value) for name, value in more.items() if value is not None)])

    def only(self, **fields: Any) -> "Filter":
        """Return the filter with other fields."""
        return replace(self, **fields)

    @property
    def arguments(self) -> dict[str, Any]:
        """The filter as keyword arguments of `dealmill.Store.query`."""
        return {
            "verdict": self.verdicts,
            "value": parse_range(self.value),
            "nodes": parse_range(self.nodes),
            "audit": self.audit or None,
            "retracted": self.retracted,
        }

    def command(self, run: int) -> str:
        """Return the command that lists the same results."""
        words = ["dealmill", "query", str(run)]
        for name, value in self.pairs:
            words += [f"--{name}"] if name == "retracted" else [f"--{name}", value]
        return shlex.join(words)

    def sql(self, run: int) -> str | None:
        """Return SQL for the same results; None if the views do not have the outcomes of audits, or are not enough."""
        if self.audit:
            return None
        where = [f"run = {run}"] + ["retracted"] * self.retracted
        if self.verdicts:
            where.append(f"verdict IN ({', '.join(repr(verdict.word) for verdict in self.verdicts)})")
        for name, text in (("value", self.value), ("nodes", self.nodes)):
            low, high = parse_range(text) or (None, None)
            where += [f"{name} >= {low}"] * (low is not None) + [f"{name} <= {high}"] * (high is not None)
        return f"SELECT * FROM results_view WHERE {' AND '.join(where)} ORDER BY position"  # noqa: S608 -- numbers and words

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The parameters of the URL, by name."""
        pairs = [("verdict", verdict.word) for verdict in self.verdicts]
        pairs += [(name, text) for name in ("value", "nodes", "audit") if (text := getattr(self, name))]
        return pairs + [("retracted", "1")] * self.retracted


def url(path: str, parameters: Mapping[str, object] | Sequence[tuple[str, object]]) -> str:
    """Return a URL with parameters."""
    return f"{path}?{urlencode(parameters)}" if parameters else path


def parse_range(text: str) -> Ends | None:
    """Return the ends of a range (see `number_range`); None if the text is empty."""
    return number_range(text) if text else None


def range_text(low: int, high: int) -> str:
    """Return the text of a range."""
    return str(low) if low == high else f"{low}..{high}"


def _filter(
    verdict: Annotated[Sequence[str], Query(description="Only this verdict; repeatable.", max_length=5)] = (),
    value: Annotated[str, Query(description="Only values in this range: 70..80, 70.., ..80 or 75.")] = "",
    nodes: Annotated[str, Query(description="Only node counts in this range, written in the same way.")] = "",
    audit: Annotated[str, Query(description="Only this outcome of the newest audit.")] = "",
    retracted: Annotated[bool, Query(description="Show the results of a retracted run.")] = False,
) -> Filter:
    outcome = Outcome.of(audit).word if audit else ""
    found = Filter(
        tuple(Verdict.of(word) for word in verdict if word), value.strip(), nodes.strip(), outcome, retracted
    )
    found.arguments  # noqa: B018 -- checks the ranges
    return found


Filtered = Annotated[Filter, Depends(_filter)]
