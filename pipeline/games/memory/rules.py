"""The referee of Memory, which replays flips on a table and compares them with the strategy of the engine.

A move turns up two cards. If they show the same letter they are removed, otherwise they are turned down again. The game
ends when no cards are left. A strategy chooses its flips only from the letters that it has seen. Here it is a generator
that yields the card to flip, counted from 1, and is sent its letter.
"""

from collections import Counter
from collections.abc import Generator

from dealmill.verdicts import IllegalMove, InvalidEvidence, Verdict

Cards = dict[int, str]
"""Letters of cards by position, from 1."""


class Table:
    """The cards on the table, by position from 1; `open_card` is the first card of a move in progress."""

    def __init__(self, layout: str) -> None:
        self.cards: Cards = dict(enumerate(layout, start=1))
        self.open_card: int | None = None
        self.flips = 0

    def flip(self, card: int) -> str:
        """Turn a card up and return its letter.

        Raises
        ------
        IllegalMove
            If the card was removed or is already turned up.
        """
        self.flips += 1
        if card not in self.cards:
            raise IllegalMove(self.flips, f"card {card} is not on the table")
        if card == self.open_card:
            raise IllegalMove(self.flips, f"card {card} is already turned up")
        letter = self.cards[card]
        if self.open_card is None:
            self.open_card = card
            return letter
        if self.cards[self.open_card] == letter:
            del self.cards[self.open_card], self.cards[card]
        self.open_card = None
        return letter


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Replay the flips to the end, count them, and compare them with the flips of the strategy.

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
    if set(Counter(layout).values()) != {2}:
        raise InvalidEvidence(0, "the layout does not consist of pairs")
    if not (layout.isascii() and layout.isalpha()):
        raise InvalidEvidence(0, "the layout does not consist of letters")

    table = Table(layout)
    player = STRATEGIES[engine](len(layout))
    prescribed: int | None = next(player)
    for card in read_flips(evidence, len(layout)):
        letter = table.flip(card)
        if card != prescribed:
            raise InvalidEvidence(table.flips, f"{engine} flips card {prescribed} here, not card {card}")
        try:
            prescribed = player.send(letter)
        except StopIteration:
            prescribed = None
    if table.cards:
        raise InvalidEvidence(table.flips + 1, f"{len(table.cards)} cards are left on the table")
    if value != table.flips:
        raise InvalidEvidence(0, f"the game took {table.flips} flips, not {value}")


def read_flips(evidence: str, count: int) -> list[int]:
    """Return the flips of a trace on `count` cards.

    Raises
    ------
    InvalidEvidence
        If a word is not the number of a card.
    """
    places = {str(place): place for place in range(1, count + 1)}
    flips = []
    for step, entry in enumerate(evidence.split(" "), start=1):
        if entry not in places:
            raise InvalidEvidence(step, f"{entry!r} is not a card, expected 1 to {count}")
        flips.append(places[entry])
    return flips


def two_pass(count: int) -> Generator[int, str, None]:
    """Look at all cards two by two, then collect the pairs that were not found on the way."""
    known = yield from _look(count)
    yield from _collect(known)


def two_pass_last_card(count: int) -> Generator[int, str, None]:
    """Look at all cards but the last two, then at the second last; the last card matches the one still single."""
    known = yield from _look(count - 2)
    letter = yield count - 1
    partner = _place(letter, known)
    if partner is None:
        yield count
    else:
        yield partner
        del known[partner]
        (known[count],) = (shown for shown, times in Counter(known.values()).items() if times == 1)
    yield from _collect(known)


def incremental(count: int) -> Generator[int, str, None]:
    """Look at the cards in order, and collect every pair as soon as both its cards are known."""
    places: dict[str, int] = {}
    card = 1
    while card <= count:
        letter = yield card
        if letter in places:
            yield places[letter]
        else:
            places[letter] = card
            card += 1
            other = yield card
            if other != letter:
                if other in places:
                    yield card
                    yield places[other]
                else:
                    places[other] = card
        card += 1


STRATEGIES = {"two-pass": two_pass, "two-pass-last-card": two_pass_last_card, "incremental": incremental}


def _look(count: int) -> Generator[int, str, Cards]:
    """Flip the first `count` cards two by two, and return the cards that are not removed by that."""
    known: Cards = {}
    for card in range(1, count + 1, 2):
        letter = yield card
        other = yield card + 1
        if letter != other:
            known |= {card: letter, card + 1: other}
    return known


def _collect(known: Cards) -> Generator[int, str, None]:
    """Remove all known cards, each time the first one left with its partner; `known` is in the order of positions."""
    places: dict[str, list[int]] = {}
    for card, letter in known.items():
        places.setdefault(letter, []).append(card)
    for card, partner in places.values():
        yield card
        yield partner


def _place(letter: str, known: Cards) -> int | None:
    return next((place for place, shown in known.items() if shown == letter), None)
