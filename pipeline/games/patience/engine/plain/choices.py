"""List the moves of a position of a patience, the most promising first."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, count_of, first_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.moves import (
    next_cards,
    offered_numbers,
    top_of_foundation,
    top_of_reserve,
)
from dealmill.pipeline.games.patience.engine.plain.settling import below_in_run
from dealmill.pipeline.games.patience.engine.plain.soundness import is_needless_part, is_safe
from dealmill.pipeline.games.patience.engine.plain.words import Words, that_fit


@inlined
def _add(s: Words, end: int, score: int, move: int) -> int:
    if s[k.NOISE]:
        s[k.NOISE] = (s[k.NOISE] * int64(6364136223846793005) + int64(1442695040888963407)) | 1
        score += (s[k.NOISE] >> 40) & s[k.DISORDER]
    s[s[k.MOVES] + end] = int64(score + 200) << k.SCORE | move
    return end + 1


@inlined
def _suited_score(s: Words, card: int, source: int, count: int, parent: int) -> int:
    """Return the score of a move onto a card, or an empty place, where only whole suits leave the columns: suits are to
    come together, to stay so, and columns to be emptied."""
    score = int64(0)
    if parent == card + 1:
        score += 90
    elif parent == k.NO_CARD:
        score -= 30
    if source < k.FIRST_COLUMN_LIMIT:
        under = s[k.UNDER + card]
        if under == k.NO_CARD:
            score += 60
        elif s[k.FACE_DOWN] & bit_of(under):
            score += 50
        elif under == card + 1:
            score -= 100
        elif s[k.PARENTS + card] & bit_of(under) == 0:
            score += 30
    return score + count


@inlined
def _columns_of(s: Words, tops: int) -> int:
    """Return the columns of some top cards."""
    columns = int64(0)
    while tops:
        columns |= bit_of(s[k.COLUMN_OF + first_of(tops)])
        tops &= tops - 1
    return columns


@routine
def _targets(s: Words, end: int, card: int, source: int, count: int, index: int, score: int, space: int) -> int:
    """Add the moves of a card with those on it to columns; `space` is an empty one that may be used, or -1."""
    move = card | source << 6 | count << 18 | index << 24
    columns = _columns_of(s, s[k.PARENTS + card] & s[k.TOPS]) & ~bit_of(source)
    while columns:
        column = first_of(columns)
        columns &= columns - 1
        if s[k.COMPLETE]:
            score = _suited_score(s, card, source, count, s[k.TOP + column])
        end = _add(s, end, score, move | column << 12)
    if space >= 0 and s[k.SPACES] & bit_of(card):
        score = int64(-25)
        if s[k.COMPLETE]:
            score = _suited_score(s, card, source, count, int64(k.NO_CARD))
        columns = s[k.EMPTY] if s[k.ORDERED] else bit_of(space)
        while columns:
            end = _add(s, end, score, move | first_of(columns) << 12)
            columns &= columns - 1
    return end


@inlined
def _single(s: Words, end: int, card: int, source: int, index: int, rising: int) -> int:
    """Add the moves of one card to its foundation, or into the hole, if it is `rising`, and to a cell."""
    move = card | source << 6 | 1 << 18 | index << 24
    if rising & bit_of(card):
        end = _add(s, end, int64(100), move | (k.IN_HOLE if s[k.HOLE] else k.FOUNDATION) << 12)
    if source != k.CELL and s[k.CELL_COUNT] < s[k.CELLS]:
        end = _add(s, end, int64(-20), move | k.CELL << 12)
    return end


@inlined
def _completed(s: Words, column: int) -> int:
    """Return the last card of a whole suit that lies on top of a column; -1 if there is none."""
    card, last = s[k.TOP + column], int64(-1)
    if card % 13 == 0:
        while card % 13 + 1 < s[k.RANKS] and s[k.UNDER + card] == card + 1 and not s[k.FACE_DOWN] & bit_of(card + 1):
            card += 1
        if card % 13 + 1 == s[k.RANKS]:
            last = card
    return last


@routine
def _list_several(s: Words, end: int, space: int) -> int:
    """Add the moves of whole suits to foundations, and of a row of the stock to the columns."""
    if s[k.COMPLETE]:
        for column in range(s[k.COLUMNS]):
            card = _completed(s, int64(column))
            if card >= 0:
                end = _add(s, end, int64(600), card | column << 6 | k.FOUNDATION << 12 | s[k.RANKS] << 18)
    if s[k.ORDERED] and (space < 0 or s[k.FULL_COLUMNS] == 0):
        card = s[k.STOCK_CARDS + first_of(s[k.REST])]
        end = _add(s, end, int64(-45), card | k.STOCK << 6 | k.DEALT << 12 | min(s[k.COLUMNS], s[k.STOCK_COUNT]) << 18)
    return end


@inlined
def _that_rise(s: Words) -> int:
    """Return the cards that can go to a foundation, or into the hole, if they can be moved."""
    if s[k.HOLE]:
        ranks, last = bit_of(s[k.RANKS]) - 1, s[k.RANKS] - 1
        top = bit_of(s[k.HOLE_TOP] % 13)
        beside = top << 1 | top >> 1
        if s[k.WRAP] and last > 1:
            beside |= top << last | top >> last
        return (beside & ranks) * int64(k.LOWEST)
    return int64(next_cards(s) * (1 - s[k.COMPLETE]))


@inlined
def _list_columns(s: Words, end: int, going: int, rising: int, fitting: int, space: int) -> int:
    """Add the moves of cards in columns, alone if they are `going`, and with those on them if they are `fitting`."""
    columns = (bit_of(s[k.COLUMNS]) - 1) & ~s[k.EMPTY]
    if s[k.MOVING] == k.ONE_CARD or fitting == 0:
        columns = _columns_of(s, s[k.TOPS] & (going | fitting))
    while columns:
        column = first_of(columns)
        columns &= columns - 1
        card, count = s[k.TOP + column], int64(1)
        if going & bit_of(card):
            end = _single(s, end, card, column, int64(0), rising)
        while card != k.NO_CARD:
            under, below = s[k.UNDER + card], below_in_run(s, card)
            is_unit = s[k.MOVING] < k.CARD_OR_COLUMN or under == k.NO_CARD
            is_unit |= count == 1 and s[k.MOVING] == k.CARD_OR_COLUMN
            if fitting & bit_of(card) and is_unit and (s[k.LITERAL] or not is_needless_part(s, below)):
                score = int64(70) if under != k.NO_CARD and s[k.FACE_DOWN] & bit_of(under) else int64(30)
                target = space if under != k.NO_CARD or s[k.ORDERED] else int64(-1)
                end = _targets(s, end, card, column, count, int64(0), score, target)
            card = below
            count += 1
    return end


@routine
def _list_cards(s: Words, end: int, cards: int, source: int, score: int, rising: int, space: int) -> int:
    """Add the moves of cards that can be moved one by one."""
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        end = _single(s, end, card, source, int64(0), rising)
        end = _targets(s, end, card, source, int64(1), int64(0), score, space)
    return end


@inlined
def _list_stock(s: Words, end: int, chosen: int, useful: int, rising: int, space: int) -> int:
    """Add the moves of chosen cards of a stock that is turned, in their order there. Only useful cards have a place,
    and those that could lie on an absent card."""
    cards = s[k.STOCK_LEFT] & chosen & (useful | that_fit(s, s[k.ABSENT]))
    indices, offered = int64(0), offered_numbers(s)
    while cards:
        indices |= bit_of(s[k.STOCK_INDEX + first_of(cards)])
        cards &= cards - 1
    while indices:
        card, number = s[k.STOCK_CARDS + first_of(indices)], count_of(s[k.REST] & (indices ^ (indices - 1)))
        indices &= indices - 1
        if offered >> number & 1:
            end = _single(s, end, card, int64(k.STOCK), number, rising)
            end = _targets(s, end, card, int64(k.STOCK), int64(1), number, int64(15), space)
            if s[k.DRAW] > 1 and s[k.PARENTS + card] & s[k.ABSENT]:
                end = _add(s, end, int64(90), card | k.STOCK << 6 | k.AWAY << 12 | 1 << 18 | number << 24)
    return end


@routine
def _list_fills(s: Words, end: int, chosen: int) -> int:
    """Add the moves of chosen cards of the stock to an empty column, before which nothing else moves."""
    space, offered, number, rest = first_of(s[k.EMPTY]), offered_numbers(s), int64(0), s[k.REST]
    while rest:
        card = s[k.STOCK_CARDS + first_of(rest)]
        rest &= rest - 1
        number += 1
        if offered >> number & 1 and chosen & bit_of(card):
            end = _add(s, end, int64(15), card | k.STOCK << 6 | space << 12 | 1 << 18 | number << 24)
    return end


@inlined
def _list_absent(s: Words, end: int, rising: int) -> int:
    """Add the moves of a card of each rank that is absent into the hole; it goes nowhere else."""
    for rank in range(s[k.RANKS]):
        cards = s[k.ABSENT] & rising & int64(k.LOWEST) << rank
        if cards:
            end = _add(s, end, int64(100), first_of(cards) | k.AWAY << 6 | k.IN_HOLE << 12 | 1 << 18)
    return end


@routine
def list_moves(s: Words, start: int, chosen: int) -> int:
    """Write the moves of the chosen cards, and those of whole suits and rows, to the list of moves from `start` on, the
    most promising first; return the end."""
    end, space, fitting = start, int64(-1), that_fit(s, s[k.TOPS])
    if s[k.WASTE_FILLS] and s[k.EMPTY] and s[k.REST]:
        end = _list_fills(s, end, chosen)
        _sort(s, s[k.MOVES] + start, s[k.MOVES] + end)
        return end
    space_of_stock = first_of(s[k.EMPTY]) if s[k.EMPTY] else int64(-1)
    if s[k.EMPTY] and s[k.ONLY_WASTE_FILLS] == 0:
        space = space_of_stock
        fitting |= s[k.SPACES]
    rising, fitting = _that_rise(s), chosen & fitting
    going = chosen & (int64(k.EVERY) if s[k.CELL_COUNT] < s[k.CELLS] else rising)
    end = _list_columns(s, end, going, rising, fitting, space)
    end = _list_cards(s, end, s[k.CELL_CARDS] & (going | fitting), int64(k.CELL), int64(60), rising, space)
    end = _list_cards(s, end, top_of_reserve(s) & (going | fitting), int64(k.RESERVED), int64(60), rising, space)
    if s[k.TO_HOLE] and s[k.REST]:
        card = s[k.STOCK_CARDS + first_of(s[k.REST])]
        end = _add(s, end, int64(15), card | k.STOCK << 6 | k.IN_HOLE << 12 | 1 << 18)
    if s[k.TO_COLUMNS] or s[k.COMPLETE]:
        end = _list_several(s, end, space)
    if s[k.REST] and s[k.TO_HOLE] == 0 and s[k.TO_COLUMNS] == 0:
        useful = going | fitting | (s[k.SPACES] if s[k.EMPTY] else 0)
        end = _list_stock(s, end, chosen, useful, rising, space_of_stock)
    for suit in range(4 * s[k.REMOVABLE]):
        card = top_of_foundation(s, suit)
        if card >= 0 and (s[k.LITERAL] or s[k.SAFE] == 0 or not is_safe(s, card)):
            end = _list_cards(s, end, chosen & bit_of(card), int64(k.FOUNDATION), int64(-30), rising, space)
    if s[k.HOLE]:
        end = _list_absent(s, end, rising)
    _sort(s, s[k.MOVES] + start, s[k.MOVES] + end)
    return end


@routine
def note_lifted(s: Words) -> None:
    """Add the cards that can be moved, other than by turning the stock, to `LIFTED`."""
    cards = s[k.TOPS] | s[k.CELL_CARDS] | top_of_reserve(s)
    for column in range(s[k.COLUMNS] * (s[k.MOVING] != k.ONE_CARD)):
        card = s[k.TOP + column]
        while card != k.NO_CARD:
            cards |= bit_of(card)
            card = below_in_run(s, card)
    for suit in range(4 * s[k.REMOVABLE]):
        card = top_of_foundation(s, suit)
        if card >= 0:
            cards |= bit_of(card)
    s[k.LIFTED] |= cards


@inlined
def _sort(s: Words, first: int, stop: int) -> None:
    """Sort moves by falling scores; those with the same score keep their order."""
    for at in range(first + 1, stop):
        move = s[at]
        slot = at
        while slot > first and s[slot - 1] >> k.SCORE < move >> k.SCORE:
            s[slot] = s[slot - 1]
            slot -= 1
        s[slot] = move
