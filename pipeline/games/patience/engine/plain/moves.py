"""Do moves of a patience, and take them back."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, first_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.words import Words


@inlined
def waited_for(s: Words, suit: int, rank: int) -> int:
    """Return the rank for which a foundation waits, `rank` or a higher one: nobody waits for absent cards."""
    while rank < s[k.RANKS] and s[k.ABSENT] & (int64(1) << (suit * 13 + rank)):
        rank += 1
    return rank


@inlined
def cards_on_foundations(s: Words) -> int:
    """Return the cards on the foundations, with the absent ones below what they wait for."""
    cards = int64(0)
    for suit in range(4):
        cards |= (bit_of(s[k.UP + suit]) - 1) << (13 * suit)
    if s[k.DOWNWARD]:  # a loop of unknown length is slower
        for suit in range(4):
            cards |= (bit_of(s[k.RANKS]) - (bit_of(s[k.DOWN + suit]) << 1)) << 13 * suit
    return cards


@inlined
def next_cards(s: Words) -> int:
    """Return the cards for which foundations wait."""
    ranks, cards = bit_of(s[k.RANKS]) - 1, int64(0)
    for suit in range(4):
        cards |= (bit_of(s[k.UP + suit]) & ranks) << 13 * suit
    if s[k.DOWNWARD]:
        for suit in range(4):
            cards |= bit_of(s[k.DOWN + suit]) << 13 * suit
    return cards


@inlined
def is_next(s: Words, card: int) -> bool:
    """Return whether a foundation waits for a card: one of `next_cards`, in less time."""
    suit, rank = card // 13, card % 13
    return bool(s[k.UP + suit] == rank or s[k.DOWN + suit] == rank)


@inlined
def top_of_foundation(s: Words, suit: int) -> int:
    """Return the card that may come back from a foundation, or -1."""
    rank = s[k.UP + suit] - 1
    while rank >= s[k.INITIAL] and s[k.ABSENT] & (int64(1) << (suit * 13 + rank)):
        rank -= 1
    return suit * 13 + rank if rank >= s[k.INITIAL] else int64(-1)


@inlined
def top_of_reserve(s: Words) -> int:
    """Return the cards of the reserve that can be moved."""
    cards: int = s[k.RESERVE]
    return bit_of(s[k.RESERVE_CARDS + s[k.RESERVE_COUNT] - 1]) if s[k.STACKED] and cards else cards


@inlined
def draw_by_the_rules(s: Words) -> None:
    """Turn the stock by the rules of the game."""
    s[k.DRAW], s[k.PASSES], s[k.TURNS] = s[k.OWN_DRAW], s[k.OWN_PASSES], s[k.OWN_TURNS]


@inlined
def draw_one_by_one(s: Words) -> None:
    """Turn the stock card by card, any number of times."""
    s[k.DRAW], s[k.PASSES], s[k.TURNS] = 1, 0, -1


@inlined
def _numbers_ahead(s: Words) -> int:
    """Return the cards of the stock that turning uncovers before it has been turned through, as bits from 1 on."""
    below = bit_of(s[k.STOCK_COUNT]) - 1
    numbers: int = below + 1 | (s[k.TURNS] << s[k.TURNED] & below)
    return numbers


@inlined
def offered_numbers(s: Words) -> int:
    """Return the cards of the stock that can be uncovered, in this pass or in a later one, as bits from 1 on."""
    numbers = _numbers_ahead(s)
    if s[k.PASSES] == 0 or s[k.PASSES_LEFT] > 0:
        numbers |= s[k.TURNS] & (bit_of(s[k.STOCK_COUNT]) - 1)
    return numbers


@inlined
def lying(s: Words, card: int, under: int, column: int) -> int:
    """Return the word for the place of a card in a column."""
    key: int = s[k.Z + (card << 6 | under)]
    return key * (2 * column + 1) if under == k.NO_CARD and s[k.ORDERED] else key


@inlined
def _uncover(s: Words, under: int, column: int) -> None:
    """Note that a card is the top of a column again, or that the column is empty."""
    s[k.TOP + column] = under
    if under == k.NO_CARD:
        s[k.EMPTY] |= bit_of(column)
    else:
        s[k.TOPS] |= bit_of(under)
        s[k.COLUMN_OF + under] = column


@inlined
def _cover(s: Words, under: int, column: int, top: int) -> None:
    """Note that a card is the top of a column now, where `under` was before, or which was empty."""
    if under == k.NO_CARD:
        s[k.EMPTY] ^= bit_of(column)
    else:
        s[k.TOPS] ^= bit_of(under)
    s[k.TOPS] |= bit_of(top)
    s[k.TOP + column], s[k.COLUMN_OF + top] = top, column


@routine
def deal_row(s: Words, move: int) -> None:
    """Deal a card of the stock to each column, as long as there are any."""
    step, key = s[k.TRAIL] + k.STEP * s[k.DONE], s[k.HASH]
    s[step], s[step + 1], s[step + 2] = move & ((int64(1) << 30) - 1), key, s[k.TURNED] | s[k.PASSES_LEFT] << 8
    s[k.DONE] += 1
    for column in range((move >> 18) & 63):
        card, under = s[k.STOCK_CARDS + first_of(s[k.REST])], s[k.TOP + column]
        s[k.REST] &= s[k.REST] - 1
        s[k.STOCK_LEFT] ^= bit_of(card)
        s[k.STOCK_COUNT] -= 1
        key ^= s[k.Z + (card << 6 | k.STOCK)] ^ lying(s, card, under, column)
        s[k.UNDER + card] = under
        _cover(s, under, int64(column), card)
    if s[k.REST] == 0:
        for column in range(s[k.COLUMNS]):
            card = s[k.TOP + column]
            while card != k.NO_CARD and s[k.UNDER + card] != k.NO_CARD:
                card = s[k.UNDER + card]
            if card != k.NO_CARD:
                key ^= lying(s, card, int64(k.NO_CARD), column) ^ s[k.Z + (card << 6 | k.NO_CARD)]
        s[k.ORDERED] = 0
    s[k.HASH] = key


@routine
def _take_up(s: Words, count: int) -> None:
    """Take back a deal of this many cards."""
    for column in range(count):
        card = s[k.TOP + column]
        under = s[k.UNDER + card]
        s[k.REST] |= bit_of(s[k.STOCK_INDEX + card])
        s[k.STOCK_LEFT] |= bit_of(card)
        s[k.STOCK_COUNT] += 1
        s[k.TOPS] ^= bit_of(card)
        _uncover(s, under, int64(column))
    s[k.ORDERED] = 1


@inlined
def _turned(s: Words, move: int) -> tuple[int, int]:
    """Return how far the stock is turned after a card of it has left, and the passes that are left then."""
    turned, passes, index, count = s[k.TURNED], s[k.PASSES_LEFT], (move >> 24) & 63, s[k.STOCK_COUNT]
    if (move >> 12) & 63 == k.AWAY and s[k.DRAW] == 1:
        turned -= index <= turned
    elif s[k.TO_HOLE] == 0:
        if s[k.PASSES] and _numbers_ahead(s) >> index & 1 == 0:
            passes -= 1
        turned = index - 1
        if s[k.PASSES] == 0 and (turned % s[k.DRAW] == 0 or turned == count - 1):
            turned = int64(0)
    return turned, passes


@inlined
def key_after(s: Words, move: int) -> int:
    """Return the key of the position after a move, which deals no row."""
    card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
    key: int = s[k.HASH]
    if source < k.FIRST_COLUMN_LIMIT:
        under = s[k.UNDER + card]
        key ^= lying(s, card, under, source)
        if under != k.NO_CARD and s[k.FACE_DOWN] & bit_of(under):
            key ^= s[k.Z + (under << 6 | k.TURNED_UP)]
    elif source == k.AWAY:
        key ^= s[k.Z + (card << 6 | k.IN_HOLE)]
    else:
        key ^= s[k.Z + (card << 6 | source)]
        if source == k.STOCK:
            turned, passes = _turned(s, move)
            key ^= s[k.Z + (52 << 6 | s[k.TURNED])] ^ s[k.Z + (52 << 6 | turned)]
            key ^= s[k.Z + (53 << 6 | s[k.PASSES_LEFT])] ^ s[k.Z + (53 << 6 | passes)]
    if target < k.FIRST_COLUMN_LIMIT:
        key ^= lying(s, card, s[k.TOP + target], target)
    else:
        key ^= s[k.Z + (card << 6 | target)]
        if target == k.IN_HOLE:
            key ^= s[k.Z + (54 << 6 | s[k.HOLE_TOP] % 13)] ^ s[k.Z + (54 << 6 | card % 13)]
    return key


@inlined
def do(s: Words, move: int, automatic: int) -> None:
    if (move >> 12) & 63 == k.DEALT:
        deal_row(s, move)
    else:
        do_with_key(s, move, key_after(s, move), automatic)


@inlined
def do_with_key(s: Words, move: int, key: int, automatic: int) -> None:
    """Do a move, which deals no row, and whose position has this key."""
    card, source, target, count = move & 63, (move >> 6) & 63, (move >> 12) & 63, (move >> 18) & 63
    step = s[k.TRAIL] + k.STEP * s[k.DONE]
    s[step + 1] = s[k.HASH]
    s[step + 2] = s[k.TURNED] | s[k.PASSES_LEFT] << 8
    s[k.DONE] += 1
    s[k.HASH] = key
    shown, top = int64(0), card
    if source < k.FIRST_COLUMN_LIMIT:
        under, top = s[k.UNDER + card], s[k.TOP + source]
        s[k.TOPS] ^= bit_of(top)
        _uncover(s, under, source)
        if under != k.NO_CARD and s[k.FACE_DOWN] & bit_of(under):
            s[k.FACE_DOWN] ^= bit_of(under)
            shown = int64(1)
    elif source == k.CELL:
        s[k.CELL_CARDS] ^= bit_of(card)
        s[k.CELL_COUNT] -= 1
    elif source == k.FOUNDATION:
        s[k.LEFT] += 1
        if target != k.AWAY:
            s[k.UP + card // 13] = card % 13
    elif source == k.RESERVED:
        s[k.RESERVE] ^= bit_of(card)
        s[k.RESERVE_COUNT] -= 1
    elif source == k.AWAY:
        s[k.LEFT] += 1
    else:
        s[k.TURNED], s[k.PASSES_LEFT] = _turned(s, move)
        s[k.REST] ^= bit_of(s[k.STOCK_INDEX + card])
        s[k.STOCK_LEFT] ^= bit_of(card)
        s[k.STOCK_COUNT] -= 1
    parent = int64(k.NO_CARD)
    if target < k.FIRST_COLUMN_LIMIT:
        parent = s[k.TOP + target]
        s[k.UNDER + card] = parent
        _cover(s, parent, target, top)
    elif target == k.CELL:
        s[k.CELL_CARDS] |= bit_of(card)
        s[k.CELL_COUNT] += 1
    else:
        s[k.LEFT] -= count
        if target == k.FOUNDATION:
            if s[k.DOWNWARD] and s[k.UP + card // 13] < card % 13:
                s[k.DOWN + card // 13] = card % 13 - 1
            else:
                s[k.UP + card // 13] = waited_for(s, card // 13, card % 13 + 1)
        elif target == k.AWAY:
            s[k.ABSENT] |= bit_of(card)
            if s[k.UP + card // 13] == card % 13:
                s[k.UP + card // 13] = waited_for(s, card // 13, card % 13 + 1)
        else:
            parent = s[k.HOLE_TOP]
            s[k.HOLE_TOP] = card
            s[k.WAITING] &= ~bit_of(card)
    s[step] = move & ((int64(1) << 30) - 1) | parent << 30 | shown << k.TURNED_BIT | automatic << k.AUTOMATIC_BIT


@inlined
def undo(s: Words, level: int) -> None:
    """Take moves back until `level` are left."""
    while s[k.DONE] > level:
        s[k.DONE] -= 1
        step = s[k.TRAIL] + k.STEP * s[k.DONE]
        move = s[step]
        card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
        count, parent = (move >> 18) & 63, (move >> 30) & 63
        s[k.HASH] = s[step + 1]
        s[k.TURNED], s[k.PASSES_LEFT] = s[step + 2] & 255, s[step + 2] >> 8
        if target == k.DEALT:
            _take_up(s, count)
            continue
        top = card + 1 - count
        if target < k.FIRST_COLUMN_LIMIT:
            top = s[k.TOP + target]
            s[k.TOPS] ^= bit_of(top)
            _uncover(s, parent, target)
        elif target == k.CELL:
            s[k.CELL_CARDS] ^= bit_of(card)
            s[k.CELL_COUNT] -= 1
        else:
            s[k.LEFT] += count
            if target == k.FOUNDATION:
                if s[k.DOWNWARD] and s[k.UP + card // 13] < card % 13:
                    s[k.DOWN + card // 13] = card % 13
                else:
                    s[k.UP + card // 13] = card % 13 + 1 - count
            elif target == k.AWAY:
                s[k.ABSENT] ^= bit_of(card)
                if source != k.FOUNDATION:
                    s[k.UP + card // 13] = min(s[k.UP + card // 13], card % 13)
            else:
                s[k.HOLE_TOP] = parent
                s[k.WAITING] |= bit_of(card) * (source != k.AWAY)
        if source < k.FIRST_COLUMN_LIMIT:
            under = s[k.TOP + source]
            s[k.FACE_DOWN] |= ((move >> k.TURNED_BIT) & 1) << under
            s[k.UNDER + card] = under
            _cover(s, under, source, top)
        elif source == k.CELL:
            s[k.CELL_CARDS] |= bit_of(card)
            s[k.CELL_COUNT] += 1
        elif source == k.FOUNDATION:
            s[k.LEFT] -= 1
            if target != k.AWAY:
                s[k.UP + card // 13] = waited_for(s, card // 13, card % 13 + 1)
        elif source == k.RESERVED:
            s[k.RESERVE] |= bit_of(card)
            s[k.RESERVE_COUNT] += 1
        elif source == k.AWAY:
            s[k.LEFT] -= 1
        else:
            s[k.REST] |= bit_of(s[k.STOCK_INDEX + card])
            s[k.STOCK_LEFT] |= bit_of(card)
            s[k.STOCK_COUNT] += 1
