"""The chances of patiences: how many of 1,000 plays the careful player of docs/chances.md wins.

The player looks ahead from the table: over the tables that some moves lead to, from the best ones first. `p` is one
array of all that he has in mind, with the offsets below; positions and moves are those of
`dealmill.pipeline.games.patience.search`. The referee has a player of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, inlined, kernel, routine, to_solved, unpack
from dealmill.pipeline.games.patience.engine import Sizes, load, room_of, set_up
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.search import words as k
from dealmill.pipeline.games.patience.search.choices import list_moves
from dealmill.pipeline.games.patience.search.moves import do, undo
from dealmill.pipeline.games.patience.search.settling import settle
from dealmill.pipeline.games.patience.search.words import (
    BARE,
    CELL_COUNT,
    COLUMNS,
    COMPLETE,
    DONE,
    DOWN,
    DRAW,
    EVERY,
    FILLS,
    FIRST_COLUMN_LIMIT,
    FOUNDATION,
    HASH,
    HOLE,
    IDLE,
    LEFT,
    LENGTH,
    LITERAL,
    MOVES,
    NO_CARD,
    NOISE,
    OWN_DRAW,
    OWN_PASSES,
    PARENTS,
    PASSES,
    PASSES_LEFT,
    POSITION_END,
    RESERVE_COUNT,
    RUNS,
    STACKED,
    START,
    STOCK,
    STOCK_COUNT,
    TO_COLUMNS,
    TO_HOLE,
    TOP,
    TURNED,
    UNDER,
    UP,
    Words,
    Z,
    bit_of,
    word,
)
from dealmill.verdicts import Verdict

Lots = NDArray[np.uint64]

PLAYS = 1_000
MILLION = 1_000_000
DIGITS = "0123456789abcdefghijklmnopqrstuv"
MOST_TABLES = 1_000
"""The player looks no further once there are so many tables in mind."""
TABLES = MOST_TABLES + k.MOVES_IN_ORDER

# What makes a table bad; of two numbers, the second one counts if only whole suits go to foundations
CARD_LEFT, FACE_DOWN, IN_STOCK, CELLS_SQUARED, ABOVE_NEXT = 4, 20, 1, 4, 2
COVERING, MISFIT, BROKEN_RUN, EMPTY_COLUMN = (4, 2), (2, 10), (1, 10), (-4, -12)

# What the player has in mind: the tables by the order in which they were found, and a hash table of their keys
SEED, LOOKED, COUNT, BEGUN, COLUMN_COST = range(5)
ORIGIN, MOVE, COST, OPEN_COST, NEXT, SLOT, SEEN = range(24, 24 + 7 * TABLES, TABLES)
CLOSED = 1 << 32
"""The open cost of a table from which the player does not look."""
SEEN_SIZE = 8_192
MIND = SEEN + SEEN_SIZE

ERROR_SHIFT = np.uint64(59)
"""The highest five bits of a lot are the error with which the player judges a table."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FACTOR_1, FACTOR_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT_1, SHIFT_2, SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


@dataclass(frozen=True)
class Chances:
    """The engine for some rules: how many of 1,000 plays a careful player wins who sees what a person sees."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Play layouts; a node is a play. With fewer than 1,000, a layout is undecided."""
        sizes = Sizes.of(TABLES, room_of(self.rules))
        words = np.empty(k.END + 2 * sizes.table + sizes.frames + sizes.trail + sizes.moves, dtype=np.int64)
        set_up(words, self.rules, sizes)
        mind, lots = np.zeros(MIND, dtype=np.int64), np.empty(TABLES, dtype=np.uint64)
        wins = np.empty(min(PLAYS, max_nodes), dtype=np.int64)
        batch = Batch([], [], [], [])
        for layout in unpack(layouts):
            load(words, self.rules, layout)
            _play_all(words, mind, lots, _waste(layout), wins)
            scored = len(wins) == PLAYS
            batch.verdicts.append(Verdict.SCORED if scored else Verdict.UNDECIDED)
            batch.values.append(int(wins.sum()) * MILLION // PLAYS if scored else None)
            batch.nodes.append(len(wins))
            batch.evidence.append(_digits(wins.tolist()) if scored else None)
        return to_solved(batch)


def _waste(layout: str) -> int:
    """Return the number of cards in the waste of a layout."""
    return len(layout.partition(" waste:")[2].partition(" ")[0]) // 2


def _digits(wins: list[int]) -> str:
    """Return a digit for every five plays, of which the first is the highest bit."""
    bits = "".join(map(str, wins))
    return "".join(DIGITS[int(bits[at : at + 5], 2)] for at in range(0, PLAYS, 5))


@inlined
def _mixed(number: np.uint64) -> np.uint64:
    """Return 64 bits that look random, others for each number: the last step of SplitMix64."""
    number = (number ^ (number >> SHIFT_1)) * FACTOR_1
    number = (number ^ (number >> SHIFT_2)) * FACTOR_2
    return number ^ (number >> SHIFT_3)


@routine
def _cost_of_column(s: Words, column: int) -> int:
    """Return how bad a column is, from what lies face up in it."""
    card, shown, whole_suits = s[TOP + column], s[LENGTH + column] - s[DOWN + column], s[COMPLETE]
    cost: int = word(0)
    if card == NO_CARD:
        return word(EMPTY_COLUMN[whole_suits])
    ranks, deepest = word(0), word(0)
    for above in range(shown):
        # four bits for each rank count the cards above that cover no lower one so far
        covering = ranks >> (4 * (card % 13 + 1))
        ranks ^= covering << (4 * (card % 13 + 1))
        while covering:
            cost += COVERING[whole_suits] * (covering & 15)
            covering >>= 4
        ranks += word(1) << (4 * (card % 13))
        if whole_suits == 0 and s[UP + card // 13] == card % 13:
            deepest = word(above)
        under = s[UNDER + card]
        if above + 1 < shown:
            if s[PARENTS + card] & bit_of(under) == 0:
                cost += MISFIT[whole_suits]
            elif s[RUNS + card] & bit_of(under) == 0:
                cost += BROKEN_RUN[whole_suits]
        card = under
    cost += FACE_DOWN * s[DOWN + column] + ABOVE_NEXT * deepest
    return cost


@routine
def _keep_costs(s: Words, p: Words) -> None:
    """Have the cost of each column in mind."""
    for column in range(0 if s[HOLE] else s[COLUMNS]):
        p[COLUMN_COST + column] = _cost_of_column(s, word(column))


@routine
def _cost(s: Words, p: Words, changed: int) -> int:
    """Return how bad the table is. The costs in mind are those of the columns whose bits are not in `changed`."""
    cost: int = CARD_LEFT * s[LEFT] + CELLS_SQUARED * s[CELL_COUNT] * s[CELL_COUNT]
    if s[HOLE]:
        return cost
    cost += IN_STOCK * (s[STOCK_COUNT] + s[RESERVE_COUNT])
    for column in range(s[COLUMNS]):
        cost += _cost_of_column(s, word(column)) if changed >> column & 1 else p[COLUMN_COST + column]
    return cost


@inlined
def _changed(s: Words, move: int) -> int:
    """Return the columns whose costs a move changes: all if it changes what a foundation waits for."""
    source, target = (move >> 6) & 63, (move >> 12) & 63
    return word(-1) if target == FOUNDATION or s[FILLS] else word(1) << source | word(1) << target


@inlined
def _hidden(s: Words) -> int:
    """Return how many cards lie face down or below others in the reserve."""
    count: int = s[STACKED] * s[RESERVE_COUNT]
    for column in range(s[COLUMNS]):
        count += s[DOWN + column]
    return count


@inlined
def _is_new(s: Words, p: Words) -> bool:
    """Return whether he has not seen the table since he began to look. How far the stock is turned makes no
    difference."""
    key = s[HASH] ^ s[Z + (52 << 6 | s[TURNED])] ^ s[Z + (53 << 6 | s[PASSES_LEFT])]
    at = (key >> 20) & (SEEN_SIZE - 1)
    while p[SEEN + at] != 0 and p[SEEN + at] != key:
        at = (at + 1) & (SEEN_SIZE - 1)
    is_new = p[SEEN + at] != key
    p[SEEN + at], p[SLOT + p[COUNT]] = key, at
    return bool(is_new)


@routine
def _show(s: Words, waste: int) -> None:
    """Have this many cards in the waste."""
    if s[TO_HOLE] == 0 and s[TO_COLUMNS] == 0:
        s[HASH] ^= s[Z + (52 << 6 | s[TURNED])] ^ s[Z + (52 << 6 | waste)]
        s[TURNED] = waste


@routine
def _make(s: Words, move: int) -> None:
    do(s, move, word(0))
    settle(s)


@routine
def _go_to(s: Words, p: Words, table: int) -> None:
    """Make the moves to a table from the one at which the look began."""
    undo(s, word(0))
    at = word(table)
    while at:
        p[NEXT + p[ORIGIN + at]] = at
        at = p[ORIGIN + at]
    while at != table:
        at = p[NEXT + at]
        _make(s, p[MOVE + at])


@inlined
def _is_visible(s: Words, move: int, waste: int, space: int) -> bool:
    """Return whether the player thinks of a move: not of one from a foundation, nor of a card of the stock but that on
    top of the waste, and of only one empty column."""
    source, target, index = (move >> 6) & 63, (move >> 12) & 63, (move >> 24) & 63
    if source == FOUNDATION:
        return False
    if source == STOCK:
        return bool(s[TO_HOLE] == 0 and s[TO_COLUMNS] == 0 and index == waste)
    return bool(target >= FIRST_COLUMN_LIMIT or s[LENGTH + target] > 0 or target == space)


@inlined
def _lot(s: Words, p: Words, move: int) -> np.uint64:
    """Return the lot of a move."""
    target = (move >> 12) & 63
    if target < FIRST_COLUMN_LIMIT:
        target = s[TOP + target]
    return _mixed(np.uint64(p[SEED]) ^ np.uint64(p[LOOKED] << 12 | (move & 63) << 6 | target))


@inlined
def _precedes(p: Words, lots: Lots, left: int, right: int) -> bool:
    """Return whether a table seems better than another one, or as good with a higher lot; any is better than none,
    -1."""
    if right < 0 or p[COST + left] != p[COST + right]:
        return bool(right < 0 or p[COST + left] < p[COST + right])
    return bool(lots[left] > lots[right])


@routine
def _least_bad(p: Words, lots: Lots) -> int:
    """Return the table that seems least bad of those from which he has not looked, or -1."""
    lowest, table = word(CLOSED), word(-1)
    for at in range(p[COUNT]):
        lowest = min(lowest, p[OPEN_COST + at])
    for at in range(p[COUNT]):
        if p[OPEN_COST + at] == lowest and lowest < CLOSED and (table < 0 or lots[at] > lots[table]):
            table = word(at)
    return table


@routine
def _look_from(s: Words, p: Words, lots: Lots, table: int, waste: int, hidden: int) -> int:
    """Add the tables that a move leads to, and return the best one if it is better than the first table, or -1."""
    p[OPEN_COST + table] = CLOSED
    space, best = word(-1), word(-1)
    for column in range(s[COLUMNS]):
        if s[LENGTH + column] == 0:
            space = word(column)
            break
    _show(s, waste)
    level, end = s[DONE], list_moves(s, word(0), word(EVERY))
    for at in range(end):
        move = s[s[MOVES] + at] & BARE
        if not _is_visible(s, move, waste, space):
            continue
        count = p[COUNT]
        lots[count] = _lot(s, p, move)
        _make(s, move)
        if _is_new(s, p):
            cost = _cost(s, p, _changed(s, move))
            p[ORIGIN + count], p[MOVE + count] = table, move
            p[COST + count] = cost + np.int64(lots[count] >> ERROR_SHIFT)
            p[OPEN_COST + count] = CLOSED if _hidden(s) < hidden else p[COST + count]
            p[COUNT] += 1
            if cost < p[COST] and _precedes(p, lots, count, best):
                best = count
        undo(s, level)
    p[LOOKED] += 1
    return best


@routine
def _look_ahead(s: Words, p: Words, lots: Lots, waste: int) -> int:
    """Make the moves to a better table, and return how many cards are in the waste then; -1 if none is seen."""
    for table in range(p[COUNT]):
        p[SEEN + p[SLOT + table]] = 0
    p[COUNT] = 0
    _is_new(s, p)
    _keep_costs(s, p)
    s[DONE], p[COUNT], p[COST] = 0, 1, _cost(s, p, word(0))
    stock, hidden, table, chosen = s[STOCK_COUNT], _hidden(s), word(0), word(-1)
    while table >= 0 and p[COUNT] < MOST_TABLES:
        if table:
            _go_to(s, p, table)
            _keep_costs(s, p)
        best = _look_from(s, p, lots, table, waste - (stock - s[STOCK_COUNT]), hidden)
        if best >= 0 and _precedes(p, lots, best, chosen):
            chosen = best
        if chosen >= 0 and s[HOLE] == 0:
            break
        table = _least_bad(p, lots)
    _go_to(s, p, max(chosen, word(0)))
    return waste - (stock - s[STOCK_COUNT]) if chosen >= 0 else word(-1)


@routine
def _deal(s: Words) -> bool:
    """Deal a card of the stock into the hole, or a row to the columns; return False if this is not possible."""
    for at in range(list_moves(s, word(0), word(EVERY))):
        move = s[s[MOVES] + at] & BARE
        if (move >> 6) & 63 == STOCK:
            _make(s, move)
            return True
    return False


@routine
def _turn(s: Words, p: Words, waste: int) -> int:
    """Turn the stock, and return how many cards are in the waste then; -1 if this is not possible, or if there was no
    move since the stock was begun."""
    if waste == s[STOCK_COUNT]:
        if waste == 0 or p[BEGUN] or (s[PASSES] and s[PASSES_LEFT] == 0):
            return word(-1)
        p[BEGUN], waste = 1, word(0)
        if s[PASSES]:
            s[HASH] ^= s[Z + (53 << 6 | s[PASSES_LEFT])] ^ s[Z + (53 << 6 | (s[PASSES_LEFT] - 1))]
            s[PASSES_LEFT] -= 1
    turned: int = min(waste + s[DRAW], s[STOCK_COUNT])
    return turned


@routine
def _play(s: Words, p: Words, lots: Lots, waste: int) -> bool:
    """Play once; return whether the game is won."""
    for at in range(HASH, POSITION_END):
        s[at] = s[START + at - HASH]
    s[DRAW], s[PASSES] = s[OWN_DRAW], s[OWN_PASSES]
    s[LITERAL], s[NOISE], s[IDLE] = 1, 0, 0
    p[LOOKED], p[BEGUN] = 0, waste == 0
    settle(s)
    while s[LEFT]:
        after = _look_ahead(s, p, lots, waste)
        if after >= 0:
            waste, p[BEGUN] = after, 0
        elif s[TO_HOLE] or s[TO_COLUMNS]:
            if not _deal(s):
                return False
        else:
            waste = _turn(s, p, waste)
            if waste < 0:
                return False
    return True


@kernel
def _play_all(s: Words, p: Words, lots: Lots, waste: int, wins: Words) -> None:
    """Play with the lots of each number, and write 1 for each play that is won."""
    for number in range(len(wins)):
        p[SEED] = np.int64(_mixed(np.uint64(number + 1) * GOLDEN))
        wins[number] = _play(s, p, lots, word(waste))
