"""The table of a patience with its cards, as a picture."""

from collections.abc import Iterator
from dataclasses import replace

from dealmill.cards import (
    HEIGHT,
    LABEL,
    MARGIN,
    PITCH,
    SMALL,
    SMALL_HEIGHT,
    SMALL_PITCH,
    STRIP,
    WIDTH,
    Cards,
    Marks,
    words_of_stock,
)
from dealmill.game import NOTE, Scene, bare_text, scene, text, texts
from dealmill.pipeline.games.patience.moves import DEALT, RESERVE, STOCK
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules

LEAST_SLOTS = 7
"""The table is at least as wide as so many cards side by side."""
COLUMNS_PER_TIER = 13
"""More columns lie in two tiers, so that their cards are large enough to be read in lists and on phones."""
LEAST_ROWS, MAX_ROWS, GROWTH = 8, 13, 3
"""The cards of a column for which there is room without squeezing: `GROWTH` more than are dealt, within limits; half as
many more at most with two decks. Nothing is added to columns on which no cards are built."""


def table(rules: Rules, position: Position, marks: Marks, caption: str, alt: str, proves: str = "") -> Scene:
    """Return the table."""
    tiers = -(-len(position.columns) // COLUMNS_PER_TIER)
    per_tier = -(-len(position.columns) // tiers)
    slots = max(per_tier, LEAST_SLOTS, rules.cells + len(rules.piles) + (rules.reserve > 0))
    width = slots * PITCH + 2 * MARGIN - (PITCH - WIDTH)
    top = MARGIN + HEIGHT + 2 * LABEL
    tier = (_rows(rules, tiers) - 1) * STRIP + HEIGHT
    bottom = top + tiers * (tier + LABEL) - LABEL
    per_row = (width - 2 * MARGIN + SMALL_PITCH - SMALL) // SMALL_PITCH
    stock_rows = -(-rules.stock // per_row)
    height = bottom + MARGIN + stock_rows * (SMALL_HEIGHT + 4) + (LABEL if rules.stock else 0)
    cards = Cards(marks)
    labels = [*_upper_row(rules, position, cards, slots), *_columns(rules, position, cards, top, tier, per_tier)]
    labels += _stock(rules, position, cards, bottom + 6, per_row) if rules.stock else []
    drawn = scene(width, height, [*labels, *cards.elements()], caption, alt, proves=proves)
    tallest = max(map(len, position.columns)) * STRIP + HEIGHT - STRIP
    return replace(drawn, focus=(0, top - 4, width, (tiers - 1) * (tier + LABEL) + tallest + 8))


def _rows(rules: Rules, tiers: int) -> int:
    """Return the number of cards for which a column has room without squeezing."""
    if rules.build == "none":
        return max(rules.sizes)
    limit = MAX_ROWS * (rules.decks + 1) // 2
    least = max(LEAST_ROWS // tiers, limit if rules.to == "tableau" else 0)
    return min(max(*rules.sizes, least - GROWTH) + GROWTH, limit)


def _upper_row(rules: Rules, position: Position, cards: Cards, slots: int) -> Iterator[str]:
    """Add cells and reserve from the left, foundations or the hole on the right; yield the name below each."""
    slot = 0
    if rules.cells:
        yield _label(slot, "cells")
        for number in range(rules.cells):
            card = position.cells[number] if number < len(position.cells) else None
            _add(cards, slot + number, card, card or "cell")
        slot += rules.cells
    if rules.reserve:
        count = len(position.reserve)
        yield _label(slot, f"reserve: {count}")
        if rules.stacked:
            name = f"{position.reserve[-1]}{RESERVE}" if count and rules.copies > 1 else "reserve"
            _add(cards, slot, position.reserve[-1] if count else None, name)
        else:
            step = min(PITCH, (slots - 4 - slot) * PITCH / max(rules.reserve, 1))
            for number, card in enumerate(position.reserve):
                cards.add(MARGIN + slot * PITCH + number * step, MARGIN, card, card)
    if rules.hole != "none":
        yield _label(slots - 1, "hole")
        _add(cards, slots - 1, position.hole, "hole")
        return
    first = slots - len(rules.piles)
    yield _label(first, "foundations, built up" if rules.has_downward_piles else "foundations")
    if rules.has_downward_piles:
        yield _label(first + len(rules.upward_piles), "foundations, built down")
    names, tops = names_of_foundations(rules), Referee(rules).tops(position)
    for number, (suit, card, name) in enumerate(zip(rules.piles, tops, names, strict=True)):
        _add(cards, first + number, card, name, suit)


def names_of_foundations(rules: Rules) -> list[str]:
    """Return the name of each foundation; those of a suit that are built in one direction have the same."""
    count = len(rules.upward_piles)
    return [f"foundation {suit}{' down' * (number >= count)}" for number, suit in enumerate(rules.piles)]


def _label(slot: int, words: str) -> str:
    return text(MARGIN + slot * PITCH, MARGIN + HEIGHT + 14, words, 13, NOTE, anchor="start")


def _add(cards: Cards, slot: int, card: str | None, name: str, suit: str = "") -> None:
    """Add a card of the upper row, or its empty place."""
    x = MARGIN + slot * PITCH
    if card:
        cards.add(x, MARGIN, card, name, card)
        if card in cards.marks.moved:
            cards.ring(x, MARGIN, WIDTH, HEIGHT)
    else:
        cards.add_space(x, MARGIN, name, suit)


def _columns(
    rules: Rules, position: Position, cards: Cards, first_top: float, tier: float, per_tier: int
) -> Iterator[str]:
    """Add the columns, in tiers of this height; yield their numbers."""
    corners = [
        (MARGIN + index % per_tier * PITCH, first_top + index // per_tier * (tier + LABEL))
        for index in range(len(position.columns))
    ]
    yield texts(
        (bare_text(x + WIDTH / 2, top - 10, str(number), 13, NOTE) for number, (x, top) in enumerate(corners, 1)),
        13,
        NOTE,
    )
    for index, ((x, top), column) in enumerate(zip(corners, position.columns, strict=True)):
        if not column:
            cards.add_space(x, top, f"column {index + 1}")
        strip = min(STRIP, (tier - HEIGHT) / max(len(column) - 1, 1))
        suffix = str(index + 1) if rules.copies > 1 else ""
        names = {card + suffix: row for row, card in enumerate(column)}  # of copies, only the uppermost can move
        for row, card in enumerate(column):
            own_name = [card + suffix] if names[card + suffix] == row else []
            cards.add(x, top + row * strip, card, *own_name, covered=row < len(column) - 1)
        rows = [row for name, row in names.items() if name in cards.marks.moved]
        if rows:
            cards.ring(x, top + rows[0] * strip, WIDTH, (rows[-1] - rows[0]) * strip + HEIGHT)


def _stock(rules: Rules, position: Position, cards: Cards, top: float, per_row: int) -> Iterator[str]:
    """Add the cards of waste and stock in the order of turning; yield what they are."""
    turned, order = position.turned, "dealing" if rules.to == "tableau" else "turning"
    words = words_of_stock(len(position.stock), turned, position.passes, order)
    yield text(MARGIN, top + 8, words, 13, NOTE, anchor="start")
    cards.add_stock(position.stock, turned, top + LABEL, per_row, list(_names_in_stock(rules, position)))


def _names_in_stock(rules: Rules, position: Position) -> Iterator[str]:
    """Yield the names of the cards of waste and stock: of copies, with their place, or as that which is dealt."""
    for number, card in enumerate(position.stock):
        if rules.copies == 1:
            yield card
        elif rules.to == "waste":
            yield f"{card}{STOCK}{number + 1}"
        else:
            yield card + DEALT * (number == position.turned)
