"""Layouts of Memory: the cards' letters in the order they lie, one layout a line.

A letter is A–Z or a–z, and the case matters. Blanks between the letters are accepted and left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.contract import Layout, Reject
from dealmill.pipeline.games.reading import EachLine, read_file

MOST_CARDS = 104
LONGEST_LINE = 1000


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one layout a line; blank lines are passed over."""
    return read_file(lines, each_line)


def each_line(_first: str) -> EachLine:
    """What reads a file that begins with this line."""
    return EachLine(canonical)


def canonical(text: str) -> str:
    """The letters of a layout without blanks.

    Raises
    ------
    BadLayout
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, more than any layout"])
    cards = "".join(text.split())
    ordered = sorted(cards)
    firsts, seconds = ordered[::2], ordered[1::2]
    if firsts == seconds and len(set(firsts)) == len(firsts) and cards.isascii() and cards.isalpha():
        return cards
    raise BadLayout(_reasons(cards))


def _reasons(cards: str) -> list[str]:
    reasons = []
    if not cards:
        reasons.append("no cards")
    if len(cards) > MOST_CARDS:
        reasons.append(f"{len(cards)} cards, more than {MOST_CARDS}")
    for symbol, times in Counter(cards).items():
        if not (symbol.isascii() and symbol.isalpha()):
            reasons.append(f"unknown symbol {symbol!r} at card {cards.index(symbol) + 1}")
        elif times == 1:
            reasons.append(f"letter {symbol} occurs only once")
        elif times > 2:
            reasons.append(f"letter {symbol} occurs {times} times, not twice")
    return reasons
