"""The rules of FreeCell and its referee, which replays moves card by card, and visits every position of a loss."""

import re
from collections.abc import Iterator
from itertools import pairwise

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

RANKS = "A23456789TJQK"
SUITS = "HCDS"
RED = "HD"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
HEIGHTS = [7, 7, 7, 7, 6, 6, 6, 6]
"""The cards in each column of a layout."""
CELLS = 4
MOST_POSITIONS = 1_000_000
"""The referee refuses certificates of more positions, which would take too much time and memory."""
FITS = {
    (card, below)
    for card in DECK
    for below in DECK
    if RANKS.index(card[0]) + 1 == RANKS.index(below[0]) and (card[1] in RED) != (below[1] in RED)
}
"""The cards that can be put on a card in a column: of the next lower rank and the other colour."""
MOVE = re.compile(r"([1-8])([1-8])(?:v([2-9a-d]))?|([1-8])([a-dh])|([a-d])([1-8h])", re.ASCII)
"""``13`` moves a card from column 1 to column 3, and ``13vc`` twelve cards, in hexadecimal. ``a`` to ``d`` are the free
cells, and ``h`` is the foundation."""


class Table:
    """A game in progress: the cards in the columns, the last one on top, in the free cells, and on the foundations."""

    def __init__(self, layout: str) -> None:
        """Deal a layout.

        Raises
        ------
        InvalidEvidence
            At step 0, if the text is not a layout.
        """
        self.columns = [[text[at : at + 2] for at in range(0, len(text), 2)] for text in layout.split("/")]
        cards = [card for column in self.columns for card in column]
        if [len(column) for column in self.columns] != HEIGHTS or sorted(cards) != sorted(DECK):
            raise InvalidEvidence(0, "the layout is not a deck in eight columns")
        self.cells: dict[str, str] = {}
        self.foundations = dict.fromkeys(SUITS, 0)
        """The number of cards of each suit."""

    def move(self, word: str, step: int) -> list[str]:
        """Do a move, and return its cards, the one on top last.

        Raises
        ------
        InvalidEvidence
            If the word is not a move.
        IllegalMove
            If the rules do not allow it.
        """
        match = MOVE.fullmatch(word)
        if not match:
            raise InvalidEvidence(step, f"{word!r} is not a move")
        source, target = word[0], word[1]
        cards = self._lifted(source, int(match[3] or "1", 16), target, step)
        if target == "h":
            self._put_on_foundation(cards[0], step)
        elif target in "abcd":
            if target in self.cells:
                raise IllegalMove(step, f"free cell {target} is occupied by {self.cells[target]}")
            self.cells[target] = cards[0]
        else:
            column = self.columns[int(target) - 1]
            if column and (cards[0], column[-1]) not in FITS:
                raise IllegalMove(step, f"{cards[0]} cannot be put on {column[-1]}")
            column += cards
        return cards

    def _lifted(self, source: str, count: int, target: str, step: int) -> list[str]:
        """Take cards away and return them."""
        if source in "abcd":
            if source not in self.cells:
                raise IllegalMove(step, f"free cell {source} is empty")
            return [self.cells.pop(source)]
        column = self.columns[int(source) - 1]
        if source == target:
            raise IllegalMove(step, f"column {source} is moved onto itself")
        if count > len(column):
            raise IllegalMove(step, f"column {source} has {len(column)} cards, not {count}")
        cards = column[-count:]
        for below, card in pairwise(cards):
            if (card, below) not in FITS:
                raise IllegalMove(step, f"{below} and {card} cannot be moved together")
        if count > self._most(source, target):
            raise IllegalMove(step, f"only {self._most(source, target)} cards can be moved at once, not {count}")
        del column[-count:]
        return cards

    def _most(self, source: str, target: str) -> int:
        """Return how many cards can be moved one by one, with the help of free cells and of other empty columns."""
        columns = enumerate(self.columns, start=1)
        empty = sum(not column and str(number) not in (source, target) for number, column in columns)
        return (CELLS - len(self.cells) + 1) << empty

    def _put_on_foundation(self, card: str, step: int) -> None:
        suit = card[1]
        if RANKS.index(card[0]) != self.foundations[suit]:
            raise IllegalMove(step, f"{card} cannot be put on the foundation, which has {self.foundations[suit]} cards")
        self.foundations[suit] += 1

    @property
    def left(self) -> int:
        """The number of cards that are not on the foundations."""
        return len(DECK) - sum(self.foundations.values())


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Replay the moves of a win, or count the positions of a loss.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    table = Table(layout)
    if value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    if verdict is Verdict.WINNABLE:
        _check_win(table, evidence)
    elif verdict is Verdict.UNWINNABLE:
        _check_loss(table, evidence)
    else:
        raise InvalidEvidence(0, f"{engine} cannot prove that a deal is {verdict.word}")


def _check_win(table: Table, evidence: str) -> None:
    words = evidence.split(" ")
    for step, word in enumerate(words, start=1):
        table.move(word, step)
    if table.left:
        raise InvalidEvidence(len(words), f"not won: cards that are not on the foundations: {table.left}")


Position = tuple[tuple[str, ...], str, tuple[int, ...]]
"""Columns and free cells, each sorted, with a letter per card, and the number of cards on each foundation."""

LETTERS = dict(zip(DECK, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", strict=True))
PLACES = {letter: divmod(place, len(RANKS)) for place, letter in enumerate(LETTERS.values())}
"""The suit and the rank of each card, as numbers from 0."""
BELOW = {LETTERS[card]: {LETTERS[below] for upper, below in FITS if upper == card} for card in DECK}


def read_positions(evidence: str) -> int:
    """Return the number of positions that a certificate of a loss names, without visiting them.

    Raises
    ------
    InvalidEvidence
        If it does not name a number, or too large a one.
    """
    if not re.fullmatch(r"[1-9]\d{0,6}", evidence, re.ASCII) or int(evidence) > MOST_POSITIONS:
        raise InvalidEvidence(1, f"{evidence!r} is not a number of positions, at most {MOST_POSITIONS:,}")
    return int(evidence)


def _check_loss(table: Table, evidence: str) -> None:
    """Visit all positions that can be reached by moves of single cards: none is won, and their number is the evidence.

    A move of several cards is a sequence of moves of single cards, so no other positions can be reached. Columns can
    change places, and so can free cells; nothing else is left out.
    """
    named = read_positions(evidence)
    columns = sorted("".join(LETTERS[card] for card in column) for column in table.columns)
    first: Position = tuple(columns), "", (0,) * len(SUITS)
    reached, waiting = {first}, [first]
    while waiting:
        for position in _following(waiting.pop()):
            if position not in reached:
                if not any(position[0]) and not position[1]:
                    raise InvalidEvidence(1, "the deal can be won")
                reached.add(position)
                waiting.append(position)
        if len(reached) > named:
            raise InvalidEvidence(1, f"more than {named:,} positions can be reached")
    if len(reached) < named:
        raise InvalidEvidence(1, f"{len(reached):,} positions can be reached, not {named:,}")


def _following(position: Position) -> Iterator[Position]:
    """Yield the positions after each move of a single card."""
    columns, cells, foundations = position
    for index, column in enumerate(columns):
        if column:
            others = columns[:index] + columns[index + 1 :]
            yield from _placed(column[-1], (*others, column[:-1]), others, column[:-1], cells, foundations)
            if len(cells) < CELLS:
                yield _sorted((*others, column[:-1])), "".join(sorted(cells + column[-1])), foundations
    for card in cells:
        yield from _placed(card, columns, columns, None, cells.replace(card, ""), foundations)


def _placed(
    card: str,
    after: tuple[str, ...],
    others: tuple[str, ...],
    rest: str | None,
    cells: str,
    foundations: tuple[int, ...],
) -> Iterator[Position]:
    """Yield the positions in which a card is on the foundation or on a column.

    `after` are the columns without the card, `others` those that it can be put on, and `rest` what is left of its own.
    """
    suit, rank = PLACES[card]
    if foundations[suit] == rank:
        yield _sorted(after), cells, (*foundations[:suit], rank + 1, *foundations[suit + 1 :])
    own = () if rest is None else (rest,)
    for index, column in enumerate(others):
        if not column or column[-1] in BELOW[card]:
            yield _sorted((*others[:index], column + card, *others[index + 1 :], *own)), cells, foundations


def _sorted(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(columns))
