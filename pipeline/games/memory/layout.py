"""Layouts of Memory: the letters of the cards in order, one layout per line.

Letters are A–Z and a–z, and case matters. Spaces between the letters are accepted and removed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from string import ascii_letters

from dealmill.game import BadLayout, EachLine, Layout, Reject, read_file

MAX_CARDS = 104
LONGEST_LINE = 1000


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one layout per line; blank lines and comments are skipped."""
    return read_file(lines, each_line)


def each_line(_first: str) -> EachLine:
    """Return the reader of a file."""
    return EachLine(canonical)


def canonical(text: str) -> str:
    """Return the letters of a layout without spaces.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a layout.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
    cards = "".join(text.split())
    ordered = sorted(cards)
    firsts, seconds = ordered[::2], ordered[1::2]
    if firsts == seconds and len(set(firsts)) == len(firsts) and cards.isascii() and cards.isalpha():
        return cards
    raise BadLayout(_reasons(cards))


def nameless(layout: str) -> str:
    """Return a layout with its letters in the order in which they first occur."""
    names = dict(zip(dict.fromkeys(layout), ascii_letters, strict=False))
    return "".join(names[letter] for letter in layout)


def _reasons(cards: str) -> list[str]:
    reasons = []
    if not cards:
        reasons.append("there are no cards")
    if len(cards) > MAX_CARDS:
        reasons.append(f"the number of cards is {len(cards)}, expected at most {MAX_CARDS}")
    for symbol, times in Counter(cards).items():
        if not (symbol.isascii() and symbol.isalpha()):
            reasons.append(f"unknown symbol {symbol!r} at card {cards.index(symbol) + 1}")
        elif times == 1:
            reasons.append(f"letter {symbol} occurs only once")
        elif times > 2:
            reasons.append(f"letter {symbol} occurs {times} times, expected 2")
    return reasons
