"""The referee of Memory, which plays the strategy of the engine on a table and compares the flips.

A move turns up two cards. If they show the same letter they are removed, otherwise they are turned down again. The game
ends when no cards are left. A strategy is a function of the number of cards and of `Table.flip`, which turns up a card,
counted from 1, and tells its letter: so it chooses its flips only from the letters that it has seen.
"""

from collections import Counter
from collections.abc import Callable

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

Cards = dict[int, str]
"""Letters of cards by position, from 1."""
Flip = Callable[[int], str]


class Table:
    """The cards on the table, by position from 1, and the cards flipped so far; `open_card` is the first card of a move
    in progress."""

    def __init__(self, layout: str) -> None:
        self.cards: Cards = dict(enumerate(layout, start=1))
        self.open_card: int | None = None
        self.flipped: list[int] = []

    def flip(self, card: int) -> str:
        """Turn a card up and return its letter.

        Raises
        ------
        IllegalMove
            If the card was removed or is already turned up.
        """
        self.flipped.append(card)
        letter = self.cards.get(card)
        if letter is None:
            raise IllegalMove(len(self.flipped), f"card {card} is not on the table")
        open_card = self.open_card
        if open_card is None:
            self.open_card = card
            return letter
        if card == open_card:
            raise IllegalMove(len(self.flipped), f"card {card} is already turned up")
        if self.cards[open_card] == letter:
            del self.cards[open_card], self.cards[card]
        self.open_card = None
        return letter


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Play the strategy to the end, compare its flips with those of the evidence, and count them.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove the verdict and its value. Its step counts flips; 0 means that the verdict itself
        cannot be right.
    """
    if engine not in STRATEGIES:
        raise InvalidEvidence(0, f"there is no strategy {engine!r}")
    if verdict is not Verdict.SCORED:
        raise InvalidEvidence(0, f"the verdict is {verdict.word}, but {engine} only scores games")
    if set(map(layout.count, set(layout))) != {2}:
        raise InvalidEvidence(0, "the layout does not consist of pairs")
    if not (layout.isascii() and layout.isalpha()):
        raise InvalidEvidence(0, "the layout does not consist of letters")

    table = Table(layout)
    STRATEGIES[engine](len(layout), table.flip)
    if evidence != " ".join(map(str, table.flipped)):
        raise _objection(engine, layout, table.flipped, evidence)
    if value != len(table.flipped):
        raise InvalidEvidence(0, f"the game took {len(table.flipped)} flips, not {value}")


def _objection(engine: str, layout: str, prescribed: list[int], evidence: str) -> InvalidEvidence:
    """Replay flips that are not the prescribed ones, and return the first objection."""
    table = Table(layout)
    for step, card in enumerate(read_flips(evidence, len(layout)), start=1):
        table.flip(card)
        if card != prescribed[step - 1]:
            return InvalidEvidence(step, f"{engine} flips card {prescribed[step - 1]} here, not card {card}")
    return InvalidEvidence(len(table.flipped) + 1, f"{len(table.cards)} cards are left on the table")


def read_flips(evidence: str, count: int) -> list[int]:
    """Return the flips of a trace on `count` cards.

    Raises
    ------
    InvalidEvidence
        If a word is not the number of a card.
    """
    cards = {str(card): card for card in range(1, count + 1)}
    flips = []
    for step, entry in enumerate(evidence.split(" "), start=1):
        if entry not in cards:
            raise InvalidEvidence(step, f"{entry!r} is not a card, expected 1 to {count}")
        flips.append(cards[entry])
    return flips


def two_pass(count: int, flip: Flip) -> None:
    """Look at all cards two by two, then collect the pairs that were not found on the way."""
    _collect(_look(count, flip), flip)


def two_pass_last_card(count: int, flip: Flip) -> None:
    """Look at all cards but the last two, then at the second last; the last card matches the one still single."""
    known = _look(count - 2, flip)
    letter = flip(count - 1)
    partner = _place(letter, known)
    if partner is None:
        flip(count)
    else:
        flip(partner)
        del known[partner]
        (known[count],) = (shown for shown, times in Counter(known.values()).items() if times == 1)
    _collect(known, flip)


def incremental(count: int, flip: Flip) -> None:
    """Look at the cards in order, and collect every pair as soon as both its cards are known."""
    places: dict[str, int] = {}
    card = 1
    while card <= count:
        letter = flip(card)
        if letter in places:
            flip(places[letter])
        else:
            places[letter] = card
            card += 1
            second = flip(card)
            if second != letter:
                if second in places:
                    flip(card)
                    flip(places[second])
                else:
                    places[second] = card
        card += 1


STRATEGIES = {"two-pass": two_pass, "two-pass-last-card": two_pass_last_card, "incremental": incremental}


def _look(count: int, flip: Flip) -> Cards:
    """Flip the first `count` cards two by two, and return the cards that are not removed by that."""
    known: Cards = {}
    for card in range(1, count + 1, 2):
        first, second = flip(card), flip(card + 1)
        if first != second:
            known[card], known[card + 1] = first, second
    return known


def _collect(known: Cards, flip: Flip) -> None:
    """Remove all known cards, each time the first one left with its partner; `known` is in the order of positions."""
    places: dict[str, list[int]] = {}
    for card, letter in known.items():
        places.setdefault(letter, []).append(card)
    for card, partner in places.values():
        flip(card)
        flip(partner)


def _place(letter: str, known: Cards) -> int | None:
    return next((card for card, shown in known.items() if shown == letter), None)
