"""Losses that are proved by a number of positions without the arrangement of cards.

The evidence is ``quotient * 13289``: the positions of the quotient that can be reached if *safe* cards go to their
foundations at once, and no move is made in a position that is *refuted*; none of them is won. It does not matter in the
quotient where the cards lie that were moved onto others. See docs/proofs/klondike.md for the definitions, and for the
reason why a game that can be won can be won there, too.

A position of the quotient is a `Position` in whose columns only *dealt* cards lie, those that have never moved since
they could be. All cards that are nowhere in it are *moved*: they lie somewhere on dealt or on moved ones.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from dealmill.pipeline.games.patience.losses.counted import CountedLoss, read_whole_count
from dealmill.pipeline.games.patience.losses.visits import Visit
from dealmill.pipeline.games.patience.moves import EMPTY, FOUNDATION, Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, RED, SUITS, UNLIMITED, Rules
from dealmill.verdicts import InvalidEvidence

REFUTED_IN_QUOTIENT = "Even if whatever was possible once stayed possible, not all cards could go up."
Kind = tuple[int, bool]
"""The rank of a card, counted from the base, and whether it is red."""


def quotient_proves_losses(rules: Rules) -> bool:
    """Return whether such evidence proves losses by some rules: any part of a run moves, built in alternating colours,
    or single cards do, since a game in which runs move, too, is easier; and all other cards are in the columns, in a
    reserve that is open or fills them, in a stock that goes to the waste, or on foundations, to which they go one by
    one."""
    runs = rules.move == "card" or (rules.move == "run" and rules.run in ("build", "red-black"))
    reserve = rules.reserve == 0 or not rules.stacked or rules.spaces == "reserve"
    filled = rules.waste_fills or rules.only_waste_fills
    return (
        rules.build == "red-black"
        and runs
        and reserve
        and not filled
        and rules.cells == 0
        and rules.hole == "none"
        and rules.to == "waste"
        and not rules.complete
        and rules.is_built_in_order
        and rules.copies == 1
    )


class QuotientLoss(CountedLoss):
    """The evidence of such a loss."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        return (
            f"{super().reason} Positions are counted once that differ only in where cards lie that were moved onto "
            "others. No move is made where not all cards could go up even if whatever was possible once stayed "
            "possible, and cards that nobody needs go up at once."
        )

    def easier(self, game: Moves, position: Position) -> tuple[Moves, Position]:
        """Return the moves that are counted, and the first position."""
        moves = QuotientMoves(game.rules)
        return moves, moves.settled(position)

    def visits(self, game: Moves, position: Position) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, in one of their arrangements each, the first one first, those
        after its moves next."""
        moves, arranged = QuotientMoves(game.rules), [position]
        for visit in super().visits(game, position):
            arranged.append(moves.arranged(visit.position))
            play = visit.play and visit.play._replace(word=moves.word(visit.play, arranged[visit.origin]))
            end = REFUTED_IN_QUOTIENT if RelaxedQuotient(moves, visit.position).refutes() else visit.end
            yield visit._replace(position=arranged[-1], play=play, end=end)


class QuotientLossOfRuns(QuotientLoss):
    """The same by rules by which single cards move: it is a loss of the easier game in which runs move, too."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        return f"{super().reason} Runs move, too, which makes the game easier."


@dataclass(frozen=True)
class QuotientMoves(Moves):
    """The moves of the quotient, in which safe cards go up at once and refuted positions have no move."""

    @property
    def is_easier(self) -> bool:
        return self.rules.move == "card"

    def kind(self, card: str, base: int) -> Kind:
        """Return the rank and the colour of a card."""
        return kinds_of_cards(self.rules.ranks, base)[card.upper()]

    def settled(self, position: Position) -> Position:
        """Return a position after all that happens without a move: top cards are turned up; those of runs count as
        moved, and cards on nothing that may go to empty columns, or kings; columns are filled; then the first safe card
        goes up, in the order of suits; and so on."""
        while True:
            before = None
            while position != before:
                before = position
                columns = tuple(self._dealt(column, position) for column in position.columns)
                position = super().settled(position._replace(columns=columns))
            safe = {SUITS.index(card[1]): after for card, after in self._rising(position, safe=True)}
            if not safe:
                return position
            position = safe[min(safe)]

    @property
    def any_begins(self) -> bool:
        """Whether any card may begin a column, once there is no reserve that fills it."""
        return self.rules.spaces in ("any", "reserve")

    def _dealt(self, column: tuple[str, ...], position: Position) -> tuple[str, ...]:
        """Return a column without those of its upper cards that count as moved."""
        while column[1:] and column[-2][1].isupper() and self.fits(column[-1], column[-2], position.base):
            column = column[:-1]
        return () if len(column) == 1 and self.begins_as_moved(column[0], position) else column

    def begins_as_moved(self, card: str, position: Position) -> bool:
        """Return whether a card on nothing counts as moved."""
        if self.any_begins:
            return self.rules.spaces == "any" or not position.reserve
        return self.kind(card, position.base)[0] == self.rules.ranks - 1

    def moved(self, position: Position) -> list[str]:
        """Return the cards that are moved."""
        others = {card.upper() for column in position.columns for card in column}
        others.update(position.stock, position.reserve, *self.foundations(position))
        return [card for card in self.rules.deck() if card not in others]

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield all moves, unless the position is refuted."""
        if RelaxedQuotient(self, position).refutes():
            return
        for card, after in self._rising(position):
            yield self._play(card + FOUNDATION, (card,), after)
        free = KindCounts(self, position).free
        others = (*self._in_reserve(position), *self.offered(position), *self._returning(position))
        for (card,), rest in (*self._leaving(position), *others):
            if free(self.kind(card, position.base)):
                yield self._play(card, (card,), rest)

    def _leaving(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the top cards of the dealt ones, and the positions without them."""
        for number, column in enumerate(position.columns):
            if column:
                columns = (*position.columns[:number], column[:-1], *position.columns[number + 1 :])
                yield (column[-1],), position._replace(columns=columns)

    def _in_reserve(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards of the reserve that can be taken, and the positions without them."""
        for card in position.reserve[-1:] if self.rules.stacked else position.reserve:
            yield (card,), position._replace(reserve=tuple(left for left in position.reserve if left != card))

    def _returning(self, position: Position) -> Iterator[tuple[tuple[str, ...], Position]]:
        """Yield the cards that may come back from foundations, and the positions without them."""
        for suit, height in enumerate(position.foundations if self.rules.removable else ()):
            if height > (self.rules.initial == "all"):
                card = self.rules.of_foundation(height - 1, SUITS[suit], position.base)
                yield (card,), _with_height(position, suit, height - 1)

    def _rising(self, position: Position, *, safe: bool = False) -> Iterator[tuple[str, Position]]:
        """Yield the cards that can go up, and the positions after that; only those that are safe, of which a stock is
        to offer all it has, if that is asked for."""
        heights, suits = position.foundations, range(len(SUITS))
        nexts = {
            self.rules.of_foundation(heights[suit], SUITS[suit], position.base): suit
            for suit in suits
            if heights[suit] < self.rules.ranks and (not safe or _is_safe_in_quotient(suit, heights))
        }
        moved = self.moved(position)
        tops = (column[-1] for column in position.columns if column)
        if nexts.keys().isdisjoint((*moved, *tops, *position.reserve, *position.stock)):
            return
        counts = KindCounts(self, position)
        columns: list[tuple[tuple[str, ...], Position]] = [((card,), position) for card in moved if card in nexts]
        columns += self._leaving(position)
        sources = [(cards, rest) for cards, rest in columns if counts.bare(self.kind(cards[0], position.base))]
        sources += self._in_reserve(position)
        if not safe or (self.rules.draw == 1 and self.rules.passes == UNLIMITED):
            sources += self.offered(position)
        for (card, *_), rest in sources:
            if card in nexts:
                yield card, _with_height(rest, nexts[card], heights[nexts[card]] + 1)

    def word(self, play: Play, before: Position) -> str:
        """Return the word for a play in an arrangement of the position before it."""
        if play.word != play.cards[0]:
            return play.word
        tops = (column[-1] for column in before.columns if column)
        return play.word + next((top for top in tops if self.fits(play.word, top, before.base)), EMPTY)

    def arranged(self, position: Position) -> Position:
        """Return a position of the game that the quotient does not tell from others: moved cards are laid where there
        is a place, high ones first."""
        columns = [list(column) for column in position.columns]
        for card in sorted(self.moved(position), key=lambda card: -self.rules.number(card, position.base)):
            is_king = self.rules.number(card, position.base) == self.rules.ranks - 1
            places = [column for column in columns if column and self.fits(card, column[-1], position.base)]
            spaces = [column for column in columns if not column and (is_king or self.any_begins)]
            (places or spaces)[0].append(card)
        return position._replace(columns=tuple(map(tuple, columns)))


class KindCounts:
    """How many cards of each kind lie face up in columns, and how many of them are moved."""

    def __init__(self, moves: QuotientMoves, position: Position) -> None:
        """Count them."""
        self.last, base = moves.rules.ranks - 1, position.base
        dealt = [column[-1] for column in position.columns if column]
        self.moved = Counter(moves.kind(card, base) for card in moves.moved(position))
        self.shown = self.moved + Counter(moves.kind(card, base) for card in dealt)
        spaces = (len(position.columns) - len(dealt)) * (moves.rules.spaces != "none")
        begun = (max(0, count - self.shown[rank + 1, not is_red]) for (rank, is_red), count in self.moved.items())
        self.has_space = spaces > sum(begun)
        self.any_begins = moves.any_begins

    def free(self, kind: Kind) -> bool:
        """Return whether there is a free place for such a card."""
        rank, is_red = kind
        begins = self.has_space and (self.any_begins or rank == self.last)
        return begins or self.shown[rank + 1, not is_red] > self.moved[kind]

    def bare(self, kind: Kind) -> bool:
        """Return whether each such card that lies face up in a column can be bared."""
        rank, is_red = kind
        is_free = self.has_space and self.any_begins
        return is_free or self.shown[kind] > self.moved[rank - 1, not is_red]


class RelaxedQuotient:
    """The relaxed game from a position: whatever could be done once can always be done.

    `came` are the cards that came to the columns, or were turned up there, and `heights` those on each foundation. A
    card can be bared, or has a free place, as soon as something happens by which that can be so.
    """

    def __init__(self, moves: QuotientMoves, position: Position) -> None:
        """Play it to its end."""
        self.moves, self.position, self.base = moves, position, position.base
        self.last, self.counts = moves.rules.ranks - 1, KindCounts(moves, position)
        self.kinds = kinds_of_cards(moves.rules.ranks, position.base)
        self.columns = [list(column) for column in position.columns]
        self.moved = set(moves.moved(position))
        self.shown = self.moved | {column[-1] for column in position.columns if column}
        self.offered = {card for (card,), _ in moves.offered(position)}
        self.offered |= set(() if moves.rules.stacked else position.reserve)
        self.heights = list(position.foundations)
        self.came = set[str]()
        self.came_kinds, self.left_kinds = set[Kind](), set[Kind]()
        self.has_space, self.open_columns = False, 0
        before = None
        while before != (
            reached := (tuple(self.heights), len(self.came), len(self.offered), self.has_space, self.open_columns)
        ):
            before = reached
            self._play()

    def refutes(self) -> bool:
        """Return whether not all cards go up."""
        return sum(self.heights) < len(SUITS) * (self.last + 1)

    def _play(self) -> None:
        """Let everything happen that can, once."""
        for suit, height in enumerate(self.heights):
            if height <= self.last:
                card = self.moves.rules.of_foundation(height, SUITS[suit], self.base)
                in_columns = (card in self.shown or card in self.came) and self._can_be_bared(card)
                if in_columns or card in self.offered:
                    self.heights[suit] += 1
                    if card in self.moved:
                        self.left_kinds.add(self.kinds[card])
        if self.moves.any_begins:
            self._begin_columns()
        for card in {card for card in self.offered - self.came if self._has_place(card)}:
            self._come(card)
        if any(card in self.came or self._has_risen(card) for card in self.position.stock):
            self.offered |= set(self.position.stock)
        for column in self.columns:
            self._take_apart(column)
        for suit, height in enumerate(self.position.foundations if self.moves.rules.removable else ()):
            self._take_back(SUITS[suit], height)

    def _begin_columns(self) -> None:
        """Let the cards of a reserve begin columns that others have left. After the last one of them did, columns may
        be empty, as soon as anything has happened."""
        waiting = 0
        for card in reversed(self.position.reserve if self.moves.rules.stacked else ()):
            if waiting < self.open_columns:
                self._come(card)
            elif waiting == self.open_columns:
                self.offered.add(card)
            can_leave = self._has_risen(card) or self._has_place(card)
            waiting += not (waiting <= self.open_columns and can_leave)
        if waiting <= self.open_columns and (self.came or tuple(self.heights) != self.position.foundations):
            self.has_space = True

    def _take_apart(self, column: list[str]) -> None:
        """Let dealt cards leave a column."""
        while column and (self._has_risen(column[-1].upper()) or self._has_place(column[-1].upper())):
            column.pop()
            while column:
                card = column[-1].upper()
                self._come(card)
                in_run = column[1:] and column[-2][1].isupper() and self.moves.fits(card, column[-2], self.base)
                if len(column) == 1 and self.moves.begins_as_moved(card, self.position):
                    column.pop()
                    return
                if not in_run:
                    break
                column.pop()
            self.open_columns += not column
            self.has_space = self.has_space or (self.moves.rules.spaces == "kings" and not column)

    def _take_back(self, suit: str, height: int) -> None:
        """Let cards come back from a foundation, from the top."""
        for number in reversed(range(self.moves.rules.initial == "all", height)):
            card = self.moves.rules.of_foundation(number, suit, self.base)
            if not self._has_place(card):
                return
            self._come(card)

    def _has_risen(self, card: str) -> bool:
        """Return whether a card went up that was not there from the start."""
        number, suit = self.moves.rules.number(card, self.base), SUITS.index(card[1])
        return self.position.foundations[suit] <= number < self.heights[suit]

    def _come(self, card: str) -> None:
        """Let a card come to the columns."""
        self.came.add(card)
        self.came_kinds.add(self.kinds[card])

    def _can_be_bared(self, card: str) -> bool:
        rank, is_red = kind = self.kinds[card]
        if self.has_space and self.moves.any_begins:
            return True
        return self.counts.bare(kind) or kind in self.came_kinds or (rank - 1, not is_red) in self.left_kinds

    def _has_place(self, card: str) -> bool:
        """Return whether there was ever a free place for a card."""
        rank, is_red = kind = self.kinds[card]
        if self.counts.free(kind) or (self.has_space and self.moves.any_begins):
            return True
        if rank < self.last:
            return (rank + 1, not is_red) in self.came_kinds or kind in self.left_kinds
        kings = (self.moves.rules.of_foundation(rank, suit, self.base) for suit in SUITS)
        risen = any(self._has_risen(king) for king in kings)
        return self.moves.rules.spaces == "kings" and (self.has_space or risen)


@cache
def kinds_of_cards(ranks: int, base: int) -> dict[str, Kind]:
    """Return the rank and the colour of each card, by the number of ranks and the rank of the first cards of the
    foundations."""
    return {
        rank + suit: ((number - base) % ranks, suit in RED)
        for number, rank in enumerate(RANKS[:ranks])
        for suit in SUITS
    }


def _with_height(position: Position, suit: int, height: int) -> Position:
    """Return a position with another number of cards on a foundation."""
    return position._replace(foundations=(*position.foundations[:suit], height, *position.foundations[suit + 1 :]))


def _is_safe_in_quotient(suit: int, heights: tuple[int, ...]) -> bool:
    """Return whether no card needs the next one of a suit as a place: those of the other colour that fit it are up or
    could go up, and so could those that fit these."""
    height = heights[suit]
    others = [
        count - height + 1 + ((SUITS[second] in RED) == (SUITS[suit] in RED)) for second, count in enumerate(heights)
    ]
    return min(others) >= 0


def read_quotient(rules: Rules, evidence: str) -> QuotientLoss:
    """Return what evidence claims, without its first word and without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    if not quotient_proves_losses(rules):
        raise InvalidEvidence(1, f"positions of the quotient prove nothing in {rules.name}")
    loss = QuotientLossOfRuns if rules.move == "card" else QuotientLoss
    return loss(*read_whole_count(rules, evidence, "quotient * 13289"))
