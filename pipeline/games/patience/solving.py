"""The kernel that decides a layout of a patience: short searches for a win, few cards with which it is lost, a full
search, and the count of the positions of a loss. All is in the array of `dealmill.pipeline.games.patience.kernel`.
"""

from dealmill.kernels import inlined, kernel, routine
from dealmill.pipeline.games.patience.kernel import (
    AUTOMATIC_BIT,
    BARE,
    CANDIDATES,
    DONE,
    DROPPED,
    HASH,
    IN_STOCK,
    LEFT,
    LIMIT,
    LISTED,
    LISTED_COUNT,
    LISTS,
    LITERAL,
    LOST,
    MOST_WINS,
    MOVES,
    NODES,
    NOISE,
    OPEN,
    OUT_OF_NODES,
    OWN_DRAW,
    POSITION_END,
    PROBE_NODES,
    RELAXED,
    REMOVED,
    START,
    STEP,
    STORED,
    TABLE,
    TABLE_SIZE,
    TRAIL,
    WIN_COUNT,
    WINS,
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

CONTRADICTION = 5
FIRST_SEARCH, FULL_SEARCH, PROBES, LISTS_SEARCH = 3_000, 20_000, 30_000, 30_000
"""The nodes of the very first search, and those that a round spends on a full search, on probes, and on a list."""
QUICK_TRY = 300
LIST_POSITIONS = 200_000
"""The positions of the easier game that are counted if a loss is proved already."""
SHORTENING = 1 << 18
"""The words for the numbers of the positions of a win."""
MULTIPLIERS = (11, 15, 19, 23, 27, 31, 35, 41)
"""Have no divisor in common with 52."""


@inlined
def _number(s: Words, key: int, number: int) -> None:
    slot = slot_of(s, key if key else word(1))
    s[slot] = key if key else word(1)
    s[slot + s[TABLE_SIZE]] = number


@inlined
def _number_of(s: Words, least: int) -> int:
    """Return the number of this position of the win, or `least` if it has none."""
    slot = slot_of(s, s[HASH] if s[HASH] else word(1))
    return s[slot + s[TABLE_SIZE]] if s[slot] else least


@routine
def _play(s: Words, move: int) -> None:
    do(s, move, word(0))
    settle(s)


@routine
def _take_back(s: Words, level: int) -> None:
    undo(s, level)


@inlined
def _best_moves(s: Words, position: int) -> tuple[int, int, int]:
    """Return the one or two moves that save most of the moves after a position of the win, and how many they save, or
    -1; instead of a second move, -1."""
    chosen, then, gain, level = word(0), word(0), word(-1), s[DONE]
    end = list_moves(s, word(0))
    for first in range(end):
        move = s[s[MOVES] + first] & BARE
        _play(s, move)
        reached = _number_of(s, position) - 1
        if reached - position > gain:
            chosen, then, gain = move, word(-1), reached - position
        middle = s[DONE]
        for second in range(end, list_moves(s, end)):
            after = s[s[MOVES] + second] & BARE
            _play(s, after)
            reached = _number_of(s, position) - 2
            if reached - position > gain:
                chosen, then, gain = move, after, reached - position
            _take_back(s, middle)
        _take_back(s, level)
    return chosen, then, gain


@routine
def _shorten(s: Words) -> bool:
    """Shorten a win, whose moves are on the trail: from each of its positions, go on to the one that one or two moves
    reach and that saves most of its moves. The new moves are on the trail afterwards. Return False if something does
    not fit: then it is invalid.
    """
    last = word(0)
    size = word(2)
    while size < 2 * (s[DONE] + 1):
        size *= 2
    if 2 * size > SHORTENING:
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
        chosen, then, gain = _best_moves(s, position)
        if gain < 0:
            return False
        _play(s, chosen)
        position += gain + 1
        if then >= 0:
            _play(s, then)
            position += 1
    return bool(s[LEFT] == 0)


@inlined
def _nth_card(number: int, order: int) -> int:
    """Return a card for each number below 52: high ranks first, or mixed."""
    if order == 0:
        return number % 4 * 13 + 12 - number // 4
    return (number * MULTIPLIERS[order % 8] + 7 * order) % 52


@routine
def _try_without(s: Words, removed: int, budget: int, searches: int) -> int:
    """Search the easier game in which these cards are absent. It is won if a game with more live cards was."""
    live = s[CANDIDATES] & ~removed
    for at in range(WINS, WINS + min(s[WIN_COUNT], MOST_WINS)):
        if live & ~s[at] == 0:
            return word(WON)
    s[REMOVED], result = removed, word(OPEN)
    for number in range(searches):
        s[NOISE] = 12_345 * number
        result = search(s, budget)
        if result != OPEN:
            break
    if result == WON:
        s[WINS + s[WIN_COUNT] % MOST_WINS] = live
        s[WIN_COUNT] += 1
    return result


@inlined
def _dropped(s: Words, count: int) -> int:
    """Return the cards that were dropped first."""
    removed = word(0)
    for at in range(DROPPED, DROPPED + count):
        removed |= s[at]
    return removed


@inlined
def _drop(s: Words, candidates: int, order: int, budget: int) -> int:
    """Look for cards without which the easier game is lost. If they are found, they are in `s[REMOVED]`.

    A card is dropped unless the game is soon won without it: a smaller game is smaller to search. If a longer search
    wins without all of them, the first one that was too much is found by bisection; it stays, and what was dropped
    later is tried again.
    """
    stop, nodes = s[NODES] + budget, word(QUICK_TRY)
    kept, count = word(0), word(0)
    while s[NODES] < stop:
        removed = _dropped(s, count)
        for step in range(52):
            bit = bit_of(_nth_card(step, order))
            if candidates & ~removed & ~kept & bit == 0 or s[CANDIDATES] == removed | bit or s[NODES] >= stop:
                continue
            result = _try_without(s, removed | bit, nodes, word(2))
            if result in (LOST, OUT_OF_NODES):
                return result
            if result == WON:
                kept |= bit
            else:
                removed |= bit
                s[DROPPED + count] = bit
                count += 1
        if count == 0:
            break
        start, spent, search_budget = s[NODES], word(0), min(16 * nodes, stop - s[NODES])
        won, less, middle = count + 1, word(0), count
        while won - less > 1:
            result = _try_without(s, _dropped(s, middle), search_budget, word(1))
            if result in (LOST, OUT_OF_NODES):
                return result
            if result == OPEN:
                less = middle
            else:
                if won > count:
                    spent = s[NODES] - start
                    search_budget = 2 * spent + nodes
                won = middle
            middle = (won + less) // 2
        if won > count:
            nodes *= 4
        else:
            count = won - 1
            kept = s[DROPPED + count]
            nodes = max(nodes, min(2 * nodes, spent // 4))
    return word(OPEN)


@routine
def _shrink(s: Words, candidates: int, order: int, removed: int, proof: int, positions: int) -> int:
    """Take away more cards while the easier game stays lost, and count its positions, at most `positions`. The game
    without the cards in `removed` was lost with `proof` nodes. It may be won by the plain count, since the relaxed game
    asks whether the real game is lost. Games with cells have few lists, and small full counts."""
    stop = s[NODES] + (10 if s[RELAXED] else 2) * proof + 10_000
    for step in range(52):
        bit = bit_of(_nth_card(step, order))
        if candidates & ~removed & bit == 0 or s[CANDIDATES] == removed | bit or s[NODES] >= stop:
            continue
        start = s[NODES]
        result = _try_without(s, removed | bit, 2 * proof + QUICK_TRY, word(1))
        if result == OUT_OF_NODES:
            return result
        if result == LOST:
            removed |= bit
            proof = s[NODES] - start
    if removed == 0:
        return word(OPEN)
    s[LITERAL], s[REMOVED], s[NOISE] = 1, removed, 0
    result = search(s, positions)
    if result == LOST:
        s[LISTED], s[LISTED_COUNT] = s[CANDIDATES] & ~removed, s[STORED]
    s[LITERAL] = 0
    return word(OPEN) if result == WON else result


@inlined
def _decide(s: Words) -> int:
    """Search in rounds, each with twice the nodes of the one before for probes and for lists, and with four times for
    a full search. No budget depends on the limit, so a smaller limit changes nothing but where the search ends.

    A stock that is turned by two or more cards stays whole in a search for a list of its own: without one of its
    cards, all others are always offered.
    """
    result, proof, number = search(s, word(FIRST_SEARCH)), s[STORED], word(0)
    while result == OPEN:
        nodes, budget = s[PROBE_NODES] << number, word(LISTS_SEARCH) << number
        for probe in range((PROBES << number) // nodes):
            if result == OPEN:
                s[NOISE] = 1_000 * number + 2 * probe + 1
                result = search(s, nodes)
        s[NOISE] = 0
        if result == OPEN:
            result = search(s, word(FULL_SEARCH) << 2 * number)
        proof = s[STORED]
        for form in range((1 + (s[OWN_DRAW] > 1)) * s[LISTS] * s[RELAXED]):
            candidates = s[CANDIDATES] & ~(s[IN_STOCK] * form)
            if result == OPEN:
                result = _drop(s, candidates, number, budget)
                if result == LOST:
                    result = _shrink(s, candidates, number, s[REMOVED], s[STORED], budget)
                s[REMOVED] = s[NOISE] = 0
        number += 1
    if result != LOST or s[LISTED] or s[LISTS] == 0:
        return result
    if s[OWN_DRAW] == 1 or proof <= FIRST_SEARCH:
        result = _shrink(s, s[CANDIDATES], word(0), word(0), proof, word(LISTS_SEARCH))
    if result != OUT_OF_NODES and not s[LISTED] and s[OWN_DRAW] > 1:
        result = _shrink(s, s[CANDIDATES] & ~s[IN_STOCK], word(0), word(0), proof, word(LIST_POSITIONS))
    s[REMOVED] = s[NOISE] = 0
    return result if result == OUT_OF_NODES else word(LOST)


@kernel
def solve(s: Words, limit: int, most_positions: int) -> int:
    """Decide a layout within `limit` nodes; return one of the constants `WON`, `LOST` and so on.

    The moves of a win are on the trail. A loss is proved by `s[LISTED_COUNT]` positions of the easier game with the
    cards in `s[LISTED]`; if there are none, or the number of all positions is not larger, by all, which are
    `s[STORED]` and at most `most_positions`.
    """
    s[NODES] = s[LITERAL] = s[REMOVED] = s[NOISE] = s[LISTED] = s[WIN_COUNT] = 0
    s[LIMIT] = limit
    result = _decide(s)
    moves = s[DONE] + 1
    while result == WON and s[DONE] < moves:
        moves = s[DONE]
        if not _shorten(s):
            result = word(CONTRADICTION)
    if result == LOST:
        s[LITERAL] = 1
        result = search(s, s[LISTED_COUNT] if s[LISTED] else most_positions)
        if result == WON:
            return word(CONTRADICTION)
        if s[LISTED] and result == OPEN:
            return word(LOST)
    s[LISTED] = 0
    return result
