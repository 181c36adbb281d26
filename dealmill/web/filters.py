"""The filter of a page: in its URL, as a command and as SQL."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query

import dealmill
from dealmill.pipeline.results.conditions import CONDITIONS, WORDS


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

    @property
    def uncounted(self) -> "PageFilter":
        """The filter without verdicts, nodes and outcomes of audits, by which results are counted."""
        ranges = {order: ends for order, ends in self.ranges.items() if order.word != "nodes"}
        return replace(self, verdict=(), ranges=ranges, audit=None)

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
        """Return SQL for the same results; None if the views do not tell, as of the outcomes of audits."""
        words = {condition: self.words(condition) for condition in WORDS if self.words(condition)}
        if not all(condition.in_views for condition in words):
            return None
        where = [f"run = {run}"] + ["retracted"] * self.retracted
        for condition, codes in words.items():
            where.append(f"{condition.argument} IN ({', '.join(repr(code.word) for code in codes)})")
        for order in self.ranges:
            number = str(order.measure.sql).format(order.measure.field)
            low, high = self.ends(order)
            where += [f"{number} >= {low}"] * (low is not None) + [f"{number} <= {high}"] * (high is not None)
        return f"SELECT * FROM results_view WHERE {' AND '.join(where)} ORDER BY position"  # noqa: S608 -- numbers and words


def url(path: str, parameters: Mapping[str, object] | Sequence[tuple[str, object]]) -> str:
    """Return a URL with parameters."""
    return f"{path}?{urlencode(parameters)}" if parameters else path


def _filter(**given: Any) -> PageFilter:
    texts = list[tuple[str, str]]()
    for condition in CONDITIONS:
        value = given[condition.argument]
        texts += [(condition.word, text.strip()) for text in ([value] if isinstance(value, str) else value)]
    page_filter = PageFilter.parse((name, text) for name, text in texts if text)
    return replace(page_filter, retracted=given["retracted"])


def _parameters() -> Iterator[Parameter]:
    """Yield the parameters of the URL of a filter."""

    def parameter(name: str, kind: object, default: object, **about: Any) -> Parameter:
        return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, Query(**about)])

    for condition in CONDITIONS:
        example = f", such as {condition.example}" if condition.example else ""
        about: dict[str, Any] = {"alias": condition.word, "description": f"{condition.help[:-1]}{example}."}
        if condition.repeatable:
            yield parameter(condition.argument, Sequence[str], (), max_length=len(condition.choices), **about)
        else:
            yield parameter(condition.argument, str, "", **about)
    yield parameter("retracted", bool, False, description="Show the results of a retracted run.")


_filter.__signature__ = Signature([*_parameters()])  # type: ignore[attr-defined]
Filtered = Annotated[PageFilter, Depends(_filter)]
