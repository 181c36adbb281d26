"""The rules of Camelot and its referee: one card and one slot at a time, as the statement has it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.verdict import Verdict

SLOTS = "abcdefghijklmnop"
"""The slots, row by row of the grid of four by four."""
PLACES = {"J": "ehil", "Q": "bcno", "K": "admp"}
"""Jacks lie in the middle of the first and last column, Queens in the middle of the first and last row, Kings in the
corners; all other cards lie anywhere."""
WORTH = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "0": 10}
"""What can be removed, and what it counts towards ten."""
PARTNERS = {"A": "9", "2": "8", "3": "7", "4": "6", "5": "5", "6": "4", "7": "3", "8": "2", "9": "A"}
"""What each card is removed with; a ten is removed by itself."""
WORD = re.compile(r"-?[a-p]+", re.ASCII)


@dataclass
class Table:
    """A game under way: the cards still to be dealt, and the card in each slot."""

    deck: list[str]
    board: dict[str, str] = field(default_factory=dict)

    def deal(self, slots: str, step: int) -> list[str]:
        """Deal the next cards into these slots and return them.

        Raises
        ------
        IllegalMove
        """
        cards = self.deck[: len(slots)]
        for slot, card in zip(slots, cards, strict=False):
            if slot in self.board:
                raise IllegalMove(step, f"slot {slot} is occupied")
            if slot not in PLACES.get(card, SLOTS):
                raise IllegalMove(step, f"{card} cannot lie in slot {slot}")
            self.board[slot] = card
        if len(cards) < len(slots):
            raise IllegalMove(step, "the deck is empty")
        del self.deck[: len(slots)]
        return cards

    def remove(self, slots: str, step: int) -> list[str]:
        """Remove the cards in one or two slots, which must add up to ten, and return them.

        Raises
        ------
        IllegalMove
        """
        if len(slots) not in (1, 2) or slots == slots[0] * 2:
            raise IllegalMove(step, f"{slots!r} names neither one slot nor two")
        cards, total = [], 0
        for slot in slots:
            if slot not in self.board:
                raise IllegalMove(step, f"slot {slot} is empty")
            card = self.board[slot]
            if card not in WORTH:
                raise IllegalMove(step, f"{card} cannot be removed")
            cards.append(card)
            total += WORTH[card]
        if total != 10:
            raise IllegalMove(step, f"{' and '.join(cards)} do not add up to 10")
        for slot in slots:
            del self.board[slot]
        return cards

    @property
    def room(self) -> int:
        """How many cards a dealing phase deals: until the last slot is occupied, or the deck is empty."""
        return min(len(SLOTS) - len(self.board), len(self.deck))

    @property
    def won(self) -> bool:
        """Whether the deck is empty and only Jacks, Queens and Kings are left."""
        return not self.deck and all(card in PLACES for card in self.board.values())


def phases(trace: str) -> Iterator[tuple[int, str, list[str]]]:
    """Number of the first step, slots dealt to and removals of each pair of phases of a trace.

    A trace such as ``abcdefghijklmnop -fg -j bc`` has a word per dealing phase and per removal; words are steps,
    counted from 1.

    Raises
    ------
    InvalidEvidence
    """
    words = trace.split(" ")
    for step, word in enumerate(words, start=1):
        if not WORD.fullmatch(word):
            raise InvalidEvidence(step, f"{word!r} names no slots")
    if words[0].startswith("-"):
        raise IllegalMove(1, "a removal before anything is dealt")
    dealings = [place for place, word in enumerate(words) if word[0] != "-"]
    for first, stop in pairwise([*dealings, len(words)]):
        yield first + 1, words[first], [word[1:] for word in words[first + 1 : stop]]


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play a winning trace to its end, or see that the prefix named by a certificate fails and no shorter one does.

    Raises
    ------
    InvalidEvidence
    """
    if engine != "winnable" or value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    if verdict is Verdict.WINNABLE:
        _check_win(layout, evidence)
    elif verdict is Verdict.UNWINNABLE:
        prove_loss(layout, evidence)
    else:
        raise InvalidEvidence(0, f"{engine} cannot prove that a deck is {verdict.word}")


def _check_win(layout: str, trace: str) -> None:
    table = Table(list(layout))
    step = 0
    for first, dealt, removals in phases(trace):
        room = table.room
        table.deal(dealt[:room], first)
        if len(dealt) > room:
            raise IllegalMove(first, "a card is dealt though the removal phase has begun")
        if len(dealt) < room:
            raise IllegalMove(first + 1, "the dealing phase is not over: there is an empty slot and a card for it")
        if not removals:
            raise IllegalMove(first + 1, "a removal phase in which nothing is removed loses")
        for step, slots in enumerate(removals, start=first + 1):
            table.remove(slots, step)
    if not table.won:
        raise InvalidEvidence(
            step, f"{len(table.deck)} cards are in the deck and {len(table.board)} on the board: not won"
        )


def prove_loss(layout: str, certificate: str) -> int:
    """A certificate as a number: the least P ≥ 16 such that the first P cards leave no empty slot.

    Why no play gets beyond them: the next card needs an empty slot, so at most fifteen of the first P cards may lie on
    the board. But of these, court cards never leave, each number card leaves only with one of its partner value, and
    fives only in pairs; what must stay is at least `must_stay`, and that is sixteen or more. And since P < 52, there is
    a next card, without which the game is not won. (docs/proofs/camelot.md says it at length.)

    Raises
    ------
    InvalidEvidence
    """
    if not re.fullmatch(r"[1-9]\d", certificate, re.ASCII):
        raise InvalidEvidence(1, f"{certificate!r} is no number of cards")
    named = int(certificate)
    if not len(SLOTS) <= named < len(layout):
        raise InvalidEvidence(1, f"{named} cards are not between {len(SLOTS)} and {len(layout) - 1}")
    on_board = must_stay(layout[:named])
    for cards, least in enumerate(on_board[:named]):
        if least >= len(SLOTS):
            raise InvalidEvidence(1, f"not {named} but {cards} cards are the first that leave no empty slot")
    if on_board[named] < len(SLOTS):
        raise InvalidEvidence(1, f"of the first {named} cards only {on_board[named]} must stay")
    return named


def must_stay(cards: str) -> list[int]:
    """How many of the first 0, 1, 2, … of these cards are on the board at least, whatever has been removed."""
    stay = 0
    after_each = [stay]
    single = dict.fromkeys(PARTNERS, 0)
    for card in cards:
        if card in PLACES:
            stay += 1
        elif card in PARTNERS:
            partner = PARTNERS[card]
            if single[partner]:
                single[partner] -= 1
                stay -= 1
            else:
                single[card] += 1
                stay += 1
        after_each.append(stay)
    return after_each
