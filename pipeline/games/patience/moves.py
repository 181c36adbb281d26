"""The moves of a patience, in a game and in an easier one.

A move is a card and where it goes, with all cards that lie on it: ``6H7S`` onto the seven of spades, ``6Hf`` to its
foundation, ``6Hc`` to a free cell, ``6He`` to an empty column, ``6Hh`` into the hole. A card of the stock can be taken
whenever turning the stock, from now on, would uncover it. If the stock goes to the columns, ``6Hd`` deals a row, of
which this card is the first, and ``6He3`` names the empty column. Face-down cards are turned up, and empty columns
filled from the reserve if the rules say so, without a move.

If cards exist more than once, a move also names the columns: ``6H3-5`` moves the six of hearts of column
3, with all cards on it, to column 5, ``KH3f`` a whole suit of column 3 to a foundation, and ``6H3f`` this card if it
goes there alone. ``6Hs12-5`` moves the 12th card of waste and stock, of which the lowest card of the waste is first,
``6Hf-5`` the top card of a foundation, and ``6Hr-5`` that of a reserve.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dealmill.pipeline.games.patience.position import Position, Reader
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, UNLIMITED, Rules

FOUNDATION, CELL, EMPTY, HOLE, DEALT, STOCK, RESERVE = "fcehdsr"


class Play(NamedTuple):
    """A legal move: the word for it, the cards that move, and the position after it.

    In the easier game, a word without a target means that the cards become absent.
    """

    word: str
    cards: tuple[str, ...]
    after: Position


@dataclass(frozen=True)
class Moves:
    """The rules of a game at work: positions and moves. In the easier game that proves a loss, some cards are idle:
    they become absent as soon as they can be moved."""

    rules: Rules
    idle: frozenset[str] = frozenset()

    @property
    def is_easier(self) -> bool:
        """Whether they are those of an easier game."""
        return bool(self.idle)

    def position(self, text: str) -> Position:
        """Return the position that a canonical text describes, after all that happens without a move.

        Raises
        ------
        InvalidEvidence
            At step 0, if the text is not the canonical text of a position; it says why.
        """
        return self.settled(Reader(self.rules).position(text))

    def reasons(self, text: str) -> Iterator[str]:
        """Yield the reasons why a text is not the canonical text of a position."""
        return Reader(self.rules).reasons(text)

    def won(self, position: Position) -> bool:
        """Return whether all cards are on the foundations, or in the hole."""
        if self.rules.hole != "none":
            return not (any(position.columns) or position.cells or position.reserve or position.stock)
        return sum(position.foundations) == len(self.rules.upward_piles) * self.rules.ranks

    def _sources(self, position: Position, lowest: str = "") -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield cards that may be moved together, the lowest first, and the position without them; of the columns, if
        the `lowest` card is given, only those of the column in which it lies."""
        yield from self.uncovered(position, lowest)
        yield from self.offered(position)
        yield from self._from_foundations(position)

    def _from_foundations(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards that may come back from foundations, and the positions without them."""
        rules, base = self.rules, position.base
        if rules.removable:
            for pile, (suit, count) in enumerate(zip(rules.piles, position.foundations, strict=True)):
                if (rules.piles[pile + 1 : pile + 2], position.foundations[pile + 1 : pile + 2]) == (suit, (count,)):
                    continue  # foundations of a suit are in order, so the card comes from the last one of those alike
                for number in reversed(range(rules.initial == "all", count)):
                    card = self.rules.of_foundation(number, suit, base)
                    if card not in position.absent:
                        counts = (*position.foundations[:pile], number, *position.foundations[pile + 1 :])
                        yield (card,), position._replace(foundations=counts)
                        break

    def _sizes(self, column: tuple[str, ...], base: int) -> Iterator[int]:
        """Yield how many cards of a column can be moved together."""
        for size in range(1, len(column) + 1):
            if size > 1 and not self.move_together(column[1 - size], column[-size], base):
                return
            if size in (1, len(column)) or not self.rules.whole_columns_move:
                yield size

    def uncovered(self, position: Position, lowest: str = "") -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards of the columns, the cells and the reserve that can move, and the positions without them; of
        the columns, if the `lowest` card is given, only those of the column in which it lies."""
        rules = self.rules
        for number, column in enumerate(position.columns):
            for size in self._sizes(column, position.base) if not lowest or lowest in column else ():
                columns = (*position.columns[:number], column[:-size], *position.columns[number + 1 :])
                yield column[-size:], position.with_columns(columns)
        for card in position.cells:
            yield (card,), position._replace(cells=tuple(each for each in position.cells if each != card))
        if rules.stacked and position.reserve:
            yield position.reserve[-1:], position._replace(reserve=position.reserve[:-1])
        for card in () if rules.stacked else position.reserve:
            yield (card,), position._replace(reserve=tuple(each for each in position.reserve if each != card))

    def offered(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards of the stock that turning it would uncover, and the positions without them."""
        rules, count, turned = self.rules, len(position.stock), position.turned
        if rules.to != "waste":
            if rules.to == "hole" and count:
                yield position.stock[:1], position._replace(stock=position.stock[1:])
            return
        for number in range(1, count + 1):
            passes = position.passes
            ahead = number >= turned and ((number - turned) % rules.draw == 0 or number == count)
            if not ahead:
                if number % rules.draw or (rules.passes != UNLIMITED and not passes):
                    continue
                passes -= rules.passes != UNLIMITED
            stock = (*position.stock[: number - 1], *position.stock[number:])
            yield position.stock[number - 1 : number], position._replace(stock=stock, turned=number - 1, passes=passes)

    def targets(self, cards: tuple[str, ...], rest: Position, before: Position) -> Iterator[Play]:
        """Yield the moves of some cards, which `rest` lacks."""
        rules, base, card = self.rules, before.base, cards[0]
        below = rules.cards_below(base)[card]
        is_from_stock, fills_first = len(rest.stock) < len(before.stock), self.fills_first(before)
        if fills_first and not is_from_stock:
            return
        if rules.to == "hole" and before.stock and card == before.stock[0]:
            yield self._play(card + HOLE, cards, rest._replace(hole=card))
            return
        if len(cards) == 1 and not fills_first:
            yield from self._single(card, rest, before)
        if rules.move == "whole-pile" and self._is_part(rest, before):
            return
        for number, column in enumerate(rest.columns):
            if column:
                target = column[-1]
                fits = target in below and column == before.columns[number] and not fills_first
            else:  # a whole column does not move to another empty one, unless it will be dealt to there
                target = EMPTY + (str(number + 1) if rules.to == "tableau" else "")
                is_space = rest.columns.count(()) == before.columns.count(())
                if self._has_order(before):
                    is_space = not before.columns[number]
                fits = is_space and self.fills(card, base) and (is_from_stock or not rules.only_waste_fills)
            if fits:
                word = self._word(card, target, f"-{number + 1}", rest, before)
                columns = (*rest.columns[:number], (*column, *cards), *rest.columns[number + 1 :])
                yield self._play(word, cards, rest.with_columns(columns))

    def _is_part(self, rest: Position, before: Position) -> bool:
        """Return whether the cards that `rest` lacks leave others in their column."""
        pairs_of_columns = zip(rest.columns, before.columns, strict=True)
        return any(left and len(left) < len(column) for left, column in pairs_of_columns)

    def _word(self, card: str, target: str, target_of_copy: str, rest: Position, before: Position) -> str:
        """Return the word for the move of a card, which says where it is if it has copies."""
        if self.rules.copies == 1:
            return card + target
        if len(rest.stock) < len(before.stock):
            return f"{card}{STOCK}{rest.turned + 1}{target_of_copy}"
        if rest.foundations != before.foundations:
            return f"{card}{FOUNDATION}{target_of_copy}"
        if rest.reserve != before.reserve:
            return f"{card}{RESERVE}{target_of_copy}"
        source = next(number for number, cards in enumerate(before.columns) if cards is not rest.columns[number])
        return f"{card}{source + 1}{target_of_copy}"

    def _single(self, card: str, rest: Position, before: Position) -> Iterator[Play]:
        """Yield the moves of one card to the hole, its foundation and a cell."""
        rules = self.rules
        if rules.hole != "none":
            if self.next_to(card, rest.hole):
                yield self._play(card + HOLE, (card,), rest._replace(hole=card))
        elif not rules.complete and rest.foundations == before.foundations:
            pile = self._pile(card, rest)
            if pile >= 0:
                counts = (*rest.foundations[:pile], rest.foundations[pile] + 1, *rest.foundations[pile + 1 :])
                word = self._word(card, FOUNDATION, FOUNDATION, rest, before)
                yield self._play(word, (card,), rest._replace(foundations=counts))
        if len(rest.cells) < rules.cells and len(rest.cells) == len(before.cells):
            yield self._play(card + CELL, (card,), rest._replace(cells=(*rest.cells, card)))

    def _pile(self, card: str, position: Position) -> int:
        """Return the first foundation on which a card is the next one, or -1 if there is none."""
        rules, number = self.rules, self.rules.number(card, position.base)
        for pile, (suit, count) in enumerate(zip(rules.piles, position.foundations, strict=True)):
            if suit == card[1] and rules.next_number(pile, count) == number:
                return pile
        return -1

    def several(self, position: Position) -> Iterator[Play]:
        """Yield the moves of cards to several places at once: a whole suit to its foundation, and a row of the stock to
        the columns."""
        rules, columns, stock = self.rules, position.columns, position.stock
        for number, column in enumerate(columns if rules.complete and not self.fills_first(position) else ()):
            suit = column[-1][1] if column else SUITS[0]
            cards = tuple(self.rules.of_foundation(rank, suit, position.base) for rank in reversed(range(rules.ranks)))
            if column[-rules.ranks :] == cards:
                counts = list(position.foundations)
                pile = next(pile for pile, name in enumerate(rules.piles) if name == suit and not counts[pile])
                counts[pile] = rules.ranks
                source = str(number + 1) if rules.copies > 1 else ""
                rest = (*columns[:number], column[: -rules.ranks], *columns[number + 1 :])
                after = position._replace(columns=rest, foundations=tuple(counts))
                yield self._play(cards[0] + source + FOUNDATION, cards, after)
        if self._has_order(position) and not (rules.full_columns and () in columns):
            dealt = tuple((*column, *stock[number : number + 1]) for number, column in enumerate(columns))
            after = position._replace(columns=dealt, stock=stock[len(columns) :])
            yield self._play(stock[0] + DEALT, stock[: len(columns)], after)

    def fills_first(self, position: Position) -> bool:
        """Return whether an empty column is filled from waste and stock before anything else moves."""
        return self.rules.waste_fills and position.stock != () and () in position.columns

    def _has_order(self, position: Position) -> bool:
        """Return whether the order of the columns matters, since cards will be dealt to them."""
        return self.rules.to == "tableau" and position.stock != ()

    def _play(self, word: str, cards: tuple[str, ...], after: Position) -> Play:
        return Play(word, cards, self.settled(after))

    def settled(self, position: Position) -> Position:
        """Return a position after all that happens without a move, and with one number of turned cards for all those
        that offer the same cards."""
        position = self._filled(position)
        while self.idle and (loose := self._loose(position)):
            position = self._filled(self.without(position, loose))
        turned = position.turned
        offers_all = self.rules.passes == UNLIMITED and (turned % self.rules.draw == 0 or turned == len(position.stock))
        return position._replace(turned=0) if turned and offers_all else position

    def _filled(self, position: Position) -> Position:
        """Return a position with top cards turned up, empty columns filled, and absent cards on the foundations after
        which it is their turn."""
        rules, columns, reserve = self.rules, list(position.columns), position.reserve
        columns_change = rules.face_down != "none" or rules.reserve_fills
        if not columns_change and not position.absent:
            return position
        for number, column in enumerate(columns if columns_change else ()):
            if column and column[-1][1].islower():
                columns[number] = (*column[:-1], column[-1].upper())
            elif rules.reserve_fills and not column:
                columns[number], reserve = reserve[-1:], reserve[:-1]
        counts = list(position.foundations) if position.absent else []
        for number, suit in enumerate(SUITS[: len(counts)]):
            while (
                counts[number] < rules.ranks
                and self.rules.of_foundation(counts[number], suit, position.base) in position.absent
            ):
                counts[number] += 1
        return position._replace(
            columns=tuple(columns), reserve=reserve, foundations=tuple(counts) or position.foundations
        )

    def without(self, position: Position, cards: frozenset[str]) -> Position:
        """Return a position after cards have become absent."""
        return position._replace(
            columns=tuple(tuple(card for card in column if card.upper() not in cards) for column in position.columns),
            cells=tuple(card for card in position.cells if card not in cards),
            reserve=tuple(card for card in position.reserve if card not in cards),
            stock=tuple(card for card in position.stock if card not in cards),
            turned=sum(card not in cards for card in position.stock[: position.turned]),
            absent=position.absent | cards,
        )

    @cached_property
    def live(self) -> list[str]:
        """The cards that are not idle."""
        return [card for card in self.rules.sorted_deck if card not in self.idle]

    def _loose(self, position: Position) -> frozenset[str]:
        """Return the cards that can be moved and are idle or could be put onto an absent card, with all that lie on
        them; but not those of a stock that is turned by two or more cards, which offers others without them."""
        rules, reserve = self.rules, position.reserve
        leaving = self.idle
        if absent := position.absent:
            below = rules.cards_below(position.base)
            leaving = leaving.union([card for card in self.live if not below[card].isdisjoint(absent)])
        loose = {card for column in position.columns for card in self._loose_cards(column, leaving, position.base)}
        single = [*position.cells, *(reserve[-1:] if rules.stacked else reserve)]
        single += [card for (card,), _ in self._from_foundations(position)]
        single += [card for (card,), _ in self.offered(position) if rules.draw == 1]
        return leaving.intersection(single).union(loose)

    def _loose_cards(self, column: tuple[str, ...], leaving: frozenset[str], base: int) -> tuple[str, ...]:
        """Return the cards of a column that become absent: those of `leaving` that can be moved, one after another, and
        those that they take along."""
        first = len(column)
        for number in reversed(range(first)):
            card = column[number]
            if card in leaving:
                first = number
            elif not (number and card.isupper() and self.move_together(card, column[number - 1], base)):
                break
        return column[first:]

    def _fits_absent(self, card: str, position: Position) -> bool:
        absent = position.absent
        return bool(absent) and not self.rules.cards_below(position.base)[card].isdisjoint(absent)

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield all moves. A card that could still lie on an absent one is offered by a stock that is turned by two or
        more cards: to become absent is a move of it. Absent cards may be played into a hole, and more than once."""
        for cards, rest in self._sources(position):
            yield from self.targets(cards, rest, position)
            if self._fits_absent(cards[0], position):
                yield self._play(cards[0], cards, self.without(rest, frozenset(cards)))
        yield from self.several(position)
        for card in sorted(position.absent) if position.hole else ():
            if self.next_to(card, position.hole):
                yield self._play(card + HOLE, (card,), position._replace(hole=card))

    def move_together(self, card: str, below: str, base: int) -> bool:
        """Return whether a card of a column takes the one on it along when it moves to another column."""
        if self.rules.move == "any":
            return below[1].isupper()
        return self.rules.runs_move and self.is_run(card, below, base)

    def is_run(self, card: str, below: str, base: int) -> bool:
        """Return whether a card moves along with the one that it lies on, if runs move."""
        return below in self.rules.run_cards_below(base)[card]

    def fits(self, card: str, below: str, base: int) -> bool:
        """Return whether a card may lie on another one in a column, if both lie face up."""
        return below in self.rules.cards_below(base)[card]

    def fills(self, card: str, base: int) -> bool:
        """Return whether a card may go to an empty column."""
        return bool(self.rules.cards_for_spaces >> self.rules.card_number(card, base) & 1)

    def next_to(self, card: str, top: str) -> bool:
        """Return whether a card may go into the hole onto its top card; their ranks suffice."""
        apart = abs(RANKS.index(card[0]) - RANKS.index(top[0]))
        return apart == 1 or (self.rules.wrap and apart == self.rules.ranks - 1)

    def play(self, position: Position, word: str) -> Play | None:
        """Return the move for which a word stands, or None if it is not legal."""
        for cards, rest in self._sources(position, word[:2]):
            if cards[0] == word[:2]:
                for play in self.targets(cards, rest, position):
                    if play.word == word:
                        return play
        return next((play for play in self.several(position) if play.word == word), None)

    def tops(self, position: Position) -> list[str]:
        """Return the highest live card on each foundation; an empty text if there is none."""
        piles = self.foundations(position)
        return [next((card for card in reversed(cards) if card not in position.absent), "") for cards in piles]

    def foundations(self, position: Position) -> list[list[str]]:
        """Return the cards on each foundation, the lowest first."""
        return [
            [self.rules.next_card(pile, number, position.base) for number in range(count)]
            for pile, count in enumerate(position.foundations)
        ]

    def key(self, position: Position) -> Position:
        """Return one position for all that differ in the order of columns, unless cards will be dealt to them, of cells
        and of an open reserve, in the suit of the card in the hole, or in where the two piles of a whole suit meet."""
        foundations = position.foundations
        if self.rules.has_downward_piles:
            foundations = self._with_whole_suits(foundations)
        return position._replace(
            foundations=foundations,
            columns=position.columns if self._has_order(position) else tuple(sorted(position.columns)),
            cells=tuple(sorted(position.cells)),
            reserve=position.reserve if self.rules.stacked else tuple(sorted(position.reserve)),
            hole=position.hole and position.hole[0] + SUITS[0],
        )

    def _with_whole_suits(self, foundations: tuple[int, ...]) -> tuple[int, ...]:
        """Return the cards on each foundation, all of a whole suit on the one that is built up."""
        up, down, ranks = foundations[: len(SUITS)], foundations[len(SUITS) :], self.rules.ranks
        pairs_of_piles = [(ranks, 0) if sum(pair) == ranks else pair for pair in zip(up, down, strict=True)]
        return tuple(pair[pile] for pile in range(2) for pair in pairs_of_piles)
