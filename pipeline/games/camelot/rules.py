"""The rules of Camelot and its referee, which plays one card and one slot at a time, as in the problem statement."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

SLOTS = "abcdefghijklmnop"
"""The slots, row by row of the 4 × 4 grid."""
PLACES = {"J": "ehil", "Q": "bcno", "K": "admp"}
"""The slots of the court cards: Jacks in the middle of the first and last column, Queens in the middle of the first and
last row, Kings in the corners. All other cards can be in any slot."""
WORTH = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "0": 10}
"""The cards that can be removed, with their values."""
PARTNERS = {"A": "9", "2": "8", "3": "7", "4": "6", "5": "5", "6": "4", "7": "3", "8": "2", "9": "A"}
"""The value that each value is removed with; a ten is removed alone."""
DECK = sorted("A234567890JQK" * 4)
WORD = re.compile(r"-?[a-p]+", re.ASCII)


@dataclass
class Table:
    """A game in progress: the cards still to be dealt, and the card in each slot."""

    deck: list[str]
    board: dict[str, str] = field(default_factory=dict)

    def deal(self, slots: str, step: int) -> list[str]:
        """Deal the next cards into these slots and return them.

        Raises
        ------
        IllegalMove
            If a slot is occupied or not allowed for its card, or the deck has too few cards.
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
            If the cards do not add up to ten, or a slot is empty.
        """
        if len(slots) not in (1, 2) or slots == slots[0] * 2:
            raise IllegalMove(step, f"{slots!r} does not name one or two slots")
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
        """The number of cards in a dealing phase, which ends when all slots are occupied or the deck is empty."""
        return min(len(SLOTS) - len(self.board), len(self.deck))

    @property
    def won(self) -> bool:
        """Whether the deck is empty and only Jacks, Queens and Kings are left."""
        return not self.deck and all(card in PLACES for card in self.board.values())


def phases(trace: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the first step, the slots dealt to and the removals of each pair of phases of a trace.

    A trace such as ``abcdefghijklmnop -fg -j bc`` has one word per dealing phase and one per removal. Words are steps,
    counted from 1.

    Raises
    ------
    InvalidEvidence
        If the trace cannot be read, or starts with a removal.
    """
    words = trace.split(" ")
    for step, word in enumerate(words, start=1):
        if not WORD.fullmatch(word):
            raise InvalidEvidence(step, f"{word!r} does not name slots")
    if words[0].startswith("-"):
        raise IllegalMove(1, "the trace starts with a removal, before any card is dealt")
    dealings = [index for index, word in enumerate(words) if word[0] != "-"]
    for first, stop in pairwise([*dealings, len(words)]):
        yield first + 1, words[first], [word[1:] for word in words[first + 1 : stop]]


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play a winning trace to its end, or check that the prefix named by a certificate fails and no shorter one does.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict.
    """
    if engine != "winnable" or value is not None:
        raise InvalidEvidence(0, f"{engine} does not give value {value}")
    if sorted(layout) != DECK:
        raise InvalidEvidence(0, "the layout is not a deck of 52 cards")
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
            raise IllegalMove(first, "a card is dealt after the removal phase has begun")
        if len(dealt) < room:
            raise IllegalMove(first + 1, "the dealing phase is not over: there is an empty slot and a card for it")
        if not removals:
            raise IllegalMove(first + 1, "nothing is removed in this removal phase, which loses the game")
        for step, slots in enumerate(removals, start=first + 1):
            table.remove(slots, step)
    if not table.won:
        raise InvalidEvidence(
            step, f"{len(table.deck)} cards are in the deck and {len(table.board)} on the board: not won"
        )


def prove_loss(layout: str, certificate: str) -> int:
    """Check a certificate and return its number: the least P ≥ 16 such that the first P cards leave no empty slot.

    No play gets beyond these cards: the next card needs an empty slot, so at most fifteen of the first P cards may be
    on the board. But court cards never leave, each number card leaves only with a card of its partner value, and fives
    leave only in pairs. So at least `must_stay` of the P cards stay, which is sixteen or more. Since P < 52, there is a
    next card, and the game is not won without dealing it. See docs/proofs/camelot.md for the full proof.

    Raises
    ------
    InvalidEvidence
        If the certificate is not that number.
    """
    if not re.fullmatch(r"[1-9]\d", certificate, re.ASCII):
        raise InvalidEvidence(1, f"{certificate!r} is not a number of cards")
    named = int(certificate)
    if not len(SLOTS) <= named < len(layout):
        raise InvalidEvidence(1, f"the number of cards is {named}, expected {len(SLOTS)} to {len(layout) - 1}")
    on_board = must_stay(layout[:named])
    for cards, least in enumerate(on_board[:named]):
        if least >= len(SLOTS):
            raise InvalidEvidence(1, f"{named} is not the least number: the first {cards} cards leave no empty slot")
    if on_board[named] < len(SLOTS):
        raise InvalidEvidence(1, f"only {on_board[named]} of the first {named} cards must stay, expected {len(SLOTS)}")
    return named


def must_stay(cards: str) -> list[int]:
    """Return the least number of the first 0, 1, 2, … of these cards that are on the board, whatever is removed."""
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
