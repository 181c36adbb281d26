"""Shorter wins: the moves on the trail are replaced by fewer ones."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.search.choices import list_moves
from dealmill.pipeline.games.patience.search.moves import do, key_after, undo
from dealmill.pipeline.games.patience.search.search import slot_of
from dealmill.pipeline.games.patience.search.settling import settle
from dealmill.pipeline.games.patience.search.words import (
    AUTOMATIC_BIT,
    BARE,
    DEALT,
    DONE,
    FILLS,
    FIRST_COLUMN_LIMIT,
    FOUNDATION,
    HASH,
    HOMES,
    IN_HOLE,
    LEFT,
    LITERAL,
    MOVES,
    NO_CARD,
    NOISE,
    ORDERED,
    OTHER_TABLE,
    RESERVE_COUNT,
    STEP,
    TABLE,
    TABLE_SIZE,
    TO_COLUMNS,
    TOP,
    TRAIL,
    UNDER,
    Words,
    bit_of,
    word,
)

SHORTENING = 1 << 18
"""The words for the numbers of the positions of a win, or for its moves."""
REPEATED_MOVES = 50_000
"""The moves of a win that are played again at most, to see which are needed."""


@inlined
def _number(s: Words, number: int) -> None:
    """Give the position its number in the win; if it is there twice, the higher one."""
    key = s[HASH] if s[HASH] else word(1)
    slot = slot_of(s, key)
    if s[slot] == 0:
        s[slot], s[slot + s[TABLE_SIZE]] = key, number


@inlined
def _number_of(s: Words, key: int, least: int) -> int:
    """Return the number of a position of the win, or `least` if it has none."""
    slot = slot_of(s, key if key else word(1))
    return s[slot + s[TABLE_SIZE]] if s[slot] else least


@routine
def _play(s: Words, move: int) -> None:
    do(s, move, word(0))
    settle(s)


@routine
def _take_back(s: Words, level: int) -> None:
    undo(s, level)


@routine
def _number_after(s: Words, move: int, least: int) -> int:
    """Return the number of the position of the win to which a move leads, or `least` if it has none."""
    if (move >> 12) & 63 != DEALT and not (s[FILLS] and s[RESERVE_COUNT]):
        return _number_of(s, key_after(s, move), least)
    level = s[DONE]
    _play(s, move)
    number = _number_of(s, s[HASH], least)
    _take_back(s, level)
    return number


@inlined
def _place(s: Words, under: int, area: int) -> int:
    """Return a number for the place of a card that lies on another one, or on none, in a column, or elsewhere."""
    if area >= FIRST_COLUMN_LIMIT:
        return area
    return under if under != NO_CARD or s[ORDERED] == 0 else word(64) + area


@routine
def _number_positions(s: Words) -> int:
    """Take the win back, number its positions, and note the moves between them, each with the place of the card before
    and after it; return the number of the last."""
    last = word(0)
    for step in range(s[DONE]):
        last += 1 - (s[s[TRAIL] + STEP * step] >> AUTOMATIC_BIT & 1)
    number = last
    _number(s, number)
    while s[DONE] > 0:
        move = s[s[TRAIL] + STEP * (s[DONE] - 1)]
        card, source, target = move & 63, (move >> 6) & 63, (move >> 12) & 63
        after = _place(s, (move >> 30) & 63, target)
        _take_back(s, s[DONE] - 1)
        if (move >> AUTOMATIC_BIT) & 1 == 0:
            number -= 1
            s[s[OTHER_TABLE] + number] = card | _place(s, s[UNDER + card], source) << 6 | after << 13
            _number(s, number)
    return last


@inlined
def _cards_of_shortcuts(s: Words, position: int, last: int) -> int:
    """Return the cards whose moves may be those of a shortcut: the one or two cards whose places differ between this
    position of the win and a later one."""
    moved, differing, cards = word(0), word(0), word(0)
    for number in range(position, last):
        step = s[s[OTHER_TABLE] + number]
        card, after = step & 63, step >> 13
        bit = bit_of(card)
        if moved & bit == 0:
            moved |= bit
            s[HOMES + card] = (step >> 6) & 127
        differing = differing & ~bit if s[HOMES + card] == after else differing | bit
        rest = differing & (differing - 1)
        if number > position and rest & (rest - 1) == 0:
            cards |= differing
    return cards


@inlined
def _best_moves(s: Words, position: int, last: int) -> tuple[int, int, int]:
    """Return the one or two moves that save most of the moves after a position of the win, and how many they save, or
    -1; instead of a second move, -1."""
    chosen, then, gain, level = word(0), word(0), word(-1), s[DONE]
    cards = _cards_of_shortcuts(s, position, last)
    end = list_moves(s, word(0))
    for first in range(end):
        move = s[s[MOVES] + first] & BARE
        reached = _number_after(s, move, position) - 1
        if reached - position > gain:
            chosen, then, gain = move, word(-1), reached - position
        if cards & bit_of(move & 63):
            _play(s, move)
            for second in range(end, list_moves(s, end)):
                after = s[s[MOVES] + second] & BARE
                if cards & bit_of(after & 63):
                    reached = _number_after(s, after, position) - 2
                    if reached - position > gain:
                        chosen, then, gain = move, after, reached - position
            _take_back(s, level)
    return chosen, then, gain


@routine
def _look_ahead(s: Words) -> bool:
    """Shorten a win: from each of its positions, go on to the one that one or two moves reach and that saves most of
    its moves. Return False if something does not fit: then it is invalid."""
    size = word(2)
    while size < 2 * (s[DONE] + 1):
        size *= 2
    if 2 * size > SHORTENING:
        return bool(s[LEFT] == 0)
    s[TABLE_SIZE] = size
    for at in range(s[TABLE], s[TABLE] + 2 * size):
        s[at] = 0
    last, position = _number_positions(s), word(0)
    settle(s)
    while position < last:
        chosen, then, gain = _best_moves(s, position, last)
        if gain < 0:
            return False
        _play(s, chosen)
        position += gain + 1
        if then >= 0:
            _play(s, then)
            position += 1
    return bool(s[LEFT] == 0)


@inlined
def _card_and_place(s: Words, card: int, target: int, parent: int) -> int:
    """Return a card with the place to which it moves: a card, an empty column, or none of the columns. Empty columns
    are the same, unless cards will be dealt to them."""
    beneath = parent if target < FIRST_COLUMN_LIMIT else target
    if beneath == NO_CARD and s[TO_COLUMNS]:
        beneath += 1 + target
    return card | beneath << 6


@routine
def _play_again(s: Words, played: int) -> bool:
    """Play the move of this card to this place, if there is one. Return whether there was."""
    for at in range(list_moves(s, word(0))):
        move = s[s[MOVES] + at] & BARE
        target = (move >> 12) & 63
        parent = s[TOP + target] if target < FIRST_COLUMN_LIMIT else word(NO_CARD)
        if _card_and_place(s, move & 63, target, parent) == played:
            _play(s, move)
            return True
    return False


@inlined
def _repeat(s: Words, first: int, stop: int, copies: int) -> int:
    """Play the moves from `first` on that are still possible, and copy them to `copies`; return how many they are. Stop
    where a card does not go to its foundation, or into the hole."""
    count = word(0)
    for at in range(first, stop):
        if _play_again(s, s[at]):
            s[copies + count] = s[at]
            count += 1
        elif s[at] >> 6 in (FOUNDATION, IN_HOLE):
            break
    return count


@routine
def _leave_out(s: Words) -> bool:
    """Shorten a win: leave out each move without which it is still won, with those that are impossible then. Return
    False if something does not fit."""
    first, copies, count, left = s[OTHER_TABLE], s[TABLE], word(0), word(REPEATED_MOVES)
    if s[DONE] > SHORTENING:
        return bool(s[LEFT] == 0)
    for step in range(s[DONE]):
        move = s[s[TRAIL] + STEP * step]
        if (move >> AUTOMATIC_BIT) & 1 == 0:
            s[first + count] = _card_and_place(s, move & 63, (move >> 12) & 63, (move >> 30) & 63)
            count += 1
    _take_back(s, word(0))
    settle(s)
    stop = first + count
    while first < stop:
        level, played = s[DONE], s[first]
        if left > 0 and played >> 6 not in (FOUNDATION, IN_HOLE):
            count = _repeat(s, first + 1, stop, copies)
            left -= count
            won = s[LEFT] == 0
            _take_back(s, level)
            if won:
                stop = first + count
                for at in range(count):
                    s[first + at] = s[copies + at]
                continue
        if not _play_again(s, played):
            return False
        first += 1
    return bool(s[LEFT] == 0)


@routine
def shorten(s: Words) -> bool:
    """Shorten a win, whose moves are on the trail. Return False if it is invalid then."""
    s[LITERAL], s[NOISE] = 1, 0
    return _look_ahead(s) and _leave_out(s)
