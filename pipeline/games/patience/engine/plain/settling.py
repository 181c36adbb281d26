"""What happens after a move without a choice: spaces are filled, safe cards go up, and loose cards become absent."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, count_of, first_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.moves import do, next_cards, top_of_foundation, top_of_reserve
from dealmill.pipeline.games.patience.engine.plain.soundness import is_safe
from dealmill.pipeline.games.patience.engine.plain.words import Words, that_fit


@inlined
def below_in_run(s: Words, card: int) -> int:
    """Return the card below one in a column if both move together, or `NO_CARD`."""
    under: int = s[k.UNDER + card]
    if under == k.NO_CARD or s[k.MOVING] == k.ONE_CARD or s[k.FACE_DOWN] & bit_of(under):
        return int64(k.NO_CARD)
    return under if s[k.MOVING] == k.ANY_CARDS or s[k.RUNS + card] & bit_of(under) else int64(k.NO_CARD)


@routine
def _source_of(s: Words, card: int) -> int:
    """Return where a card that can be moved alone is, or -1; a card of the stock only if all of them always can."""
    bit = bit_of(card)
    if s[k.TOPS] & bit:
        column: int = s[k.COLUMN_OF + card]
        return column
    if s[k.CELL_CARDS] & bit:
        return int64(k.CELL)
    if top_of_reserve(s) & bit:
        return int64(k.RESERVED)
    if s[k.STOCK_IS_OPEN] and s[k.STOCK_LEFT] & bit:
        return int64(k.STOCK)
    return int64(-1)


@inlined
def _place_in_stock(s: Words, card: int) -> int:
    """Return how many cards of the stock lie before this one."""
    return count_of(s[k.REST] & (bit_of(s[k.STOCK_INDEX + card]) - 1))


@routine
def _loose_card(s: Words) -> int:
    """Return the move of a card that becomes absent, as it is idle or could lie on an absent card, or as one below
    it is that moves with it; -1 if there is none. Of a stock, only if it is turned card by card: the other cards are
    offered as before."""
    leaving = s[k.IDLE] | that_fit(s, s[k.ABSENT])
    near = s[k.TOPS]
    if s[k.MOVING] != k.ONE_CARD:
        near |= ~(s[k.ABSENT] | s[k.STOCK_LEFT] | s[k.RESERVE] | s[k.FACE_DOWN])
    if leaving & near:
        for column in range(s[k.COLUMNS]):
            card = s[k.TOP + column]
            while card != k.NO_CARD:
                if leaving & bit_of(card):
                    return int64(s[k.TOP + column] | column << 6 | k.AWAY << 12 | 1 << 18)
                card = below_in_run(s, card)
    for suit in range(4 * s[k.REMOVABLE]):
        card = top_of_foundation(s, suit)
        if card >= 0 and leaving & bit_of(card):
            return card | k.FOUNDATION << 6 | k.AWAY << 12 | 1 << 18
    cards = (s[k.CELL_CARDS] | s[k.RESERVE]) & leaving
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        source = _source_of(s, card)
        if source >= 0:
            return int64(card | source << 6 | k.AWAY << 12 | 1 << 18)
    rest, index = s[k.REST], int64(0)
    while rest and s[k.STOCK_LEFT] & leaving and s[k.DRAW] == 1 and s[k.TO_HOLE] == 0:
        card = s[k.STOCK_CARDS + first_of(rest)]
        rest &= rest - 1
        index += 1
        is_offered = index >= s[k.TURNED] or s[k.PASSES] == 0 or s[k.PASSES_LEFT] > 0
        if is_offered and leaving & bit_of(card):
            return int64(card | k.STOCK << 6 | k.AWAY << 12 | 1 << 18 | index << 24)
    return int64(-1)


@inlined
def _fill(s: Words) -> int:
    """Return the move of a card from the reserve to an empty column; -1 if there is none."""
    if s[k.EMPTY] == 0:
        return int64(-1)
    move: int = s[k.RESERVE_CARDS + s[k.RESERVE_COUNT] - 1] | k.RESERVED << 6 | first_of(s[k.EMPTY]) << 12 | 1 << 18
    return move


@inlined
def _safe_move(s: Words) -> int:
    """Return the move of a card to its foundation that is safe; -1 if there is none."""
    move = int64(-1)
    near = s[k.TOPS] | s[k.CELL_CARDS] | s[k.RESERVE] | s[k.STOCK_LEFT] * s[k.STOCK_IS_OPEN]
    near &= next_cards(s)
    while near:
        card = first_of(near)
        near &= near - 1
        source = _source_of(s, card)
        if source >= 0 and is_safe(s, card):
            index = int64(1)
            if source == k.STOCK:
                index += _place_in_stock(s, card)
            move = card | source << 6 | k.FOUNDATION << 12 | 1 << 18 | index << 24
            break
    return move


@routine
def settle(s: Words) -> None:
    """Do what happens without a move: empty columns are filled from the reserve, if the rules say so, and loose cards
    become absent. Without `LITERAL`, also do moves that are safe."""
    while True:
        move, automatic = int64(-1), int64(1)
        if s[k.FILLS] and s[k.RESERVE_COUNT]:
            move = _fill(s)
        if move < 0 and s[k.IDLE]:
            move = _loose_card(s)
        if move < 0 and s[k.LITERAL] == 0 and s[k.SAFE]:
            move, automatic = _safe_move(s), int64(0)
        if move < 0:
            return
        s[k.LIFTED] |= bit_of(move & 63)
        do(s, move, automatic)
