"""The start of all searches of a layout: what follows from where its cards are."""

from dealmill.kernels import int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, count_of, first_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.moves import cards_on_foundations, lying
from dealmill.pipeline.games.patience.engine.plain.words import Words


@routine
def _key_of(s: Words, cards: int, area: int) -> int:
    """Return the word for cards that are in no column, but all in one other area."""
    key = int64(0)
    while cards:
        key ^= s[k.Z + (first_of(cards) << 6 | area)]
        cards &= cards - 1
    return key


@routine
def _prepare_columns(s: Words) -> None:
    """Complete what is known of the columns."""
    for number in range(s[k.COLUMNS]):
        column, card = int64(number), s[k.TOP + number]
        if card == k.NO_CARD:
            s[k.EMPTY] |= bit_of(column)
        else:
            s[k.TOPS] |= bit_of(card)
            s[k.COLUMN_OF + card] = column
        while card != k.NO_CARD:
            s[k.HASH] ^= lying(s, card, s[k.UNDER + card], column)
            s[k.CANDIDATES] |= bit_of(card)
            card = s[k.UNDER + card]


@routine
def _prepare_stock(s: Words) -> None:
    """Complete what is known of the stock, of which the cards are given, in order."""
    s[k.REST] = bit_of(s[k.STOCK_COUNT]) - 1
    for index in range(s[k.STOCK_COUNT]):
        card = s[k.STOCK_CARDS + index]
        s[k.STOCK_INDEX + card] = index
        s[k.STOCK_LEFT] |= bit_of(card)
    s[k.IN_STOCK] = s[k.STOCK_LEFT]
    if s[k.TO_HOLE] == 0 and s[k.TO_COLUMNS] == 0:
        s[k.CANDIDATES] |= s[k.IN_STOCK]
        s[k.HASH] ^= s[k.Z + (52 << 6 | s[k.TURNED])] ^ s[k.Z + (53 << 6 | s[k.PASSES_LEFT])]


@routine
def prepare(s: Words) -> None:
    """Complete the position whose columns, cells, reserve, stock, foundations and hole are given, and keep it as the
    start of all searches."""
    s[k.CANDIDATES] = s[k.CELL_CARDS] | s[k.RESERVE]
    s[k.CELL_COUNT], s[k.RESERVE_COUNT] = count_of(s[k.CELL_CARDS]), count_of(s[k.RESERVE])
    s[k.HASH] = _key_of(s, s[k.CELL_CARDS], int64(k.CELL)) ^ _key_of(s, s[k.RESERVE], int64(k.RESERVED))
    _prepare_columns(s)
    s[k.LEFT] = count_of(s[k.CANDIDATES]) + s[k.STOCK_COUNT]
    _prepare_stock(s)
    s[k.HASH] ^= _key_of(s, s[k.STOCK_LEFT], int64(k.STOCK))
    up = cards_on_foundations(s)
    s[k.HASH] ^= _key_of(s, up, int64(k.FOUNDATION))
    if s[k.REMOVABLE]:
        s[k.CANDIDATES] |= up & ~(s[k.INITIAL] * int64(k.LOWEST))
    if s[k.HOLE]:
        s[k.HASH] ^= s[k.Z + (54 << 6 | s[k.HOLE_TOP] % 13)]
    s[k.WAITING] = s[k.CANDIDATES] | s[k.IN_STOCK]
    for at in range(k.POSITION_SIZE):
        s[k.START + at] = s[k.POSITION + at]
