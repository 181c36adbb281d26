"""The kernel that decides a layout of a patience: short searches for a win, few cards with which it is lost, a full
search, and the count of the positions of a loss. All is in the array of `search.words`.
"""

from dealmill.kernels import inlined, kernel, routine
from dealmill.pipeline.games.patience.search.search import search
from dealmill.pipeline.games.patience.search.shortening import shorten
from dealmill.pipeline.games.patience.search.words import (
    ANY_CARDS,
    CANDIDATES,
    DONE,
    DROPPED,
    EARLY_LISTS,
    FIRST_NODES,
    HOLE,
    IDLE,
    IN_STOCK,
    INITIAL,
    LIFTED,
    LIMIT,
    LISTED,
    LISTED_COUNT,
    LISTS,
    LITERAL,
    LOST,
    MOST_WINS,
    MOVING,
    NODES,
    NOISE,
    OPEN,
    OUT_OF_NODES,
    OWN_DRAW,
    PROBE_NODES,
    RELAXED,
    STOCK_IS_OPEN,
    STORED,
    WIN_COUNT,
    WINS,
    WON,
    Words,
    bit_of,
    word,
)

CONTRADICTION = 5
FULL_SEARCH, PROBES, LISTS_SEARCH = 20_000, 30_000, 30_000
"""The nodes that a round spends on a full search, on probes, and on a list."""
QUICK_TRY, LAST_TRY = 300, 20
"""The nodes that a try with one more idle card may take, besides twice those of the proof in the second case."""
SHRINKING = 100_000
"""The nodes that are spent at most on fewer cards for a loss whose positions are counted."""
LIST_POSITIONS = 200_000
"""The positions of the easier game that are counted if a loss is proved already."""
MULTIPLIERS = (11, 15, 19, 23, 27, 31, 35, 41)
"""Have no divisor in common with 52."""
LOWEST_OF_SUITS = 1 | 1 << 13 | 1 << 26 | 1 << 39


@inlined
def _nth_card(number: int, order: int) -> int:
    """Return a card for each number below 52: high ranks first, or mixed."""
    if order == 0:
        return number % 4 * 13 + 12 - number // 4
    return (number * MULTIPLIERS[order % 8] + 7 * order) % 52


@routine
def _try_with(s: Words, idle: int, budget: int, searches: int) -> int:
    """Search the easier game in which these cards are idle. It is won if a game was in which fewer are."""
    live = s[CANDIDATES] & ~idle
    for at in range(WINS, WINS + min(s[WIN_COUNT], MOST_WINS)):
        if live & ~s[at] == 0:
            return word(WON)
    s[IDLE], result = idle, word(OPEN)
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
    idle = word(0)
    for at in range(DROPPED, DROPPED + count):
        idle |= s[at]
    return idle


@inlined
def _drop(s: Words, candidates: int, order: int, budget: int) -> int:
    """Look for cards that can be idle in an easier game that is lost. If there are any, they are in `s[IDLE]`.

    A card is dropped, which makes it idle, unless the game is soon won then: a smaller game is smaller to search. If a
    longer search wins without all of them, the first one that was too much is found by bisection; it stays, and what
    was dropped later is tried again.
    """
    stop, nodes = s[NODES] + budget, word(QUICK_TRY)
    kept, count = word(0), word(0)
    while s[NODES] < stop:
        idle = _dropped(s, count)
        for step in range(52):
            bit = bit_of(_nth_card(step, order))
            if candidates & ~idle & ~kept & bit == 0 or s[CANDIDATES] == idle | bit or s[NODES] >= stop:
                continue
            result = _try_with(s, idle | bit, nodes, word(2))
            if result in (LOST, OUT_OF_NODES):
                return result
            if result == WON:
                kept |= bit
            else:
                idle |= bit
                s[DROPPED + count] = bit
                count += 1
        if count == 0:
            break
        start, spent, search_budget = s[NODES], word(0), min(16 * nodes, stop - s[NODES])
        won, less, middle = count + 1, word(0), count
        while won - less > 1:
            result = _try_with(s, _dropped(s, middle), search_budget, word(1))
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
def _shrink(s: Words, candidates: int, order: int, idle: int, proof: int) -> int:
    """Make more cards idle while the easier game stays lost. The game with these idle cards was lost with `proof`
    nodes; if all moves are tried, the new one has no more, and low cards come first, which make it smaller most often.
    `s[IDLE]` are all idle cards afterwards, and `s[LISTED_COUNT]` the nodes of the last game that was lost."""
    stop, limit = s[NODES] + 10 * proof + 10_000, 2 * proof + LAST_TRY
    if s[LITERAL]:
        stop, limit = s[NODES] + min(2 * proof, SHRINKING) + 10_000, word(proof)
    for step in range(52):
        bit = bit_of(_nth_card(51 - step if s[LITERAL] else step, order))
        if candidates & ~idle & bit == 0 or s[CANDIDATES] == idle | bit or s[NODES] >= stop:
            continue
        result = _try_with(s, idle | bit, limit, word(1))
        if result == OUT_OF_NODES:
            return result
        if result == LOST:
            idle |= bit
            if s[LITERAL]:
                idle |= candidates & ~s[LIFTED]
                limit = s[LISTED_COUNT] = s[STORED]
    s[IDLE] = idle
    return word(LOST)


@routine
def _find_list(s: Words, candidates: int, order: int, idle: int, proof: int, positions: int) -> int:
    """Look for a list of cards of a loss, and count the positions of the easier game, at most `positions`. The game
    with these idle cards was lost with `proof` nodes. It may be won by the plain count, since the relaxed game
    asks whether the real game is lost."""
    result = _shrink(s, candidates, order, idle, proof)
    s[NOISE] = 0
    if result == LOST and s[IDLE]:
        s[LITERAL] = 1
        result = search(s, positions)
        if result == LOST:
            s[LISTED], s[LISTED_COUNT] = s[CANDIDATES] & ~s[IDLE], s[STORED]
        s[LITERAL] = 0
    return result if result == OUT_OF_NODES or s[LISTED] else word(OPEN)


@inlined
def _lowest_cards(s: Words) -> int:
    """Return the cards that can be idle in every loss: the lowest of each suit. Nothing fits them, so in the real game,
    too, they may as well go to their foundations as soon as they can be lifted. Not if the cards on them would go with
    them, nor those of a stock whose order matters."""
    if s[LISTS] == 0 or s[HOLE] or s[MOVING] == ANY_CARDS:
        return word(0)
    open_cards = s[CANDIDATES] & ~(s[IN_STOCK] * (1 - s[STOCK_IS_OPEN]))
    lowest: int = open_cards & word(LOWEST_OF_SUITS) << s[INITIAL]
    return lowest


@routine
def _count(s: Words, most_positions: int) -> int:
    """Count all positions of a loss, at most `most_positions`, unless a list with no more is known. Idle are the cards
    that can be so in every loss, then those that no position allows to lift, and perhaps others, as long as the game
    stays lost with no more positions."""
    s[LITERAL] = 1
    s[IDLE] = first = _lowest_cards(s)
    result = search(s, s[LISTED_COUNT] - 1 if s[LISTED] else most_positions)
    if result == OPEN and s[LISTED]:
        return word(LOST)
    s[LISTED], s[LISTED_COUNT] = 0, s[STORED]
    if result == LOST and s[LISTS]:
        candidates = s[CANDIDATES] & ~(s[IN_STOCK] * (s[OWN_DRAW] > 1))
        result = _shrink(s, candidates, word(0), first | (candidates & ~s[LIFTED]), s[STORED])
        if s[IDLE]:
            s[LISTED] = s[CANDIDATES] & ~s[IDLE]
    return result


@inlined
def _decide(s: Words) -> int:
    """Search in rounds, each with twice the nodes of the one before for probes and for lists, and with four times for
    a full search. No budget depends on the limit, so a smaller limit changes nothing but where the search ends.

    A stock that is turned by two or more cards stays whole in a search for a list of its own: without one of its
    cards, all others are always offered.
    """
    result, proof, number = search(s, s[FIRST_NODES]), s[STORED], word(0)
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
        for form in range((1 + (s[OWN_DRAW] > 1)) * s[EARLY_LISTS]):
            candidates = s[CANDIDATES] & ~(s[IN_STOCK] * form)
            if result == OPEN:
                result = _drop(s, candidates, number, budget)
                if result == LOST:
                    result = _find_list(s, candidates, number, s[IDLE], s[STORED], budget)
                s[IDLE] = s[NOISE] = 0
        number += 1
    if result != LOST or s[LISTED] or s[LISTS] * s[RELAXED] == 0:
        return result
    if s[OWN_DRAW] == 1 or proof <= s[FIRST_NODES]:
        result = _find_list(s, s[CANDIDATES], word(0), word(0), proof, word(LISTS_SEARCH))
    if result != OUT_OF_NODES and not s[LISTED] and s[OWN_DRAW] > 1:
        result = _find_list(s, s[CANDIDATES] & ~s[IN_STOCK], word(0), word(0), proof, word(LIST_POSITIONS))
    s[IDLE] = s[NOISE] = 0
    return result if result == OUT_OF_NODES else word(LOST)


@kernel
def solve(s: Words, limit: int, most_positions: int) -> int:
    """Decide a layout within `limit` nodes; return one of the constants `WON`, `LOST` and so on.

    The moves of a win are on the trail. A loss is proved by `s[LISTED_COUNT]` positions of the easier game with the
    cards in `s[LISTED]`; if there are none, by all positions, at most `most_positions`.
    """
    s[NODES] = s[LITERAL] = s[IDLE] = s[NOISE] = s[LISTED] = s[WIN_COUNT] = 0
    s[LIMIT] = limit
    result = _decide(s)
    moves = s[DONE] + 1
    while result == WON and s[DONE] < moves:
        moves = s[DONE]
        if not shorten(s):
            result = word(CONTRADICTION)
    if result == LOST:
        result = _count(s, most_positions)
        if result == WON:
            result = word(CONTRADICTION)
    return result
