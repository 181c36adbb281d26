"""The chances of patiences: how many of 1,000 plays the careful player of docs/chances.md wins.

The player looks ahead from the table: over the tables that some moves lead to, from the best ones first. `p` is all
that he has in mind, see `mind`; positions and moves are those of `dealmill.pipeline.games.patience.engine.plain`. The
referee has a player of its own.
"""

from dataclasses import dataclass

import numpy as np

from dealmill import mind
from dealmill.game import NO_LIMIT
from dealmill.kernels import Solved, Texts, inlined, int64, kernel, routine
from dealmill.mind import (
    Lots,
    add,
    begin,
    forget,
    is_new,
    least_bad,
    mixed,
    play_layouts,
    precedes,
)
from dealmill.pipeline.games.patience.engine.bits import bit_of, count_of, first_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.choices import list_moves
from dealmill.pipeline.games.patience.engine.plain.engine import Sizes, divide, load, room_of, set_up
from dealmill.pipeline.games.patience.engine.plain.moves import do, draw_by_the_rules, next_cards, undo
from dealmill.pipeline.games.patience.engine.plain.settling import settle
from dealmill.pipeline.games.patience.engine.plain.start import prepare
from dealmill.pipeline.games.patience.engine.plain.words import Words
from dealmill.pipeline.games.patience.rules import Rules


@dataclass(frozen=True)
class Chances:
    """The engine for some rules: how many of 1,000 plays a careful player wins who sees what a person sees."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Play layouts; a node is a play. With fewer than 1,000, a layout is undecided."""
        sizes = Sizes.of(mind.TABLES, room_of(self.rules))
        words = np.empty(k.END + 2 * sizes.table + sizes.frames + sizes.trail + sizes.moves, dtype=np.int64)
        set_up(words, self.rules)
        divide(words, sizes)

        def play(layout: str, p: Words, lots: Lots, wins: Words) -> None:
            load(words, self.rules, layout)
            _play_all(words, p, lots, _waste(layout), wins)

        return play_layouts(layouts, max_nodes, play)


def _waste(layout: str) -> int:
    """Return the number of cards in the waste of a layout."""
    return len(layout.partition(" waste:")[2].partition(" ")[0]) // 2


@routine
def _cost_of_column(s: Words, column: int) -> int:
    """Return how bad a column is, from what lies face up in it."""
    card, whole_suits, following = s[k.TOP + column], s[k.COMPLETE], next_cards(s) * (1 - s[k.COMPLETE])
    cost: int = int64(0)
    if card == k.NO_CARD:
        return int64(mind.EMPTY_COLUMN[whole_suits])
    ranks, deepest, above = int64(0), int64(0), int64(0)
    while card != k.NO_CARD and not s[k.FACE_DOWN] & bit_of(card):
        # four bits for each rank count the cards above that cover no lower one so far
        covering = ranks >> (4 * (card % 13 + 1))
        ranks ^= covering << (4 * (card % 13 + 1))
        while covering:
            cost += mind.COVERING[whole_suits] * (covering & 15)
            covering >>= 4
        ranks += int64(1) << (4 * (card % 13))
        if following & bit_of(card):
            deepest = above
        under = s[k.UNDER + card]
        if under != k.NO_CARD and not s[k.FACE_DOWN] & bit_of(under):
            if s[k.PARENTS + card] & bit_of(under) == 0:
                cost += mind.MISFIT[whole_suits]
            elif s[k.RUNS + card] & bit_of(under) == 0:
                cost += mind.BROKEN_RUN[whole_suits]
        card = under
        above += 1
    while card != k.NO_CARD:
        cost += mind.FACE_DOWN
        card = s[k.UNDER + card]
    cost += mind.ABOVE_NEXT * deepest
    return cost


@routine
def _keep_costs(s: Words, p: Words) -> None:
    """Have the cost of each column in mind."""
    for column in range(0 if s[k.HOLE] else s[k.COLUMNS]):
        p[mind.COLUMN_COST + column] = _cost_of_column(s, int64(column))


@routine
def _cost(s: Words, p: Words, changed: int) -> int:
    """Return how bad the table is. The costs in mind are those of the columns whose bits are not in `changed`."""
    cost: int = mind.CARD_LEFT * s[k.LEFT] + mind.CELLS_SQUARED * s[k.CELL_COUNT] * s[k.CELL_COUNT]
    if s[k.HOLE]:
        return cost
    cost += mind.IN_STOCK * (s[k.STOCK_COUNT] + s[k.RESERVE_COUNT])
    for column in range(s[k.COLUMNS]):
        cost += _cost_of_column(s, int64(column)) if changed >> column & 1 else p[mind.COLUMN_COST + column]
    return cost


@inlined
def _changed(s: Words, move: int) -> int:
    """Return the columns whose costs a move changes: all if it changes what a foundation waits for."""
    source, target = (move >> 6) & 63, (move >> 12) & 63
    return int64(-1) if target == k.FOUNDATION or s[k.FILLS] else int64(1) << source | int64(1) << target


@inlined
def _hidden(s: Words) -> int:
    """Return how many cards lie face down or below others in the reserve."""
    count: int = s[k.STACKED] * s[k.RESERVE_COUNT] + count_of(s[k.FACE_DOWN])
    return count


@inlined
def _first_space(s: Words) -> int:
    """Return the first empty column, or -1."""
    return first_of(s[k.EMPTY]) if s[k.EMPTY] else int64(-1)


@inlined
def _key(s: Words) -> int:
    """Return a key of the table: how far the stock is turned makes no difference."""
    key: int = s[k.HASH] ^ s[k.Z + (52 << 6 | s[k.TURNED])] ^ s[k.Z + (53 << 6 | s[k.PASSES_LEFT])]
    return key


@routine
def _show(s: Words, waste: int) -> None:
    """Have this many cards in the waste."""
    if s[k.TO_HOLE] == 0 and s[k.TO_COLUMNS] == 0:
        s[k.HASH] ^= s[k.Z + (52 << 6 | s[k.TURNED])] ^ s[k.Z + (52 << 6 | waste)]
        s[k.TURNED] = waste


@inlined
def _waste_now(s: Words) -> int:
    """Return how many cards are in the waste, since it only lost cards in this look: a card that fills an empty column
    comes from the stock if there is no waste."""
    waste, stock = s[k.FIRST_WASTE], s[k.FIRST_STOCK]
    while stock > s[k.STOCK_COUNT]:
        waste = (waste if waste else min(s[k.DRAW], stock)) - 1
        stock -= 1
    return int64(waste)


@routine
def _fill_from_waste(s: Words) -> None:
    """Fill empty columns from the waste, or from the stock if there is none."""
    while s[k.EMPTY] and s[k.REST]:
        waste, rest = _waste_now(s), s[k.REST]
        _show(s, waste)
        index = waste if waste else min(s[k.DRAW], s[k.STOCK_COUNT])
        for _ in range(index - 1):
            rest &= rest - 1
        card = s[k.STOCK_CARDS + first_of(rest)]
        do(s, card | k.STOCK << 6 | first_of(s[k.EMPTY]) << 12 | 1 << 18 | index << 24, int64(0))
        settle(s)


@routine
def _make(s: Words, move: int) -> None:
    do(s, move, int64(0))
    settle(s)
    if s[k.WASTE_FILLS]:
        _fill_from_waste(s)


@routine
def _go_to(s: Words, p: Words, table: int) -> None:
    """Make the moves to a table from the one at which the look began."""
    undo(s, int64(0))
    at = int64(table)
    while at:
        p[mind.NEXT + p[mind.ORIGIN + at]] = at
        at = p[mind.ORIGIN + at]
    while at != table:
        at = p[mind.NEXT + at]
        _make(s, p[mind.MOVE + at])


@inlined
def _is_visible(s: Words, move: int, waste: int, space: int) -> bool:
    """Return whether the player thinks of a move: not of one from a foundation, nor of a card of the stock but that on
    top of the waste, and of only one empty column."""
    source, target, index = (move >> 6) & 63, (move >> 12) & 63, (move >> 24) & 63
    if source == k.FOUNDATION:
        return False
    if source == k.STOCK:
        return bool(s[k.TO_HOLE] == 0 and s[k.TO_COLUMNS] == 0 and index == waste)
    return bool(target >= k.FIRST_COLUMN_LIMIT or s[k.TOP + target] != k.NO_CARD or target == space)


@inlined
def _lot(s: Words, p: Words, move: int) -> np.uint64:
    """Return the lot of a move."""
    target = (move >> 12) & 63
    if target < k.FIRST_COLUMN_LIMIT:
        target = s[k.TOP + target]
    return mixed(np.uint64(p[mind.SEED]) ^ np.uint64(p[mind.LOOKED] << 12 | (move & 63) << 6 | target))


@routine
def _look_from(s: Words, p: Words, lots: Lots, table: int, waste: int, hidden: int) -> int:
    """Add the tables that a move leads to, and return the best one if it is better than the first table, or -1."""
    p[mind.OPEN_COST + table] = mind.CLOSED
    space, best = _first_space(s), int64(-1)
    _show(s, waste)
    level, end = s[k.DONE], list_moves(s, int64(0), int64(k.EVERY))
    for at in range(end):
        move = s[s[k.MOVES] + at] & k.BARE
        if not _is_visible(s, move, waste, space):
            continue
        lot = _lot(s, p, move)
        _make(s, move)
        if is_new(p, _key(s)):
            count, cost = p[mind.COUNT], _cost(s, p, _changed(s, move))
            p[mind.ORIGIN + count], p[mind.MOVE + count] = table, move
            add(p, lots, cost, lot, _hidden(s) < hidden)
            if cost < p[mind.COST + 0] and precedes(p, lots, count, best):
                best = count
        undo(s, level)
    p[mind.LOOKED] += 1
    return best


@routine
def _look_ahead(s: Words, p: Words, lots: Lots, waste: int) -> int:
    """Make the moves to a better table, and return how many cards are in the waste then; -1 if none is seen."""
    forget(p)
    is_new(p, _key(s))
    _keep_costs(s, p)
    s[k.DONE], p[mind.COUNT], p[mind.COST + 0] = 0, 1, _cost(s, p, int64(0))
    s[k.FIRST_WASTE], s[k.FIRST_STOCK] = waste, s[k.STOCK_COUNT]
    hidden, table, chosen = _hidden(s), int64(0), int64(-1)
    while table >= 0 and p[mind.COUNT] < mind.MAX_TABLES:
        if table:
            _go_to(s, p, table)
            _keep_costs(s, p)
        best = _look_from(s, p, lots, table, _waste_now(s), hidden)
        if best >= 0 and precedes(p, lots, best, chosen):
            chosen = best
        if chosen >= 0 and s[k.HOLE] == 0:
            break
        table = least_bad(p, lots)
    _go_to(s, p, max(chosen, int64(0)))
    return _waste_now(s) if chosen >= 0 else int64(-1)


@routine
def _deal(s: Words) -> bool:
    """Deal a card of the stock into the hole, or a row to the columns; return False if this is not possible."""
    for at in range(list_moves(s, int64(0), int64(k.EVERY))):
        move = s[s[k.MOVES] + at] & k.BARE
        if (move >> 6) & 63 == k.STOCK:
            _make(s, move)
            return True
    return False


@routine
def _fill(s: Words, p: Words, lots: Lots) -> bool:
    """Make the moves to the table that seems least bad of those in mind without an empty column; return whether there
    is one, and the stock needs it."""
    filled = int64(-1)
    for table in range(1, p[mind.COUNT] if s[k.FULL_COLUMNS] else 0):
        _go_to(s, p, int64(table))
        if _first_space(s) < 0 and precedes(p, lots, int64(table), filled):
            filled = int64(table)
    _go_to(s, p, max(filled, int64(0)))
    return bool(filled >= 0)


@routine
def _turn(s: Words, p: Words, waste: int) -> int:
    """Turn the stock, and return how many cards are in the waste then; -1 if this is not possible, or if there was no
    move since the stock was begun."""
    if waste == s[k.STOCK_COUNT]:
        if waste == 0 or p[mind.BEGUN] or (s[k.PASSES] and s[k.PASSES_LEFT] == 0):
            return int64(-1)
        p[mind.BEGUN], waste = 1, int64(0)
        if s[k.PASSES]:
            s[k.HASH] ^= s[k.Z + (53 << 6 | s[k.PASSES_LEFT])] ^ s[k.Z + (53 << 6 | (s[k.PASSES_LEFT] - 1))]
            s[k.PASSES_LEFT] -= 1
    turned: int = min(waste + s[k.DRAW], s[k.STOCK_COUNT])
    return turned


@routine
def _play(s: Words, p: Words, lots: Lots, waste: int) -> bool:
    """Play once; return whether the game is won."""
    for at in range(k.POSITION_SIZE):
        s[k.POSITION + at] = s[k.START + at]
    draw_by_the_rules(s)
    s[k.LITERAL], s[k.NOISE], s[k.IDLE] = 1, 0, 0
    settle(s)
    s[k.FIRST_WASTE], s[k.FIRST_STOCK] = waste, s[k.STOCK_COUNT]
    if s[k.WASTE_FILLS]:
        _fill_from_waste(s)
        waste, s[k.DONE] = _waste_now(s), 0
    p[mind.BEGUN] = waste == 0
    while s[k.LEFT]:
        after = _look_ahead(s, p, lots, waste)
        if after >= 0:
            waste, p[mind.BEGUN] = after, 0
        elif s[k.TO_HOLE] or s[k.TO_COLUMNS]:
            if not _deal(s) and not (_fill(s, p, lots) and _deal(s)):
                return False
        else:
            waste = _turn(s, p, waste)
            if waste < 0:
                return False
    return True


@kernel
def _play_all(s: Words, p: Words, lots: Lots, waste: int, wins: Words) -> None:
    """Play with the lots of each number, and write 1 for each play that is won."""
    prepare(s)
    for number in range(len(wins)):
        begin(p, number)
        wins[number] = _play(s, p, lots, int64(waste))
