"""The search of all patiences, for a kernel, over one array of 64-bit words, `S`.

Cards are numbers, 13 for each suit, counted from the base of the foundations, so ranks never wrap. Columns are linked
lists: `TOP` of each, and `UNDER` of each card. A position is hashed as the place of each card (the card on which it
lies, or one of the places below), so the order of columns, and of cells, makes no difference. If cards will be dealt to
the columns, their order matters, see `ORDERED`. Offsets of the fields are in capitals. One array is passed around
instead of several, since each takes seven words of arguments.

A search is depth first, with an explicit stack. Without `LITERAL`, it leaves out moves that are never needed:

- A card that no card can need as a place goes to its foundation at once (`_is_safe`).
- Part of a run moves only if the card below it can go to its foundation then (`PARTIAL`).
- Positions in which not even the relaxed game is won are lost (`_is_lost`, `RELAXED`).

Where these hold is decided from the rules, see `dealmill.pipeline.games.patience.engine`. With `LITERAL`, it visits all
positions, which are what the referee counts; also those of an easier game, in which some cards are `IDLE`: as soon as
they can be lifted, they become `ABSENT`. `LIFTED` are the cards that a search could lift.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import inlined, lowest_bit, routine

Words = NDArray[np.int64]
word = cast(Callable[[int], int], np.int64)
"""Makes a variable of a constant: a function would be compiled again for each constant that it is called with."""

ONE_CARD, RUN, ANY_CARDS = 0, 1, 2
"""What moves between columns, `MOVING`: a card; also a run; or any card with those on it."""

# Rules of the game
MOVING, SPACES, CELLS, FILLS, DRAW, PASSES, REMOVABLE, COLUMNS, HOLE, WRAP, RANKS = range(11)
STACKED, TO_HOLE, INITIAL, PARTIAL, RELAXED, BUILDING, STOCK_IS_OPEN, PROBE_NODES, DISORDER = range(11, 20)
# What is searched
LITERAL, NOISE, NODES = 20, 21, 22
FRAMES, TRAIL, MOVES, TABLE, TABLE_SIZE, MOST_FRAMES, MOST_MOVES, OTHER_TABLE, STORED = range(23, 32)
# A position
HASH, CELL_CARDS, CELL_COUNT, RESERVE, RESERVE_COUNT, REST, STOCK_COUNT, TURNED, PASSES_LEFT, UP = range(32, 42)
TOPS, HOLE_TOP, LEFT, DONE, ABSENT, ORDERED = range(45, 51)
TOP, LENGTH, DOWN, UNDER, RESERVE_CARDS = 56, 76, 96, 116, 168
POSITION_END = 220
# The easier game that is searched, and the best list of cards
IDLE, OWN_DRAW, OWN_PASSES, LISTS, CANDIDATES, IN_STOCK, LISTED, LISTED_COUNT = range(220, 228)
LIMIT, WIN_COUNT, LIFTED = 228, 229, 230
# Constants of a layout
STOCK_CARDS, STOCK_INDEX, PARENTS = 232, 284, 336
# More rules of the game
TO_COLUMNS, FULL_COLUMNS, COMPLETE, SAFE, ROOM = range(388, 393)
START, RUNS = 400, 588
STACKS, STACK_FIELDS = 640, 4
WINS, DROPPED = 900, 1030
MOST_WINS = 100
Z = 1100
END = Z + 64 * 64

NO_CARD = 63
CELL, FOUNDATION, RESERVED, STOCK, IN_HOLE, TURNED_UP, AWAY, DEALT = range(52, 60)
"""Places of cards, besides other cards; `TURNED_UP` is only hashed, absent cards are `AWAY`, and a row of the stock is
`DEALT`."""
FIRST_COLUMN_LIMIT = 20
WON, LOST, OPEN, OUT_OF_NODES = 1, 2, 3, 4
FRAME, STEP = 4, 3
MOVES_OF_POSITION = 500
"""A position has fewer moves: each of 52 cards to 4 others, a space, a cell, its foundation, and out of the game."""
MOVES_IN_ORDER = 1_500
"""The same where each card may go to any of 19 spaces."""
FIRST_TABLE = 4_096
SCORE = 40
BARE = (1 << 38) - 1
"""The bits of a move without its score."""
TURNED_BIT, AUTOMATIC_BIT = 38, 39
SUIT = (1 << 13) - 1


@inlined
def bit_of(card: int) -> int:
    return word(1) << card


@inlined
def _first(cards: int) -> int:
    return word(lowest_bit(cards))  # type: ignore[arg-type]


@inlined
def _waited_for(s: Words, suit: int, rank: int) -> int:
    """Return the rank for which a foundation waits, `rank` or a higher one: nobody waits for absent cards."""
    while rank < s[RANKS] and s[ABSENT] & (word(1) << (suit * 13 + rank)):
        rank += 1
    return rank


@inlined
def _top_of_foundation(s: Words, suit: int) -> int:
    """Return the card that may come back from a foundation, or -1."""
    rank = s[UP + suit] - 1
    while rank >= s[INITIAL] and s[ABSENT] & (word(1) << (suit * 13 + rank)):
        rank -= 1
    return suit * 13 + rank if rank >= s[INITIAL] else word(-1)


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
        card, under = s[STOCK_CARDS + _first(s[REST])], s[TOP + column]
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
def do(s: Words, move: int, automatic: int) -> None:
    if (move >> 12) & 63 == DEALT:
        _deal(s, move)
        return
    card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
    count, index = (move >> 18) & 63, (move >> 24) & 63
    step = s[TRAIL] + STEP * s[DONE]
    s[step + 1] = s[HASH]
    s[step + 2] = s[TURNED] | s[PASSES_LEFT] << 8
    s[DONE] += 1
    key, turned, top = s[HASH], word(0), card
    if source < FIRST_COLUMN_LIMIT:
        under, top = s[UNDER + card], s[TOP + source]
        key ^= _lying(s, card, under, source)
        s[TOPS] ^= bit_of(top)
        s[LENGTH + source] -= count
        s[TOP + source] = under
        if under != NO_CARD:
            s[TOPS] |= bit_of(under)
            if s[LENGTH + source] == s[DOWN + source]:
                s[DOWN + source] -= 1
                turned = word(1)
                key ^= s[Z + (under << 6 | TURNED_UP)]
    else:
        key ^= s[Z + (card << 6 | source)]
        if source == CELL:
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
            key ^= s[Z + (card << 6 | AWAY)] ^ s[Z + (card << 6 | IN_HOLE)]
            s[LEFT] += 1
        else:
            s[REST] ^= bit_of(s[STOCK_INDEX + card])
            s[STOCK_COUNT] -= 1
            if target == AWAY and s[DRAW] == 1:
                key ^= s[Z + (52 << 6 | s[TURNED])]
                s[TURNED] -= index <= s[TURNED]
                key ^= s[Z + (52 << 6 | s[TURNED])]
            elif s[TO_HOLE] == 0:
                key ^= s[Z + (52 << 6 | s[TURNED])] ^ s[Z + (53 << 6 | s[PASSES_LEFT])]
                if s[PASSES] and not _is_ahead(s, index, s[STOCK_COUNT] + 1):
                    s[PASSES_LEFT] -= 1
                s[TURNED] = index - 1
                if s[PASSES] == 0 and (s[TURNED] % s[DRAW] == 0 or s[TURNED] == s[STOCK_COUNT]):
                    s[TURNED] = 0
                key ^= s[Z + (52 << 6 | s[TURNED])] ^ s[Z + (53 << 6 | s[PASSES_LEFT])]
    parent = word(NO_CARD)
    if target < FIRST_COLUMN_LIMIT:
        parent = s[TOP + target]
        s[UNDER + card] = parent
        key ^= _lying(s, card, parent, target)
        if parent != NO_CARD:
            s[TOPS] ^= bit_of(parent)
        s[TOP + target] = top
        s[LENGTH + target] += count
        s[TOPS] |= bit_of(top)
    else:
        key ^= s[Z + (card << 6 | target)]
        if target == CELL:
            s[CELL_CARDS] |= bit_of(card)
            s[CELL_COUNT] += 1
        else:
            s[LEFT] -= count
            if target == FOUNDATION:
                s[UP + card // 13] = _waited_for(s, card // 13, card % 13 + 1)
            elif target == AWAY:
                s[ABSENT] |= bit_of(card)
                if s[UP + card // 13] == card % 13:
                    s[UP + card // 13] = _waited_for(s, card // 13, card % 13 + 1)
            else:
                parent = s[HOLE_TOP]
                key ^= s[Z + (54 << 6 | parent % 13)] ^ s[Z + (54 << 6 | card % 13)]
                s[HOLE_TOP] = card
    s[step] = move & ((word(1) << 30) - 1) | parent << 30 | turned << TURNED_BIT | automatic << AUTOMATIC_BIT
    s[HASH] = key


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
                s[UP + card // 13] = _waited_for(s, card // 13, card % 13 + 1)
        elif source == RESERVED:
            s[RESERVE] |= bit_of(card)
            s[RESERVE_COUNT] += 1
        elif source == AWAY:
            s[LEFT] -= 1
        else:
            s[REST] |= bit_of(s[STOCK_INDEX + card])
            s[STOCK_COUNT] += 1


@inlined
def _is_ahead(s: Words, index: int, count: int) -> bool:
    """Return whether turning uncovers card `index` of `count` (from 1) before the stock has been turned through."""
    ahead = index - s[TURNED]
    return ahead == 0 or (ahead > 0 and (ahead % s[DRAW] == 0 or index == count))


@inlined
def _is_safe(s: Words, card: int) -> bool:
    """Return whether no card can need this one, the next of its suit, as a place in a column."""
    suit, rank = card // 13, card % 13
    if s[BUILDING] == 0:
        return True
    first, second = s[UP + (suit ^ 1)], s[UP + (suit ^ 3)]
    same = s[UP + (suit ^ 2)]
    if s[MOVING] == ANY_CARDS:
        return bool(s[REMOVABLE] == 0 and first >= rank and second >= rank and (s[BUILDING] == 1 or same >= rank))
    if s[BUILDING] == 1:
        return bool(first >= rank - 1 and second >= rank - 1 and same >= rank - 2)
    return bool(first >= rank - 1 and second >= rank - 1 and same >= rank - 1)


@inlined
def _move_together(s: Words, card: int, under: int) -> bool:
    """Return whether a card moves along with the face-up card below it."""
    return bool(s[MOVING] == ANY_CARDS or (s[MOVING] == RUN and s[RUNS + card] & bit_of(under) != 0))


@routine
def _source_of(s: Words, card: int) -> int:
    """Return where a card that can be moved alone is, or -1; a card of the stock only if all of them always can."""
    bit = bit_of(card)
    if s[TOPS] & bit:
        for column in range(s[COLUMNS]):
            if s[TOP + column] == card:
                return column
    if s[CELL_CARDS] & bit:
        return word(CELL)
    if s[RESERVE] & bit and (s[STACKED] == 0 or s[RESERVE_CARDS + s[RESERVE_COUNT] - 1] == card):
        return word(RESERVED)
    if s[STOCK_IS_OPEN] and s[STOCK_INDEX + card] >= 0 and s[REST] & bit_of(s[STOCK_INDEX + card]):
        return word(STOCK)
    return word(-1)


@inlined
def _place_in_stock(s: Words, card: int) -> int:
    """Return how many cards of the stock lie before this one."""
    before, count = s[REST] & (bit_of(s[STOCK_INDEX + card]) - 1), word(0)
    while before:
        before &= before - 1
        count += 1
    return count


@inlined
def _leaves(s: Words, card: int) -> bool:
    """Return whether a card becomes absent if it can be lifted: it is idle, or could lie on an absent card."""
    return bool(s[IDLE] & bit_of(card) or s[PARENTS + card] & s[ABSENT])


@routine
def _loose_card(s: Words) -> int:
    """Return the move of a card that becomes absent, since it leaves, or a card below it that it would move along with;
    -1 if there is none. Of a stock, only if it is turned card by card: the other cards are offered as before."""
    for column in range(s[COLUMNS]):
        card, count = s[TOP + column], s[LENGTH + column] - s[DOWN + column]
        while count > 0:
            if _leaves(s, card):
                return word(s[TOP + column] | column << 6 | AWAY << 12 | 1 << 18)
            under = s[UNDER + card]
            count -= 1
            if not _move_together(s, card, under):
                break
            card = under
    for suit in range(4 * s[REMOVABLE]):
        card = _top_of_foundation(s, suit)
        if card >= 0 and _leaves(s, card):
            return card | FOUNDATION << 6 | AWAY << 12 | 1 << 18
    cards = s[CELL_CARDS] | s[RESERVE]
    while cards:
        card = _first(cards)
        cards &= cards - 1
        if _leaves(s, card):
            source = _source_of(s, card)
            if source >= 0:
                return word(card | source << 6 | AWAY << 12 | 1 << 18)
    rest, index = s[REST], word(0)
    while rest and s[DRAW] == 1 and s[TO_HOLE] == 0:
        card = s[STOCK_CARDS + _first(rest)]
        rest &= rest - 1
        index += 1
        is_offered = index >= s[TURNED] or s[PASSES] == 0 or s[PASSES_LEFT] > 0
        if is_offered and _leaves(s, card):
            return word(card | STOCK << 6 | AWAY << 12 | 1 << 18 | index << 24)
    return word(-1)


@inlined
def _fill(s: Words) -> int:
    """Return the move of a card from the reserve to an empty column; -1 if there is none."""
    card, move = s[RESERVE_CARDS + s[RESERVE_COUNT] - 1], word(-1)
    for column in range(s[COLUMNS]):
        if s[LENGTH + column] == 0:
            move = card | RESERVED << 6 | column << 12 | 1 << 18
            break
    return move


@inlined
def _safe_move(s: Words) -> int:
    """Return the move of a card to its foundation that is safe; -1 if there is none."""
    move = word(-1)
    for suit in range(4):
        card = suit * 13 + s[UP + suit]
        if s[UP + suit] < s[RANKS]:
            source = _source_of(s, card)
            if source >= 0 and _is_safe(s, card):
                index = word(1)
                if source == STOCK:
                    index += _place_in_stock(s, card)
                move = card | source << 6 | FOUNDATION << 12 | 1 << 18 | index << 24
                break
    return move


@routine
def settle(s: Words) -> None:
    """Do what happens without a move: empty columns are filled from the reserve, if the rules say so, and loose cards
    become absent. Without `LITERAL`, also do moves that are safe."""
    while True:
        move, automatic = word(-1), word(1)
        if s[FILLS] and s[RESERVE_COUNT]:
            move = _fill(s)
        if move < 0 and s[IDLE]:
            move = _loose_card(s)
        if move < 0 and s[LITERAL] == 0 and s[SAFE]:
            move, automatic = _safe_move(s), word(0)
        if move < 0:
            return
        s[LIFTED] |= bit_of(move & 63)
        do(s, move, automatic)


@inlined
def _add(s: Words, end: int, score: int, move: int) -> int:
    if s[NOISE]:
        s[NOISE] = (s[NOISE] * word(6364136223846793005) + word(1442695040888963407)) | 1
        score += (s[NOISE] >> 40) & s[DISORDER]
    s[s[MOVES] + end] = word(score + 200) << SCORE | move
    return end + 1


@inlined
def _suited_score(s: Words, card: int, source: int, count: int, parent: int) -> int:
    """Return the score of a move onto a card, or an empty place, where only whole suits leave the columns: suits are to
    come together, to stay so, and columns to be emptied."""
    score = word(0)
    if parent == card + 1:
        score += 90
    elif parent == NO_CARD:
        score -= 30
    if source < FIRST_COLUMN_LIMIT:
        under, shown = s[UNDER + card], s[LENGTH + source] - s[DOWN + source]
        if under == NO_CARD:
            score += 60
        elif count == shown:
            score += 50
        elif under == card + 1:
            score -= 100
        elif s[PARENTS + card] & bit_of(under) == 0:
            score += 30
    return score + count


@routine
def _targets(s: Words, end: int, card: int, source: int, count: int, index: int, score: int, space: int) -> int:
    """Add the moves of a card with those on it to columns; `space` is an empty one that may be used, or -1."""
    move = card | source << 6 | count << 18 | index << 24
    if s[PARENTS + card] & s[TOPS]:
        for column in range(s[COLUMNS]):
            top = s[TOP + column]
            if top != NO_CARD and s[PARENTS + card] & bit_of(top) and column != source:
                if s[COMPLETE]:
                    score = _suited_score(s, card, source, count, top)
                end = _add(s, end, score, move | column << 12)
    if space >= 0 and s[SPACES] & bit_of(card):
        score = word(-25)
        if s[COMPLETE]:
            score = _suited_score(s, card, source, count, word(NO_CARD))
        end = _add(s, end, score, move | space << 12)
        if s[ORDERED]:
            for column in range(space + 1, s[COLUMNS]):
                if s[LENGTH + column] == 0:
                    end = _add(s, end, score, move | column << 12)
    return end


@routine
def _single(s: Words, end: int, card: int, source: int, index: int) -> int:
    """Add the moves of one card to foundation, cell and hole."""
    move = card | source << 6 | 1 << 18 | index << 24
    if s[HOLE]:
        apart = abs(card % 13 - s[HOLE_TOP] % 13)
        if apart == 1 or (s[WRAP] and s[RANKS] > 2 and apart == s[RANKS] - 1):
            end = _add(s, end, word(100), move | IN_HOLE << 12)
    elif s[COMPLETE] == 0 and source != FOUNDATION and s[UP + card // 13] == card % 13:
        end = _add(s, end, word(100), move | FOUNDATION << 12)
    if source != CELL and s[CELL_COUNT] < s[CELLS]:
        end = _add(s, end, word(-20), move | CELL << 12)
    return end


@inlined
def _completed(s: Words, column: int) -> int:
    """Return the last card of a whole suit that lies on top of a column; -1 if there is none."""
    card, last = s[TOP + column], word(-1)
    if card % 13 == 0 and s[LENGTH + column] - s[DOWN + column] >= s[RANKS]:
        while card % 13 + 1 < s[RANKS] and s[UNDER + card] == card + 1:
            card += 1
        if card % 13 + 1 == s[RANKS]:
            last = card
    return last


@routine
def _list_several(s: Words, end: int, space: int) -> int:
    """Add the moves of whole suits to foundations, and of a row of the stock to the columns."""
    if s[COMPLETE]:
        for column in range(s[COLUMNS]):
            if s[LENGTH + column]:
                card = _completed(s, word(column))
                if card >= 0:
                    end = _add(s, end, word(600), card | column << 6 | FOUNDATION << 12 | s[RANKS] << 18)
    if s[ORDERED] and (space < 0 or s[FULL_COLUMNS] == 0):
        card = s[STOCK_CARDS + _first(s[REST])]
        end = _add(s, end, word(-45), card | STOCK << 6 | DEALT << 12 | min(s[COLUMNS], s[STOCK_COUNT]) << 18)
    return end


@routine
def list_moves(s: Words, start: int) -> int:
    """Write all moves to the list of moves from `start` on, the most promising first; return the end."""
    end, space, lifted = start, word(-1), word(0)
    for column in range(s[COLUMNS]):
        if s[LENGTH + column] == 0:
            space = word(column)
            break
    for column in range(s[COLUMNS]):
        length = s[LENGTH + column]
        if length == 0:
            continue
        card, count = s[TOP + column], word(1)
        end = _single(s, end, card, word(column), word(0))
        shown = length - s[DOWN + column]
        while True:
            lifted |= bit_of(card)
            under = s[UNDER + card]
            joined = count < shown and _move_together(s, card, under)
            if s[LITERAL] or s[PARTIAL] == 0 or not joined or (s[UP + under // 13] == under % 13):
                score = word(70) if count == shown and shown < length else word(30)
                target = space if count < length or s[ORDERED] else word(-1)
                end = _targets(s, end, card, word(column), count, word(0), score, target)
            if not joined:
                break
            card = under
            count += 1
    single, none = word(1), word(0)
    cards = s[CELL_CARDS]
    lifted |= cards
    while cards:
        card = _first(cards)
        cards &= cards - 1
        end = _single(s, end, card, word(CELL), none)
        end = _targets(s, end, card, word(CELL), single, none, word(60), space)
    cards = s[RESERVE]
    if s[STACKED] and cards:
        cards = bit_of(s[RESERVE_CARDS + s[RESERVE_COUNT] - 1])
    lifted |= cards
    while cards:
        card = _first(cards)
        cards &= cards - 1
        end = _single(s, end, card, word(RESERVED), none)
        end = _targets(s, end, card, word(RESERVED), single, none, word(60), space)
    rest, index = s[REST], word(0)
    if s[TO_HOLE] and rest:
        card = s[STOCK_CARDS + _first(rest)]
        end = _add(s, end, word(15), card | STOCK << 6 | IN_HOLE << 12 | 1 << 18)
        rest = none
    if s[TO_COLUMNS] or s[COMPLETE]:
        end = _list_several(s, end, space)
    if s[TO_COLUMNS]:
        rest = none
    while rest:
        card = s[STOCK_CARDS + _first(rest)]
        rest &= rest - 1
        index += 1
        if _is_ahead(s, index, s[STOCK_COUNT]) or (index % s[DRAW] == 0 and (s[PASSES] == 0 or s[PASSES_LEFT] > 0)):
            end = _single(s, end, card, word(STOCK), index)
            end = _targets(s, end, card, word(STOCK), single, index, word(15), space)
            if s[DRAW] > 1 and s[PARENTS + card] & s[ABSENT]:
                end = _add(s, end, word(90), card | STOCK << 6 | AWAY << 12 | 1 << 18 | index << 24)
    if s[REMOVABLE]:
        for suit in range(4):
            card = _top_of_foundation(s, suit)
            if card >= 0:
                lifted |= bit_of(card)
            if card >= 0 and (s[LITERAL] or not _is_safe(s, card)):
                end = _single(s, end, card, word(FOUNDATION), none)
                end = _targets(s, end, card, word(FOUNDATION), single, none, word(-30), space)
    if s[HOLE]:
        for rank in range(s[RANKS]):
            for suit in range(4):
                card = word(13 * suit + rank)
                if s[ABSENT] & bit_of(card):
                    end = _single(s, end, card, word(AWAY), none)
                    break
    s[LIFTED] |= lifted
    _sort(s, s[MOVES] + start, s[MOVES] + end)
    return end


@inlined
def _sort(s: Words, first: int, stop: int) -> None:
    """Sort moves by falling scores; those with the same score keep their order."""
    for at in range(first + 1, stop):
        move = s[at]
        slot = at
        while slot > first and s[slot - 1] >> SCORE < move >> SCORE:
            s[slot] = s[slot - 1]
            slot -= 1
        s[slot] = move


@inlined
def _clear_table(s: Words) -> None:
    s[TABLE_SIZE] = FIRST_TABLE
    s[STORED] = 0
    for at in range(s[TABLE], s[TABLE] + FIRST_TABLE):
        s[at] = 0


@inlined
def slot_of(s: Words, key: int) -> int:
    """Return where a key is in the table, or the free place for it."""
    mask = s[TABLE_SIZE] - 1
    at: int = ((key * word(-7046029254386353131)) >> 20) & mask
    while s[s[TABLE] + at] != 0 and s[s[TABLE] + at] != key:
        at = (at + 1) & mask
    slot: int = s[TABLE] + at
    return slot


@routine
def _grow(s: Words) -> None:
    """Move the table to the other region, four times as large."""
    old, size = s[TABLE], s[TABLE_SIZE]
    s[TABLE], s[OTHER_TABLE] = s[OTHER_TABLE], old
    s[TABLE_SIZE] = 4 * size
    for at in range(s[TABLE], s[TABLE] + 4 * size):
        s[at] = 0
    for at in range(old, old + size):
        if s[at]:
            s[slot_of(s, s[at])] = s[at]


@inlined
def _store(s: Words) -> bool:
    """Store the position; return whether it is new."""
    key = s[HASH] if s[HASH] else word(1)
    slot = slot_of(s, key)
    if s[slot] == key:
        return False
    s[slot] = key
    s[STORED] += 1
    if 5 * s[STORED] > 3 * s[TABLE_SIZE]:
        _grow(s)
    return True


@inlined
def _push(s: Words, top: int, count: int, down: int, base: int, stacks: int) -> int:
    """Add a stack of the relaxed game; `base` is 1 if it stands on an empty place."""
    at = STACKS + STACK_FIELDS * stacks
    s[at], s[at + 1], s[at + 2], s[at + 3] = top, count, down, base
    return stacks + 1


@routine
def _is_lost(s: Words) -> bool:
    """Return whether not even the relaxed game is won, in which a card that was uncovered once stays uncovered.

    `shown` are the cards that are uncovered, and `up` those that can go to their foundations. A card can leave if it
    goes up, fits a card that is shown, or there is an empty place for it. A stack, a column or a run that was split off
    one, is taken apart from its top; a run whose lowest card can leave splits off.
    """
    every = word(0)
    up = word(0)
    for suit in range(4):
        every |= ((word(1) << s[RANKS]) - 1) << (13 * suit)
        up |= ((word(1) << s[UP + suit]) - 1) << (13 * suit)
    shown = s[TOPS] | up | s[ABSENT]
    stacks = word(0)
    space = word(0)
    for column in range(s[COLUMNS]):
        if s[LENGTH + column]:
            stacks = _push(s, s[TOP + column], s[LENGTH + column], s[DOWN + column], word(1), stacks)
        else:
            space = word(1)
    piled = word(0)
    if s[STACKED]:
        piled = s[RESERVE_COUNT]
        if piled:
            shown |= bit_of(s[RESERVE_CARDS + piled - 1])
    else:
        shown |= s[RESERVE]
    rest, index, stock, offered = s[REST], word(0), word(0), word(0)
    while rest:
        card = s[STOCK_CARDS + _first(rest)]
        rest &= rest - 1
        index += 1
        stock |= bit_of(card)
        if (
            s[TO_COLUMNS]
            or _is_ahead(s, index, s[STOCK_COUNT])
            or (index % s[DRAW] == 0 and (s[PASSES] == 0 or s[PASSES_LEFT] > 0))
        ):
            offered |= bit_of(card)
    shown |= offered
    again = True
    while again:
        again = False
        rising = True
        while rising:
            rising = False
            for suit in range(4):
                have = (up >> (13 * suit)) & SUIT
                bit = (have + 1) << (13 * suit)
                if have != (word(1) << s[RANKS]) - 1 and shown & bit:
                    up |= bit
                    rising = True
        if up == every:
            return False
        places = s[SPACES] * space | s[IDLE]
        if stock & ~shown:
            cards = stock & shown
            while cards:
                card = _first(cards)
                cards &= cards - 1
                if (up | places) & bit_of(card) or s[PARENTS + card] & shown:
                    shown |= stock
                    again = True
                    break
        while piled > 0:
            card = s[RESERVE_CARDS + piled - 1]
            if not ((up | places) & bit_of(card) or s[PARENTS + card] & shown or (s[FILLS] and space)):
                break
            piled -= 1
            again = True
            if piled:
                shown |= bit_of(s[RESERVE_CARDS + piled - 1])
        for number in range(stacks):
            at = STACKS + STACK_FIELDS * number
            top, count, down = s[at], s[at + 1], s[at + 2]
            while count > 0 and ((up | places) & bit_of(top) or s[PARENTS + top] & shown):
                again = True
                count -= 1
                if count == 0:
                    if s[at + 3]:
                        space = word(1)
                        places |= s[SPACES]
                else:
                    top = s[UNDER + top]
                    shown |= bit_of(top)
                    down = min(down, count - 1)
            s[at], s[at + 1], s[at + 2] = top, count, down
            if count == 0 or s[MOVING] == ONE_CARD:
                continue
            card, size = top, word(1)
            while size < count - down and _move_together(s, card, s[UNDER + card]):
                card = s[UNDER + card]
                size += 1
                whole = size == count
                leaves = (s[PARENTS + card] & shown) | (s[IDLE] & bit_of(card))
                if leaves or (places & bit_of(card) and not (whole and s[at + 3])):
                    if whole:
                        if s[at + 3]:
                            space = word(1)
                            places |= s[SPACES]
                            s[at + 3] = 0
                            again = True
                    elif stacks < 60:
                        stacks = _push(s, top, size, word(0), word(0), stacks)
                        top, count = s[UNDER + card], count - size
                        down = min(down, count - 1)
                        shown |= bit_of(top)
                        s[at], s[at + 1], s[at + 2] = top, count, down
                        again = True
                    else:
                        return False
                    break
    return True


@routine
def search(s: Words, budget: int) -> int:
    """Search from the start of the layout until it is won or lost. It is `OPEN` after `budget` nodes, or if a position
    is too deep; and `OUT_OF_NODES` if the limit of all searches is reached before."""
    stop, unfinished, result = s[NODES] + budget, word(OPEN), word(LOST)
    if stop > s[LIMIT]:
        stop, unfinished = s[LIMIT], word(OUT_OF_NODES)
    for at in range(HASH, POSITION_END):
        s[at] = s[START + at - HASH]
    s[DRAW], s[PASSES] = s[OWN_DRAW], s[OWN_PASSES]
    if s[IDLE] & s[IN_STOCK] and s[DRAW] > 1 and s[TO_HOLE] == 0:
        s[DRAW], s[PASSES], s[TURNED], s[PASSES_LEFT] = 1, 0, 0, 0
    s[LIFTED] = 0 if s[TO_HOLE] else s[IN_STOCK]
    _clear_table(s)
    settle(s)
    if s[LEFT] == 0:
        return word(WON)
    if s[NODES] >= stop:
        return unfinished
    s[NODES] += 1
    _store(s)
    if s[LITERAL] == 0 and s[RELAXED] and _is_lost(s):
        return result
    depth, frame = word(0), s[FRAMES]
    s[frame], s[frame + 1], s[frame + 2], s[frame + 3] = 0, 0, list_moves(s, word(0)), s[DONE]
    while depth >= 0:
        frame = s[FRAMES] + FRAME * depth
        undo(s, s[frame + 3])
        if s[frame + 1] == s[frame + 2]:
            depth -= 1
            continue
        move = s[s[MOVES] + s[frame + 1]]
        s[frame + 1] += 1
        do(s, move & BARE, word(0))
        settle(s)
        if s[LEFT] == 0:
            return word(WON)
        if not _store(s):
            continue
        if s[NODES] >= stop:
            return unfinished
        s[NODES] += 1
        if s[LITERAL] == 0 and s[RELAXED] and _is_lost(s):
            continue
        start = s[frame + 2]
        if depth + 1 >= s[MOST_FRAMES] or start + s[ROOM] > s[MOST_MOVES]:
            result = word(OPEN)
            continue
        depth += 1
        frame += FRAME
        s[frame], s[frame + 1], s[frame + 2], s[frame + 3] = start, start, list_moves(s, start), s[DONE]
    return result
