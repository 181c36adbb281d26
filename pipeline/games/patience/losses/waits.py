"""Losses of games of whole suits by cards that wait for one another.

If each card has one place to go, as in Scorpion, the evidence is ``waits 4C>5C``: the four lies on the five, its only
place, which lies face down; or ``waits 4C9D``: none of these cards can be the first to move. There, and if cards have
several places, as in Simple Simon, it is ``waits * 1357``: so many positions can be reached without a move in those in
which there are such cards, and none of them is won. See docs/proofs/waiting.md.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from dealmill.pipeline.games.patience.losses.counted import NUMBER_WORDS, CountedLoss, in_order, read_counted
from dealmill.pipeline.games.patience.losses.visits import Visit
from dealmill.pipeline.games.patience.moves import Moves, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules, pairs
from dealmill.verdicts import InvalidEvidence

WAITING_PAIR = re.compile(rf"([{RANKS}][{SUITS}])>([{RANKS}][{SUITS}])", re.ASCII)
WAITING_SET = re.compile(rf"(?:[{RANKS}][{SUITS}])+", re.ASCII)


class WaitingLoss(CountedLoss):
    """The evidence ``waits * 1357``, and the others, too: one position is reached then."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        return (
            f"{super().reason} No move is made where cards wait for one another: none of them can be the first to move."
        )

    def easier(self, game: Moves, position: Position) -> tuple[Moves, Position]:
        """Return the moves that are counted, and the first position."""
        return FreeMoves(game.rules), position

    def visits(self, game: Moves, position: Position) -> Iterator[Visit]:
        """Yield the positions of a loss that was checked, the first one first, those after its moves next."""
        for visit in super().visits(game, position):
            waiting = waiting_in(game.rules, visit.position)
            yield visit._replace(end=waiting.told(self.live or waiting.few())) if waiting.is_lost() else visit


class WaitingSet(WaitingLoss):
    """The evidence ``waits 4C9D``."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        count = len(self.cards)
        if count == 1:
            return f"{self.cards[0]} can never move."
        number = NUMBER_WORDS[count] if count < len(NUMBER_WORDS) else str(count)
        return f"These {number} cards wait for one another: none of them can be the first to move."

    def check(self, game: Moves, position: Position) -> None:
        """Check that the cards wait for one another.

        Raises
        ------
        InvalidEvidence
            If one of them does not wait, or all are kings.
        """
        waiting, cards = Waiting(game.rules, position), frozenset(self.cards)
        for card in self.cards:
            if not waiting.why(card, cards):
                raise InvalidEvidence(1, f"{card} does not wait for another of these cards")
        if cards.isdisjoint(waiting.next):
            raise InvalidEvidence(1, "only kings wait, which need not move")


class WaitingPair(WaitingLoss):
    """The evidence ``waits 4C>5C``; the first card is enough, since it has one place."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""
        return f"{self.cards[0]} never leaves its only place, on which it lies, so that is never turned up."

    def check(self, game: Moves, position: Position) -> None:
        """Check that the card lies on its only place, which lies face down.

        Raises
        ------
        InvalidEvidence
            If it does not.
        """
        if self.cards[0] not in Waiting(game.rules, position).pairs():
            raise InvalidEvidence(1, f"{self.cards[0]} does not lie on its only place, face down")


@dataclass(frozen=True)
class FreeMoves(Moves):
    """The moves of a game, but none of positions with a pair or a set of waiting cards."""

    def plays(self, position: Position) -> Iterator[Play]:
        """Yield the moves."""
        if not waiting_in(self.rules, position).is_lost():
            yield from super().plays(position)


@dataclass(frozen=True)
class Waiting:
    """What the cards of a position wait for. A card is *joined* if it lies on its only place, and *stays* if it is
    joined or in the set of waiting cards that is asked about."""

    rules: Rules
    position: Position

    @cached_property
    def columns(self) -> list[list[str]]:
        """The names of the cards in each column."""
        return [[card.upper() for card in column] for column in self.position.columns]

    @cached_property
    def face_down(self) -> Set[str]:
        """The cards that lie face down."""
        return {card.upper() for column in self.position.columns for card in column if card[1].islower()}

    @cached_property
    def under(self) -> dict[str, str]:
        """The card under each."""
        return {card: below for column in self.columns for below, card in pairwise(column)}

    @cached_property
    def on(self) -> dict[str, str]:
        """The card on each."""
        return {below: card for card, below in self.under.items()}

    @cached_property
    def next(self) -> dict[str, str]:
        """The only place of each card but the kings."""
        below = self.rules.cards_below(self.position.base)
        return {card: parent for card, parents in below.items() for parent in parents}

    @cached_property
    def joined(self) -> Set[str]:
        """The cards that lie on their only places."""
        return {card for card, below in self.under.items() if self.next.get(card) == below}

    @cached_property
    def heights(self) -> dict[str, tuple[list[str], int]]:
        """The column of each card, and how many cards lie below it."""
        return {card: (column, height) for column in self.columns for height, card in enumerate(column)}

    def pairs(self) -> Set[str]:
        """Return the joined cards that lie on cards that lie face down."""
        return {card for card in self.joined if self.next[card] in self.face_down}

    def why(self, card: str, cards: Set[str]) -> str:
        """Return why a card of a set cannot be the first of it to move, in words; an empty text if it can."""
        if card not in self.heights or card in self.joined:
            return ""
        column, height = self.heights[card]
        stay, parent, above = cards | self.joined, self.next.get(card), column[height + 1 :]
        if card in self.face_down and above[0] in stay:
            return f"{card} lies face down under {above[0]}"
        if parent is None:
            return f"{card} waits for an empty column" if height and self.kings_stay(cards) else ""
        if self.on.get(parent) in cards:
            return f"{card} waits for {parent}, which lies under {self.on[parent]}"
        if parent in above and all(each in stay for each in above[: above.index(parent) + 1]):
            return f"{card} waits for {parent}, which lies above it"
        return ""

    def kings_stay(self, cards: Set[str]) -> bool:
        """Return whether no king can go to an empty column before a card of a set moves: no column is empty, the lowest
        card of each is a king or in the set, and so is a card of each suit that is no king."""
        lowest = [column[0] for column in self.columns if column]
        suits = {card[1] for column in (*self.columns, self.position.stock) for card in column}
        held = all(card in cards or card not in self.next for card in lowest)
        return len(lowest) == len(self.columns) and held and suits <= {card[1] for card in cards if card in self.next}

    def largest(self, cards: Set[str]) -> Set[str]:
        """Return the largest set within some cards of which none can be the first to move; an empty one if it would
        only have kings."""
        before = None
        while cards != before:
            before, cards = cards, {card for card in cards if self.why(card, cards)}
        return set() if cards.isdisjoint(self.next) else cards

    def is_lost(self) -> bool:
        """Return whether there is a pair, or a set of waiting cards."""
        return bool(self.pairs() or self.largest({card for column in self.columns for card in column}))

    def few(self) -> Set[str]:
        """Return a set of waiting cards from which none can be left out, or a pair."""
        if self.pairs():
            return {min(self.pairs())}
        cards = self.largest({card for column in self.columns for card in column})
        for card in sorted(cards):
            cards = self.largest(cards - {card}) or cards
        return cards

    def told(self, cards: Set[str]) -> str:
        """Return what each card of a pair or a set waits for, in a sentence: after a card the one that lies in its way,
        so that a circle is told as one."""
        reasons, left, card = list[str](), in_order(cards), ""
        while left:
            card = self.on.get(card if card in self.face_down else self.next.get(card, ""), "")
            card = card if card in left else left[0]
            left.remove(card)
            reasons.append(self.why(card, cards))
        reasons += [
            f"{card} lies on {self.next[card]}, which lies face down" for card in in_order(cards & self.pairs())
        ]
        return f"{'; '.join(filter(None, reasons))}."


class WaitingForPlaces(Waiting):
    """The same if cards have several places: none of a set can be the first of it to move *by itself*, that is, as the
    lowest one of those that move."""

    @cached_property
    def next(self) -> dict[str, str]:
        """The next higher card of its suit for each card but the kings, on which it has to lie in the end."""
        below = replace(self.rules, build="same-suit").cards_below(self.position.base)
        return {card: parent for card, parents in below.items() for parent in parents}

    @cached_property
    def places(self) -> dict[str, frozenset[str]]:
        """The cards on which each may be put."""
        return self.rules.cards_below(self.position.base)

    @cached_property
    def places_in_runs(self) -> dict[str, frozenset[str]]:
        """The cards with which each moves if it lies on them, and they lie face up."""
        below = self.rules.run_cards_below(self.position.base)
        return below if self.rules.move == "run" else {}

    @cached_property
    def unjoined(self) -> Set[str]:
        """The cards in columns that have to move by themselves: all but kings and those on the next higher card of
        their suit, face up."""
        joined = self.joined - self.pairs()
        return {card for card in self.heights if card in self.next and card not in joined}

    def why(self, card: str, cards: Set[str]) -> str:
        """Return why a card of a set cannot be the first of it to move by itself, in words; an empty text if it can."""
        return self._why(card, cards, self.columns_stay(cards)) if card[1] in self.suits_that_stay(cards) else ""

    def suits_that_stay(self, cards: Set[str]) -> Set[str]:
        """Return the suits that cannot leave before a card of a set moves by itself: the set has one that has to."""
        return {card[1] for card in cards & self.unjoined}

    def columns_stay(self, cards: Set[str]) -> bool:
        """Return whether no column is empty, nor becomes empty before a card of a set moves by itself: the lowest card
        of each is in the set."""
        return all(column and column[0] in cards for column in self.columns)

    def largest(self, cards: Set[str]) -> Set[str]:
        """Return the largest set within some cards of which none can be the first to move by itself."""
        before = None
        while cards != before:
            suits, stay, before = self.suits_that_stay(cards), self.columns_stay(cards), cards
            cards = {card for card in cards if card[1] in suits and self._why(card, cards, stay)}
        return cards

    def is_lost(self) -> bool:
        """Return whether there is a set of waiting cards."""
        return bool(self.largest(self.heights.keys()))

    def few(self) -> Set[str]:
        """Return a set of waiting cards from which none can be left out."""
        cards = self.largest(self.heights.keys())
        for card in sorted(cards):
            cards = self.largest(cards - {card}) or cards
        return cards

    def told(self, cards: Set[str]) -> str:
        """Return what each card of a set waits for, in a sentence."""
        return f"{'; '.join(self.why(card, cards) for card in in_order(cards))}."

    def _why(self, card: str, cards: Set[str], columns_stay: bool) -> str:
        """Do the same as `why` for a card whose suit stays."""
        column, height = self.heights[card]
        above, lower = column[height + 1 :], card
        for each in above:
            if each not in cards:
                break
            if lower in self.face_down or lower not in self.places_in_runs.get(each, ()):
                return f"{card} lies under {each}"
            lower = each
        fills = self.rules.spaces == "any" or (self.rules.spaces == "kings" and card not in self.next)
        places = {parent for parent in self.places[card] if parent in self.heights or parent in self.position.stock}
        if (fills and not columns_stay) or not all(self.on.get(parent) in cards for parent in places):
            return ""
        covers = [f"{parent} lies under {self.on[parent]}" for parent in in_order(places)]
        return ": ".join([f"{card} has no place", *filter(None, [", ".join(covers)])])


def waiting_in(rules: Rules, position: Position) -> Waiting:
    """Return what the cards of a position wait for, by the rules."""
    return Waiting(rules, position) if cards_wait(rules) else WaitingForPlaces(rules, position)


def cards_wait(rules: Rules) -> bool:
    """Return whether each card has one place to go: the next higher card of its suit, on which it stays until its whole
    suit leaves; for a card of the last rank, an empty column at most. How many move together does not matter. A stock
    goes to the columns, if there is any."""
    places = rules.build == "same-suit" and rules.spaces in ("kings", "none") and rules.complete
    others = rules.cells == 0 and rules.reserve == 0 and rules.hole == "none" and rules.foundations != "dealt"
    moves = not rules.whole_columns_move and rules.is_built_in_order
    return rules.copies == 1 and places and moves and others and (rules.stock == 0 or rules.to == "tableau")


def cards_wait_for_places(rules: Rules) -> bool:
    """Return whether cards have several places to go, on which they need not stay, and otherwise the same holds: single
    cards move, or runs, and only whole suits leave the columns, each card of which exists once."""
    cards = rules.copies == 1 and rules.move in ("card", "run") and rules.is_built_in_order
    others = rules.cells == 0 and rules.reserve == 0 and rules.hole == "none" and rules.foundations != "dealt"
    dealt = rules.stock == 0 or rules.to == "tableau"
    return rules.complete and cards and others and dealt and not cards_wait(rules)


def read_waits(rules: Rules, evidence: str) -> WaitingLoss:
    """Return what evidence claims, without its first word and without visiting the positions.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    if not cards_wait(rules) and not cards_wait_for_places(rules):
        raise InvalidEvidence(1, f"waiting cards prove nothing in {rules.name}")
    if evidence.startswith("* ") or not cards_wait(rules):
        return WaitingLoss(*read_counted(rules, evidence, "waits "))
    pair = WAITING_PAIR.fullmatch(evidence)
    if not pair and not WAITING_SET.fullmatch(evidence):
        raise InvalidEvidence(
            1, f"{evidence[:40]!r} are not cards that wait, such as 4C>5C or 4C9D, nor a count: * 1357"
        )
    cards = pairs(evidence.replace(">", ""))
    for card in cards:
        if card not in rules.deck():
            raise InvalidEvidence(1, f"{card} is not in the deck")
    if pair:
        if pair[2] not in rules.cards_below(RANKS.index(rules.foundations))[pair[1]]:
            raise InvalidEvidence(1, f"{pair[2]} is not the only place of {pair[1]}")
        return WaitingPair(frozenset({pair[1]}), 1)
    if list(cards) != in_order(cards):
        raise InvalidEvidence(1, "the cards are not in order: each once, by suits and then by ranks")
    return WaitingSet(frozenset(cards), 1)
