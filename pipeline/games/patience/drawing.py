"""The table of a patience with its cards: suits are shapes in two colours, and backs show which card lies face down."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import NamedTuple

from dealmill.game import (
    BACKED,
    CARD,
    CHOSEN,
    GHOST,
    INKED,
    NOTE,
    OTHER,
    Link,
    Scene,
    Style,
    box,
    element,
    rank_name,
    scene,
    text,
)
from dealmill.pipeline.games.patience.rules import RED, SUITS, Position, Referee, Rules

WIDTH, HEIGHT, PITCH = 46, 62, 54
STRIP = 24
"""The height of what is seen of a card under another one, if there is room."""
SMALL, SMALL_PITCH = 34, 38
SMALL_HEIGHT = 24
MARGIN, LABEL = 16, 22
LEAST_PLACES = 8
"""The table is at least as wide as so many cards side by side."""
ROWS = 13
"""The cards of a column for which there is room without squeezing."""
RED_INK: Style = {"class_": "red-suit", "fill": "#b3261e"}
GREY_CARD: Style = {"class_": "absent", "fill": "#eeeeee", "stroke": "#c4c4c4", "stroke_width": 1.5}
BACK_INK: Style = {"class_": "back-ink", "fill": "#ffffff"}
GREY_INK: Style = {"class_": "absent-ink", "fill": "#a6a6a6"}
RING: Style = CHOSEN | {"stroke_width": 4}
TARGET: Style = OTHER | {"stroke_width": 4}
NO_LINKS: Mapping[str, Link] = MappingProxyType({})


class Marks(NamedTuple):
    """How cards are drawn: those that have moved with a ring, and the idle ones of a loss in grey. Cards and places
    with a link are one."""

    moved: Sequence[str] = ()
    idle: Set[str] = frozenset()
    links: Mapping[str, Link] = NO_LINKS


Outline = tuple[tuple[str, tuple[float, ...]], ...]
"""Commands of an SVG path with their points in a square of size 1: x, y, x, y …"""
STEM: Outline = (("M", (0.5, 0.45)), ("L", (0.34, 1)), ("L", (0.66, 1)), ("Z", ()))
OUTLINES: dict[str, Outline] = {
    "D": (("M", (0.5, 0)), ("L", (0.9, 0.5)), ("L", (0.5, 1)), ("L", (0.1, 0.5)), ("Z", ())),
    "H": (
        ("M", (0.5, 1)),
        ("C", (0.1, 0.65, 0, 0.45, 0, 0.28)),
        ("C", (0, 0.1, 0.13, 0, 0.27, 0)),
        ("C", (0.38, 0, 0.46, 0.06, 0.5, 0.15)),
        ("C", (0.54, 0.06, 0.62, 0, 0.73, 0)),
        ("C", (0.87, 0, 1, 0.1, 1, 0.28)),
        ("C", (1, 0.45, 0.9, 0.65, 0.5, 1)),
        ("Z", ()),
    ),
    "S": (
        ("M", (0.5, 0)),
        ("C", (0.1, 0.35, 0, 0.5, 0, 0.62)),
        ("C", (0, 0.78, 0.12, 0.86, 0.25, 0.86)),
        ("C", (0.36, 0.86, 0.46, 0.8, 0.5, 0.7)),
        ("C", (0.54, 0.8, 0.64, 0.86, 0.75, 0.86)),
        ("C", (0.88, 0.86, 1, 0.78, 1, 0.62)),
        ("C", (1, 0.5, 0.9, 0.35, 0.5, 0)),
        ("Z", ()),
        *STEM,
    ),
}
LEAVES = ((0.26, 0.24), (0, 0.6), (0.52, 0.6))
"""The points of the sign of clubs at which its circles begin, on their left."""
RADIUS = 0.24
"""The radius of these circles."""


def shape(suit: str, x: float, y: float, size: float, style: Style) -> str:
    """Return the sign of a suit in a square of this size, with its upper left corner at a point."""

    def path(outline: Outline) -> str:
        return "".join(
            command
            + " ".join(f"{round((x, y)[index % 2] + size * number, 2):g}" for index, number in enumerate(numbers))
            for command, numbers in outline
        )

    if suit == "C":
        radius = size * RADIUS
        circle = f"a{radius:.2f} {radius:.2f} 0 1 0 "
        leaf = f"{circle}{2 * radius:.2f} 0{circle}{-2 * radius:.2f} 0z"
        return element("path", d="".join(path((("M", point),)) + leaf for point in LEAVES) + path(STEM), **style)
    return element("path", d=path(OUTLINES[suit]), **style)


def table(rules: Rules, position: Position, marks: Marks, caption: str, alt: str, proves: str = "") -> Scene:
    """Return the table."""
    slots = max(len(rules.sizes), LEAST_PLACES, rules.cells + 5)
    width = slots * PITCH + 2 * MARGIN - (PITCH - WIDTH)
    top = MARGIN + HEIGHT + 2 * LABEL
    bottom = top + (ROWS - 1) * STRIP + HEIGHT
    per_row = (width - 2 * MARGIN + SMALL_PITCH - SMALL) // SMALL_PITCH
    stock_rows = -(-rules.stock // per_row)
    height = bottom + MARGIN + stock_rows * (SMALL_HEIGHT + 4) + (LABEL if rules.stock else 0)
    parts = [*_upper_row(rules, position, marks, slots), *_columns(position, marks, top, bottom)]
    parts += _stock(rules, position, marks, bottom + 6, per_row) if rules.stock else []
    return scene(width, height, parts, caption, alt, proves=proves)


def _upper_row(rules: Rules, position: Position, marks: Marks, slots: int) -> Iterator[str]:
    """Yield cells and reserve from the left, foundations or the hole on the right, each with its name below."""
    slot = 0
    if rules.cells:
        yield _label(slot, "cells")
        for number in range(rules.cells):
            card = position.cells[number] if number < len(position.cells) else None
            yield from _place(slot + number, card, marks, card or "cell")
        slot += rules.cells
    if rules.reserve:
        count = len(position.reserve)
        yield _label(slot, f"reserve: {count}")
        if rules.stacked:
            yield from _place(slot, position.reserve[-1] if count else None, marks, "reserve")
        else:
            step = min(PITCH, (slots - 4 - slot) * PITCH / max(rules.reserve, 1))
            for number, card in enumerate(position.reserve):
                yield from _card(MARGIN + slot * PITCH + number * step, MARGIN, card, marks, marks.links.get(card))
    if rules.hole != "none":
        yield _label(slots - 1, "hole")
        yield from _place(slots - 1, position.hole, marks, "hole")
        return
    yield _label(slots - 4, "foundations")
    for number, (suit, card) in enumerate(zip(SUITS, Referee(rules).tops(position), strict=True)):
        x, y = MARGIN + (slots - 4 + number) * PITCH + WIDTH / 2, MARGIN + HEIGHT / 2
        yield from _place(slots - 4 + number, card, marks, f"foundation {suit}", shape(suit, x - 8, y - 8, 16, NOTE))


def _label(slot: int, words: str) -> str:
    return text(MARGIN + slot * PITCH, MARGIN + HEIGHT + 14, words, 13, NOTE, anchor="start")


def _place(slot: int, card: str | None, marks: Marks, name: str, *sign: str) -> Iterator[str]:
    """Yield a card, or an empty place with its sign."""
    x = MARGIN + slot * PITCH
    if card:
        yield from _card(x, MARGIN, card, marks, marks.links.get(name) or marks.links.get(card))
    else:
        yield from _space(x, MARGIN, marks.links.get(name), *sign)


def _space(x: float, y: float, link: Link | None, *sign: str) -> Iterator[str]:
    yield from _linked(
        [box(x, y, WIDTH, HEIGHT, GHOST | {"pointer_events": "all"} if link else GHOST), *sign], x, y, link
    )


def _linked(parts: Iterable[str], x: float, y: float, link: Link | None, height: float = HEIGHT) -> Iterator[str]:
    """Yield parts of a picture, as a link if there is one, with a ring if it is a target."""
    if link is None:
        yield from parts
        return
    ring = [box(x, y, WIDTH, height, TARGET)] if link.is_target else []
    yield element("a", *parts, *ring, href=link.url, aria_label=link.name)


def _columns(position: Position, marks: Marks, top: float, bottom: float) -> Iterator[str]:
    for index, column in enumerate(position.columns):
        x = MARGIN + index * PITCH
        yield text(x + WIDTH / 2, top - 10, str(index + 1), 13, NOTE)
        if not column:
            yield from _space(x, top, marks.links.get(f"column {index + 1}"))
        strip = min(STRIP, (bottom - HEIGHT - top) / max(len(column) - 1, 1))
        for row, card in enumerate(column):
            yield from _card(x, top + row * strip, card, marks._replace(moved=()), marks.links.get(card))
        rows = [row for row, card in enumerate(column) if card in marks.moved]
        if rows:
            yield box(x, top + rows[0] * strip, WIDTH, (rows[-1] - rows[0]) * strip + HEIGHT, RING)


def _stock(rules: Rules, position: Position, marks: Marks, top: float, per_row: int) -> Iterator[str]:
    """Yield the cards of waste and stock in the order of turning, those of the stock face down."""
    turned, count = position.turned, len(position.stock)
    order = "dealing" if rules.to == "tableau" else "turning"
    words = f"stock: {count - turned}, in the order of {order}" + (f"; before them, waste: {turned}" if turned else "")
    yield text(MARGIN, top + 8, words, 13, NOTE, anchor="start")
    for number, card in enumerate(position.stock):
        row, column = divmod(number, per_row)
        x, y = MARGIN + column * SMALL_PITCH, top + LABEL + row * (SMALL_HEIGHT + 4)
        paper, ink = _styles(card, marks, down=number >= turned)
        parts = [box(x, y, SMALL, SMALL_HEIGHT, paper), *_name(x, y + SMALL_HEIGHT / 2, card, 14, ink)]
        if card in marks.moved:
            parts.append(box(x, y, SMALL, SMALL_HEIGHT, RING))
        yield from _linked(parts, x, y, marks.links.get(card))


def _card(x: float, y: float, card: str, marks: Marks, link: Link | None) -> Iterator[str]:
    down = card[1].islower()
    paper, ink = _styles(card, marks, down=down)
    parts = [box(x, y, WIDTH, HEIGHT, paper), *_name(x, y + STRIP / 2 + 1, card, 17, ink)]
    if not down:
        parts.append(shape(card[1], x + WIDTH / 2 - 9, y + HEIGHT - 29, 18, ink))
    if card in marks.moved:
        parts.append(box(x, y, WIDTH, HEIGHT, RING))
    yield from _linked(parts, x, y, link)


def _name(x: float, middle: float, card: str, size: float, style: Style) -> Iterator[str]:
    """Yield the rank and, beside it, the sign of the suit; both smaller where the rank has two digits."""
    rank = rank_name(card[0])
    size *= 0.85 if len(rank) > 1 else 1
    yield text(x + 4, middle, rank, size, style, anchor="start", bold=True)
    yield shape(card[1].upper(), x + 5 + (0.6 * len(rank) + 0.2) * size, middle - 0.32 * size, 0.66 * size, style)


def _styles(card: str, marks: Marks, *, down: bool) -> tuple[Style, Style]:
    """Return the styles of a card and of what is on it."""
    if card.upper() in marks.idle:
        return GREY_CARD, GREY_INK
    return (BACKED, BACK_INK) if down else (CARD, _ink(card))


def _ink(card: str) -> Style:
    return RED_INK if card[1].upper() in RED else INKED
