"""The moves of the game in the compiled count of a loss, and what happens without a move.

They are written from the rules, and share no code with the engine. Positions are those of `positions`.
"""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.compiled.keys import Words, bit_of, count_of, first_of
from dealmill.pipeline.games.patience.compiled.positions import (
    PASSES_UNIT,
    RANK_UNIT,
    locate_cards,
    read_key,
    read_turning,
    turning_of,
)
from dealmill.pipeline.games.patience.compiled.words import (
    ABSENT,
    BELOW,
    BUILDS_UP,
    CELLS,
    CODES,
    COLUMNS,
    COMPLETE,
    COMPLETED,
    DEALT,
    DECK,
    DOWNWARD_PILES,
    DRAW,
    EMPTY_COLUMNS,
    FACE_DOWN,
    FILLS,
    FIXED,
    FULL_COLUMNS,
    HOLE,
    HOLE_RANK,
    HOME,
    HOMES,
    IDLE,
    IN_CELL,
    IN_CELLS,
    IN_RESERVE,
    IN_STOCK,
    IS_ABSENT,
    LAST_RANK,
    LOWEST,
    MOVES,
    MOVES_ANY,
    MOVES_RUNS,
    NO_CARD,
    NO_SINGLE_CARDS,
    ON_FOUNDATION,
    ON_PARENT,
    ON_SPACE,
    ONLY_WASTE_FILLS,
    PARENTS,
    PASSES,
    PASSES_LEFT,
    REMOVABLE,
    RESERVE_ORDER,
    RESERVE_SIZE,
    RUN_PARENTS,
    SPACES,
    STACKED,
    STOCK_ORDER,
    STOCK_SIZE,
    SUIT,
    TO_COLUMNS,
    TO_HOLE,
    TOPS,
    TURNED,
    UNDER,
    UP,
    WAS_STOCK,
    WASTE_FILLS,
    WHOLE_COLUMNS,
    WRAP,
)
from dealmill.pipeline.games.patience.rules import UNLIMITED

NO_WHOLE_COLUMN = 0
"""The argument `whole` of `_targets` for cards that are not in columns."""


@routine
def open_reserve(t: Words) -> int:
    """Return the cards of the reserve that may be taken."""
    cards: int = t[IN_RESERVE]
    if t[STACKED] == 0:
        return cards
    for slot in range(t[RESERVE_SIZE] - 1, -1, -1):
        bit = bit_of(t[RESERVE_ORDER + slot])
        if cards & bit:
            return bit
    return int64(0)


@routine
def open_foundations(t: Words) -> int:
    """Return the cards that may come back from foundations."""
    cards = int64(0)
    if t[REMOVABLE]:
        for suit in range(4):
            up = t[UP] & ~t[FIXED] & (int64(SUIT) << 13 * suit)
            while up & (up - 1):
                up &= up - 1
            cards |= up
    return cards


@inlined
def passes_after(t: Words, index: int, count: int) -> int:
    """Return the further passes after card `index` of `count` in the stock, from 1, is taken; -1 if it is not
    offered."""
    ahead, passes = index - t[TURNED], int64(t[PASSES_LEFT])
    if ahead >= 0 and (ahead % t[DRAW] == 0 or index == count):
        return passes
    if index % t[DRAW]:
        return int64(-1)
    return int64(0) if t[PASSES] == UNLIMITED else passes - 1


@inlined
def _least_turned(t: Words, turned: int, count: int) -> int:
    """Return one number for all numbers of turned cards, of `count` in the stock, that offer the same cards."""
    return int64(0) if t[PASSES] == UNLIMITED and (turned % t[DRAW] == 0 or turned == count) else turned


@inlined
def _leaves(t: Words, card: int) -> bool:
    """Return whether a card becomes absent if it can be moved: it is idle, or could lie on an absent one."""
    return bool(t[IDLE] & bit_of(card) or t[PARENTS + card] & t[ABSENT])


@inlined
def _lies_on_back(t: Words, card: int) -> bool:
    """Return whether a card of a column lies on one that lies face down: both have never moved, since other cards are
    turned up when they are on top."""
    is_home = t[CODES + card] == HOME and t[WAS_STOCK] & bit_of(card) == 0
    return bool(is_home and t[FACE_DOWN] & bit_of(t[UNDER + card]))


@inlined
def moves_along(t: Words, card: int) -> bool:
    """Return whether a card of a column moves along with the one below it."""
    if _lies_on_back(t, card) or t[UNDER + card] == NO_CARD:
        return False
    return bool(t[MOVES_ANY] or (t[MOVES_RUNS] and t[RUN_PARENTS + card] & bit_of(t[UNDER + card])))


@routine
def _loose(t: Words) -> int:
    """Return the cards that become absent, since they, or a card below them with which they can be moved, leave. Those
    of the stock only if it is turned card by card."""
    loose = int64(0)
    cards = t[TOPS]
    while cards:
        card, group = first_of(cards), int64(0)
        cards &= cards - 1
        while True:
            group |= bit_of(card)
            if _leaves(t, card):
                loose |= group
            if not moves_along(t, card):
                break
            card = t[UNDER + card]
    single = t[IN_CELLS] | open_reserve(t) | open_foundations(t)
    if t[DRAW] == 1 and t[TO_HOLE] == 0:
        count, index = count_of(t[IN_STOCK]), int64(0)
        for slot in range(t[STOCK_SIZE]):
            bit = bit_of(t[STOCK_ORDER + slot])
            if t[IN_STOCK] & bit:
                index += 1
                if passes_after(t, index, count) >= 0:
                    single |= bit
    while single:
        card = first_of(single)
        single &= single - 1
        if _leaves(t, card):
            loose |= bit_of(card)
    return loose


@inlined
def _empty_column(t: Words, column: int) -> int:
    """Return the first empty column from this one on; the number of columns if there is none."""
    while column < t[COLUMNS] and t[LOWEST + column] != NO_CARD:
        column += 1
    return column


@routine
def settle(t: Words) -> None:
    """Do what happens without a move: spaces are filled from the reserve, and loose cards become absent."""
    while True:
        locate_cards(t)
        if t[FILLS] and t[EMPTY_COLUMNS] and t[IN_RESERVE]:
            card = first_of(open_reserve(t))
            t[CODES + card] = ON_SPACE
            if t[TO_COLUMNS] and t[IN_STOCK]:
                t[LOWEST + _empty_column(t, int64(0))] = card
            continue
        loose = _loose(t) if t[IDLE] else int64(0)
        if loose == 0:
            break
        index, turned = int64(0), t[TURNED]
        for slot in range(t[STOCK_SIZE]):
            bit = bit_of(t[STOCK_ORDER + slot])
            if t[IN_STOCK] & bit:
                index += 1
                t[TURNED] -= index <= turned and loose & bit != 0
        while loose:
            t[CODES + first_of(loose)] = IS_ABSENT
            loose &= loose - 1
    t[TURNED] = _least_turned(t, t[TURNED], count_of(t[IN_STOCK]))


@inlined
def _code_on(t: Words, card: int, below: int) -> int:
    """Return the code of a card that is put on one that it fits."""
    if t[BUILDS_UP] == 0:
        return int64(ON_PARENT + below // 13)
    code = int64(0)
    while t[BELOW + 4 * card + code] != below:
        code += 1
    return int64(ON_PARENT + code)


@inlined
def _move(t: Words, end: int, card: int, code: int, turning: int) -> int:
    t[MOVES + end] = card | code << 6 | turning << 10
    return end + 1


@inlined
def _into_hole(t: Words, end: int, card: int, code: int, turning: int) -> int:
    """List the move of a card into the hole, if it goes there."""
    apart = abs(card % 13 - t[HOLE_RANK])
    if apart == 1 or (t[WRAP] and apart == t[LAST_RANK]):
        end = _move(t, end, card, code, turning + RANK_UNIT * (card % 13 - t[HOLE_RANK]))
    return end


@inlined
def _goes_up(t: Words, card: int) -> bool:
    """Return whether a card goes to a foundation: all lower cards of its suit are up, or all higher ones if there is
    one that is built down. On which of the two they lie follows, as long as a card of the suit is elsewhere."""
    suit, lower = int64(SUIT) << card // 13 * 13, bit_of(card) - 1
    others = suit & ~(t[UP] | t[ABSENT])
    higher = t[DECK] & ~(lower | bit_of(card))
    return bool(lower & others == 0 or (t[DOWNWARD_PILES] and higher & others == 0))


@routine
def _to_each_space(t: Words, end: int, card: int) -> int:
    """List the moves of a card, with those on it, to the empty columns."""
    column = _empty_column(t, int64(0))
    while column < t[COLUMNS]:
        end = _move(t, end, card, int64(ON_SPACE), column)
        column = _empty_column(t, column + 1)
    return end


@routine
def _targets(t: Words, end: int, card: int, top: int, source: int, whole: int, turning: int) -> int:
    """List the moves of a card with those on it, of which `top` is the last one, or the card itself. `source` is its
    code, `turning_of` that after the move, and `whole` says that a whole column moves."""
    if card == top:
        if t[HOLE]:
            end = _into_hole(t, end, card, int64(ON_FOUNDATION), turning)
        elif source != ON_FOUNDATION and t[COMPLETE] == 0 and _goes_up(t, card):
            end = _move(t, end, card, int64(ON_FOUNDATION), turning)
        if source != IN_CELL:
            cells, filled = t[IN_CELLS], int64(0)
            while cells:
                cells &= cells - 1
                filled += 1
            if filled < t[CELLS]:
                end = _move(t, end, card, int64(IN_CELL), turning)
    if t[NO_SINGLE_CARDS] and whole == 0 and t[TOPS] & bit_of(top):
        return end
    below = t[PARENTS + card] & t[TOPS] & ~bit_of(top)
    while below:
        end = _move(t, end, card, _code_on(t, card, first_of(below)), turning)
        below &= below - 1
    is_filled = t[ONLY_WASTE_FILLS] == 0 or t[IN_STOCK] & bit_of(card)
    if t[EMPTY_COLUMNS] and t[SPACES] & bit_of(card) and is_filled:
        if t[TO_COLUMNS] and t[IN_STOCK]:
            end = _to_each_space(t, end, card)
        elif whole == 0:
            end = _move(t, end, card, int64(ON_SPACE), turning)
    return end


@routine
def _whole_suits(t: Words) -> int:
    """Return the lowest cards of the suits that lie on top of columns as runs, from the last card to the first."""
    lowest, cards = int64(0), t[TOPS]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if card % 13:
            continue
        while card % 13 < t[LAST_RANK] and t[UNDER + card] == card + 1 and not _lies_on_back(t, card):
            card += 1
        if card % 13 == t[LAST_RANK]:
            lowest |= bit_of(card)
    return lowest


@routine
def _lift(t: Words, card: int) -> None:
    """Make the column empty whose lowest card this is."""
    for column in range(t[COLUMNS]):
        if t[LOWEST + column] == card:
            t[LOWEST + column] = NO_CARD


@routine
def _column_of(t: Words, card: int) -> int:
    """Return the column in which a card lies."""
    while t[UNDER + card] != NO_CARD:
        card = t[UNDER + card]
    column = int64(0)
    while t[LOWEST + column] != card:
        column += 1
    return column


@routine
def _deal(t: Words) -> None:
    """Deal a card of the stock to each column, as long as there are any."""
    tops, first = t[TOPS], int64(0)
    while t[IN_STOCK] & bit_of(t[STOCK_ORDER + first]) == 0:
        first += 1
    for column in range(min(t[COLUMNS], t[STOCK_SIZE] - first)):
        if t[LOWEST + column] == NO_CARD:
            card = t[STOCK_ORDER + first + column]
            t[LOWEST + column], t[CODES + card] = card, ON_SPACE
    while tops:
        top = first_of(tops)
        tops &= tops - 1
        slot = first + _column_of(t, top)
        if slot < t[STOCK_SIZE]:
            card = t[STOCK_ORDER + slot]
            t[HOMES + card] = top
            if t[PARENTS + card] & bit_of(top):
                t[CODES + card] = _code_on(t, card, top)


@routine
def change(t: Words, card: int, code: int, after: int) -> None:
    """Make a move in the position."""
    if code == DEALT:
        _deal(t)
        return
    if code == COMPLETED:
        _lift(t, card)
        for rank in range(t[LAST_RANK] + 1):
            t[CODES + card - rank] = ON_FOUNDATION
        return
    in_order = t[TO_COLUMNS] and t[IN_STOCK]
    if in_order and t[CODES + card] == ON_SPACE:
        _lift(t, card)
    if in_order and code == ON_SPACE:
        t[LOWEST + after] = card
    else:
        read_turning(t, after)
    t[CODES + card] = code


@routine
def _list_stock(t: Words, end: int) -> int:
    """List the moves of cards of the stock; return the number of all moves."""
    count, index, turning = count_of(t[IN_STOCK]), int64(0), turning_of(t)
    if t[TO_COLUMNS]:
        if count and (t[FULL_COLUMNS] == 0 or t[EMPTY_COLUMNS] == 0):
            end = _move(t, end, int64(0), int64(DEALT), turning)
        return end
    for slot in range(t[STOCK_SIZE]):
        card = t[STOCK_ORDER + slot]
        if t[IN_STOCK] & bit_of(card) == 0:
            continue
        index += 1
        if t[TO_HOLE]:
            return _move(t, end, card, int64(ON_FOUNDATION), turning + RANK_UNIT * (card % 13 - t[HOLE_RANK]))
        passes = passes_after(t, index, count)
        if passes >= 0 and t[WASTE_FILLS] and t[EMPTY_COLUMNS]:
            after = _least_turned(t, index - 1, count - 1) + PASSES_UNIT * passes
            end = _move(t, end, card, int64(ON_SPACE), after)
        elif passes >= 0:
            after = _least_turned(t, index - 1, count - 1) + PASSES_UNIT * passes + RANK_UNIT * t[HOLE_RANK]
            end = _targets(t, end, card, card, int64(HOME), int64(NO_WHOLE_COLUMN), after)
            if t[DRAW] > 1 and t[PARENTS + card] & t[ABSENT]:
                end = _move(t, end, card, int64(IS_ABSENT), after)
    return end


@routine
def list_moves(t: Words) -> int:
    """List all moves of the position; return their number."""
    end, turning = int64(0), turning_of(t)
    if t[WASTE_FILLS] and t[EMPTY_COLUMNS] and t[IN_STOCK]:
        return _list_stock(t, end)
    cards = t[TOPS]
    while cards:
        card = top = first_of(cards)
        cards &= cards - 1
        while True:
            whole = int64(t[CODES + card] == ON_SPACE)
            if card == top or whole or t[WHOLE_COLUMNS] == 0:
                end = _targets(t, end, card, top, t[CODES + card], whole, turning)
            if not moves_along(t, card):
                break
            card = t[UNDER + card]
    cards = t[IN_CELLS] | open_reserve(t) | open_foundations(t)
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        end = _targets(t, end, card, card, t[CODES + card], int64(NO_WHOLE_COLUMN), turning)
    cards = _whole_suits(t) if t[COMPLETE] else int64(0)
    while cards:
        end = _move(t, end, first_of(cards), int64(COMPLETED), turning)
        cards &= cards - 1
    cards = t[ABSENT] * t[HOLE]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        end = _into_hole(t, end, card, int64(IS_ABSENT), turning)
    return _list_stock(t, end)


@inlined
def play(t: Words, keys: Words, number: int, move: int) -> None:
    """Write the position after a move that was listed, from the one whose key has this number."""
    read_key(t, keys, number)
    if t[TO_COLUMNS]:
        locate_cards(t)
    change(t, move & 63, (move >> 6) & 15, move >> 10)
