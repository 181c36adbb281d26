"""Losses of games such as Yukon that are proved by a number of positions without the arrangement of pieces.

The evidence is ``quotient * 71353``: the positions of the quotient that can be reached if *safe* cards go to their
foundations at once, and no move is made in a position that is *refuted*; none of them is won. Any card that lies face
up moves with all cards on it, and it does not matter in the quotient where such a *piece* lies. See
docs/proofs/yukon.md for the definitions, and for the reason why a game that can be won can be won there, too.

A position of the quotient is a `Position`: the roots, as the columns of which they are left, and after them, in order,
the loose pieces.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from dealmill.pipeline.games.patience.losses.counted import CountedLoss, read_whole_count
from dealmill.pipeline.games.patience.losses.quotient import REFUTED_IN_QUOTIENT, Kind, kinds_of_cards
from dealmill.pipeline.games.patience.losses.visits import Visit
from dealmill.pipeline.games.patience.moves import EMPTY, FOUNDATION, Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RED, SUITS, Rules


def pieces_prove_losses(rules: Rules) -> bool:
    """Return whether such evidence proves losses by some rules: any card moves with those on it, columns are built in
    alternating colours, and only kings may begin them; all other cards are on foundations, from which none comes
    back."""
    moves = rules.build == "red-black" and rules.move == "any" and rules.spaces in ("kings", "none")
    elsewhere = rules.cells or rules.stock or rules.reserve or rules.hole != "none" or rules.removable
    return moves and not elsewhere and not rules.complete and rules.is_built_in_order and rules.copies == 1


class PiecesLoss(CountedLoss):
    """The evidence of such a loss."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        return (
            f"{super().reason} Positions are counted once that differ only in where cards lie that were moved, with "
            "those on them; a card may go onto any place that is left, but not onto a card that was dealt above it. No "
            "move is made where not all cards could go up even if whatever was possible once stayed possible, and "
            "cards that nobody needs go up at once."
        )

    def easier(self, game: Moves, position: Position) -> tuple[Moves, Position]:
        """Return the moves that are counted, and the first position."""
        moves = PieceMoves(game.rules)
        return moves, moves.settled(moves.divided(position))

    def visits(self, game: Moves, position: Position) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, with pieces where they may lie, the first one first, those
        after its moves next."""
        moves, arranged = PieceMoves(game.rules), [position]
        for visit in super().visits(game, position):
            arranged.append(moves.arranged(visit.position))
            play = visit.play and visit.play._replace(word=moves.word(visit.play, arranged[visit.origin]))
            end = REFUTED_IN_QUOTIENT if RelaxedPieces(moves, visit.position).refutes() else visit.end
            yield visit._replace(position=arranged[-1], play=play, end=end)


class Piece(NamedTuple):
    """Cards of a piece, and whether it is loose."""

    cards: tuple[str, ...]
    is_loose: bool

    @property
    def top(self) -> str:
        """Its top card."""
        return self.cards[-1]


@dataclass(frozen=True)
class PieceMoves(Moves):
    """The moves of the quotient, in which safe cards go up at once and refuted positions have no move."""

    @property
    def is_easier(self) -> bool:
        return True

    def kind(self, card: str, base: int) -> Kind:
        """Return the rank and the colour of a card."""
        return kinds_of_cards(self.rules.ranks, base)[card.upper()]

    def is_king(self, card: str, base: int) -> bool:
        """Return whether a card has the highest rank."""
        return self.kind(card, base)[0] == self.rules.ranks - 1

    def divided(self, position: Position) -> Position:
        """Return the position of the quotient for one of the game."""
        roots, loose = [], []
        for column in position.columns:
            pieces = list(self._pieces(column, position.base))
            is_root = bool(pieces) and not self.is_king(column[0], position.base)
            roots.append(pieces[0] if is_root else ())
            loose += pieces[is_root:]
        return _in_order(position, roots, loose)

    def _pieces(self, column: tuple[str, ...], base: int) -> Iterator[tuple[str, ...]]:
        """Yield the pieces of a column, from the bottom."""
        first = 0
        for number in range(1, len(column) + 1):
            cards = column[number - 1 : number + 1]
            if len(cards) < 2 or (cards[0][1].isupper() and self.fits(cards[1], cards[0], base)):
                yield column[first:number]
                first = number

    def pieces(self, position: Position) -> list[Piece]:
        """Return the pieces of a position."""
        roots = len(self.rules.sizes)
        return [Piece(cards, number >= roots) for number, cards in enumerate(position.columns) if cards]

    def settled(self, position: Position) -> Position:
        """Return a position after all that happens without a move: top cards are turned up; the first safe card goes
        up, in the order of suits; and so on."""
        while True:
            position = _in_order(position, *self._divided_columns(super().settled(position)))
            safe = {
                SUITS.index(card[1]): after for card, after in self._rising(position) if self._is_safe(card, position)
            }
            if not safe:
                return position
            position = safe[min(safe)]

    def _is_safe(self, card: str, position: Position) -> bool:
        """Return whether all cards of the other colour with lower ranks are up."""
        rank, is_red = self.kind(card, position.base)
        heights = zip(SUITS, position.foundations, strict=True)
        return all(height >= rank for suit, height in heights if (suit in RED) != is_red)

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield all moves, unless the position is refuted."""
        if RelaxedPieces(self, position).refutes():
            return
        for card, after in self._rising(position):
            yield self._play(card + FOUNDATION, (card,), after)
        places = Places(self, position)
        for piece in places.pieces:
            for number, card in enumerate(piece.cards):
                begins_loose = piece.is_loose and number == 0
                if card[1].isupper() and not begins_loose and places.has_room(card, piece):
                    after = _without(position, piece, piece.cards[number:])
                    roots, loose = self._divided_columns(after)
                    yield self._play(
                        card, piece.cards[number:], _in_order(after, roots, [*loose, piece.cards[number:]])
                    )

    def _divided_columns(self, position: Position) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
        """Return the roots and the loose pieces."""
        count = len(self.rules.sizes)
        return list(position.columns[:count]), list(position.columns[count:])

    def _rising(self, position: Position) -> Iterator[tuple[str, Position]]:
        """Yield the cards that can go up, and the positions after that."""
        places, heights = Places(self, position), position.foundations
        for piece in places.pieces:
            card, suit = piece.top, SUITS.index(piece.top[1])
            if self.kind(card, position.base)[0] == heights[suit] and places.can_be_bared(piece):
                roots, loose = self._divided_columns(_without(position, piece, (card,)))
                raised = position._replace(foundations=(*heights[:suit], heights[suit] + 1, *heights[suit + 1 :]))
                yield card, _in_order(raised, roots, loose)

    def key(self, position: Position) -> Position:
        """Return the position, whose loose pieces are in order."""
        return position

    def word(self, play: Play, before: Position) -> str:
        """Return the word for a play in an arrangement of the position before it."""
        if play.word != play.cards[0]:
            return play.word
        tops = (column[-1] for column in before.columns if column and column[-1] not in play.cards)
        return play.word + next((top for top in tops if self.fits(play.word, top, before.base)), EMPTY)

    def arranged(self, position: Position) -> Position:
        """Return a position like one of the game: loose pieces are laid where there is a place. Those that could only
        lie on one another, in a circle, are further columns."""
        roots, loose = self._divided_columns(position)
        columns = [list(root) for root in roots]
        while loose:
            onto = ((piece, column) for piece in loose for column in columns if self._may_lie(piece, column, position))
            piece, column = next(onto, (loose[0], None))
            loose.remove(piece)
            if column is None:
                columns.append(list(piece))
            else:
                column += piece
        return position._replace(columns=tuple(map(tuple, columns)))

    def _may_lie(self, piece: tuple[str, ...], column: list[str], position: Position) -> bool:
        """Return whether a loose piece may lie on the cards of a column, or begin one that is empty."""
        card = piece[0].upper()
        return self.fits(card, column[-1], position.base) if column else self.is_king(card, position.base)


def _in_order(position: Position, roots: list[tuple[str, ...]], loose: list[tuple[str, ...]]) -> Position:
    """Return a position with these pieces."""
    return position._replace(columns=(*roots, *sorted(piece for piece in loose if piece)))


def _without(position: Position, piece: Piece, cards: tuple[str, ...]) -> Position:
    """Return a position without the upper cards of a piece."""
    left = piece.cards[: -len(cards)]
    return position._replace(columns=tuple(left if column == piece.cards else column for column in position.columns))


class Places:
    """Where the pieces of a position can lie: its `pieces`, and by kinds those that end with a card, and those of the
    loose ones that begin with one."""

    def __init__(self, moves: PieceMoves, position: Position) -> None:
        """Look at the pieces."""
        self.moves, self.base, self.pieces = moves, position.base, moves.pieces(position)
        self.ending, self.beginning = defaultdict[Kind, list[Piece]](list), defaultdict[Kind, list[Piece]](list)
        spaces, kings = len(moves.rules.sizes), 0
        for piece in self.pieces:
            self.ending[moves.kind(piece.top, self.base)].append(piece)
            if piece.is_loose:
                self.beginning[moves.kind(piece.cards[0], self.base)].append(piece)
                kings += moves.is_king(piece.cards[0], self.base)
            else:
                spaces -= 1
        self.has_space = moves.rules.spaces == "kings" and spaces > kings

    def has_room(self, card: str, piece: Piece) -> bool:
        """Return whether there is room for a card of a piece."""
        rank, is_red = kind = self.moves.kind(card, self.base)
        if rank == self.moves.rules.ranks - 1:
            return self.has_space
        return _can_be_put([piece, *self.beginning[kind]], self.ending[rank + 1, not is_red])

    def can_be_bared(self, piece: Piece) -> bool:
        """Return whether the top card of a piece can be bared."""
        rank, is_red = kind = self.moves.kind(piece.top, self.base)
        tops = [top for top in self.ending[kind] if top != piece]
        return _can_be_put(self.beginning[rank - 1, not is_red], tops)


def _can_be_put(pieces: list[Piece], tops: list[Piece]) -> bool:
    """Return whether pieces can be put on the top cards of others, each on another one, and none on its own."""
    choices = permutations(tops, len(pieces))
    return any(all(piece != top for piece, top in zip(pieces, choice, strict=True)) for choice in choices)


class RelaxedPieces:
    """The relaxed game from a position: whatever could be done once can always be done.

    `heights` are the cards on each foundation, and `waiting` those that still lie where they lay, each with the one
    below it, if there is one.
    """

    def __init__(self, moves: PieceMoves, position: Position) -> None:
        """Play it to its end."""
        self.moves, self.base, self.places = moves, position.base, Places(moves, position)
        self.last, self.heights = moves.rules.ranks - 1, list(position.foundations)
        self.kinds = kinds_of_cards(moves.rules.ranks, position.base)
        pieces, ending, beginning = self.places.pieces, self.places.ending, self.places.beginning
        self.on_top = {piece.top for piece in pieces}
        self.loose = [piece.cards[0] for piece in pieces if piece.is_loose]
        roots = [(piece.cards[0], "") for piece in pieces if not piece.is_loose]
        self.waiting = roots + [pair for piece in pieces for pair in zip(piece.cards[1:], piece.cards, strict=False)]
        kinds = set(self.kinds.values())
        self.bare = {(rank, red) for rank, red in kinds if len(ending[rank, red]) > len(beginning[rank - 1, not red])}
        self.free = {(rank, red) for rank, red in kinds if len(ending[rank + 1, not red]) > len(beginning[rank, red])}
        self.has_space = self.places.has_space
        before = None
        while before != (reached := (tuple(self.heights), len(self.waiting))):
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
                self.heights[suit] += card in self.on_top and self.kinds[card] in self.bare
        for card in self.loose:
            self._leave_place(card.upper())
        self.waiting = [(card, below) for card, below in self.waiting if not self._leaves(card, below.upper())]

    def _leave_place(self, card: str) -> None:
        """Let the first card of a loose piece leave its place to others, if it is up."""
        rank, is_red = kind = self.kinds[card]
        if self._is_up(card, rank):
            self.free.add(kind)
            self.bare.add((rank + 1, not is_red))
            self.has_space |= rank == self.last and self.moves.rules.spaces == "kings"

    def _leaves(self, card: str, below: str) -> bool:
        """Let a card leave the one below it, or its column, if it can, and return whether it does."""
        if card[1].islower() and card.upper() not in self.on_top:
            return False
        rank, _ = kind = self.kinds[card.upper()]
        if not (self._is_up(card.upper(), rank) or (self.has_space if rank == self.last else kind in self.free)):
            return False
        if below:
            rank, is_red = kind = self.kinds[below]
            self.on_top.add(below)
            self.bare.add(kind)
            self.free.add((rank - 1, not is_red))
        else:
            self.has_space |= self.moves.rules.spaces == "kings"
        return True

    def _is_up(self, card: str, rank: int) -> bool:
        return rank < self.heights[SUITS.index(card[1])]


def read_pieces(rules: Rules, evidence: str) -> PiecesLoss:
    """Return what evidence claims, without its first word and without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, or claims more positions than any referee visits.
    """
    return PiecesLoss(*read_whole_count(rules, evidence, "quotient * 71353"))
