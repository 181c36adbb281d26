"""Which results a query returns, and in which order."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from dealmill.pipeline.arguments import MAX_INTEGER, checked_range
from dealmill.pipeline.games.verdict import Code, Verdict
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.result import Result

ALL = (-(2**62), 2**62)
"""The range of all numbers."""
CONDITIONS = ("verdict", "value", "nodes", "layout-length", "evidence-length", "audit")
"""The names of the conditions of a filter as text."""
BEHIND = MAX_INTEGER + 1
"""A number greater than all positions."""

Range = str | tuple[int | None, int | None] | int | None
"""A range as given by a caller: text such as ``"5.."``, both ends, of which None is open, or a number."""


class Order(Code):
    """What results are ordered by. Lengths are in characters."""

    POSITION = 1
    NODES = 2
    VALUE = 3
    LAYOUT_LENGTH = 4
    EVIDENCE_LENGTH = 5

    def measure(self, result: Result) -> int | None:
        """Return the number by which a result is ordered; None if it has none, such as the value of a win."""
        match self:
            case Order.POSITION:
                return result.position
            case Order.NODES:
                return result.nodes
            case Order.VALUE:
                return result.value
            case Order.LAYOUT_LENGTH:
                return len(result.layout)
        return None if result.evidence is None else len(result.evidence)


@dataclass(frozen=True, slots=True)
class Ordering:
    """An order, ascending or descending. Results without a number come last, and equal results are in ascending order
    of run and position."""

    order: Order = Order.POSITION
    descending: bool = False

    def key(self, result: Result) -> tuple[bool, int, int, int]:
        """Return the sort key of a result."""
        number = self.order.measure(result)
        signed = 0 if number is None else -number if self.descending else number
        return number is None, signed, result.run or 0, result.position


BY_POSITION = Ordering()


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter for results. Its fields have the names of the arguments of queries and, with hyphens, of command line
    options, parameters in URLs, and conditions in saved queries.

    Ranges include both ends; `ALL` does not limit. Lengths are in characters. A verdict without a value or without
    evidence matches a range of values or of evidence lengths only if that is `ALL`.

    `verdict` has the verdicts that match, all if it is empty. `audit` is the outcome of the newest audit of a verdict;
    None matches all verdicts, whether audited or not.
    """

    verdict: tuple[Verdict, ...] = ()
    value: tuple[int, int] = ALL
    nodes: tuple[int, int] = ALL
    audit: Outcome | None = None
    layout_length: tuple[int, int] = ALL
    evidence_length: tuple[int, int] = ALL

    @classmethod
    def of(
        cls,
        verdict: Verdict | str | Iterable[Verdict | str] = (),
        value: Range = None,
        nodes: Range = None,
        audit: Outcome | str | None = None,
        layout_length: Range = None,
        evidence_length: Range = None,
    ) -> Self:
        """Return the filter with the arguments of a caller."""
        verdicts = verdict if isinstance(verdict, Iterable) and not isinstance(verdict, str | bytes) else [verdict]
        outcome = None if audit is None else Outcome.of(audit)
        return cls(
            tuple(map(Verdict.of, verdicts)),
            checked_range("value", value, ALL),
            checked_range("nodes", nodes, ALL),
            outcome,
            checked_range("layout_length", layout_length, ALL),
            checked_range("evidence_length", evidence_length, ALL),
        )

    @classmethod
    def parse(cls, conditions: Iterable[tuple[str, str]]) -> Self:
        """Return the filter with conditions as text, such as ``("layout-length", "70..80")``; see `CONDITIONS`. Only
        verdicts can be named repeatedly: each of them matches."""
        verdicts, others = set[Verdict](), dict[str, Any]()
        for name, text in conditions:
            if name == "verdict":
                verdicts.add(Verdict.of(text))
            elif name == "audit":
                others[name] = Outcome.of(text)
            else:
                others[name.replace("-", "_")] = checked_range(name, text, ALL)
        return cls(tuple(sorted(verdicts)), **others)

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
            order.word.replace("-", "_"): tuple(None if end in ALL else end for end in ends)
            for order, ends in self.ranges.items()
        }
        return {"verdict": self.verdict, "audit": self.audit, **ranges}

    @property
    def ranges(self) -> dict[Order, tuple[int, int]]:
        """The ranges other than `ALL`, by the numbers that they limit. Results can also be ordered by these numbers."""
        every = {
            Order.VALUE: self.value,
            Order.NODES: self.nodes,
            Order.LAYOUT_LENGTH: self.layout_length,
            Order.EVIDENCE_LENGTH: self.evidence_length,
        }
        return {order: ends for order, ends in every.items() if ends != ALL}

    def matches(self, result: Result) -> bool:
        """Return whether a result matches, apart from the outcome of its audits."""
        return (not self.verdict or result.verdict in self.verdict) and all(
            _within(order.measure(result), ends) for order, ends in self.ranges.items()
        )


def range_text(ends: tuple[int, int]) -> str:
    """Return the text of a range, as `number_range` parses it."""
    low, high = ("" if end == open_end else str(end) for end, open_end in zip(ends, ALL, strict=True))
    return low if low == high else f"{low}..{high}"


def _within(number: int | None, ends: tuple[int, int]) -> bool:
    return number is not None and ends[0] <= number <= ends[1]
