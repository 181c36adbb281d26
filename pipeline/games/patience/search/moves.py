"""Do moves of a patience, and take them back."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.search.words import (
    ABSENT,
    AUTOMATIC_BIT,
    AWAY,
    CELL,
    CELL_CARDS,
    CELL_COUNT,
    COLUMNS,
    DEALT,
    DONE,
    DOWN,
    DRAW,
    FIRST_COLUMN_LIMIT,
    FOUNDATION,
    HASH,
    HOLE_TOP,
    IN_HOLE,
    INITIAL,
    LEFT,
    LENGTH,
    NO_CARD,
    ORDERED,
    PASSES,
    PASSES_LEFT,
    RANKS,
    RESERVE,
    RESERVE_COUNT,
    RESERVED,
    REST,
    STEP,
    STOCK,
    STOCK_CARDS,
    STOCK_COUNT,
    STOCK_INDEX,
    TO_HOLE,
    TOP,
    TOPS,
    TRAIL,
    TURNED,
    TURNED_BIT,
    TURNED_UP,
    UNDER,
    UP,
    WAITING,
    Words,
    Z,
    bit_of,
    first_of,
    word,
)


@inlined
def waited_for(s: Words, suit: int, rank: int) -> int:
    """Return the rank for which a foundation waits, `rank` or a higher one: nobody waits for absent cards."""
    while rank < s[RANKS] and s[ABSENT] & (word(1) << (suit * 13 + rank)):
        rank += 1
    return rank


@inlined
def top_of_foundation(s: Words, suit: int) -> int:
    """Return the card that may come back from a foundation, or -1."""
    rank = s[UP + suit] - 1
    while rank >= s[INITIAL] and s[ABSENT] & (word(1) << (suit * 13 + rank)):
        rank -= 1
    return suit * 13 + rank if rank >= s[INITIAL] else word(-1)


@inlined
def is_ahead(s: Words, index: int, count: int) -> bool:
    """Return whether turning uncovers card `index` of `count` (from 1) before the stock has been turned through."""
    ahead = index - s[TURNED]
    return ahead == 0 or (ahead > 0 and (ahead % s[DRAW] == 0 or index == count))


@inlined
def _lying(s: Words, card: int, under: int, column: int) -> int:
    """Return the word for the place of a card in a column."""
    key: int = s[Z + (card << 6 | under)]
    return key * (2 * column + 1) if under == NO_CARD and s[ORDERED] else key


@routine
def _deal(s: Words, move: int) -> None:
    """Deal a card of the stock to each column, as long as there are any."""
    step, key = s[TRAIL] + STEP * s[DONE], s[HASH]
    s[step], s[step + 1], s[step + 2] = move & ((word(1) << 30) - 1), key, s[TURNED] | s[PASSES_LEFT] << 8
    s[DONE] += 1
    for column in range((move >> 18) & 63):
        card, under = s[STOCK_CARDS + first_of(s[REST])], s[TOP + column]
        s[REST] &= s[REST] - 1
        s[STOCK_COUNT] -= 1
        key ^= s[Z + (card << 6 | STOCK)] ^ _lying(s, card, under, column)
        s[UNDER + card], s[TOP + column] = under, card
        s[LENGTH + column] += 1
        s[TOPS] |= bit_of(card)
        if under != NO_CARD:
            s[TOPS] ^= bit_of(under)
    if s[REST] == 0:
        for column in range(s[COLUMNS]):
            card = s[TOP + column]
            while card != NO_CARD and s[UNDER + card] != NO_CARD:
                card = s[UNDER + card]
            if card != NO_CARD:
                key ^= _lying(s, card, word(NO_CARD), column) ^ s[Z + (card << 6 | NO_CARD)]
        s[ORDERED] = 0
    s[HASH] = key


@routine
def _take_up(s: Words, count: int) -> None:
    """Take back a deal of this many cards."""
    for column in range(count):
        card = s[TOP + column]
        under = s[UNDER + card]
        s[REST] |= bit_of(s[STOCK_INDEX + card])
        s[STOCK_COUNT] += 1
        s[TOP + column] = under
        s[LENGTH + column] -= 1
        s[TOPS] ^= bit_of(card)
        if under != NO_CARD:
            s[TOPS] |= bit_of(under)
    s[ORDERED] = 1


@inlined
def _turned(s: Words, move: int) -> tuple[int, int]:
    """Return how far the stock is turned after a card of it has left, and the passes that are left then."""
    turned, passes, index, count = s[TURNED], s[PASSES_LEFT], (move >> 24) & 63, s[STOCK_COUNT]
    if (move >> 12) & 63 == AWAY and s[DRAW] == 1:
        turned -= index <= turned
    elif s[TO_HOLE] == 0:
        if s[PASSES] and not is_ahead(s, index, count):
            passes -= 1
        turned = index - 1
        if s[PASSES] == 0 and (turned % s[DRAW] == 0 or turned == count - 1):
            turned = word(0)
    return turned, passes


@inlined
def _key_after(s: Words, move: int) -> int:
    """Return the key of the position after a move, which deals no row."""
    card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
    key: int = s[HASH]
    if source < FIRST_COLUMN_LIMIT:
        under = s[UNDER + card]
        key ^= _lying(s, card, under, source)
        if under != NO_CARD and s[LENGTH + source] - ((move >> 18) & 63) == s[DOWN + source]:
            key ^= s[Z + (under << 6 | TURNED_UP)]
    elif source == AWAY:
        key ^= s[Z + (card << 6 | IN_HOLE)]
    else:
        key ^= s[Z + (card << 6 | source)]
        if source == STOCK:
            turned, passes = _turned(s, move)
            key ^= s[Z + (52 << 6 | s[TURNED])] ^ s[Z + (52 << 6 | turned)]
            key ^= s[Z + (53 << 6 | s[PASSES_LEFT])] ^ s[Z + (53 << 6 | passes)]
    if target < FIRST_COLUMN_LIMIT:
        key ^= _lying(s, card, s[TOP + target], target)
    else:
        key ^= s[Z + (card << 6 | target)]
        if target == IN_HOLE:
            key ^= s[Z + (54 << 6 | s[HOLE_TOP] % 13)] ^ s[Z + (54 << 6 | card % 13)]
    return key


@inlined
def do(s: Words, move: int, automatic: int) -> None:
    if (move >> 12) & 63 == DEALT:
        _deal(s, move)
        return
    card, source, target, count = move & 63, (move >> 6) & 63, (move >> 12) & 63, (move >> 18) & 63
    step = s[TRAIL] + STEP * s[DONE]
    s[step + 1] = s[HASH]
    s[step + 2] = s[TURNED] | s[PASSES_LEFT] << 8
    s[DONE] += 1
    s[HASH] = _key_after(s, move)
    shown, top = word(0), card
    if source < FIRST_COLUMN_LIMIT:
        under, top = s[UNDER + card], s[TOP + source]
        s[TOPS] ^= bit_of(top)
        s[LENGTH + source] -= count
        s[TOP + source] = under
        if under != NO_CARD:
            s[TOPS] |= bit_of(under)
            if s[LENGTH + source] == s[DOWN + source]:
                s[DOWN + source] -= 1
                shown = word(1)
    elif source == CELL:
        s[CELL_CARDS] ^= bit_of(card)
        s[CELL_COUNT] -= 1
    elif source == FOUNDATION:
        s[LEFT] += 1
        if target != AWAY:
            s[UP + card // 13] = card % 13
    elif source == RESERVED:
        s[RESERVE] ^= bit_of(card)
        s[RESERVE_COUNT] -= 1
    elif source == AWAY:
        s[LEFT] += 1
    else:
        s[TURNED], s[PASSES_LEFT] = _turned(s, move)
        s[REST] ^= bit_of(s[STOCK_INDEX + card])
        s[STOCK_COUNT] -= 1
    parent = word(NO_CARD)
    if target < FIRST_COLUMN_LIMIT:
        parent = s[TOP + target]
        s[UNDER + card] = parent
        if parent != NO_CARD:
            s[TOPS] ^= bit_of(parent)
        s[TOP + target] = top
        s[LENGTH + target] += count
        s[TOPS] |= bit_of(top)
    elif target == CELL:
        s[CELL_CARDS] |= bit_of(card)
        s[CELL_COUNT] += 1
    else:
        s[LEFT] -= count
        if target == FOUNDATION:
            s[UP + card // 13] = waited_for(s, card // 13, card % 13 + 1)
        elif target == AWAY:
            s[ABSENT] |= bit_of(card)
            if s[UP + card // 13] == card % 13:
                s[UP + card // 13] = waited_for(s, card // 13, card % 13 + 1)
        else:
            parent = s[HOLE_TOP]
            s[HOLE_TOP] = card
            s[WAITING] &= ~bit_of(card)
    s[step] = move & ((word(1) << 30) - 1) | parent << 30 | shown << TURNED_BIT | automatic << AUTOMATIC_BIT


@inlined
def undo(s: Words, level: int) -> None:
    """Take moves back until `level` are left."""
    while s[DONE] > level:
        s[DONE] -= 1
        step = s[TRAIL] + STEP * s[DONE]
        move = s[step]
        card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
        count, parent = (move >> 18) & 63, (move >> 30) & 63
        s[HASH] = s[step + 1]
        s[TURNED], s[PASSES_LEFT] = s[step + 2] & 255, s[step + 2] >> 8
        if target == DEALT:
            _take_up(s, count)
            continue
        top = card + 1 - count
        if target < FIRST_COLUMN_LIMIT:
            top = s[TOP + target]
            s[TOPS] ^= bit_of(top)
            s[TOP + target] = parent
            s[LENGTH + target] -= count
            if parent != NO_CARD:
                s[TOPS] |= bit_of(parent)
        elif target == CELL:
            s[CELL_CARDS] ^= bit_of(card)
            s[CELL_COUNT] -= 1
        else:
            s[LEFT] += count
            if target == FOUNDATION:
                s[UP + card // 13] = card % 13 + 1 - count
            elif target == AWAY:
                s[ABSENT] ^= bit_of(card)
                if source != FOUNDATION:
                    s[UP + card // 13] = min(s[UP + card // 13], card % 13)
            else:
                s[HOLE_TOP] = parent
                s[WAITING] |= bit_of(card) * (source != AWAY)
        if source < FIRST_COLUMN_LIMIT:
            under = s[TOP + source]
            if under != NO_CARD:
                s[TOPS] ^= bit_of(under)
                s[DOWN + source] += (move >> TURNED_BIT) & 1
            s[UNDER + card] = under
            s[TOP + source] = top
            s[LENGTH + source] += count
            s[TOPS] |= bit_of(top)
        elif source == CELL:
            s[CELL_CARDS] |= bit_of(card)
            s[CELL_COUNT] += 1
        elif source == FOUNDATION:
            s[LEFT] -= 1
            if target != AWAY:
                s[UP + card // 13] = waited_for(s, card // 13, card % 13 + 1)
        elif source == RESERVED:
            s[RESERVE] |= bit_of(card)
            s[RESERVE_COUNT] += 1
        elif source == AWAY:
            s[LEFT] -= 1
        else:
            s[REST] |= bit_of(s[STOCK_INDEX + card])
            s[STOCK_COUNT] += 1
