"""List and make the moves of the positions of `spider_words`."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of
from dealmill.pipeline.games.patience.engine.whole_suits.spider_values import order_counts, weigh
from dealmill.pipeline.games.patience.engine.whole_suits.spider_words import (
    AGAIN,
    CARDS,
    COLUMNS,
    COMPLETE,
    COPIES,
    COVERED,
    DEAL,
    DEALT,
    DOWN,
    DRAW,
    FIXED,
    FROM_FOUNDATION,
    FULL_COLUMNS,
    HAS_RESERVE,
    LEFT,
    LENGTH,
    LIMITED,
    MAX_CARDS,
    MOVES,
    MOVES_ANY,
    MOVES_RUNS,
    NO_CARD,
    NO_SINGLE_CARDS,
    ONLY_WASTE_FILLS,
    PARENTS,
    PASSES,
    PILES,
    RANKS,
    REMOVABLE,
    RESERVE_FILLS,
    RUNS,
    SPACES,
    STOCK_CARDS,
    STOCK_SIZE,
    TAKEN,
    TO_FOUNDATION,
    TO_WASTE,
    TOPS,
    TURNED,
    UP,
    WASTE_FILLS,
    WHOLE_COLUMNS,
    Words,
    card_at,
    reserve_of,
    top_card,
)


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
def _write_tops(s: Words) -> None:
    """Write the set of top cards."""
    s[TOPS] = 0
    for column in range(s[COLUMNS]):
        s[TOPS] |= bit_of(top_card(s, int64(column)))


@inlined
def _may_fit(s: Words, card: int) -> bool:
    """Return whether a card fits a top card, or there is an empty column."""
    return bool(s[TOPS] & (s[PARENTS + card] | bit_of(NO_CARD)) != 0)


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
    for target in range(s[COLUMNS] if _may_fit(s, card) else 0):
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
def _list_from_column(s: Words, count: int, column: int, literal: bool) -> int:
    """List the moves from a column; return the number of all moves that are listed. Most cards fit no top card, which
    is seen without looking at each column."""
    length, largest, may_fit = s[LENGTH + column], movable(s, column), False
    if literal and s[COMPLETE] and is_whole(s, column):
        s[MOVES + count] = column | TO_FOUNDATION << 6
        count += 1
    if s[COMPLETE] == 0 and length and pile_of(s, top_card(s, column)) >= 0:
        s[MOVES + count] = column | TO_FOUNDATION << 6 | 1 << 12
        count += 1
    for size in range(1, largest + 1):
        may_fit |= _may_fit(s, card_at(s, column, length - size))
    for target in range(s[COLUMNS] if may_fit else 0):
        under = top_card(s, int64(target))
        for size in range(1, largest + 1):
            card = card_at(s, column, length - size)
            fits = (s[PARENTS + card] >> under) & 1
            if under == NO_CARD:
                fits = (s[SPACES] >> card) & 1 & (1 - s[ONLY_WASTE_FILLS])
                if literal:
                    fits &= size < length or order_counts(s)
                else:
                    fits &= (size == largest or s[COMPLETE] == 0) and size < length
            if fits and target != column and _is_unit(s, column, int64(size)):
                s[MOVES + count] = column | target << 6 | size << 12
                count += 1
    return count


@routine
def list_moves(s: Words, literal: bool, dealing: bool) -> int:
    """List the moves of the position; return their number. If not `literal`, those that only waste time are left out:
    part of a run of which whole suits leave, or a whole column, to an empty column. Those for which the stock is dealt
    are listed if `dealing`."""
    count, fills_first = int64(0), has_to_fill(s)
    _write_tops(s)
    for column in range(0 if fills_first else s[COLUMNS]):
        count = _list_from_column(s, count, int64(column), literal)
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
    weigh(s, column)


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
    weigh(s, column)
    weigh(s, reserve)


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
        weigh(s, int64(s[COLUMNS]))
        return
    dealt = min(s[COLUMNS], s[STOCK_SIZE] - s[DEALT])
    for column in range(dealt):
        s[CARDS + MAX_CARDS * column + s[LENGTH + column]] = s[STOCK_CARDS + s[DEALT] + column]
        s[LENGTH + column] += 1
        finish(s, int64(column), literal)
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
        weigh(s, column)
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
