"""Positions of a patience, and how they are read.

A position is one line of text: the name of the game, its columns, and whatever else holds cards::

    klondike 9H/4sTC/… foundations:2C stock:7HKD… waste:3S

Columns are joined by ``/``, with the top card last, and ``-`` is an empty one. A small letter for the suit is a card
that lies face down. The stock begins with the card that is turned next; of the waste, the reserve and a column, the
last card is on top. ``foundations`` are the top cards, by suits, of a suit the highest first, and ``downward`` those of
foundations that are built from the last rank down. ``base`` is the rank of their first cards if it differs from deal to
deal. If the rules limit the passes through the stock, ``passes:1`` says how many are left. Parts without cards are left
out. Earlier versions left out ``passes:0``, too, so such a text has no further pass.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dealmill.pipeline.games.patience.rules import RANKS, SUITS, SUITS_OF_DECK, Rules, pairs
from dealmill.verdicts import InvalidEvidence

PARTS = ("base", "cells", "downward", "foundations", "hole", "passes", "reserve", "stock", "waste")
"""The parts of a position after its columns, in this order."""
CARDS = ("cells", "hole", "reserve", "stock", "waste")
"""Those that list cards, each once."""
FOUNDATIONS = {"foundations": "foundations", "downward": "downward foundations"}
"""Those that list the top cards of foundations, of those that are built up and of those that are built down; with the
words for them."""
PART = re.compile(rf"({'|'.join(PARTS)}):([0-9A-Za-z]+)", re.ASCII)
CARD_LIST = re.compile(rf"(?:[{RANKS}][{SUITS}])+", re.ASCII)
COLUMN = re.compile(rf"(?:[{RANKS}][{SUITS.lower()}])*(?:[{RANKS}][{SUITS}])+|-", re.ASCII)


class Position(NamedTuple):
    """A position of a game. Cards are texts such as ``6H``; face-down ones have a small letter.

    `base` is the index of the rank of the first cards of the foundations, and `foundations` counts the cards of each,
    in the order of `Rules.piles`. `turned` counts those cards of the stock that are in the waste, and `passes` are the
    further passes through it. `hole` is the card on top of the hole. In the easier game that proves a loss, some cards
    are `absent`; the foundations count them, too, as soon as all live cards below them are up.
    """

    base: int
    columns: tuple[tuple[str, ...], ...]
    cells: tuple[str, ...]
    reserve: tuple[str, ...]
    stock: tuple[str, ...]
    """The waste, the card on top last, and then the stock, the card that is turned next first."""
    turned: int
    passes: int
    foundations: tuple[int, ...]
    hole: str
    absent: frozenset[str] = frozenset()

    def with_columns(self, columns: tuple[tuple[str, ...], ...]) -> "Position":
        """Return this position with other columns; in a third of the time of `_replace`."""
        return Position(self[0], columns, *self[2:])


def in_order_on_foundations(tops: Iterable[str], rules: Rules, base: int) -> list[str]:
    """Return top cards of foundations by suits, of a suit the highest first; `base` is the rank of the first cards."""
    return sorted(tops, key=lambda card: (SUITS.find(card[1]), -((RANKS.find(card[0]) - base) % rules.ranks)))


@dataclass(frozen=True)
class Reader:
    """Reads the positions of a game from texts."""

    rules: Rules

    def position(self, text: str) -> Position:
        """Return the position that a canonical text describes.

        Raises
        ------
        InvalidEvidence
            At step 0, if the text is not the canonical text of a position; it says why.
        """
        for reason in self.reasons(text):
            raise InvalidEvidence(0, reason)
        _, columns, *words = text.split(" ")
        parts = dict(word.split(":") for word in words)
        cards = {part: pairs(parts.get(part, "")) for part in CARDS}
        base = self.rules.base_of(parts)
        counts = [0] * len(self.rules.piles)
        for part, first in zip(FOUNDATIONS, (0, len(self.rules.upward_piles)), strict=True):
            for card in pairs(parts.get(part, "")):
                piles = enumerate(self.rules.piles[first:], first)
                pile = next(pile for pile, suit in piles if suit == card[1] and not counts[pile])
                counts[pile] = self.rules.next_number(pile, self.rules.number(card, base)) + 1
        return Position(
            base,
            tuple(() if column == "-" else pairs(column) for column in columns.split("/")),
            cards["cells"],
            cards["reserve"],
            (*cards["waste"], *cards["stock"]),
            len(cards["waste"]),
            int(parts.get("passes", 0)),
            tuple(counts),
            "".join(cards["hole"]),
        )

    def reasons(self, text: str) -> Iterator[str]:
        """Yield the reasons why a text is not the canonical text of a position."""
        name, *words = text.split(" ")
        if name != self.rules.name:
            yield f"the line begins with {name[:40]!r}, expected {self.rules.name}"
            return
        columns, parts = (words[0].split("/") if words else []), words[1:]
        shapes = list(self._shapes(columns, parts))
        yield from shapes
        if not shapes:
            yield from self._misfits(columns, dict(part.split(":") for part in parts))

    def _shapes(self, columns: list[str], parts: list[str]) -> Iterator[str]:
        """Yield what is wrong with the form of columns and parts."""
        rules = self.rules
        if len(columns) != len(rules.sizes):
            yield f"the number of columns is {len(columns)}, expected {len(rules.sizes)}"
        for number, column in enumerate(columns, start=1):
            if column[-1:].islower() and COLUMN.fullmatch(column.upper()):
                yield f"a card is missing: {column[-2:].upper()}, the last one of column {number}, lies face down"
            elif not COLUMN.fullmatch(column):
                yield f"column {number} is {column[:40]!r}, expected cards such as 6H, face-down ones first, or -"
            elif rules.face_down == "none" and column.upper() != column:
                yield f"column {number} has face-down cards, but all cards lie face up"
        names = [part.partition(":")[0] for part in parts]
        for part in parts:
            if not PART.fullmatch(part):
                yield f"{part[:40]!r} is not a part of a position, such as cells:6H4S; there are {', '.join(PARTS)}"
        if names != sorted(set(names)):
            yield f"the parts are {' '.join(names)[:80]}, expected each once, in alphabetical order"
        for part in parts:
            name, _, value = part.partition(":")
            if name in (*CARDS, *FOUNDATIONS) and not CARD_LIST.fullmatch(value):
                yield f"{name} are {value[:40]!r}, expected cards such as 6H"

    def _misfits(self, columns: list[str], parts: dict[str, str]) -> Iterator[str]:
        """Yield what is wrong with the cards of well-formed columns and parts."""
        rules = self.rules
        allowed = {
            "base": rules.foundations == "dealt",
            "cells": rules.cells > 0,
            "downward": rules.has_downward_piles,
            "foundations": rules.hole == "none",
            "hole": rules.hole != "none",
            "passes": rules.counts_passes,
            "reserve": rules.reserve > 0,
            "stock": rules.stock > 0,
            "waste": rules.stock > 0 and rules.to == "waste",
        }
        for part in parts:
            if not allowed[part]:
                yield f"{rules.name} has no {part}"
        ranks = RANKS[: rules.ranks]
        if rules.foundations == "dealt" and "base" not in parts:
            yield f"the base is missing: add the rank of the first foundation card, such as base:{ranks[-1]}"
            return
        if allowed["base"] and parts["base"] not in tuple(ranks):
            yield f"the base is {parts['base'][:40]!r}, expected one of {ranks}"
            return
        base = ranks.index(parts["base"] if allowed["base"] else rules.foundations)
        for part, words in FOUNDATIONS.items():
            for reason in self._wrong_order(words, parts.get(part, ""), base):
                yield reason
                return
        yield from self._wrong_deck(columns, parts, base)
        yield from self._wrong_sizes({part: text for part, text in parts.items() if allowed[part]})

    def _wrong_order(self, words: str, text: str, base: int) -> Iterator[str]:
        """Yield what is wrong with the order of the top cards of foundations, given the words for these."""
        if not text:
            return
        rules, up = self.rules, pairs(text)
        suits, ordered = [card[1] for card in up], in_order_on_foundations(up, rules, base)
        times, order = "once" if rules.copies == 1 else f"{rules.copies} times", SUITS_OF_DECK[rules.suits]
        if suits != sorted(suits, key=SUITS.index) or any(suits.count(suit) > rules.copies for suit in suits):
            names = "".join(suits)
            yield f"the suits of the {words} are {names}, expected each at most {times}, in the order {order}"
        elif list(up) != ordered:
            yield f"the {words} are {text}, expected {''.join(ordered)}: of a suit, the highest first"

    def _wrong_deck(self, columns: list[str], parts: dict[str, str], base: int) -> Iterator[str]:
        """Yield which cards are missing, doubled or unknown; below the card in a hole, any may lie."""
        rules, ranks = self.rules, RANKS[: self.rules.ranks]
        listed = "".join((*columns, *(parts.get(part, "") for part in CARDS)))
        cards = list(pairs(listed.replace("-", "").upper()))
        for card in pairs(parts.get("foundations", "")):
            if card[0] in ranks:
                cards += [rules.of_foundation(number, card[1], base) for number in range(rules.number(card, base) + 1)]
        for card in pairs(parts.get("downward", "")):
            if card[0] in ranks:
                numbers = range(rules.number(card, base), rules.ranks)
                cards += [rules.of_foundation(number, card[1], base) for number in numbers]
        if sorted(cards) == rules.sorted_deck:
            return
        deck, counts, copies = list(dict.fromkeys(rules.deck())), Counter(cards), rules.copies
        for card, count in counts.items():
            if card not in deck:
                yield f"{card} is not in the deck"
            elif count > copies:
                yield f"{card} occurs {count} times"
        missing = [card for card in deck for _ in range(copies - counts[card])]
        if missing and rules.hole == "none":
            yield f"missing: {' '.join(missing)}"

    def _wrong_sizes(self, parts: dict[str, str]) -> Iterator[str]:
        """Yield which parts have too many cards, or too few."""
        rules, up = self.rules, pairs(parts.get("foundations", ""))
        if rules.initial == "all" and len(up) < len(rules.upward_piles):
            yield f"{len(up)} foundations have cards, expected {len(rules.upward_piles)}"
        for card in up if rules.complete else ():
            if rules.number(card, RANKS.index(rules.foundations)) + 1 < rules.ranks:
                yield f"{card} is on top of a foundation, but only whole suits leave the columns"
        if rules.hole != "none" and len(parts.get("hole", "")) != 2:
            yield "the hole has no single card on top, expected one such as hole:6H"
        for part, limit in {"cells": rules.cells, "reserve": rules.reserve}.items():
            if (count := len(parts.get(part, "")) // 2) > limit:
                yield f"{count} cards are in {part}, expected at most {limit}"
        beside = len(parts.get("stock", "") + parts.get("waste", "")) // 2
        if beside > rules.stock:  # no card comes back to them
            yield f"stock and waste have {beside} cards, expected at most {rules.stock}"
        if "passes" in parts and parts["passes"] not in map(str, range(rules.passes)):
            yield f"the number of further passes is {parts['passes'][:40]}, expected 0 to {rules.passes - 1}"
