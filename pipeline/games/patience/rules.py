"""The rules of patiences, as a record, and the names of cards."""

from dataclasses import dataclass
from functools import cache

RANKS = "A23456789TJQK"
SUITS = "CHSD"
RED = "HD"
UNLIMITED = 0
SUITS_OF_DECK = {1: "S", 2: "HS", 4: SUITS}
"""The suits of a deck by their number."""


@dataclass(frozen=True)
class Rules:
    """The rules of one game. The keys of a rules file have the same names and meanings; see docs/patience.md."""

    name: str
    title: str
    family: str
    numbers: str
    ranks: int
    sizes: tuple[int, ...]
    deal: str
    face_down: str | tuple[int, ...]
    build: str
    move: str
    run: str
    spaces: str
    foundations: str
    initial: str
    removable: bool
    complete: bool
    cells: int
    filled: int
    reserve: int
    stacked: bool
    stock: int
    to: str
    full_columns: bool
    draw: int
    passes: int
    hole: str
    wrap: bool
    decks: int = 1
    suits: int = 4

    @property
    def copies(self) -> int:
        """How often each card exists."""
        return self.decks * len(SUITS) // self.suits

    @property
    def piles(self) -> str:
        """The suit of each foundation."""
        return "".join(suit * self.copies for suit in SUITS_OF_DECK[self.suits])

    @property
    def counts_passes(self) -> bool:
        """Whether a position says how many further passes through the stock are left."""
        return self.to == "waste" and self.passes > 1

    @property
    def most_tuples(self) -> int:
        """In how many ways cards can be left in the columns and the reserve of a position that only lose cards, at
        most: of columns that are as high as each other."""
        cards, columns = len(self.deck()) - (self.hole != "none"), len(self.sizes)
        maximum = 0
        for reserve in range(min(self.reserve, cards) + 1):
            height, more = divmod(cards - reserve, columns)
            ways = (height + 2) ** more * (height + 1) ** (columns - more)
            maximum = max(maximum, ways * (reserve + 1 if self.stacked else 1 << reserve))
        return maximum

    def deck(self) -> list[str]:
        """Return all cards."""
        piles = self.piles
        return [rank + suit for rank in RANKS[: self.ranks] for suit in piles]

    def of_foundation(self, number: int, suit: str, base: int) -> str:
        """Return the card of a suit that goes to its foundation after `number` others."""
        return RANKS[(base + number) % self.ranks] + suit

    def number(self, card: str, base: int) -> int:
        """Return after how many others a card goes to its foundation."""
        return (RANKS.index(card[0]) - base) % self.ranks


@cache
def cards_below(build: str, ranks: int, base: int) -> dict[str, frozenset[str]]:
    """Return the cards on which each card may be put, by a rule for building, the number of ranks and the rank of the
    first cards of the foundations."""
    order = [RANKS[(base + number) % ranks] for number in range(ranks)]
    return {
        rank + suit: frozenset(
            following + below
            for following in order[number + 1 : number + 2]
            for below in SUITS
            if build == "any-suit"
            or (build == "same-suit" and suit == below)
            or (build == "red-black" and (suit in RED) != (below in RED))
        )
        for number, rank in enumerate(order)
        for suit in SUITS
    }


def pairs(text: str) -> tuple[str, ...]:
    """Return the cards of a text, which is a sequence of their names."""
    return tuple(text[at : at + 2] for at in range(0, len(text), 2))
