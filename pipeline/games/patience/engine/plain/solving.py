"""The kernel that decides a layout of a patience: short searches for a win, few cards with which it is lost, a full
search, and the count of the positions of a loss. All is in the array of `search.words`.
"""

from dealmill.kernels import inlined, int64, kernel, pointer_to, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.beam import LAYERS, WEIGHTS, search_by_beam
from dealmill.pipeline.games.patience.engine.plain.search import search
from dealmill.pipeline.games.patience.engine.plain.shortening import shorten
from dealmill.pipeline.games.patience.engine.plain.soundness import lowest_cards
from dealmill.pipeline.games.patience.engine.plain.start import prepare
from dealmill.pipeline.games.patience.engine.plain.words import Words

FULL_SEARCH, PROBES, LISTS_SEARCH = 20_000, 30_000, 30_000
"""The nodes that a round spends on a full search, on probes, and on a list."""
LONG_SEARCH = 10
"""How many times as much the third round and those after it spend on a full search as the one before, where its
positions prove a loss and a wide beam comes before it."""
SMALL_COUNT = 1_000
"""The positions with safe cards for which a list is looked for: it has a third less, and takes 25 times as long."""
QUICK_TRY, LAST_TRY = 300, 20
"""The nodes that a try with one more idle card may take, besides twice those of the proof in the second case."""
SHRINKING = 100_000
"""The nodes that are spent at most on fewer cards for a loss whose positions are counted."""
LIST_POSITIONS = 200_000
"""The positions of the easier game that are counted if a loss is proved already."""
NARROW_BEAMS, FIRST_WIDE = (64, 256), 2
"""The widths of the beams in the round before that of the first wide one."""
MULTIPLIERS = (11, 15, 19, 23, 27, 31, 35, 41)
"""Have no divisor in common with 52."""


@inlined
def _nth_card(number: int, order: int) -> int:
    """Return a card for each number below 52: high ranks first, or mixed."""
    if order == 0:
        return number % 4 * 13 + 12 - number // 4
    return (number * MULTIPLIERS[order % 8] + 7 * order) % 52


@routine
def _try_with(s: Words, idle: int, budget: int, searches: int) -> int:
    """Search the easier game in which these cards are idle. It is won if a game was in which fewer are."""
    live = s[k.CANDIDATES] & ~idle
    for number in range(min(s[k.WIN_COUNT], k.MAX_WINS)):
        if live & ~s[k.WINS + number] == 0:
            return int64(k.WON)
    s[k.IDLE], result = idle, int64(k.OPEN)
    for number in range(searches):
        s[k.NOISE] = 12_345 * number
        result = search(s, budget)
        if result != k.OPEN:
            break
    if result == k.WON:
        s[k.WINS + s[k.WIN_COUNT] % k.MAX_WINS] = live
        s[k.WIN_COUNT] += 1
    return result


@inlined
def _dropped(s: Words, count: int) -> int:
    """Return the cards that were dropped first."""
    idle = int64(0)
    for number in range(count):
        idle |= s[k.DROPPED + number]
    return idle


@inlined
def _drop(s: Words, candidates: int, order: int, budget: int) -> int:
    """Look for cards that can be idle in an easier game that is lost. If there are any, they are in `s[IDLE]`.

    A card is dropped, which makes it idle, unless the game is soon won then: a smaller game is smaller to search. If a
    longer search wins without all of them, the first one that was too much is found by bisection; it stays, and what
    was dropped later is tried again.
    """
    stop, nodes = s[k.NODES] + budget, int64(QUICK_TRY)
    needed, count = int64(0), int64(0)
    while s[k.NODES] < stop:
        idle = _dropped(s, count)
        for step in range(52):
            bit = bit_of(_nth_card(step, order))
            if candidates & ~idle & ~needed & bit == 0 or s[k.CANDIDATES] == idle | bit or s[k.NODES] >= stop:
                continue
            result = _try_with(s, idle | bit, nodes, int64(2))
            if result in (k.LOST, k.OUT_OF_NODES):
                return result
            if result == k.WON:
                needed |= bit
            else:
                idle |= bit
                s[k.DROPPED + count] = bit
                count += 1
        if count == 0:
            break
        start, spent, search_budget = s[k.NODES], int64(0), min(16 * nodes, stop - s[k.NODES])
        won, less, middle = count + 1, int64(0), count
        while won - less > 1:
            result = _try_with(s, _dropped(s, middle), search_budget, int64(1))
            if result in (k.LOST, k.OUT_OF_NODES):
                return result
            if result == k.OPEN:
                less = middle
            else:
                if won > count:
                    spent = s[k.NODES] - start
                    search_budget = 2 * spent + nodes
                won = middle
            middle = (won + less) // 2
        if won > count:
            nodes *= 4
        else:
            count = won - 1
            needed = s[k.DROPPED + count]
            nodes = max(nodes, min(2 * nodes, spent // 4))
    return int64(k.OPEN)


@routine
def _shrink(s: Words, candidates: int, order: int, idle: int, proof: int) -> int:
    """Make more cards idle while the easier game stays lost. The game with these idle cards was lost with `proof`
    nodes; if all moves are tried, the new one has no more, and low cards come first, which make it smaller most often.
    `s[IDLE]` are all idle cards afterwards, and `s[LISTED_COUNT]` the nodes of the last game that was lost."""
    stop, limit = s[k.NODES] + 10 * proof + 10_000, 2 * proof + LAST_TRY
    if s[k.LITERAL]:
        stop, limit = s[k.NODES] + min(2 * proof, SHRINKING) + 10_000, int64(proof)
    for step in range(52):
        bit = bit_of(_nth_card(51 - step if s[k.LITERAL] else step, order))
        if candidates & ~idle & bit == 0 or s[k.CANDIDATES] == idle | bit or s[k.NODES] >= stop:
            continue
        result = _try_with(s, idle | bit, limit, int64(1))
        if result == k.OUT_OF_NODES:
            return result
        if result == k.LOST:
            idle |= bit
            if s[k.LITERAL]:
                idle |= candidates & ~s[k.LIFTED]
                limit = s[k.LISTED_COUNT] = s[k.STORED]
    s[k.IDLE] = idle
    return int64(k.LOST)


@routine
def _find_list(s: Words, candidates: int, order: int, idle: int, proof: int, positions: int) -> int:
    """Look for a list of cards of a loss, and count the positions of the easier game, at most `positions`. The game
    with these idle cards was lost with `proof` nodes. It may be won by the plain count, since the relaxed game
    asks whether the real game is lost."""
    result = _shrink(s, candidates, order, idle, proof)
    s[k.NOISE] = 0
    if result == k.LOST and s[k.IDLE]:
        s[k.LITERAL] = 1 - s[k.SAFE_COUNTS]
        result = search(s, positions)
        if result == k.LOST:
            s[k.LISTED], s[k.LISTED_COUNT] = s[k.CANDIDATES] & ~s[k.IDLE], s[k.STORED]
        s[k.LITERAL] = 0
    return result if result == k.OUT_OF_NODES or s[k.LISTED] else int64(k.OPEN)


@routine
def _probe(s: Words, number: int, budget: int) -> int:
    """Look for a win by short searches in other orders, which are longer in later rounds."""
    nodes, result = s[k.PROBE_NODES] << number, int64(k.OPEN)
    for probe in range(budget // nodes):
        if result == k.OPEN:
            s[k.NOISE] = 1_000 * number + 2 * probe + 1
            result = search(s, nodes)
    s[k.NOISE] = 0
    return result


@routine
def _list_early(s: Words, candidates: int, number: int, budget: int) -> int:
    """Look for a list of cards before a loss is proved."""
    result = _drop(s, candidates, number, budget)
    if result == k.LOST:
        result = _find_list(s, candidates, number, s[k.IDLE], s[k.STORED], budget)
    s[k.IDLE] = s[k.NOISE] = 0
    return result


@inlined
def _lacks_room(s: Words, positions: int) -> bool:
    """Return whether the table has no room for so many positions, or for those that the limit leaves."""
    s[k.POSITIONS_NEEDED] = min(positions, s[k.LIMIT] - s[k.NODES])
    return bool(s[k.POSITIONS_NEEDED] > s[k.TABLE_LIMIT])


@routine
def _count(s: Words, first_positions: int) -> int:
    """Count all positions of a loss, unless a list with no more is known: at most `first_positions`, then four times as
    many. Idle are the cards that can be so in every loss, then those that no position allows to lift, and perhaps
    others, as long as the game stays lost with no more positions."""
    positions = first_positions << 2 * s[k.COUNTS]
    if s[k.LISTED] == 0 and _lacks_room(s, positions):
        return int64(k.OUT_OF_ROOM)
    s[k.LITERAL] = 1
    s[k.IDLE] = first = lowest_cards(s)
    result = search(s, s[k.LISTED_COUNT] - 1 if s[k.LISTED] else positions)
    if result == k.OPEN and s[k.LISTED]:
        return int64(k.LOST)
    if result == k.OPEN:
        s[k.COUNTS] += 1
        s[k.DEEPER] += s[k.TOO_DEEP]
        s[k.POSITIONS_NEEDED] = positions << 2
        return int64(k.OUT_OF_ROOM)
    s[k.LISTED], s[k.LISTED_COUNT] = 0, s[k.STORED]
    if result == k.LOST and s[k.LISTS]:
        candidates = s[k.CANDIDATES] & ~(s[k.IN_STOCK] * (s[k.OWN_DRAW] > 1))
        result = _shrink(s, candidates, int64(0), first | (candidates & ~s[k.LIFTED]), s[k.STORED])
        if s[k.IDLE]:
            s[k.LISTED] = s[k.CANDIDATES] & ~s[k.IDLE]
    return result


@routine
def _beams(s: Words, number: int) -> int:
    """Search with the beams of a round: narrow ones with all weights, or later a wide one with each. Where
    no card comes back from a foundation, probes win sooner what narrow ones would."""
    result, wide = int64(k.OPEN), number - FIRST_WIDE
    if number == 0 or s[k.WIDEST] == 0:
        return result
    if wide >= 0:
        return search_by_beam(s, s[k.WIDEST], wide) if wide < len(WEIGHTS) else result
    for width in NARROW_BEAMS:
        for weights in range(len(WEIGHTS)):
            if result == k.OPEN and s[k.NARROW] and 16 * width <= s[k.WIDEST]:
                result = search_by_beam(s, int64(width), int64(weights))
    return result


@inlined
def _decide(s: Words) -> int:
    """Search in rounds, each with twice the nodes of the one before for probes and for lists, and with four times for a
    full search; from the third round on with more of both, where a wide beam comes before a full search whose positions
    prove a loss. No budget depends on the limit, so a smaller limit changes nothing but where the search ends. It is
    `OUT_OF_ROOM` before a round that takes more room, or in which the search is to go deeper, since else all was
    searched.

    A stock that is turned by two or more cards stays whole in a search for a list of its own: without one of its
    cards, all others are always offered.
    """
    result, proof, number = int64(k.OPEN), int64(0), s[k.ROUND]
    if number == 0:
        result = search(s, s[k.FIRST_NODES])
        proof = s[k.STORED]
    while result == k.OPEN:
        s[k.ROUND] = number
        is_long = s[k.LONG_PROBES] and number > 1
        full_budget = FULL_SEARCH * (int64(LONG_SEARCH) if is_long else int64(4)) ** number
        if _lacks_room(s, full_budget):
            return int64(k.OUT_OF_ROOM)
        if number and _lacks_room(s, LAYERS * s[k.WIDEST]):
            return int64(k.OUT_OF_ROOM)
        if number == 0 or s[k.NARROW] == 0 or (number == 1 and s[k.WIDEST] == 0):
            result = _probe(s, number, (s[k.LONG_PROBES] if is_long else int64(1)) * int64(PROBES) << number)
        if result == k.OPEN and (number < FIRST_WIDE or s[k.WIDE_FIRST]):
            result = _beams(s, number)
        if result == k.OPEN:
            result = search(s, full_budget)
        proof, too_deep = s[k.STORED], s[k.TOO_DEEP]
        if result == k.OPEN and number >= FIRST_WIDE and s[k.WIDE_FIRST] == 0:
            result = _beams(s, number)
        for form in range((1 + (s[k.OWN_DRAW] > 1)) * s[k.EARLY_LISTS]):
            if result == k.OPEN:
                candidates = s[k.CANDIDATES] & ~(s[k.IN_STOCK] * form)
                result = _list_early(s, candidates, number, int64(LISTS_SEARCH) << number)
        number += 1
        if result == k.OPEN and too_deep and s[k.NODES] >= s[k.SHALLOW_NODES]:
            s[k.ROUND] = number
            s[k.DEEPER] += 1
            s[k.POSITIONS_NEEDED] = 0
            return int64(k.OUT_OF_ROOM)
    if result == k.LOST and not s[k.LISTED] and (s[k.CUTS] or s[k.SAFE_COUNTS]):
        s[k.CUT] = proof
    if result != k.LOST or s[k.LISTED] or s[k.LISTS] * (s[k.RELAXED] | s[k.SAFE_COUNTS]) == 0:
        return result
    if s[k.CUT] > (SMALL_COUNT if s[k.SAFE_COUNTS] else LISTS_SEARCH):
        return result
    if s[k.OWN_DRAW] == 1 or proof <= s[k.FIRST_NODES]:
        result = _find_list(s, s[k.CANDIDATES], int64(0), int64(0), proof, int64(LISTS_SEARCH))
    if result != k.OUT_OF_NODES and not s[k.LISTED] and s[k.OWN_DRAW] > 1:
        result = _find_list(s, s[k.CANDIDATES] & ~s[k.IN_STOCK], int64(0), int64(0), proof, int64(LIST_POSITIONS))
    s[k.IDLE] = s[k.NOISE] = 0
    return result if result == k.OUT_OF_NODES else int64(k.LOST)


@routine
def _begin(s: Words, limit: int) -> None:
    """Prepare all searches of the layout that was loaded."""
    prepare(s)
    s[k.NODES] = s[k.LITERAL] = s[k.IDLE] = s[k.NOISE] = s[k.LISTED] = s[k.WIN_COUNT] = 0
    s[k.ROUND] = s[k.PROVED] = s[k.DEEPER] = s[k.COUNTS] = s[k.CUT] = 0
    s[k.LIMIT] = limit


@routine
def _shorten(s: Words) -> int:
    """Shorten a win until it gets no shorter."""
    moves = s[k.DONE] + 1
    while s[k.DONE] < moves:
        moves = s[k.DONE]
        if not shorten(s):
            return int64(k.CONTRADICTION)
    return int64(k.WON)


@kernel
def solve(words: Words, limit: int, first_positions: int, resumed: int) -> int:
    """Decide the layout that was loaded within `limit` nodes; return one of the constants `WON`, `LOST` and so on.

    The moves of a win are on the trail. A loss is proved by `LISTED_COUNT` positions of the easier game with the
    cards in `LISTED`; if there are none, by all positions. If it is `OUT_OF_ROOM`, it goes on with an array that has
    room for `POSITIONS_NEEDED`, and for a search that is `DEEPER`, if it is called with that and is `resumed`.
    """
    s = pointer_to(words)
    if not resumed:
        _begin(s, limit)
    result = int64(k.LOST)
    if s[k.PROVED] == 0:
        result = _decide(s)
    if result == k.WON:
        result = _shorten(s)
    if result == k.LOST:
        s[k.PROVED] = 1
        if s[k.CUT] == 0:
            result = _count(s, first_positions)
        elif s[k.LISTED] and s[k.LISTED_COUNT] <= s[k.CUT]:
            s[k.CUT] = 0
        else:
            s[k.LISTED], s[k.LISTED_COUNT] = 0, s[k.CUT]
        if result == k.WON:
            result = int64(k.CONTRADICTION)
    return result


@kernel
def search_briefly(words: Words, limit: int, number: int, probes: int, lists: int) -> int:
    """Look for a win of the layout that was loaded, by the probes of a round, then for a list of cards with which it is
    lost, with so many nodes each; return one of the constants `WON`, `LOST`, `OPEN` and so on."""
    s = pointer_to(words)
    _begin(s, limit)
    result = _probe(s, number, probes)
    if result == k.WON:
        return _shorten(s)
    if result != k.OUT_OF_NODES:  # a loss that a probe found has no evidence yet
        result = _list_early(s, s[k.CANDIDATES], number, lists) if s[k.EARLY_LISTS] else int64(k.OPEN)
    return result
