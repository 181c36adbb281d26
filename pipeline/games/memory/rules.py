"""The referee of Memory: replays flips on a table, and holds them against the strategy that the engine names.

A move turns up two cards. If they show the same letter they are taken away, else they are turned down again. The game
ends when no cards are left. A strategy chooses its flips from the letters that it has been shown, and from nothing
else: here it is a generator that yields the card to flip, counted from 1, and is sent the letter.
"""

from collections import Counter
from collections.abc import Generator

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.verdict import Verdict

Cards = dict[int, str]
"""Letters of cards by place."""


class Table:
    """The cards on the table, by place from 1 on; `open_card` is the first one of a move that is under way."""

    def __init__(self, layout: str) -> None:
        self.cards: Cards = dict(enumerate(layout, start=1))
        self.open_card: int | None = None
        self.flips = 0

    def flip(self, card: int) -> str:
        """Turn a card up and return its letter.

        Raises
        ------
        IllegalMove
        """
        self.flips += 1
        if card not in self.cards:
            raise IllegalMove(self.flips, f"there is no card at place {card} (any more)")
        if card == self.open_card:
            raise IllegalMove(self.flips, f"card {card} is turned up already")
        letter = self.cards[card]
        if self.open_card is None:
            self.open_card = card
            return letter
        if self.cards[self.open_card] == letter:
            del self.cards[self.open_card], self.cards[card]
        self.open_card = None
        return letter


def check(engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Replay the flips to the end, count them, and compare them with those that the strategy prescribes.

    Raises
    ------
    InvalidEvidence
        Its step counts flips; it is 0 where the verdict itself cannot be right.
    """
    if engine not in STRATEGIES:
        raise InvalidEvidence(0, f"there is no strategy {engine!r}")
    if verdict is not Verdict.SCORED:
        raise InvalidEvidence(0, f"{engine} scores its games, it never calls one {verdict.word}")
    if set(Counter(layout).values()) != {2}:
        raise InvalidEvidence(0, "the layout does not consist of pairs")

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
    """The flips of a trace on `count` cards.

    Raises
    ------
    InvalidEvidence
    """
    places = {str(place): place for place in range(1, count + 1)}
    flips = []
    for step, entry in enumerate(evidence.split(" "), start=1):
        if entry not in places:
            raise InvalidEvidence(step, f"{entry!r} is none of the {count} cards")
        flips.append(places[entry])
    return flips


def two_pass(count: int) -> Generator[int, str, None]:
    """Look at all cards two by two, then collect the pairs that were not met on the way."""
    known = yield from _look(count)
    yield from _collect(known)


def two_pass_last_card(count: int) -> Generator[int, str, None]:
    """Look at all cards but two, then at the last but one; what is still single belongs to the last card."""
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
    """Look at the cards in order and collect every pair as soon as both its places are known."""
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
    """Flip the first `count` cards two by two, and return those that are not taken away by that."""
    known: Cards = {}
    for card in range(1, count + 1, 2):
        letter = yield card
        other = yield card + 1
        if letter != other:
            known |= {card: letter, card + 1: other}
    return known


def _collect(known: Cards) -> Generator[int, str, None]:
    """Take away all known cards, the first one that is left with its partner. They are known in the order they lie."""
    places: dict[str, list[int]] = {}
    for card, letter in known.items():
        places.setdefault(letter, []).append(card)
    for card, partner in places.values():
        yield card
        yield partner


def _place(letter: str, known: Cards) -> int | None:
    return next((place for place, shown in known.items() if shown == letter), None)
