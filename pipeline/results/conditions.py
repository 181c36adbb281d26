"""The conditions by which results are filtered, each written down once.

Arguments of queries, options of commands, parameters in URLs, conditions of saved queries, controls of pages and SQL
take them from here. A filter (`dealmill.pipeline.store.filters.Filter`) has a field for each that is not a number.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games.verdict import Code, Verdict
from dealmill.pipeline.results.measures import FILTERS, Order, RangeArguments

if TYPE_CHECKING:
    from dealmill.pipeline.results.result import Result

ALL = (-(2**62), 2**62)
"""The range of all numbers."""


class FilterArguments(RangeArguments, total=False):
    """The conditions as keyword arguments, which `dealmill.Run.results` describes; None lets everything through."""

    verdict: Verdict | str | Iterable[Verdict | str] | None
    audit: Outcome | str | None


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition: its name in options, URLs and saved queries, and what it lets through, in words."""

    word: str
    help: str
    repeatable: bool = field(default=False, kw_only=True)
    """Whether it can be named several times: then each of the words matches."""
    example: str = field(default="", kw_only=True)
    """A range that it lets through, if it is one of numbers."""

    @property
    def choices(self) -> list[str]:
        """The words of which one can be named; none if it is a range of numbers."""
        return []

    @property
    def argument(self) -> str:
        """Its name as an argument in Python."""
        return self.word.replace("-", "_")

    @property
    def heading(self) -> str:
        """Its name as the label of a field."""
        return self.word.replace("-", " ").capitalize()


@dataclass(frozen=True, eq=False)
class WordCondition(Condition):
    """A condition that is one of a few words, such as yes and no.

    `kind` has the words with their numbers, and `code` reads the number from a result. `sql` is the number in terms of
    the columns of verdicts, such as ``{verdict}``. Both are None if only audits tell. `in_views` says that the views of
    the database have a column of the words.
    """

    kind: type[Code]
    code: "Callable[[Result], int] | None" = None
    sql: str | None = None
    in_views: bool = False

    @property
    def choices(self) -> list[str]:
        """The words of which one can be named."""
        return [code.word for code in self.kind]

    def read(self, given: Any) -> Any:
        """Return the field of a filter for an argument of a caller.

        Raises
        ------
        UsageError
            If there is no such word.
        """
        if given is None:
            return () if self.repeatable else None
        if not self.repeatable:
            return self.kind.of(given)
        several = given if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
        return tuple(sorted({self.kind.of(each) for each in several}))


@dataclass(frozen=True, eq=False)
class RangeCondition(Condition):
    """A condition that a number of a result is in a range."""

    order: Order


VERDICT = WordCondition(
    "verdict",
    "Only this verdict; repeatable.",
    Verdict,
    repeatable=True,
    code=attrgetter("verdict"),
    sql="{verdict}",
    in_views=True,
)
AUDIT = WordCondition("audit", "Only verdicts with this outcome in their newest audit.", Outcome)
RANGES = tuple(
    RangeCondition(order.word, f"Only {order.measure.condition}.", order, example=order.measure.example)
    for order in FILTERS
)
CONDITIONS: tuple[WordCondition | RangeCondition, ...] = (VERDICT, *RANGES, AUDIT)
"""All conditions in the order in which they are written, which the names of saved queries depend on."""
BY_WORD = {condition.word: condition for condition in CONDITIONS}
BY_ARGUMENT = {condition.argument: condition for condition in CONDITIONS}
WORDS = tuple(condition for condition in CONDITIONS if isinstance(condition, WordCondition))
