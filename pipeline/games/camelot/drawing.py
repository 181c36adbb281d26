"""The board of Camelot with the deck beside it."""

from collections.abc import Iterator, Mapping, Sequence

from dealmill.game import (
    CARD,
    CHOSEN,
    GHOST,
    NOTE,
    Gutters,
    Point,
    Scene,
    Style,
    badge,
    box,
    card,
    element,
    path,
    rank_name,
    scene,
    text,
)
from dealmill.pipeline.games.camelot.rules import PLACES, SLOTS

COLUMNS = 4
SLOT, GAP, MARGIN = 58, 20, 24
PITCH = SLOT + GAP
GUTTERS = Gutters(SLOT, SLOT, GAP)
BOARD = 2 * MARGIN + COLUMNS * PITCH - GAP
COLUMN = 13
"""The cards in a column of the deck."""
CARD_WIDTH, CARD_HEIGHT, CARD_GAP = 26, 20, 3
DECK_TOP = MARGIN + 18
DECK_WIDTH = 4 * (CARD_WIDTH + 2 * CARD_GAP) + MARGIN - 2 * CARD_GAP
COURT_SLOTS = {slot: face for face, slots in PLACES.items() for slot in slots}
JOINED: Style = CHOSEN | {"stroke_width": 3}


def deck(layout: str, caption: str) -> Scene:
    """Return the deck beside the empty board."""
    return board(layout, {}, "", [], 0, caption)


def board(
    layout: str, cards: Mapping[str, str], dealt_to: str, removals: Sequence[str], dealt: int, caption: str
) -> Scene:
    """Return the board with its cards; the slots dealt to are numbered, those of each removal joined.

    `dealt` cards have been dealt; the deck beside the board has a ring around the next one.
    """
    parts = [part for slot in SLOTS for part in _slot(slot, cards.get(slot))]
    for number, slot in enumerate(dealt_to, start=dealt - len(dealt_to) + 1):
        parts.append(_marked(slot, str(number)))
    pairs = [(_corner(slots[0]), _corner(slots[1])) for slots in removals if len(slots) == 2]
    parts += [element("path", d=path(route), **JOINED) for route in GUTTERS.routes(pairs)]
    for number, slots in enumerate(removals, start=1):
        for slot in slots:
            parts += [box(*_corner(slot), SLOT, SLOT, CHOSEN), _marked(slot, str(number))]
    held = ", ".join(f"{slot} {rank_name(cards[slot])}" for slot in SLOTS if slot in cards) or "empty"
    alt = f"Board: {held}. Cards in the deck: {' '.join(map(rank_name, layout[dealt:])) or 'none'}."
    return scene(BOARD + DECK_WIDTH, BOARD, [*parts, *_deck(layout, dealt)], caption, alt)


def _corner(slot: str) -> Point:
    row, column = divmod(SLOTS.index(slot), COLUMNS)
    return MARGIN + column * PITCH, MARGIN + row * PITCH


def _slot(slot: str, rank: str | None) -> Iterator[str]:
    x, y = _corner(slot)
    if rank:
        yield card(x, y, SLOT, SLOT, rank_name(rank))
    else:
        yield box(x, y, SLOT, SLOT, GHOST)
        if slot in COURT_SLOTS:
            yield text(x + SLOT / 2, y + SLOT / 2, COURT_SLOTS[slot], 20, NOTE)
    yield text(x + 10, y + 11, slot, 13, NOTE)


def _marked(slot: str, words: str) -> str:
    x, y = _corner(slot)
    return badge(x + SLOT - 3, y + 3, words)


def _deck(layout: str, dealt: int) -> Iterator[str]:
    for number, rank in enumerate(layout):
        column, row = divmod(number, COLUMN)
        x, y = BOARD + column * (CARD_WIDTH + 2 * CARD_GAP), DECK_TOP + row * (CARD_HEIGHT + CARD_GAP)
        if row == 0:
            yield text(x + CARD_WIDTH / 2, y - 12, str(number + 1), 12, NOTE)
        yield card(x, y, CARD_WIDTH, CARD_HEIGHT, rank_name(rank), GHOST if number < dealt else CARD)
        if number == dealt:
            yield box(x, y, CARD_WIDTH, CARD_HEIGHT, CHOSEN | {"stroke_width": 4})
