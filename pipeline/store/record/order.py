"""The order of query results."""

from dataclasses import dataclass

from dealmill.pipeline.games.verdict import Code
from dealmill.pipeline.result import Result


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
