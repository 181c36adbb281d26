"""The moves of the game for a play in the quotient: columns are laid out, and runs move where a card must be bared."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from dealmill.pipeline.games.patience.engine.quotient.words import NO_CARD, TO_FOUNDATION

Columns = list[list[tuple[int, bool]]]
"""The cards of columns, the top one last, and whether each lies face down."""
FOUNDATION = -1
"""Where a card goes that goes up."""


class Arrangement:
    """The columns of a game that is played, and a reserve that fills them, the top card last."""

    def __init__(self, columns: Columns, reserve: list[int], ranks: int) -> None:
        """Begin with some columns."""
        self.columns, self.reserve, self.ranks = [[card for card, _ in column] for column in columns], reserve, ranks
        self.down = {card for column in columns for card, is_down in column if is_down}
        self._settle()

    def moves(self, steps: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield the moves of the game: a card, and the one that it goes onto, `NO_CARD` for an empty column, or
        `FOUNDATION`. A step is a card, and its kind from bit 6 on."""
        for step in steps:
            card, kind = step & 63, step >> 6
            if kind == TO_FOUNDATION:
                column = self._column_of(card)
                if column and column[-1] != card:
                    yield from self._move(column[column.index(card) + 1])
                self._take(card)
                self._settle()
                yield card, FOUNDATION
            else:
                yield from self._move(card)

    def _column_of(self, card: int) -> list[int] | None:
        return next((column for column in self.columns if card in column), None)

    def _take(self, card: int) -> list[int]:
        """Take a card, with all that lie on it, from where it is, and return them."""
        source = self._column_of(card)
        if source is None:
            self.reserve = [left for left in self.reserve if left != card]
            return [card]
        at = source.index(card)
        group = source[at:]
        del source[at:]
        return group

    def _move(self, card: int) -> Iterator[tuple[int, int]]:
        """Move a card, with all that lie on it, to a free place. If only an empty column will do and there is none,
        empty one first."""
        target = self._place_of(card)
        if target is None and [] not in self.columns:
            yield from self._move(next(column[0] for column in self.columns if self._can_leave(column)))
        target = target or next(column for column in self.columns if not column)
        below = target[-1] if target else NO_CARD
        target += self._take(card)
        self._settle()
        yield card, below

    def _place_of(self, card: int) -> list[int] | None:
        """Return the column with a card at its top on which a card may lie."""
        return next((column for column in self.columns if column and _fits(card, column[-1])), None)

    def _can_leave(self, column: list[int]) -> bool:
        """Return whether all cards of a column can move onto another one."""
        is_run = self.down.isdisjoint(column) and all(_fits(card, below) for below, card in pairwise(column))
        return is_run and self._place_of(column[0]) is not None

    def _settle(self) -> None:
        """Turn up top cards, and fill columns from the reserve."""
        for column in self.columns:
            if not column and self.reserve:
                column.append(self.reserve.pop())
            self.down.difference_update(column[-1:])


def _fits(card: int, below: int) -> bool:
    """Return whether a card may lie on another one."""
    return card % 13 + 1 == below % 13 and (card // 13 + below // 13) % 2 == 1
