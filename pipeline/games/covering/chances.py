"""The chances of covering games: how many of 1,000 plays the careful player of docs/chances.md wins.

A card is a bit of a word: first the places of the arrangement, then waste and stock in the order of turning.
`w` are the words of a layout, with the offsets below, and of its play: the cards that are left, the rank in the hole,
how many bits of the stock were turned, and the further passes. `tables` are the cards that are left and the rank in the
hole of each table that the player has in mind, see `dealmill.mind`. The referee has a player of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dealmill import mind
from dealmill.game import NO_LIMIT
from dealmill.kernels import Fields, Solved, Texts, count_bits, inlined, int64, kernel, lowest_bit, routine
from dealmill.mind import Lots, Words, add, begin, forget, is_new, least_bad, mixed, play_layouts, precedes
from dealmill.pipeline.games.covering.engine import RANKS, coverings, table_of
from dealmill.pipeline.games.covering.rules import Rules

Tables = NDArray[np.int64]

SUITS = "CHSD"
NO_PARTNER, ONE_PARTNER = 60, 2
"""What else makes a table bad."""
KING = len(RANKS) - 1
INTO_HOLE, ALONE = 56, 63
"""The targets of cards that do not leave in pairs, in their lots."""
ARRAY = Fields()
# The rules
TO_HOLE, WRAPS, OVERLAPS, IS_PLAYABLE, NEEDS_ALL, LIMITS_PASSES, HIDES, PLACES, ROWS = ARRAY.words(9)
# The layout; of each bit its rank, its number, what covers it, what it covers, and what of its pile is no partner
START, START_HOLE, START_TURNED, START_PASSES, CARD_COUNT = ARRAY.words(5)
RANK, NUMBER, COVERS, COVERED, APART = ARRAY.rows(5, 52)
BY_RANK = ARRAY.row(13)
# The play
LEFT, IN_HOLE, TURNED, PASSES = ARRAY.words(4)
SIZE = ARRAY.size


@dataclass(frozen=True)
class Chances:
    """The engine for some rules: how many of 1,000 plays a careful player wins who sees what a person sees."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Play layouts; a node is a play. With fewer than 1,000, a layout is undecided."""
        words = _words_of_rules(self.rules)
        tables = np.zeros((mind.TABLES, 2), dtype=np.int64)

        def play(layout: str, p: Words, lots: Lots, wins: Words) -> None:
            _load(words, self.rules, layout)
            _play_all(words, p, lots, tables, wins)

        return play_layouts(layouts, max_nodes, play)


def _words_of_rules(rules: Rules) -> Words:
    """Return the words of a game without a layout."""
    w, covers = np.zeros(SIZE, dtype=np.int64), coverings(rules)
    w[TO_HOLE], w[WRAPS], w[OVERLAPS] = rules.moves == "hole", rules.wrap, rules.overlap
    w[IS_PLAYABLE], w[NEEDS_ALL], w[LIMITS_PASSES] = rules.playable, rules.goal == "all", rules.passes > 0
    rows = len(covers) - rules.columns * rules.column_size
    w[HIDES], w[PLACES], w[ROWS] = rules.face_down == "covered", len(covers), (1 << rows) - 1
    above = [0] * len(covers)
    for number in reversed(range(len(covers))):
        for cover in covers[number]:
            w[COVERS + number] |= 1 << cover
            w[COVERED + cover] |= 1 << number
            above[number] |= 1 << cover | above[cover]
    for number, cards in enumerate(above):
        below = sum(1 << under for under, its_cards in enumerate(above) if its_cards >> number & 1)
        near = int(w[COVERS + number] | w[COVERED + number]) if rules.overlap else 0
        w[APART + number] = (cards | below) & ~near
    return w


def _load(w: Words, rules: Rules, layout: str) -> None:
    """Write the words of a layout."""
    table = table_of(rules, layout)
    cards = [*table.places, *table.stock]
    w[START] = sum(1 << bit for bit, card in enumerate(cards) if card)
    w[START_HOLE] = RANKS.index(table.hole[0]) if table.hole else 0
    w[START_TURNED], w[START_PASSES], w[CARD_COUNT] = table.turned, table.passes, len(cards)
    w[BY_RANK + 0 : BY_RANK + len(RANKS)] = 0
    for bit, card in enumerate(cards):
        if card:
            rank = RANKS.index(card[0])
            w[RANK + bit], w[NUMBER + bit] = rank, len(RANKS) * SUITS.index(card[1]) + rank
            w[BY_RANK + rank] |= 1 << bit


@inlined
def _bit(bits: int) -> int:
    """Return the number of the lowest bit."""
    return int64(lowest_bit(np.uint64(bits)))  # type: ignore[arg-type]


@inlined
def _count(bits: int) -> int:
    return int64(count_bits(np.uint64(bits)))  # type: ignore[arg-type]


@inlined
def _places(w: Words) -> int:
    """Return the bits of all places."""
    places: int = (1 << w[PLACES]) - 1
    return places


@routine
def _free(w: Words, left: int) -> int:
    """Return the cards of the arrangement that are not covered."""
    free, rest = int64(0), left & _places(w)
    while rest:
        bit = _bit(rest)
        rest &= rest - 1
        if not w[COVERS + bit] & left:
            free |= 1 << bit
    return free


@inlined
def _unturned(w: Words, left: int) -> int:
    """Return the cards of the stock that are not turned."""
    unturned: int = left & ~_places(w) & -(1 << w[PLACES] + w[TURNED])
    return unturned


@inlined
def _face_down(w: Words, left: int, free: int) -> int:
    """Return the cards that lie face down."""
    down: int = left & w[ROWS] & ~free if w[HIDES] else int64(0)
    return down


@inlined
def _hidden(w: Words, left: int, free: int) -> int:
    """Return how many cards the player does not see, or only the first of those that are to be turned."""
    return _count(_face_down(w, left, free) | _unturned(w, left))


@routine
def _cost(w: Words, left: int, free: int) -> int:
    """Return how bad a table is."""
    counted = left if w[NEEDS_ALL] else left & _places(w)
    down = _face_down(w, left, free)
    cost = mind.CARD_LEFT * _count(counted) + mind.FACE_DOWN * _count(down)
    if w[TO_HOLE]:
        return cost
    rest = left & _places(w) & ~down
    while rest:
        bit = _bit(rest)
        rest &= rest - 1
        if w[RANK + bit] == KING:
            continue
        partners = _count(w[BY_RANK + KING - 1 - w[RANK + bit]] & left & ~(w[APART + bit] & ~down))
        if partners == 0:
            cost += NO_PARTNER
        elif partners == 1:
            cost += ONE_PARTNER
    return cost


@inlined
def _fits(w: Words, rank: int, top: int) -> bool:
    apart = abs(rank - top)
    return bool(apart == 1 or (w[WRAPS] and apart == KING))


@routine
def _add(
    w: Words, p: Words, lots: Lots, tables: Tables, left: int, top: int, card: int, target: int, hidden: int, best: int
) -> int:
    """Add the table after a move of a card; return it if it is better than the first one and seems better than `best`,
    or `best`."""
    if not is_new(p, np.int64(mixed(np.uint64(left | top + 1 << 52)))):  # type: ignore[arg-type]
        return best
    count, free = p[mind.COUNT], _free(w, left)
    tables[count, 0], tables[count, 1] = left, top
    cost = _cost(w, left, free)
    lot = mixed(np.uint64(p[mind.SEED]) ^ np.uint64(p[mind.LOOKED] << 12 | card << 6 | target))
    add(p, lots, cost, lot, _hidden(w, left, free) < hidden)
    is_better = cost < p[mind.COST + 0] and precedes(p, lots, count, best)
    return count if is_better else best


@routine
def _look_from(w: Words, p: Words, lots: Lots, tables: Tables, table: int, hidden: int, best: int) -> int:
    """Add the tables that a move leads to, and return the best one of these and `best` that is better than the first
    table, or -1."""
    p[mind.OPEN_COST + table] = mind.CLOSED
    left, top = tables[table, 0], tables[table, 1]
    free = _free(w, left)
    if w[TO_HOLE]:
        while free:
            bit = _bit(free)
            free &= free - 1
            rank = w[RANK + bit]
            if _fits(w, rank, top):
                after = left ^ 1 << bit
                best = _add(w, p, lots, tables, after, rank, w[NUMBER + bit], INTO_HOLE, hidden, best)
    else:
        stock = left & ~_places(w)
        unturned = _unturned(w, left)
        waste = stock & ~unturned
        seen = free
        while waste & (waste - 1):
            waste &= waste - 1
        seen |= waste
        if w[IS_PLAYABLE]:
            seen |= unturned & -unturned
        rest = seen
        while rest:
            bit = _bit(rest)
            rest &= rest - 1
            rank, number = w[RANK + bit], w[NUMBER + bit]
            if rank == KING:
                best = _add(w, p, lots, tables, left ^ 1 << bit, top, number, ALONE, hidden, best)
                continue
            mates = rest
            if w[OVERLAPS] and free >> bit & 1:
                under = w[COVERED + bit] & left
                while under:
                    lower = _bit(under)
                    under &= under - 1
                    if w[COVERS + lower] & left == 1 << bit:
                        mates |= 1 << lower
            mates &= w[BY_RANK + KING - 1 - rank]
            while mates:
                mate = _bit(mates)
                mates &= mates - 1
                after = left ^ 1 << bit ^ 1 << mate
                first, second = min(number, w[NUMBER + mate]), max(number, w[NUMBER + mate])
                best = _add(w, p, lots, tables, after, top, first, second, hidden, best)
    p[mind.LOOKED] += 1
    return best


@routine
def _look_ahead(w: Words, p: Words, lots: Lots, tables: Tables) -> bool:
    """Make the moves to a better table; return whether one was seen."""
    forget(p)
    left, top = w[LEFT], w[IN_HOLE]
    is_new(p, np.int64(mixed(np.uint64(left | top + 1 << 52))))  # type: ignore[arg-type]
    free = _free(w, left)
    tables[0, 0], tables[0, 1] = left, top
    p[mind.COUNT], p[mind.COST + 0] = 1, _cost(w, left, free)
    hidden, table, chosen = _hidden(w, left, free), int64(0), int64(-1)
    while table >= 0 and p[mind.COUNT] < mind.MAX_TABLES:
        chosen = _look_from(w, p, lots, tables, table, hidden, chosen)
        table = least_bad(p, lots)
    if chosen < 0:
        return False
    w[LEFT], w[IN_HOLE] = tables[chosen, 0], tables[chosen, 1]
    return True


@routine
def _turn(w: Words, p: Words) -> bool:
    """Turn a card of the stock; return False if this is not possible, or if there was no move since the stock was
    begun."""
    stock = w[LEFT] & ~_places(w)
    unturned = _unturned(w, w[LEFT])
    if not unturned:
        if w[TO_HOLE] or p[mind.BEGUN] or not stock or (w[LIMITS_PASSES] and w[PASSES] == 0):
            return False
        w[TURNED], p[mind.BEGUN], unturned = 0, 1, stock
        if w[LIMITS_PASSES]:
            w[PASSES] -= 1
    bit = _bit(unturned)
    w[TURNED] = bit - w[PLACES] + 1
    if w[TO_HOLE]:
        w[LEFT] ^= 1 << bit
        w[IN_HOLE] = w[RANK + bit]
    return True


@routine
def _play(w: Words, p: Words, lots: Lots, tables: Tables) -> bool:
    """Play once; return whether the game is won."""
    w[LEFT], w[IN_HOLE], w[TURNED], w[PASSES] = w[START], w[START_HOLE], w[START_TURNED], w[START_PASSES]
    p[mind.BEGUN] = w[TURNED] == 0
    needed = int64(-1) if w[NEEDS_ALL] else _places(w)
    while w[LEFT] & needed:
        if _look_ahead(w, p, lots, tables):
            p[mind.BEGUN] = 0
        elif not _turn(w, p):
            return False
    return True


@kernel
def _play_all(w: Words, p: Words, lots: Lots, tables: Tables, wins: Words) -> None:
    """Play with the lots of each number, and write 1 for each play that is won."""
    for number in range(len(wins)):
        begin(p, number)
        wins[number] = _play(w, p, lots, tables)
