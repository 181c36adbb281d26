"""Which results a query returns, and in which order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from dealmill.pipeline.arguments import MAX_INTEGER, checked_range
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.measures import FILTERS, Order
from dealmill.pipeline.results.result import Result

ALL = (-(2**62), 2**62)
"""The range of all numbers."""
CONDITIONS = ("verdict", *(order.word for order in FILTERS), "audit")
"""The names of the conditions of a filter as text."""
BY_WORD = {order.word: order for order in FILTERS}
BY_ARGUMENT = {order.argument: order for order in FILTERS}
BEHIND = MAX_INTEGER + 1
"""A number greater than all positions."""

Range = str | tuple[int | None, int | None] | int | None
"""A range as given by a caller: text such as ``"5.."``, both ends, of which None is open, or a number."""


def number_of(result: Result, order: Order) -> int | None:
    """Return the number by which a result is ordered or filtered; None if it has none."""
    return order.measure.of(getattr(result, order.measure.field))


@dataclass(frozen=True, slots=True)
class Ordering:
    """An order, ascending or descending. Results without a number come last, and equal results are in ascending order
    of run and position."""

    order: Order = Order.POSITION
    descending: bool = False

    def key(self, result: Result) -> tuple[bool, int, int, int]:
        """Return the sort key of a result."""
        number = number_of(result, self.order)
        signed = 0 if number is None else -number if self.descending else number
        return number is None, signed, result.run or 0, result.position


BY_POSITION = Ordering()


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter for results. Its fields have the names of the arguments of queries and, with hyphens, of command line
    options, parameters in URLs, and conditions in saved queries.

    `ranges` has the ends, both inclusive, of the numbers that are limited; lengths are in characters. A verdict without
    a value or without evidence matches no range of values or of evidence lengths.

    `verdict` has the verdicts that match, all if it is empty. `audit` is the outcome of the newest audit of a verdict;
    None matches all verdicts, whether audited or not.
    """

    verdict: tuple[Verdict, ...] = ()
    audit: Outcome | None = None
    ranges: Mapping[Order, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, verdict: Verdict | str | Iterable[Verdict | str] = (), audit: Outcome | str | None = None, **ranges: Range
    ) -> Self:
        """Return the filter with the arguments of a caller. Those for ranges are named as `Order.argument`."""
        verdicts = verdict if isinstance(verdict, Iterable) and not isinstance(verdict, str | bytes) else [verdict]
        outcome = None if audit is None else Outcome.of(audit)
        return cls(tuple(map(Verdict.of, verdicts)), outcome, _limits(ranges, BY_ARGUMENT))

    @classmethod
    def parse(cls, conditions: Iterable[tuple[str, str]]) -> Self:
        """Return the filter with conditions as text, such as ``("layout-length", "70..80")``; see `CONDITIONS`. Only
        verdicts can be named repeatedly: each of them matches."""
        verdicts, audit, texts = set[Verdict](), None, dict[str, str]()
        for name, text in conditions:
            if name == "verdict":
                verdicts.add(Verdict.of(text))
            elif name == "audit":
                audit = Outcome.of(text)
            else:
                texts[name] = text
        return cls(tuple(sorted(verdicts)), audit, _limits(texts, BY_WORD))

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """The filter as text, in its only canonical form; see `parse`."""
        verdicts = [("verdict", verdict.word) for verdict in sorted(set(self.verdict))]
        ranges = [(order.word, range_text(ends)) for order, ends in self.ranges.items()]
        return [*verdicts, *ranges, *([("audit", self.audit.word)] if self.audit else [])]

    @property
    def arguments(self) -> dict[str, Any]:
        """The filter as the keyword arguments of `of` and of queries."""
        ranges = {
            order.argument: tuple(None if end in ALL else end for end in ends) for order, ends in self.ranges.items()
        }
        return {"verdict": self.verdict, "audit": self.audit, **ranges}

    def matches(self, result: Result) -> bool:
        """Return whether a result matches, apart from the outcome of its audits."""
        return (not self.verdict or result.verdict in self.verdict) and all(
            _within(number_of(result, order), ends) for order, ends in self.ranges.items()
        )


def _limits(ranges: Mapping[str, Range], orders: Mapping[str, Order]) -> dict[Order, tuple[int, int]]:
    """Return the ends of ranges, given by the names of their numbers, in the order of `FILTERS`; without those that do
    not limit anything."""
    limits = {orders[name]: checked_range(name, ends, ALL) for name, ends in ranges.items()}
    return {order: limits[order] for order in FILTERS if limits.get(order, ALL) != ALL}


def range_text(ends: tuple[int, int]) -> str:
    """Return the text of a range, as `number_range` parses it."""
    low, high = ("" if end == open_end else str(end) for end, open_end in zip(ends, ALL, strict=True))
    return low if low == high else f"{low}..{high}"


def _within(number: int | None, ends: tuple[int, int]) -> bool:
    return number is not None and ends[0] <= number <= ends[1]
