"""The moves of the game for a play in the quotient: columns are laid out, and runs move where a card must be bared."""

from collections.abc import Iterable, Iterator

from dealmill.pipeline.games.patience.quotient.words import NO_CARD, TO_FOUNDATION

Columns = list[list[tuple[int, bool]]]
"""The cards of columns, the top one last, and whether each lies face down."""
FOUNDATION = -1
"""Where a card goes that goes up."""


class Arrangement:
    """The columns of a game that is played."""

    def __init__(self, columns: Columns, ranks: int) -> None:
        """Begin with some columns."""
        self.columns, self.ranks = [[card for card, _ in column] for column in columns], ranks

    def moves(self, steps: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield the moves of the game: a card, and the one that it goes onto, `NO_CARD` for an empty column, or
        `FOUNDATION`. A step is a card, and its kind from bit 6 on."""
        for step in steps:
            card, kind = step & 63, step >> 6
            if kind == TO_FOUNDATION:
                column = self._column_of(card)
                if column and column[-1] != card:
                    yield self._move(column[column.index(card) + 1])
                if column:
                    column.pop()
                yield card, FOUNDATION
            else:
                yield self._move(card)

    def _column_of(self, card: int) -> list[int] | None:
        return next((column for column in self.columns if card in column), None)

    def _move(self, card: int) -> tuple[int, int]:
        """Move a card, with all that lie on it, to a place that is free."""
        source = self._column_of(card)
        if card % 13 == self.ranks - 1:
            target, below = next(column for column in self.columns if not column), NO_CARD
        else:
            target = next(column for column in self.columns if column and _fits(card, column[-1]))
            below = target[-1]
        if source is None:
            target.append(card)
        else:
            at = source.index(card)
            target += source[at:]
            del source[at:]
        return card, below


def _fits(card: int, below: int) -> bool:
    """Return whether a card may lie on another one."""
    return card % 13 + 1 == below % 13 and (card // 13 + below // 13) % 2 == 1
