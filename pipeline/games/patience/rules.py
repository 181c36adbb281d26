"""The rules of patiences, as a record, the names and numbers of cards, and which cards lie on which.

Cards are numbered in the order in which they go to foundations, 13 for each suit; a set of cards is a number with a bit
for each. Searches, referees and players all read these tables, so a new order of building is one more entry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from operator import add
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "CHSD"
RED = "HD"
UNLIMITED = 0
BOTH = (True, False)
SUITS_OF_DECK = {1: "S", 2: "HS", 4: SUITS}
"""The suits of a deck by their number."""
SUITS_BELOW = {
    "any-suit": (SUITS, SUITS, SUITS, SUITS),
    "red-black": ("HD", "CS", "HD", "CS"),
    "same-suit": ("C", "H", "S", "D"),
    "same-colour": ("CS", "HD", "CS", "HD"),
    "other-suit": ("HSD", "CSD", "CHD", "CHS"),
    "none": ("", "", "", ""),
}
"""By each rule for building: on which suits a card of each suit may be put."""


def rule(
    key: str, default: object, allowed: Sequence[object], meaning: str, unplayed: Sequence[object] = (), **more: bool
) -> Any:
    """Declare a field of `Rules` as a key of rules files: its table and name, its default, the values that are allowed,
    its meaning, and the values that are `unplayed`, see `dealmill.rules_files.Key`.

    Of a key with `lists`, a value may also be a list with a number for each column. A `later` key is in canonical texts
    only with other values than its default, so that rules without it keep their digests: each new key is one.
    """
    return field(
        default=default, metadata={"key": key, "allowed": allowed, "meaning": meaning, "unplayed": unplayed, **more}
    )


@dataclass(frozen=True)
class Rules:
    """The rules of one game. A field with a `rule` is a key of rules files, in this order; reading, canonical texts,
    digests and the table in docs/patience.md follow from that."""

    name: str
    title: str = rule("title", "", (), "the name of the game for people; needed")
    family: str = rule("family", "Patience", (), "the heading under which `dealmill games` lists it")
    numbers: str = rule(
        "numbers",
        "solvitaire",
        ("solvitaire", "microsoft", "pysol"),
        "whose numbers the deals of seed 0 have",
    )
    decks: int = rule("deck.decks", 1, range(1, 3), "the number of decks", later=True)
    suits: int = rule(
        "deck.suits",
        4,
        (4, 2, 1),
        "the number of different suits: 2 are hearts and spades, 1 is spades",
        later=True,
    )
    ranks: int = rule("deck.ranks", 13, range(1, 14), "ranks of each suit, from the ace on")
    sizes: tuple[int, ...] = rule("tableau.sizes", (), (), "the cards of each column, instead of `count`", lists=True)
    deal: str = rule(
        "tableau.deal",
        "rows",
        ("rows", "diagonal", "kings-below"),
        "the order of dealing. `rows`: rows from left to right; `diagonal`: rows from right to left, each of which "
        "ends one column earlier; `kings-below`: rows, then each card of the last rank of a foundation changes "
        "places with the lowest other card below it",
    )
    face_down: str | tuple[int, ...] = rule(
        "tableau.face-down",
        "none",
        ("none", "all-but-top"),
        "which cards of a column are dealt face down; a list says how many of each column",
        lists=True,
    )
    build: str = rule(
        "tableau.build",
        "any-suit",
        tuple(SUITS_BELOW),
        "on which card of the next higher rank a card may be put; `other-suit`: of any suit but its own",
    )
    direction: str = rule(
        "tableau.direction",
        "down",
        ("down", "either"),
        "`down`: cards are put on those of the next higher rank; `either`: also on those of the next lower one",
        later=True,
    )
    build_wraps: bool = rule(
        "tableau.wrap",
        False,
        BOTH,
        "whether the last rank of a foundation may be put on its first one",
        later=True,
    )
    move: str = rule(
        "tableau.move",
        "card",
        ("card", "run", "whole-pile", "card-or-pile", "any"),
        "what moves between columns: the top card; also a run built as above; only a column that is a run; the top "
        "card or such a column; or any card with those on it",
    )
    run: str = rule(
        "tableau.run",
        "build",
        ("build", *(build for build in SUITS_BELOW if build != "none")),
        "how a run must be built to move as a unit, if not as `build` says; `build` says where it may be put",
        later=True,
    )
    spaces: str = rule(
        "tableau.spaces",
        "any",
        ("any", "kings", "none", "reserve", "waste", "reserve-then-waste"),
        "what may go to an empty column: any card, the last rank of a foundation, or nothing; `reserve`: it is "
        "filled from the reserve at once, then by any card; `waste`: it is filled from waste and stock before "
        "anything else moves, then by any card; `reserve-then-waste`: it is filled from the reserve at once, then "
        "only from waste and stock",
    )
    foundations: str = rule(
        "foundations.base",
        "A",
        (*RANKS, "dealt"),
        "the rank of the first cards; `dealt`: that of the first card of the deck",
    )
    initial: str = rule(
        "foundations.initial",
        "none",
        ("none", "one", "all", "others"),
        "which first cards are on the foundations from the start; `one`: the dealt one; `others`: all but the "
        "dealt one, which is the first card in the columns",
    )
    removable: bool = rule("foundations.removable", False, BOTH, "whether the top card of a foundation may come back")
    foundation_direction: str = rule(
        "foundations.direction",
        "up",
        ("up", "both", "down"),
        "how foundations are built; `both`: each suit has one that is built up from the first rank and one that is "
        "built down from the last rank, and is complete when they meet",
        unplayed=("down",),
        later=True,
    )
    complete: bool = rule(
        "foundations.complete-runs",
        False,
        BOTH,
        "whether only whole suits leave the columns, each from the last rank down to the first",
        later=True,
    )
    cells: int = rule("cells.count", 0, range(21), "free cells, for one card each")
    filled: int = rule("cells.filled", 0, range(21), "cells to which a card is dealt")
    reserve: int = rule("reserve.size", 0, range(53), "cards in the reserve; nothing goes back into it")
    stacked: bool = rule("reserve.stacked", False, BOTH, "whether only its top card may be taken")
    stock: int = rule("stock.size", 0, range(105), "cards in the stock")
    to: str = rule(
        "stock.to", "waste", ("waste", "hole", "tableau"), "where its cards go; `tableau`: one to each column"
    )
    full_columns: bool = rule(
        "stock.full-columns",
        False,
        BOTH,
        "whether cards go to the columns only if none is empty",
        later=True,
    )
    draw: int = rule("stock.draw", 1, range(1, 10), "cards that are turned at a time")
    passes: int = rule("stock.passes", UNLIMITED, ("unlimited",), "how often it may be turned through")
    hole: str = rule(
        "hole.base",
        "none",
        ("none", "dealt", *(rank + suit for rank in RANKS for suit in SUITS)),
        "the card in the hole at the start; `dealt`: the first card of the deck. There are no foundations then",
    )
    wrap: bool = rule("hole.wrap", True, BOTH, "whether the ace and the last rank are neighbours in the hole")

    @cached_property
    def copies(self) -> int:
        """How often each card exists."""
        return self.decks * len(SUITS) // self.suits

    @cached_property
    def piles(self) -> str:
        """The suit of each foundation: of those that are built up, and then of those that are built down."""
        return self.upward_piles * (1 + self.has_downward_piles)

    @cached_property
    def upward_piles(self) -> str:
        """The suit of each foundation that is built up; these have room for all cards."""
        return "".join(suit * self.copies for suit in SUITS_OF_DECK[self.suits])

    @cached_property
    def has_downward_piles(self) -> bool:
        """Whether each suit has another foundation, which is built from the last rank down."""
        return self.foundation_direction == "both"

    @property
    def initial_count(self) -> int:
        """How many cards are on the foundations from the start."""
        return {"none": 0, "one": 1, "all": len(self.upward_piles), "others": len(SUITS) - 1}[self.initial]

    @property
    def counts_passes(self) -> bool:
        """Whether a position says how many further passes through the stock are left."""
        return self.to == "waste" and self.passes > 1

    @cached_property
    def suits_below(self) -> tuple[str, ...]:
        """The suits on which a card of each suit may be put in a column."""
        return SUITS_BELOW[self.build]

    @cached_property
    def builds_up(self) -> bool:
        """Whether a card may also be put on one of the next lower rank."""
        return self.direction == "either"

    @property
    def is_built_in_order(self) -> bool:
        """Whether cards are put on those of the next higher rank in columns, of the next lower one on foundations, and
        on no others."""
        return not self.build_wraps and not self.builds_up and not self.has_downward_piles

    @property
    def place_count(self) -> int:
        """On how many cards a card may be put in a column, if each exists once."""
        return len(self.suits_below[0]) * (1 + self.builds_up)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The cards on which each card may be put in a column."""
        return _masks_below(self.build, self.ranks, self.build_wraps, self.builds_up)

    @cached_property
    def run_parents(self) -> tuple[int, ...]:
        """The cards with which each card moves as a run if it lies on them."""
        return _masks_below(self.build_of_runs, self.ranks, self.build_wraps, self.builds_up)

    @cached_property
    def has_looser_runs(self) -> bool:
        """Whether a card can carry away another one that could not be put on it."""
        return any(run & ~below for run, below in zip(self.run_parents, self.parents, strict=True))

    def cards_below(self, base: int) -> dict[str, frozenset[str]]:
        """Return the names of the cards on which each card may be put in a column; `base` is the rank of the first
        cards of the foundations."""
        return _cards_below(self.build, self.ranks, self.build_wraps, self.builds_up, base)

    def run_cards_below(self, base: int) -> dict[str, frozenset[str]]:
        """Return the names of the cards with which each card moves as a run if it lies on them."""
        return _cards_below(self.build_of_runs, self.ranks, self.build_wraps, self.builds_up, base)

    @property
    def suits_that_fit(self) -> tuple[int, ...]:
        """The first cards of those suits that may be put on each suit."""
        below = self.suits_below
        return tuple(sum(1 << 13 * number for number in range(len(SUITS)) if suit in below[number]) for suit in SUITS)

    @cached_property
    def runs_move(self) -> bool:
        """Whether a run moves as a unit, any part of one or only a whole column."""
        return self.move == "run" or self.whole_columns_move

    @cached_property
    def whole_columns_move(self) -> bool:
        """Whether a run moves only if it is a whole column."""
        return self.move in ("whole-pile", "card-or-pile")

    @cached_property
    def build_of_runs(self) -> str:
        """How runs are built that move as a unit."""
        return self.build if self.run == "build" else self.run

    @cached_property
    def reserve_fills(self) -> bool:
        """Whether empty columns are filled from the reserve at once."""
        return self.spaces in ("reserve", "reserve-then-waste")

    @cached_property
    def waste_fills(self) -> bool:
        """Whether empty columns are filled from the waste before anything else moves."""
        return self.spaces == "waste"

    @property
    def only_waste_fills(self) -> bool:
        """Whether no other cards than those of the waste go to an empty column."""
        return self.spaces == "reserve-then-waste"

    @cached_property
    def cards_for_spaces(self) -> int:
        """The cards that may go to an empty column."""
        return _mask_for_spaces(self.spaces, self.ranks)

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
        piles = self.upward_piles
        return [rank + suit for rank in RANKS[: self.ranks] for suit in piles]

    def base_of(self, parts: Mapping[str, str]) -> int:
        """Return the rank of the first cards of the foundations of a position, given its parts by name."""
        return RANKS.index(parts.get("base", self.foundations))

    def of_foundation(self, number: int, suit: str, base: int) -> str:
        """Return the card of a suit that goes to its foundation, if that is built up, after `number` others."""
        return RANKS[(base + number) % self.ranks] + suit

    @cached_property
    def sorted_deck(self) -> list[str]:
        """All cards, in alphabetical order."""
        return sorted(self.deck())

    def number(self, card: str, base: int) -> int:
        """Return after how many others a card goes to its foundation, if that is built up."""
        return (RANKS.index(card[0]) - base) % self.ranks

    def next_number(self, pile: int, count: int) -> int:
        """Return the number of the card that goes to a foundation, by its index in `piles`, after `count` others; of a
        foundation that has all cards, a number that no card has. It is also the count for the card with this number."""
        is_upward = not self.has_downward_piles or pile < len(SUITS)
        return count if is_upward else self.ranks - 1 - count

    def next_card(self, pile: int, count: int, base: int) -> str:
        """Return the card that goes to a foundation after `count` others."""
        return self.of_foundation(self.next_number(pile, count), self.piles[pile], base)

    def card_number(self, card: str, base: int) -> int:
        """Return the number of a card, face up or face down."""
        return self.card_numbers(base)[card]

    def card_numbers(self, base: int) -> dict[str, int]:
        """Return the numbers of the names of all cards, face up and face down."""
        return numbers_of_cards(self.ranks, base)

    def card_name(self, number: int, base: int) -> str:
        """Return the name of the card with a number, face up."""
        return self.of_foundation(number % 13, SUITS[number // 13], base)


@cache
def numbers_of_cards(ranks: int, base: int) -> dict[str, int]:
    """Return the numbers of the names of all cards, face up and face down, by the number of ranks and the rank of the
    first cards of the foundations."""
    return {
        RANKS[(base + number) % ranks] + letter: 13 * suit + number
        for suit, letters in enumerate(zip(SUITS, SUITS.lower(), strict=True))
        for letter in letters
        for number in range(ranks)
    }


@cache
def _masks_below(build: str, ranks: int, wraps: bool, up: bool) -> tuple[int, ...]:
    """Return the cards on which each of 52 cards may be put, by a rule for building, the number of ranks, whether the
    last one may be put on the first, and whether cards may also be put on those of the next lower rank."""
    below = {(rank, (rank + 1) % ranks) for rank in range(ranks if wraps else ranks - 1)}
    below |= {(lower, rank) for rank, lower in below} if up else set()
    return tuple(
        sum(1 << 13 * SUITS.index(suit) + lower for suit in suits for lower in range(ranks) if (rank, lower) in below)
        for suits in SUITS_BELOW[build]
        for rank in range(len(RANKS))
    )


@cache
def _mask_for_spaces(spaces: str, ranks: int) -> int:
    """Return the cards that may go to an empty column, by the rule for it and the number of ranks."""
    first = {"kings": ranks - 1, "none": ranks}.get(spaces, 0)
    return sum(1 << 13 * suit + rank for suit in range(len(SUITS)) for rank in range(first, ranks))


@cache
def _cards_below(build: str, ranks: int, wraps: bool, up: bool, base: int) -> dict[str, frozenset[str]]:
    """Return the names of the cards on which each card may be put, see `_masks_below`; `base` is the rank of the first
    cards of the foundations."""
    names = {number: name for name, number in numbers_of_cards(ranks, base).items() if name.isupper()}
    masks = _masks_below(build, ranks, wraps, up)
    return {
        name: frozenset(below for lower, below in names.items() if masks[number] >> lower & 1)
        for number, name in names.items()
    }


def pairs(text: str) -> tuple[str, ...]:
    """Return the cards of a text, which is a sequence of their names."""
    return tuple(map(add, text[::2], text[1::2]))
