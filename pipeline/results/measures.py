"""The numbers of results by which they can be filtered, ordered and graded, each written down once.

Options of commands, parameters in URLs, conditions of saved queries, headings, SQL and ``pack --by`` take them from
here. The games add numbers in the evidence of their engines, by which layouts are graded.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from dealmill.pipeline.games.verdict import Code
from dealmill.pipeline.printable import counted

if TYPE_CHECKING:
    from dealmill.pipeline.games.descriptions import Engine
    from dealmill.pipeline.results.result import Result

LONGEST_NUMBER = 19
"""The digits of 2⁶³, which is too large for a stored number."""


def same(number: int) -> int:
    """Return the number itself."""
    return number


class Measure(NamedTuple):
    """A number of a result, computed from one of its fields (`dealmill.pipeline.results.record.ResultRow`).

    A filter lets through what `condition` says, and `example` is a range of it. `number` computes it from
    the field, and `sql` is the same as SQL, with ``{}`` for the column; it is None if the number cannot be queried.
    If jobs record the least and the greatest number of their results, `bounds` says in which columns, as ``value`` does
    for ``least_value`` and ``greatest_value``; `counted` is the column that counts the results that have such a number,
    if not all have it. `unit` is what a count counts, such as ``node``.
    """

    field: str
    condition: str = ""
    example: str = ""
    number: Callable[[Any], int | None] = same
    sql: str | None = None
    bounds: str | None = None
    counted: str | None = None
    unit: str | None = None

    def of(self, value: Any) -> int | None:
        """Return the number for a value of the field; None if it has none, such as the value of a win."""
        return None if value is None else self.number(value)


class Order(Code):
    """What results are ordered by. Lengths are in characters."""

    POSITION = 1, Measure("position", sql="{}")
    NODES = (
        2,
        Measure(
            "nodes",
            "searches with a number of nodes in this range",
            "1000..",
            sql="{}",
            bounds="nodes",
            unit="node",
        ),
    )
    VALUE = 3, Measure("value", "values in this range", "70..80", sql="{}", bounds="value", counted="scored")
    LAYOUT_LENGTH = 4, Measure("layout", "layouts with a number of characters in this range", "..40", len, "length({})")
    EVIDENCE_LENGTH = (
        5,
        Measure("evidence", "evidence with a number of characters in this range", "100..", len, "length({})"),
    )

    measure: Measure

    def __new__(cls, number: int, measure: Measure) -> "Order":
        """Return a member, whose value is the number alone."""
        member = int.__new__(cls, number)
        member._value_ = number
        return member

    def __init__(self, number: int, measure: Measure) -> None:
        super().__init__(number)
        self.measure = measure

    @property
    def argument(self) -> str:
        """Its name as an argument in Python."""
        return self.word.replace("-", "_")

    @property
    def heading(self) -> str:
        """Its name as the heading of a column or the label of a field."""
        return self.word.replace("-", " ").capitalize()

    @property
    def phrase(self) -> str:
        """Its name in a sentence: ``the number of nodes``, ``the value``."""
        return f"the number of {self.measure.unit}s" if self.measure.unit else f"the {self.word}"

    def with_number(self, number: int) -> str:
        """Return a number with its name: ``17 nodes``."""
        return counted(number, self.measure.unit) if self.measure.unit else f"{self.word} {number:,}"


Range = str | tuple[int | None, int | None] | int | None
"""A range as given by a caller: text such as ``"5.."``, both ends, of which None is open, or a number."""


class RangeArguments(TypedDict, total=False):
    """The ranges of these numbers as keyword arguments, which `dealmill.Run.results` describes."""

    value: Range
    nodes: Range
    layout_length: Range
    evidence_length: Range


QUERYABLE = [order for order in Order if order is not Order.POSITION]
"""The numbers by which results can be filtered and graded."""
FILTERS = sorted(QUERYABLE, key=lambda order: order is not Order.VALUE)
"""The same in the order in which filters are written, which the names of saved queries depend on."""
RECORDED = [order for order in FILTERS if order.measure.sql == "{}"]
"""Those that are fields of a result as they are."""


NUMBERS_OF_ALL = [order for order in RECORDED if order is not Order.VALUE]
"""Those that results have which are not scored, too."""


def recorded_numbers(*, scored: bool) -> Sequence[Order]:
    """Return the numbers that are fields of results which are scored, or of results which are not."""
    return RECORDED if scored else NUMBERS_OF_ALL


def numbers_in_words(result: "Result") -> str:
    """Return the recorded numbers of a result, such as ``17 nodes``, without its value, which engines put in words."""
    numbers = {order: getattr(result, order.measure.field) for order in NUMBERS_OF_ALL}
    return ", ".join(order.with_number(number) for order, number in numbers.items() if number is not None)


CHANCE = "chance"
"""The name of the measure that has fixed grades: the value of an engine that scores layouts and has grades."""


def grading_measures(engine: "Engine") -> dict[str, Measure]:
    """Return the measures by which the results of an engine can be graded, by name: also those that are words of its
    evidence (see `Engine.measures`)."""
    words = {name: Measure("evidence", number=_word(index)) for name, index in engine.measures.items()}
    fixed = {CHANCE: Order.VALUE.measure} if engine.scores and engine.grades else {}
    return {order.word: order.measure for order in QUERYABLE} | fixed | words


def _word(index: int) -> Callable[[str], int | None]:
    """Return the function that reads a number in evidence. It is None if there is none, as in the text of an error."""

    def number(evidence: str) -> int | None:
        words = evidence.split(" ")
        word = words[index] if index < len(words) else ""
        return int(word) if word.isascii() and word.isdigit() and len(word) < LONGEST_NUMBER else None

    return number
