"""The table of a covering game with its cards, which overlap, as a picture."""

from collections.abc import Iterator, Sequence

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
from dealmill.game import NOTE, Scene, scene, text
from dealmill.pipeline.games.covering.rules import Position, Rules, lies_face_down

STEP = 34
"""The height of what is seen of a card under those of the next row."""
LEAST_SLOTS = 7


def table(rules: Rules, position: Position, marks: Marks, caption: str, alt: str, proves: str = "") -> Scene:
    """Return the table: the hole or the cards that left last, the arrangement, the columns, and the stock."""
    slots = max(LEAST_SLOTS, rules.row_sizes[-1], rules.columns)
    width = slots * PITCH + 2 * MARGIN - (PITCH - WIDTH)
    top = MARGIN + HEIGHT + LABEL
    below = top + (rules.rows - 1) * STEP + HEIGHT + LABEL
    bottom = below + ((rules.column_size - 1) * STRIP + HEIGHT + LABEL if rules.columns else 0)
    per_row = (width - 2 * MARGIN + SMALL_PITCH - SMALL) // SMALL_PITCH
    stock_rows = -(-rules.stock // per_row)
    height = bottom + MARGIN + stock_rows * (SMALL_HEIGHT + 4)
    cards = Cards(marks)
    corners = {
        number: (MARGIN + slot * PITCH, top + row * STEP) for number, (slot, row) in slots_of(rules, slots).items()
    }
    count = sum(rules.row_sizes)
    for column in range(rules.columns):
        for depth in range(rules.column_size):
            left = MARGIN + (column + (slots - rules.columns) / 2) * PITCH
            corners[count + column * rules.column_size + depth] = left, below + depth * STRIP
    labels = list(_upper_row(rules, position, cards))
    for number, (x, y) in corners.items():
        if card := position.places[number]:
            covered = any(position.places[cover] for cover in rules.covers[number])
            shown = card[0] + card[1].lower() if lies_face_down(rules, position.places, number) else card
            cards.add(x, y, shown, card, covered=covered)
    if rules.stock:
        stock = position.stock
        labels.append(
            text(
                MARGIN,
                bottom - 10,
                words_of_stock(len(stock), position.turned, position.passes),
                13,
                NOTE,
                anchor="start",
            )
        )
        cards.add_stock(stock, up_to(rules, position), bottom, per_row, stock)
    return scene(width, height, [*labels, *cards.elements()], caption, alt, proves=proves)


def up_to(rules: Rules, position: Position) -> int:
    """Return how many cards of the waste and the stock, from the first, lie face up."""
    return position.turned + (rules.playable and rules.moves == "pairs")


def slots_of(rules: Rules, slots: float) -> dict[int, tuple[float, int]]:
    """Return how far each place of the peaks is from the left, in widths of a card, if the last row is in the middle of
    some slots, and its row: a card lies in the middle above those that cover it."""
    rows = [row for row, size in enumerate(rules.row_sizes) for _ in range(size)]
    last = rules.row_sizes[-1]
    slots_and_rows = dict[int, tuple[float, int]]()
    for number in reversed(range(len(rows))):
        covers = [slots_and_rows[cover][0] for cover in rules.covers[number]]
        in_last_row = number - len(rows) + last + (slots - last) / 2
        slots_and_rows[number] = (sum(covers) / 2 if covers else in_last_row), rows[number]
    return dict(sorted(slots_and_rows.items()))


def _upper_row(rules: Rules, position: Position, cards: Cards) -> Iterator[str]:
    """Add the card in the hole, or those that left last; yield what they are."""
    if rules.moves == "hole":
        yield _label(1, "hole")
        _add(cards, [position.hole])
        return
    left = [card for card in cards.marks.moved if card not in (*position.places, *position.stock)]
    count = len(position.stock) + sum(map(bool, position.places))
    yield _label(max(len(left), 1), f"gone: {52 - count}")
    _add(cards, left)
    if not left:
        cards.add_space(MARGIN, MARGIN, "gone")


def _label(slot: int, words: str) -> str:
    return text(MARGIN + slot * PITCH, MARGIN + HEIGHT / 2, words, 13, NOTE, anchor="start")


def _add(cards: Cards, names: Sequence[str]) -> None:
    for slot, card in enumerate(names):
        cards.add(MARGIN + slot * PITCH, MARGIN, card, card)
        if card in cards.marks.moved:
            cards.ring(MARGIN + slot * PITCH, MARGIN, WIDTH, HEIGHT)
