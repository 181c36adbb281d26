"""The search of patiences whose cards exist more than once, or of which only whole suits leave: Spider, Forty Thieves
and the like.

Cards are numbers, 13 for each suit, counted from the base of the foundations. Since they are not unique, a position is
its columns card by card, and is hashed column by column. The waste is one more column, on which no card is put. If the
stock may be gone through again, that column has all cards of waste and stock, in the order of turning. As a row of
bytes, a position has how many cards are dealt and left, how many are turned and the further passes, the cards on each
foundation unless whole suits leave, and each column. `links` has the number of the position from which each was
reached, and the move: the column, the target and the number of cards, the latter from bit 12 on. The other fields are
in one array, `s`, with their offsets in capitals.

`spider_beam` looks for a win, and `spider_counting` counts.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Fields, inlined, int64, routine
from dealmill.rules_files import MAX_COLUMNS

Words = NDArray[np.int64]
Rows = NDArray[np.uint8]

MAX_CARDS, MAX_PLACES, MAX_PILES = 104, MAX_COLUMNS + 2, 32
"""Places are columns, the waste, and the reserve."""
MAX_MOVES = MAX_PLACES * MAX_COLUMNS * MAX_CARDS // 4
ARRAY = Fields()
# Rules and the layout
COLUMNS, RANKS, MOVES_RUNS, MOVES_ANY, SPACES, FULL_COLUMNS, STOCK_SIZE = ARRAY.words(7)
COMPLETE, COPIES, PILES, PLACES, TO_WASTE, DRAW, REMOVABLE, FIXED = ARRAY.words(8)
"""`PILES` are the foundations to which cards go one by one: each of the four suits has `COPIES` of them. If they are
`REMOVABLE`, they come back, but for those that are `FIXED`, none or the first one of each foundation."""
AGAIN, LIMITED, WASTE_FILLS, WHOLE_COLUMNS, NO_SINGLE_CARDS = ARRAY.words(5)
HAS_RESERVE, RESERVE_FILLS, ONLY_WASTE_FILLS = ARRAY.words(3)
"""Whether the stock may be gone through again, and whether only as often as `PASSES` says; whether an empty column is
filled from waste and stock before anything else moves; whether runs move only if they are whole columns, and whether
single cards that leave others in theirs do not move to another one."""
PARENTS, RUNS, STOCK_CARDS = ARRAY.row(52), ARRAY.row(52), ARRAY.row(MAX_CARDS)
# A position
POSITION = ARRAY.coming()
LEFT, DEALT, TURNED, PASSES = ARRAY.words(4)
UP = ARRAY.row(MAX_PILES)
LENGTH, DOWN, KEYS, VALUES = ARRAY.rows(4, MAX_PLACES)
POSITION_SIZE = ARRAY.coming() - POSITION
CARDS = ARRAY.row(MAX_PLACES * MAX_CARDS)
# The search: nodes of all searches and their limit, a number that disturbs values, the positions of this search, and
# whether it ended since there was no further move
NODES, LIMIT, NOISE, COUNT, DIED = ARRAY.words(5)
WEIGHTS = ARRAY.coming()
IN_RUN, PER_RUN_CARD, FITTING, LOWER, HIGHER, SPACE = ARRAY.words(6)
"""What the value of a position counts in a beam: a card that moves with the one below it, also for each card of its
run; one that only fits, is lower, or is not; an empty column."""
MOVES = ARRAY.row(MAX_MOVES)
BEFORE = ARRAY.row(POSITION_SIZE)
"""The position from which moves are made, without its cards."""
TAKEN, COVERED = ARRAY.words(2)
"""The card that was taken from a stock that may be gone through again, and the one that was in the place of that which
filled a column from the reserve, before their moves are taken back."""
END = ARRAY.size

NO_CARD = NO_COLUMN = 63
SUIT = (1 << 13) - 1
"""The first suit, as a set of cards."""
DEAL, TO_FOUNDATION = 62, 63
"""Targets of moves that are no columns: the stock is dealt, and a card or a whole suit goes up."""
FROM_FOUNDATION = 61
"""The column of a move of a card that comes back; its number of cards is one more than that card."""
WON, LOST, OPEN = 1, 2, 3
FIRST_BYTES = 4
"""The bytes of a row before its foundations."""
WEIGHTS_OF_BEAMS = ((10, 4, 3, -6, -12, 30), (12, 10, -12, -12, -14, 15))
"""The weights of beams in turn. By the second ones, only runs are worth anything: they win other deals."""
FACE_DOWN, FIRST_SPACE, KING_BELOW, WHOLE_SUIT = 12, 10, 5, 900
"""What else the value of a position counts: a card that lies face down; the first empty column; a last rank at the
bottom; a suit that has left."""
CARD_LEFT, EMPTY_COLUMN, BUILT, UNBUILT, COVERING, MAX_COVERED = 20, 8, 3, 6, 2, 4
IN_WASTE, COVERING_IN_WASTE, PER_RANK_IN_WASTE, IN_STOCK_AGAIN, IN_RESERVE = 7, 6, 3, 3, 10
"""The same where cards go up one by one: a card that is left; an empty column; a card that fits the one below it, or
only is lower than all below it, or covers lower ones, for each rank; a card in the waste, or one there that covers
lower ones, and for each rank; a card of waste and stock that may be gone through again; and one in the reserve."""
LEAST_VALUE = 1 << 20
"""Values are greater than its negative."""
ROW = (1 << 32) - 1
"""The bits of an entry for its row; those above are for the value."""
MIX = -7046029254386353131


@inlined
def reserve_of(s: Words) -> int:
    """Return the place of the reserve, behind that of the waste."""
    return int64(s[COLUMNS] + 1)


@inlined
def card_at(s: Words, column: int, height: int) -> int:
    card: int = s[CARDS + MAX_CARDS * column + height]
    return card


@inlined
def top_card(s: Words, column: int) -> int:
    return card_at(s, column, s[LENGTH + column] - 1) if s[LENGTH + column] else int64(NO_CARD)


@routine
def _worth(s: Words, column: int) -> int:
    """Return the value of a column if cards go up one by one."""
    length, value, lowest, under = s[LENGTH + column], int64(0), int64(NO_CARD), int64(NO_CARD)
    for height in range(length):
        card = card_at(s, column, int64(height))
        if height > s[DOWN + column] and (s[PARENTS + card] >> under) & 1:
            value += BUILT
        elif card % 13 > lowest:
            value -= COVERING * min(card % 13 - lowest, int64(MAX_COVERED))
        elif height:
            value -= UNBUILT
        lowest, under = min(lowest, card % 13), card
    return value if length else int64(EMPTY_COLUMN)


@routine
def _worth_of_waste(s: Words, waste: int) -> int:
    """Return the value of the waste; what covers what does not matter if it will be gone through again."""
    count = s[LENGTH + waste]
    if s[AGAIN] and (s[LIMITED] == 0 or s[PASSES]):
        return int64(-IN_STOCK_AGAIN * count)
    if s[AGAIN]:
        count = s[TURNED]
    value, lowest = -IN_WASTE * count, int64(NO_CARD)
    for height in range(count):
        rank = card_at(s, waste, int64(height)) % 13
        if rank > lowest:
            value -= COVERING_IN_WASTE + PER_RANK_IN_WASTE * min(rank - lowest, int64(MAX_COVERED))
        lowest = min(lowest, rank)
    return int64(value)


@routine
def _weigh(s: Words, column: int) -> None:
    """Write the key and the value of a column."""
    length, down = s[LENGTH + column], s[DOWN + column]
    key, under, value, size = int64(down + 1) << 6, int64(NO_CARD), -FACE_DOWN * down, int64(1)
    for height in range(length):
        card = card_at(s, column, int64(height))
        key = (key ^ (card + 1)) * int64(MIX)
        key ^= key >> 29
        if height > down:
            if (s[RUNS + card] >> under) & 1:
                size += 1
                value += s[IN_RUN] + s[PER_RUN_CARD] * size
            else:
                size = int64(1)
                if (s[PARENTS + card] >> under) & 1:
                    value += s[FITTING]
                else:
                    value += s[LOWER] if card % 13 < under % 13 else s[HIGHER]
        under = card
    if length == 0:
        value += s[SPACE]
    elif down == 0 and card_at(s, column, int64(0)) % 13 == s[RANKS] - 1:
        value += KING_BELOW
    if s[COMPLETE] == 0:
        value = _worth(s, column) if column < s[COLUMNS] else _worth_of_waste(s, column)
        if column == reserve_of(s):
            value = -IN_RESERVE * length
    s[KEYS + column], s[VALUES + column] = key, value


@inlined
def order_counts(s: Words) -> bool:
    """Return whether the order of columns counts, since cards will be dealt to them."""
    return bool(s[DEALT] < s[STOCK_SIZE] and s[TO_WASTE] == 0)


@inlined
def position_key(s: Words) -> int:
    """Return the key of the position: the order of columns counts if cards will be dealt to them."""
    key, in_order = int64(s[DEALT] | s[TURNED] << 8 | s[PASSES] << 16), order_counts(s)
    for column in range(s[COLUMNS]):
        own = s[KEYS + column]
        if in_order:
            own = (own + column) * int64(MIX)
            own ^= own >> 31
        key += own
    if s[TO_WASTE]:
        own = (s[KEYS + s[COLUMNS]] + MAX_COLUMNS) * int64(MIX)
        key += own ^ own >> 31
    if s[HAS_RESERVE]:
        own = (s[KEYS + reserve_of(s)] + MAX_COLUMNS + 1) * int64(MIX)
        key += own ^ own >> 31
    key *= int64(MIX)
    key ^= key >> 32
    return int64(key) if key else int64(1)


@inlined
def value_of(s: Words, key: int) -> int:
    """Return the value of the position with a key."""
    value: int = -WHOLE_SUIT * (s[LEFT] // s[RANKS]) if s[COMPLETE] else -CARD_LEFT * s[LEFT]
    has_space = False
    for column in range(s[COLUMNS]):
        value += s[VALUES + column]
        has_space |= s[LENGTH + column] == 0
    if s[TO_WASTE]:
        value += s[VALUES + s[COLUMNS]]
    if s[HAS_RESERVE]:
        value += s[VALUES + reserve_of(s)]
    if has_space and s[COMPLETE]:
        value += FIRST_SPACE
    if s[NOISE]:
        value += ((key ^ s[NOISE]) * int64(MIX) >> 40) & 15
    return value


@routine
def read_row(s: Words, rows: Rows, row: int) -> None:
    """Make a row the position."""
    s[DEALT], s[LEFT], s[TURNED], s[PASSES] = rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3]
    at = int64(FIRST_BYTES)
    for pile in range(s[PILES]):
        s[UP + pile] = rows[row, at + pile]
    at += s[PILES]
    for column in range(s[PLACES]):
        length = int64(rows[row, at])
        s[LENGTH + column], s[DOWN + column] = length, rows[row, at + 1]
        at += 2
        for height in range(length):
            s[CARDS + MAX_CARDS * column + height] = rows[row, at + height]
        at += length
        _weigh(s, int64(column))


@routine
def write_row(s: Words, rows: Rows, row: int) -> None:
    """Write the position to a row."""
    rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = s[DEALT], s[LEFT], s[TURNED], s[PASSES]
    at = int64(FIRST_BYTES)
    for pile in range(s[PILES]):
        rows[row, at + pile] = s[UP + pile]
    at += s[PILES]
    for column in range(s[PLACES]):
        length = s[LENGTH + column]
        rows[row, at], rows[row, at + 1] = length, s[DOWN + column]
        at += 2
        for height in range(length):
            rows[row, at + height] = s[CARDS + MAX_CARDS * column + height]
        at += length


@inlined
def movable(s: Words, column: int) -> int:
    """Return how many cards on top of a column can move together."""
    length: int = s[LENGTH + column]
    shown, size = length - s[DOWN + column], min(length, int64(1))
    while size and size < shown:
        card, under = card_at(s, column, length - size), card_at(s, column, length - size - 1)
        if not s[MOVES_ANY] and not (s[MOVES_RUNS] and (s[RUNS + card] >> under) & 1):
            break
        size += 1
    return size


@inlined
def _is_unit(s: Words, column: int, size: int) -> bool:
    """Return whether so many cards on top of a column move to another one, if they can move together."""
    is_part = size < s[LENGTH + column]
    return bool(not (s[WHOLE_COLUMNS] and is_part and (size > 1 or s[NO_SINGLE_CARDS])))


@inlined
def is_whole(s: Words, column: int) -> bool:
    """Return whether a whole suit lies on top of a column."""
    length, ranks, size = s[LENGTH + column], int64(s[RANKS]), int64(0)
    if length - s[DOWN + column] < ranks:
        return False
    first = top_card(s, column)
    while size < ranks and first % 13 == 0 and card_at(s, column, length - 1 - size) == first + size:
        size += 1
    return size == ranks


@inlined
def has_stock(s: Words) -> bool:
    """Return whether the stock can be dealt or turned further, now or once each column has a card."""
    if s[AGAIN]:
        count = s[LENGTH + s[COLUMNS]]
        return bool(s[LIMITED] and count and (s[TURNED] < count or s[PASSES]))
    return bool(s[DEALT] < s[STOCK_SIZE])


@inlined
def may_deal(s: Words) -> bool:
    has_space = False
    for column in range(s[COLUMNS]):
        has_space |= s[LENGTH + column] == 0
    return has_stock(s) and not (s[FULL_COLUMNS] and has_space)


@inlined
def pile_of(s: Words, card: int) -> int:
    """Return the first foundation on which a card is the next one, or -1 if there is none."""
    first = card // 13 * s[COPIES]
    for pile in range(first, first + s[COPIES]):
        if s[UP + pile] == card % 13:
            return int64(pile)
    return int64(-1)


@inlined
def has_to_fill(s: Words) -> bool:
    """Return whether an empty column is filled from waste and stock before anything else moves."""
    has_space, left = False, s[STOCK_SIZE] - s[DEALT] + s[LENGTH + s[COLUMNS]] * s[TO_WASTE]
    for column in range(s[COLUMNS] * s[WASTE_FILLS]):
        has_space |= s[LENGTH + column] == 0
    return bool(has_space and left)


@inlined
def _list_targets(s: Words, count: int, card: int, move: int) -> int:
    """List the moves of a card of waste, stock or reserve, of which one without a target is given; return the number of
    all moves that are listed."""
    may_fill, fills_first = (s[SPACES] >> card) & 1, has_to_fill(s)
    if s[ONLY_WASTE_FILLS] and move & 63 == reserve_of(s):
        may_fill = int64(0)
    if pile_of(s, card) >= 0 and not fills_first:
        s[MOVES + count] = move | TO_FOUNDATION << 6
        count += 1
    for target in range(s[COLUMNS]):
        under = top_card(s, int64(target))
        if may_fill if under == NO_CARD else (s[PARENTS + card] >> under) & 1 and not fills_first:
            s[MOVES + count] = move | target << 6
            count += 1
            may_fill *= under != NO_CARD  # empty columns are alike
    return count


@routine
def _list_from_waste(s: Words, count: int, dealing: bool) -> int:
    """List the moves of the top card of the waste and, if `dealing`, of those that turning uncovers; return the number
    of all moves that are listed. The number of cards of a move is one more than those that are turned."""
    waste, left, turned = int64(s[COLUMNS]), s[STOCK_SIZE] - s[DEALT], int64(0)
    while True:
        card = s[STOCK_CARDS + s[DEALT] + turned - 1] if turned else top_card(s, waste)
        if card != NO_CARD:
            count = _list_targets(s, count, card, waste | (turned + 1) << 12)
        if turned == left or not dealing:
            return count
        turned = min(turned + s[DRAW], left)


@inlined
def _passes_after(s: Words, number: int) -> int:
    """Return the further passes after card `number` of a stock that may be gone through again, from 1, was taken; -1 if
    it is not offered."""
    ahead, passes = number - s[TURNED], int64(s[PASSES])
    if ahead >= 0 and (ahead % s[DRAW] == 0 or number == s[LENGTH + s[COLUMNS]]):
        return passes
    return int64(-1) if number % s[DRAW] else passes - s[LIMITED]


@routine
def _list_from_stock(s: Words, count: int, dealing: bool) -> int:
    """List the moves of the cards of a stock that may be gone through again, if it is turned by stages and not
    `dealing` only those of the card that is turned; return the number of all moves that are listed. The number of cards
    of a move is one more than those before the card."""
    stock = int64(s[COLUMNS])
    is_open = dealing or s[LIMITED] == 0
    for number in range(1, s[LENGTH + stock] + 1):
        card = card_at(s, stock, int64(number - 1))
        if _passes_after(s, int64(number)) >= 0 if is_open else number == s[TURNED]:
            count = _list_targets(s, count, card, stock | number << 12)
    return count


@inlined
def _list_from_reserve(s: Words, count: int) -> int:
    """List the moves of the top card of the reserve; return the number of all moves that are listed."""
    reserve = reserve_of(s)
    if s[HAS_RESERVE] == 0 or s[LENGTH + reserve] == 0:
        return count
    return _list_targets(s, count, top_card(s, reserve), reserve | 1 << 12)


@routine
def _list_from_foundations(s: Words, count: int) -> int:
    """List the moves of cards that come back from foundations; return the number of all moves that are listed. Of
    foundations of a suit with the same top card, only the last one is asked, so that they stay in order."""
    for pile in range(s[PILES] * s[REMOVABLE]):
        height, suit = s[UP + pile], pile // s[COPIES]
        is_last = pile + 1 == (suit + 1) * s[COPIES] or s[UP + pile + 1] < height
        if height <= s[FIXED] or not is_last:
            continue
        card, may_fill = 13 * suit + height - 1, True
        for target in range(s[COLUMNS]):
            under = top_card(s, int64(target))
            fits = (s[PARENTS + card] >> under) & 1
            if under == NO_CARD:
                fits = may_fill and (s[SPACES] >> card) & 1 and not s[ONLY_WASTE_FILLS]
                may_fill = order_counts(s)  # other empty columns are alike
            if fits:
                s[MOVES + count] = FROM_FOUNDATION | target << 6 | (card + 1) << 12
                count += 1
    return count


@routine
def list_moves(s: Words, literal: bool, dealing: bool) -> int:
    """List the moves of the position; return their number. If not `literal`, those that only waste time are left out:
    part of a run of which whole suits leave, or a whole column, to an empty column. Those for which the stock is dealt
    are listed if `dealing`."""
    count, fills_first = int64(0), has_to_fill(s)
    for column in range(0 if fills_first else s[COLUMNS]):
        length, largest = s[LENGTH + column], movable(s, int64(column))
        if literal and s[COMPLETE] and is_whole(s, int64(column)):
            s[MOVES + count] = column | TO_FOUNDATION << 6
            count += 1
        if s[COMPLETE] == 0 and length and pile_of(s, top_card(s, int64(column))) >= 0:
            s[MOVES + count] = column | TO_FOUNDATION << 6 | 1 << 12
            count += 1
        for target in range(s[COLUMNS]):
            under = top_card(s, int64(target))
            for size in range(1, largest + 1):
                card = card_at(s, int64(column), length - size)
                fits = (s[PARENTS + card] >> under) & 1
                if under == NO_CARD:
                    fits = (s[SPACES] >> card) & 1 & (1 - s[ONLY_WASTE_FILLS])
                    if literal:
                        fits &= size < length or order_counts(s)
                    else:
                        fits &= (size == largest or s[COMPLETE] == 0) and size < length
                if fits and target != column and _is_unit(s, int64(column), int64(size)):
                    s[MOVES + count] = column | target << 6 | size << 12
                    count += 1
    if not fills_first:
        count = _list_from_foundations(s, _list_from_reserve(s, count))
    if s[TO_WASTE]:
        return _list_from_stock(s, count, dealing) if s[AGAIN] else _list_from_waste(s, count, dealing)
    if dealing and may_deal(s):
        s[MOVES + count] = DEAL << 6
        count += 1
    return count


@inlined
def _turn_up(s: Words, column: int) -> None:
    """Turn up the top card of a column."""
    if s[LENGTH + column] and s[DOWN + column] == s[LENGTH + column]:
        s[DOWN + column] -= 1


@routine
def finish(s: Words, column: int, literal: bool) -> None:
    """Do what follows if a column has changed; if not `literal`, whole suits leave it."""
    _turn_up(s, column)
    while not literal and s[COMPLETE] and is_whole(s, column):
        _put_suit_up(s, column)
    _weigh(s, column)


@inlined
def _put_card_up(s: Words, column: int) -> None:
    """Move the top card of a column or of the waste to a foundation."""
    s[UP + pile_of(s, top_card(s, column))] += 1
    s[LENGTH + column] -= 1
    s[LEFT] -= 1


@inlined
def _turn_again(s: Words) -> None:
    """Turn cards of a stock that may be gone through again."""
    count = s[LENGTH + s[COLUMNS]]
    if s[TURNED] == count:
        s[TURNED] = 0
        s[PASSES] -= 1
    s[TURNED] = min(s[TURNED] + s[DRAW], count)


@inlined
def _bring_back(s: Words, card: int, column: int) -> None:
    """Move the top card of a foundation to a column."""
    pile = (card // 13 + 1) * s[COPIES] - 1
    while s[UP + pile] != card % 13 + 1:
        pile -= 1
    s[UP + pile] -= 1
    s[CARDS + MAX_CARDS * column + s[LENGTH + column]] = card
    s[LENGTH + column] += 1
    s[LEFT] += 1


@inlined
def _fill(s: Words, column: int) -> None:
    """Fill an empty column from the reserve."""
    reserve = reserve_of(s)
    s[COVERED] = s[CARDS + MAX_CARDS * column]
    s[CARDS + MAX_CARDS * column] = top_card(s, reserve)
    s[LENGTH + column], s[DOWN + column] = 1, 0
    s[LENGTH + reserve] -= 1
    _weigh(s, column)
    _weigh(s, reserve)


@inlined
def _turn(s: Words, size: int) -> None:
    """Turn cards of the stock, which come to the waste."""
    waste = int64(s[COLUMNS])
    for number in range(size):
        s[CARDS + MAX_CARDS * waste + s[LENGTH + waste] + number] = s[STOCK_CARDS + s[DEALT] + number]
    s[LENGTH + waste] += size
    s[DEALT] += size


@routine
def _take_from_stock(s: Words, number: int) -> None:
    """Put card `number` of a stock that may be gone through again on top of it."""
    first = int64(CARDS + MAX_CARDS * s[COLUMNS])
    last = first + s[LENGTH + s[COLUMNS]] - 1
    s[PASSES], s[TURNED], s[TAKEN] = _passes_after(s, number), number - 1, s[first + number - 1]
    for at in range(first + number - 1, last):
        s[at] = s[at + 1]
    s[last] = s[TAKEN]
    if s[LIMITED] == 0 and (s[TURNED] % s[DRAW] == 0 or first + s[TURNED] == last):
        s[TURNED] = 0


@routine
def put_back(s: Words, number: int) -> None:
    """Put the card that was taken last from a stock that may be gone through again back as card `number` of it."""
    first = int64(CARDS + MAX_CARDS * s[COLUMNS])
    for at in range(first + s[LENGTH + s[COLUMNS]] - 1, first + number - 1, -1):
        s[at] = s[at - 1]
    s[first + number - 1] = s[TAKEN]


@inlined
def _put_suit_up(s: Words, column: int) -> None:
    """Move a whole suit to a foundation."""
    s[LENGTH + column] -= s[RANKS]
    s[LEFT] -= s[RANKS]
    _turn_up(s, column)


@inlined
def _deal(s: Words, literal: bool) -> None:
    """Turn cards of the stock, or deal a row of it."""
    if s[TO_WASTE]:
        if s[AGAIN]:
            _turn_again(s)
        else:
            _turn(s, min(s[DRAW], s[STOCK_SIZE] - s[DEALT]))
        _weigh(s, int64(s[COLUMNS]))
        return
    dealt = min(s[COLUMNS], s[STOCK_SIZE] - s[DEALT])
    for each in range(dealt):
        s[CARDS + MAX_CARDS * each + s[LENGTH + each]] = s[STOCK_CARDS + s[DEALT] + each]
        s[LENGTH + each] += 1
        finish(s, int64(each), literal)
    s[DEALT] += dealt


@routine
def do(s: Words, move: int, literal: bool) -> None:
    """Make a move."""
    column, target, size = move & 63, (move >> 6) & 63, move >> 12
    if column == s[COLUMNS]:
        if s[AGAIN]:
            _take_from_stock(s, size)
        else:
            _turn(s, size - 1)
        size = int64(1)
    if target == DEAL:
        _deal(s, literal)
    elif target == TO_FOUNDATION:
        if s[COMPLETE]:
            _put_suit_up(s, column)
        else:
            _put_card_up(s, column)
            _turn_up(s, column)
        _weigh(s, column)
    elif column == FROM_FOUNDATION:
        _bring_back(s, size - 1, target)
        finish(s, target, literal)
    else:
        s[LENGTH + column] -= size
        for height in range(size):
            card = card_at(s, column, s[LENGTH + column] + height)
            s[CARDS + MAX_CARDS * target + s[LENGTH + target] + height] = card
        s[LENGTH + target] += size
        finish(s, column, literal)
        finish(s, target, literal)
    if s[RESERVE_FILLS] and column < s[COLUMNS] and s[LENGTH + column] == 0 and s[LENGTH + reserve_of(s)]:
        _fill(s, column)


@inlined
def store(s: Words, rows: Rows, table: Words, links: Words, link: int) -> int:
    """Write the position as the next row, and return its entry; 0 if it is not new, and -1 if there is no row left, or
    the limit of nodes is reached."""
    key, mask = position_key(s), len(table) - 1
    slot = (key >> 20) & mask
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & mask
    if table[slot] == key:
        return int64(0)
    if s[COUNT] == len(rows) or s[NODES] == s[LIMIT]:
        return int64(-1)
    row = int64(s[COUNT])
    table[slot], links[row] = key, link
    write_row(s, rows, row)
    s[COUNT] += 1
    s[NODES] += 1
    return (value_of(s, key) + LEAST_VALUE) << 32 | row


@inlined
def push(heap: Words, size: int, entry: int) -> None:
    """Add an entry to a heap of this size, whose first entry is the greatest."""
    at = size
    while at and heap[(at - 1) >> 1] < entry:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = entry


@inlined
def pop(heap: Words, size: int) -> None:
    """Remove the first entry of a heap; `size` is that without it."""
    entry, at, child = heap[size], int64(0), int64(1)
    while child < size:
        child += child + 1 < size and heap[child + 1] > heap[child]
        if heap[child] <= entry:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = entry
