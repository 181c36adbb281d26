"""How people write cards: signs of suits, tens, and small letters; and the names of games at the beginning of lines."""

import re
from unicodedata import normalize

SUITS = "CHSD"
LONGEST_LINE = 1_000
TEN = re.compile(rf"10(?=[{SUITS}])", re.ASCII | re.IGNORECASE)
RANK = re.compile(rf"([atjqk])(?=[{SUITS}])", re.ASCII | re.IGNORECASE)
WIDE = re.compile("[\uff01-\uff5e]+")
"""Full-width characters, which look like those of ASCII."""

SIGNS = str.maketrans("♣♥♠♦♧♡♤♢", "CHSDCHSD", "\ufe0e\ufe0f")
"""How suits are also written; a sign may be followed by one that chooses its look."""


def wide_characters(text: str) -> str:
    """Return what is wrong with a text of full-width characters, and how it is written without them."""
    return f"{text[:40]!r} are full-width characters: write {normalize('NFKC', text[:40])!r}"


def with_letters(text: str) -> str:
    """Return a text with letters for the signs of suits."""
    return text.translate(SIGNS)


def is_name_of(game: str, name: str) -> bool:
    """Return whether a name at the beginning of a line is that of a game, or lacks some of its changed rules: a line
    of ``klondike`` is read by the rules of ``klondike:stock.passes=3`` if that game is named for it."""
    (base, *changes), (named, *others) = game.split(":"), name.split(":")
    return base == named and set(others) <= set(changes)


def capital_ranks(text: str) -> str:
    """Return cards with capital letters for ranks, and ``T`` for tens."""
    return RANK.sub(lambda rank: rank[1].upper(), TEN.sub("T", text))
