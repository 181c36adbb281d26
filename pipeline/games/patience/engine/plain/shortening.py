"""Shorter wins: the moves on the trail are replaced by fewer ones."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, first_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.choices import list_moves
from dealmill.pipeline.games.patience.engine.plain.moves import do, is_next, undo
from dealmill.pipeline.games.patience.engine.plain.settling import settle
from dealmill.pipeline.games.patience.engine.plain.words import Words, first_slot

LONG_WIN = 10_000
"""A win with more moves is first shortened by skipping positions."""
LONGEST_DETOUR, MAX_CARDS = 60, 10
"""The moves that one shortcut replaces at most, and the cards that move in it."""
TO_SPACE, TO_CELL, ONTO_CARD_FROM_COLUMN, ONTO_CARD_FROM_CELL, TO_FOUNDATION = range(5)
"""The order in which moves of single cards are tried, the last ones first, as `choices` lists them."""
SHORTCUTS, REPEATED_MOVES = 100_000, 50_000
"""The shortcuts that are tried at most, and the moves that are played again at most to see which are needed."""


@routine
def _play(s: Words, move: int) -> None:
    do(s, move, int64(0))
    settle(s)


@routine
def _take_back(s: Words, level: int) -> None:
    undo(s, level)


@inlined
def _place(s: Words, under: int, area: int) -> int:
    """Return a number for the place of a card that lies on another one, or on none, in a column, or elsewhere."""
    if area >= k.FIRST_COLUMN_LIMIT:
        return area
    return under if under != k.NO_CARD or s[k.ORDERED] == 0 else int64(64) + area


@routine
def _take_win_back(s: Words) -> int:
    """Take all moves back, and note them in `OTHER_TABLE`, each as the card, its place after the move, and before it,
    from bits 0, 6 and 13 on. Note the keys of all positions in `TABLE`. Return the number of moves."""
    count = int64(0)
    for step in range(s[k.DONE]):
        count += 1 - (s[s[k.TRAIL] + k.STEP * step] >> k.AUTOMATIC_BIT & 1)
    number = count
    s[s[k.TABLE] + number] = s[k.HASH]
    while s[k.DONE] > 0:
        move = s[s[k.TRAIL] + k.STEP * (s[k.DONE] - 1)]
        card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
        after = _place(s, (move >> 30) & 63, target)
        _take_back(s, s[k.DONE] - 1)
        if (move >> k.AUTOMATIC_BIT) & 1 == 0:
            number -= 1
            s[s[k.OTHER_TABLE] + number] = card | after << 6 | _place(s, s[k.UNDER + card], source) << 13
            s[s[k.TABLE] + number] = s[k.HASH]
    settle(s)
    return count


@inlined
def _slot_of(s: Words, size: int, key: int) -> int:
    """Return where the number of a position of the win is in the index, or the free place for it."""
    index, at = s[k.MOVES] + s[k.ROOM], first_slot(key, size)
    while s[index + at] and s[s[k.TABLE] + s[index + at]] != key:
        at = (at + 1) & (size - 1)
    slot: int = index + at
    return slot


@inlined
def _write_index(s: Words, last: int) -> int:
    """Note the number of each position of the win, except the first, by its key. Return the size of the index, which
    takes the room of the search's moves, behind those of one position."""
    size, first = int64(1), s[k.MOVES] + s[k.ROOM]
    while size < 2 * last:
        size *= 2
    for at in range(first, first + size):
        s[at] = 0
    for number in range(1, last + 1):
        s[_slot_of(s, size, s[s[k.TABLE] + number])] = number
    return size


@routine
def _skip(s: Words) -> bool:
    """Shorten a win: from each of its positions, make the move that leads to its latest position. Return False if
    something does not fit: then it is invalid."""
    last, position = _take_win_back(s), int64(0)
    size = _write_index(s, last)
    while position < last:
        level, best, latest = s[k.DONE], int64(0), position
        for at in range(list_moves(s, int64(0), int64(k.EVERY))):
            move = s[s[k.MOVES] + at] & k.BARE
            _play(s, move)
            number = s[_slot_of(s, size, s[k.HASH])]
            _take_back(s, level)
            if number > latest:
                best, latest = move, number
        if latest == position:
            return False
        _play(s, best)
        position = latest
    return bool(s[k.LEFT] == 0)


@routine
def _move_first(s: Words, cards: int) -> int:
    """Play the first move that takes one of these cards to its place in `PLACES`. Return the bit of the card, or 0."""
    for at in range(list_moves(s, int64(0), cards)):
        move = s[s[k.MOVES] + at] & k.BARE
        card, target = move & 63, (move >> 12) & 63
        if cards & bit_of(card):
            under = s[k.TOP + target] if target < k.FIRST_COLUMN_LIMIT else int64(k.NO_CARD)
            if _place(s, under, target) == s[k.PLACES + card]:
                _play(s, move)
                return bit_of(card)
    return int64(0)


@inlined
def _top_move(s: Words, card: int, source: int, goal: int) -> int:
    """Return the move of a card on top of a column, or in a cell, to its foundation, a cell or a column; -1 if there is
    none."""
    move, target, bit = card | source << 6 | 1 << 18, int64(-1), bit_of(card)
    if goal == k.FOUNDATION:
        target = int64(k.FOUNDATION) if is_next(s, card) else target
    elif goal == k.CELL:
        target = int64(k.CELL) if source != k.CELL and s[k.CELL_COUNT] < s[k.CELLS] else target
    elif goal == k.NO_CARD:
        if s[k.EMPTY] and s[k.SPACES] & bit and (source == k.CELL or s[k.UNDER + card] != k.NO_CARD):
            target = first_of(s[k.EMPTY])
    elif s[k.PARENTS + card] & s[k.TOPS] & bit_of(goal):
        target = s[k.COLUMN_OF + goal]
    return move | target << 12 if target >= 0 else target


@inlined
def _has_cells_only(s: Words) -> bool:
    """Return whether single cards move between columns that lie face up, cells and foundations, and nothing else moves:
    then nothing happens after a move, and each card has one move at most to a place."""
    others = s[k.HOLE] | s[k.COMPLETE] | s[k.ORDERED] | s[k.REMOVABLE] | s[k.RESERVE] | s[k.REST] | s[k.FACE_DOWN]
    others |= s[k.ONLY_WASTE_FILLS]
    return bool(s[k.MOVING] == k.ONE_CARD and others == 0)


@routine
def _move_first_of_tops(s: Words, cards: int) -> int:
    """Do the same as `_move_first` where there are cells only, without listing all moves: of those to `PLACES`, that
    with the highest score, of equal ones that from the first column, or of the first card in a cell."""
    best, best_move, left = int64(-1), int64(0), cards & (s[k.TOPS] | s[k.CELL_CARDS])
    while left:
        card = first_of(left)
        left &= left - 1
        is_top, goal = s[k.TOPS] & bit_of(card) != 0, s[k.PLACES + card]
        source = s[k.COLUMN_OF + card] if is_top else int64(k.CELL)
        move = _top_move(s, card, source, goal)
        score = int64(ONTO_CARD_FROM_COLUMN if is_top else ONTO_CARD_FROM_CELL)
        if goal >= k.CELL:
            score = int64(TO_FOUNDATION if goal == k.FOUNDATION else TO_CELL if goal == k.CELL else TO_SPACE)
        order = score << 7 | (127 - source if is_top else 63 - card)
        if move >= 0 and order > best:
            best, best_move = order, move
    if best < 0:
        return int64(0)
    do(s, best_move, int64(0))
    return bit_of(best_move & 63)


@routine
def _leads_to(s: Words, cards: int, key: int) -> bool:
    """Move each of these cards once, to its place. Return whether the position with this key is reached."""
    has_cells_only = _has_cells_only(s)
    while cards:
        moved = _move_first_of_tops(s, cards) if has_cells_only else _move_first(s, cards)
        if moved == 0:
            return False
        cards ^= moved
    return bool(s[k.HASH] == key)


@inlined
def _take_shortcut(s: Words, position: int, last: int) -> int:
    """Go to the later position of the win that saves the most moves if each card whose place differs moves once. Return
    its number; -1 if not even the next one is reached.

    A shortcut is tried only if it saves more than the last one would have, which was impossible, too.
    """
    best, cards, gain, before, level = int64(-1), int64(0), int64(-1), int64(-1), s[k.DONE]
    seen, differing, count = int64(0), int64(0), int64(0)
    for number in range(position + 1, min(last, position + LONGEST_DETOUR) + 1):
        step = s[s[k.OTHER_TABLE] + number - 1]
        card = step & 63
        bit = bit_of(card)
        if seen & bit == 0:
            seen |= bit
            s[k.HOMES + card] = step >> 13
        s[k.PLACES + card] = (step >> 6) & 127
        count -= (differing >> card) & 1
        differing &= ~bit
        if s[k.PLACES + card] != s[k.HOMES + card]:
            differing |= bit
            count += 1
        saved = number - position - count
        if saved > max(gain, before) and count <= MAX_CARDS and (s[k.TRIES] > 0 or gain < 0):
            s[k.TRIES] -= 1
            if _leads_to(s, differing, s[s[k.TABLE] + number]):
                best, cards, gain = int64(number), differing, saved
            _take_back(s, level)
        before = saved
    for number in range(position, best):
        step = s[s[k.OTHER_TABLE] + number]
        s[k.PLACES + (step & 63)] = (step >> 6) & 127
    return best if best >= 0 and _leads_to(s, cards, s[s[k.TABLE] + best]) else int64(-1)


@routine
def _take_shortcuts(s: Words) -> bool:
    """Shorten a win by shortcuts from each of its positions. Return False if something does not fit: then it is
    invalid."""
    last, position = _take_win_back(s), int64(0)
    s[k.TRIES] = SHORTCUTS
    while 0 <= position < last:
        position = _take_shortcut(s, position, last)
    return bool(s[k.LEFT] == 0)


@routine
def _move_to_place(s: Words, card: int) -> bool:
    """Move a card to its place in `PLACES`, if that is possible; return whether it was moved. `_move_first` does the
    same for any card, but lists all of its moves, which takes longer."""
    source, goal = int64(-1), s[k.PLACES + card]
    if s[k.TOPS] & bit_of(card):
        source = s[k.COLUMN_OF + card]
    elif s[k.CELL_CARDS] & bit_of(card):
        source = int64(k.CELL)
    is_plain_target = goal <= k.FOUNDATION or goal == k.NO_CARD
    others = s[k.WASTE_FILLS] or s[k.ONLY_WASTE_FILLS] or s[k.MOVING] == k.COLUMN_ONLY
    if source < 0 or not is_plain_target or s[k.HOLE] or s[k.COMPLETE] or s[k.ORDERED] or others:
        return _move_first(s, bit_of(card)) != 0
    move = _top_move(s, card, source, goal)
    if move >= 0:
        _play(s, move)
    return move >= 0


@routine
def play_again(s: Words, step: int) -> bool:
    """Move the card of a noted move to its place, if that is possible. A cell or an empty column stands in for the
    other. Return whether the card was moved."""
    card, target = step & 63, (step >> 6) & 127
    s[k.PLACES + card] = target
    if _move_to_place(s, card):
        return True
    s[k.PLACES + card] = k.CELL + k.NO_CARD - target
    return target in (k.CELL, k.NO_CARD) and _move_to_place(s, card)


@inlined
def _repeat(s: Words, first: int, stop: int, copies: int) -> int:
    """Play the moves from `first` on that are still possible, and note them from `copies` on; return how many they are.
    Stop where a card does not go to its foundation, or into the hole."""
    count = int64(0)
    for at in range(first, stop):
        card = s[at] & 63
        if play_again(s, s[at]):
            s[copies + count] = card | s[k.PLACES + card] << 6
            count += 1
        elif (s[at] >> 6) & 127 in (k.FOUNDATION, k.IN_HOLE):
            break
    return count


@routine
def _leave_out(s: Words) -> bool:
    """Shorten a win: leave out each move without which it is still won, with those that are impossible then. Return
    False if something does not fit."""
    count, left = _take_win_back(s), int64(REPEATED_MOVES)
    first, copies = s[k.OTHER_TABLE], s[k.TABLE]
    stop = first + count
    while first < stop:
        level, step = s[k.DONE], s[first]
        if left > 0 and (step >> 6) & 127 not in (k.FOUNDATION, k.IN_HOLE):
            count = _repeat(s, first + 1, stop, copies)
            left -= count
            won = s[k.LEFT] == 0
            _take_back(s, level)
            if won:
                stop = first + count
                for at in range(count):
                    s[first + at] = s[copies + at]
                continue
        if not play_again(s, step):
            return False
        first += 1
    return bool(s[k.LEFT] == 0)


@routine
def shorten(s: Words) -> bool:
    """Shorten a win, whose moves are on the trail. Return False if it is invalid then."""
    s[k.LITERAL], s[k.NOISE] = 1, 0
    if s[k.DONE] > LONG_WIN and not _skip(s):
        return False
    return _take_shortcuts(s) and _leave_out(s)
