"""The kernel that decides a layout of a patience: short searches for a win, few cards with which it is lost, a full
search, and the count of the positions of a loss. All is in the array of `dealmill.pipeline.games.patience.kernel`.
"""

from dealmill.kernels import inlined, kernel, routine
from dealmill.pipeline.games.patience.kernel import (
    AUTOMATIC_BIT,
    BARE,
    CANDIDATES,
    DONE,
    HASH,
    IN_STOCK,
    LEFT,
    LISTED,
    LISTED_COUNT,
    LISTS,
    LITERAL,
    LOST,
    MOVES,
    NODES,
    NOISE,
    OPEN,
    OWN_DRAW,
    POSITION_END,
    PROBES,
    REMOVED,
    START,
    STEP,
    STORED,
    TABLE,
    TABLE_SIZE,
    TRAIL,
    WON,
    Words,
    bit_of,
    do,
    list_moves,
    search,
    settle,
    slot_of,
    undo,
    word,
)

CONTRADICTION = 4
PROBE_NODES = 3_000
QUICK_TRY, LONG_TRY = 500, 10_000
"""The nodes of a search of the easier game. Long ones decide what quick ones leave open."""
QUICK_PASSES, PASSES = 2, 4
MOST_LISTED = 100_000
"""The positions of the easier game with a list of cards are at most these."""


@inlined
def _number(s: Words, key: int, number: int) -> None:
    slot = slot_of(s, key if key else word(1))
    s[slot] = key if key else word(1)
    s[slot + s[TABLE_SIZE]] = number


@routine
def _shorten(s: Words, room: int) -> bool:
    """Shorten a win, whose moves are on the trail: from each of its positions, go on to the latest one that a single
    move reaches. The new moves are on the trail afterwards. Return False if something does not fit: then it is invalid.

    Uses the `room` words of the table for the numbers of the positions.
    """
    last = word(0)
    size = word(2)
    while size < 2 * (s[DONE] + 1):
        size *= 2
    if 2 * size > room:
        return bool(s[LEFT] == 0)
    s[TABLE_SIZE] = size
    for at in range(s[TABLE], s[TABLE] + 2 * size):
        s[at] = 0
    for step in range(s[DONE]):
        if (s[s[TRAIL] + STEP * step] >> AUTOMATIC_BIT) & 1 == 0:
            _number(s, s[s[TRAIL] + STEP * step + 1], last)
            last += 1
    _number(s, s[HASH], last)
    for at in range(HASH, POSITION_END):
        s[at] = s[START + at - HASH]
    s[LITERAL], s[NOISE] = 1, 0
    settle(s)
    position = word(0)
    while position < last:
        farthest, chosen, level = position, word(0), s[DONE]
        for at in range(list_moves(s, word(0))):
            move = s[s[MOVES] + at] & BARE
            do(s, move, word(0))
            settle(s)
            slot = slot_of(s, s[HASH] if s[HASH] else word(1))
            if s[slot] and s[slot + size] > farthest:
                farthest, chosen = s[slot + size], move
            undo(s, level)
        if farthest == position:
            return False
        do(s, chosen, word(0))
        settle(s)
        position = farthest
    return bool(s[LEFT] == 0)


@inlined
def _nth_card(number: int, order: int) -> int:
    """Return a card for each number below 52: high ranks first, low ranks first, or mixed."""
    if order == 0:
        return number % 4 * 13 + 12 - number // 4
    if order == 1:
        return number % 4 * 13 + number // 4
    return (number * (6 * order + 3) + 7 * order) % 52


@inlined
def _try_without(s: Words, cards: int, nodes: int, limit: int) -> int:
    """Search the easier game in which these cards are absent, at most twice."""
    s[REMOVED], s[NOISE] = cards, 0
    result = search(s, min(limit, s[NODES] + nodes))
    if result == OPEN and s[NODES] < limit:
        s[NOISE] = 12_345
        result = search(s, min(limit, s[NODES] + nodes))
    return result


@inlined
def _find_list(s: Words, limit: int, number: int) -> bool:
    """Look for few cards with which the easier game is lost, in pass `number`; return whether there are some.

    A card stays away unless the game is soon won without it: a smaller game is smaller to search. As soon as a game is
    lost, only lost ones count. Whether the last one is lost by the plain count, too, is tried at the end. The cards of
    a stock that is turned by two or more cards stay in every other pass: without one, all others are always offered.
    """
    nodes = word(QUICK_TRY) if number < QUICK_PASSES else word(LONG_TRY)
    order, candidates = number, s[CANDIDATES]
    if s[OWN_DRAW] > 1:
        order = number // 2
        if number % 2 == 0:
            candidates &= ~s[IN_STOCK]
    removed, is_lost = word(0), False
    for step in range(52):
        bit = bit_of(_nth_card(step, order))
        if candidates & bit == 0 or s[CANDIDATES] == removed | bit:
            continue
        if s[NODES] >= limit:
            break
        result = _try_without(s, removed | bit, nodes, limit)
        is_lost |= result == LOST
        if result == LOST or (result == OPEN and not is_lost):
            removed |= bit
    if is_lost:
        s[LITERAL], s[REMOVED], s[NOISE] = 1, removed, 0
        is_lost = search(s, min(limit, s[NODES] + MOST_LISTED)) == LOST
        s[LISTED], s[LISTED_COUNT] = s[CANDIDATES] & ~removed, s[STORED]
    s[LITERAL] = s[REMOVED] = s[NOISE] = 0
    return is_lost


@kernel
def solve(s: Words, limit: int, most_positions: int, room: int) -> int:
    """Decide a layout within `limit` nodes; return one of the constants `WON`, `LOST` and so on.

    The moves of a win are on the trail. A loss is proved by `s[LISTED_COUNT]` positions of the easier game with the
    cards in `s[LISTED]`; if there are none, or the number of all positions is not larger, by all, which are
    `s[STORED]` and at most `most_positions`. Each table has `room` words.
    """
    s[NODES] = s[LITERAL] = s[REMOVED] = s[LISTED] = 0
    result = word(OPEN)
    for probe in range(s[PROBES]):
        s[NOISE] = 2 * probe + 1
        result = search(s, min(limit, s[NODES] + PROBE_NODES))
        if result != OPEN or s[NODES] >= limit:
            break
    s[NOISE] = 0
    has_list, number = False, word(0)
    while result != WON and s[LISTS] and not has_list and number < PASSES and s[NODES] < limit:
        has_list = _find_list(s, s[NODES] + (limit - s[NODES]) // 8, number)
        number += 1
    if result == OPEN and not has_list and s[NODES] < limit:
        result = search(s, limit)
    if result == WON:
        return result if _shorten(s, room) else word(CONTRADICTION)
    if has_list or result == LOST:
        s[LITERAL] = 1
        result = search(s, min(limit, s[NODES] + (s[LISTED_COUNT] if has_list else most_positions)))
        if result == WON:
            return word(CONTRADICTION)
        if has_list and result == OPEN:
            return word(LOST)
    s[LISTED] = 0
    return result
