"""What all readers of layouts share: one line tried as a canonical layout, and how a bad one is kept."""

from collections.abc import Callable, Iterable
from itertools import islice

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.contract import Game, Layout, Reject

KEPT = 200
"""Characters of a bad layout that are kept, and of each reason."""
MOST_REASONS = 50


def read_line(number: int, line: str, canonical: Callable[[str], str]) -> Layout | Reject:
    """A line as a layout; `canonical` tidies it or raises `BadLayout`."""
    try:
        return Layout(number, canonical(line))
    except BadLayout as error:
        return rejected(number, line.strip(), error.reasons)


def entries_of(game: Game, text: str) -> list[Layout | Reject]:
    """The first two entries that the reader finds in a text: enough to know whether it is one layout."""
    return list(islice(game.layout.read([(1, text)]), 2))


def is_canonical(game: Game, text: str) -> bool:
    """Whether a text is exactly the canonical text of a layout."""
    return entries_of(game, text) == [Layout(1, text)]


def read_one(game: Game, text: str) -> str:
    """The canonical text of one layout, written as a line of a file is.

    Raises
    ------
    BadLayout
    """
    match entries_of(game, text):
        case [Layout(text=canonical)]:
            return canonical
        case [Reject(reasons=reasons)]:
            raise BadLayout(reasons, f"{text[:KEPT]!r} is not a layout of {game.name}")
    raise BadLayout([f"{text[:KEPT]!r} is not one layout of {game.name}"])


def rejected(number: int, text: str, reasons: Iterable[str]) -> Reject:
    """A bad layout that starts in line `number`."""
    told = [reason[:KEPT] for reason in islice(reasons, MOST_REASONS + 1)]
    if len(told) > MOST_REASONS:
        told[-1] = "and more"
    return Reject(number, text[:KEPT], tuple(told))
