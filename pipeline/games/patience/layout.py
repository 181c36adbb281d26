"""Layouts of patiences: positions on one line, see `dealmill.pipeline.games.patience.rules`."""

import re

from dealmill.game import BadLayout
from dealmill.pipeline.games.patience.rules import SUITS, Referee, Rules

LONGEST_LINE = 1_000
TEN = re.compile(rf"10(?=[{SUITS}])", re.ASCII | re.IGNORECASE)
RANK = re.compile(rf"([atjqk])(?=[{SUITS}])", re.ASCII | re.IGNORECASE)


SIGNS = str.maketrans("♣♥♠♦♧♡♤♢", "CHSDCHSD", "\ufe0e\ufe0f")
"""How suits are also written; a sign may be followed by one that chooses its look."""


def with_letters(text: str) -> str:
    """Return a text with letters for the signs of suits."""
    return text.translate(SIGNS)


def canonical(referee: Referee, text: str) -> str:
    """Return a position with single blanks, its parts and foundations in order, capital ranks, ``T`` for tens
    and letters for suits.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a position.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
    name, *words = with_letters(text).split() or [""]
    position = " ".join([name, *map(_cards, words[:1]), *sorted(map(_part, words[1:]))])
    if reasons := list(referee.reasons(position)):
        raise BadLayout(reasons)
    return position


SUIT_NAMES = ("CHSD", "SHCD", "CDSH", "SDCH", "HCDS", "DCHS", "HSDC", "DSHC")
"""The ways to rename suits such that two of one colour still have one colour."""


def nameless(rules: Rules, layout: str) -> str:
    """Return the least text of those that differ in the names of suits and in the order of columns, which matters if
    the stock is dealt to them."""
    in_order = rules.to == "tableau" and " stock:" in layout
    return min(_renamed(layout, names, in_order=in_order) for names in SUIT_NAMES)


def _renamed(layout: str, names: str, *, in_order: bool) -> str:
    renamed = str.maketrans(SUITS + SUITS.lower(), names + names.lower())
    name, columns, *parts = layout.split(" ")
    split = [part.partition(":") for part in parts]
    words = [part + colon + cards.translate(renamed) for part, colon, cards in split]
    piles = columns.translate(renamed).split("/")
    return " ".join([name, "/".join(piles if in_order else sorted(piles)), *map(_part, words)])


def _part(part: str) -> str:
    """Return a part with its cards as they are written; foundations in the order of their suits."""
    name, colon, cards = part.partition(":")
    cards = _cards(cards)
    if name == "foundations" and len(cards) % 2 == 0:
        tops = [cards[at : at + 2] for at in range(0, len(cards), 2)]
        cards = "".join(sorted(tops, key=lambda top: SUITS.find(top[1])))
    return name + colon + cards


def _cards(text: str) -> str:
    return RANK.sub(lambda rank: rank[1].upper(), TEN.sub("T", text))
