"""Which results a query returns, and in which order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from dealmill.pipeline.arguments import MAX_INTEGER, checked_range
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games.verdict import Code, Verdict
from dealmill.pipeline.results.conditions import (
    ALL,
    BY_ARGUMENT,
    BY_WORD,
    CONDITIONS,
    RANGES,
    WORDS,
    Condition,
    FilterArguments,
    WordCondition,
)
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.results.result import Result

REPEATABLE = {condition.word for condition in WORDS if condition.repeatable}
BEHIND = MAX_INTEGER + 1
"""A number greater than all positions."""


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
    def of(cls, verdict: Verdict | str | Iterable[Verdict | str] | None = (), audit: Any = None, **others: Any) -> Self:
        """Return the filter with the arguments of a caller; see `FilterArguments`."""
        given = {"verdict": verdict, "audit": audit, **others}
        if unknown := given.keys() - BY_ARGUMENT:
            raise TypeError(f"unexpected keyword argument {min(unknown)!r}")
        return cls._read({BY_ARGUMENT[name]: (name, value) for name, value in given.items()})

    @classmethod
    def parse(cls, conditions: Iterable[tuple[str, str]]) -> Self:
        """Return the filter with conditions as text, such as ``("layout-length", "70..80")``; see `BY_WORD`. Of those
        that are named repeatedly, each matches, or the last one counts."""
        texts = dict[str, Any]()
        for name, text in conditions:
            texts[name] = [*texts.get(name, ()), text] if name in REPEATABLE else text
        return cls._read({BY_WORD[name]: (name, value) for name, value in texts.items()})

    @classmethod
    def _read(cls, given: Mapping[Condition, tuple[str, Any]]) -> Self:
        """Return the filter with these conditions, each with the name that a message calls it."""
        words = {each.argument: each.read(given[each][1]) for each in WORDS if each in given}
        ranges = {each.order: checked_range(*given[each], ALL) for each in RANGES if each in given}
        return cls(**words, ranges={order: ends for order, ends in ranges.items() if ends != ALL})

    def words(self, condition: WordCondition) -> tuple[Code, ...]:
        """Return the words that a condition lets through; empty if it lets all."""
        value = getattr(self, condition.argument)
        return value if isinstance(value, tuple) else () if value is None else (value,)

    def ends(self, order: Order) -> tuple[int | None, int | None]:
        """Return the ends of a range, of which None is open."""
        low, high = self.ranges[order]
        return None if low == ALL[0] else low, None if high == ALL[1] else high

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """The filter as text, in its only canonical form; see `parse`."""
        texts = list[tuple[str, str]]()
        for condition in CONDITIONS:
            if isinstance(condition, WordCondition):
                texts += [(condition.word, code.word) for code in sorted({*self.words(condition)})]
            elif ends := self.ranges.get(condition.order):
                texts.append((condition.word, range_text(ends)))
        return texts

    @property
    def arguments(self) -> FilterArguments:
        """The filter as the keyword arguments of `of` and of queries."""
        words: Any = {condition.argument: getattr(self, condition.argument) for condition in WORDS}
        return words | {order.argument: self.ends(order) for order in self.ranges}  # type: ignore[no-any-return]

    def matches(self, result: Result) -> bool:
        """Return whether a result matches, apart from the outcome of its audits."""
        return all(
            condition.code is None or not (words := self.words(condition)) or condition.code(result) in words
            for condition in WORDS
        ) and all(_within(number_of(result, order), ends) for order, ends in self.ranges.items())


def range_text(ends: tuple[int, int]) -> str:
    """Return the text of a range, as `number_range` parses it."""
    low, high = ("" if end == open_end else str(end) for end, open_end in zip(ends, ALL, strict=True))
    return low if low == high else f"{low}..{high}"


def _within(number: int | None, ends: tuple[int, int]) -> bool:
    return number is not None and ends[0] <= number <= ends[1]
