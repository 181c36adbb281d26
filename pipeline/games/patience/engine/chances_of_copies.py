"""The chances of patiences whose cards exist more than once, such as Spider with two decks: how many of 1,000 plays the
careful player of docs/chances.md wins.

Positions, as rows of bytes, and moves are those of `spider_words`, whose words are `s`; the tables in mind are rows.
The referee has a player of its own.
"""

from dataclasses import dataclass

import numpy as np

from dealmill import mind
from dealmill.game import NO_LIMIT
from dealmill.kernels import Fields, Solved, Texts, inlined, int64, kernel, routine
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
from dealmill.pipeline.games.patience.engine.whole_suits import spider_words as k
from dealmill.pipeline.games.patience.engine.whole_suits.spider import load, row_size, set_up
from dealmill.pipeline.games.patience.engine.whole_suits.spider_moves import (
    do,
    finish,
    has_to_fill,
    list_moves,
    may_deal,
    pile_of,
)
from dealmill.pipeline.games.patience.engine.whole_suits.spider_rows import read_row, write_row
from dealmill.pipeline.games.patience.engine.whole_suits.spider_values import position_key
from dealmill.pipeline.games.patience.engine.whole_suits.spider_words import Rows, Words, card_at, reserve_of
from dealmill.pipeline.games.patience.rules import Rules

ARRAY = Fields(k.END)
BEFORE = ARRAY.row(k.POSITION_SIZE)
"""The position from which the player looks, without its cards, behind the words of Spider."""
FIRST_STOCK, FIRST_SIZE = ARRAY.row(k.MAX_CARDS), ARRAY.word()
"""The stock of the layout, which changes when it is gone through again."""
END = ARRAY.size
FOUNDATION, WASTE, RESERVE = 53, 54, 55
"""The target of what goes to a foundation, and the places of waste and reserve, in lots."""


@dataclass(frozen=True)
class ChancesOfCopies:
    """The engine for some rules: how many of 1,000 plays a careful player wins who sees what a person sees."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Play layouts; a node is a play. With fewer than 1,000, a layout is undecided."""
        words = np.zeros(END, dtype=np.int64)
        set_up(words, self.rules)
        words[k.AGAIN] = False  # the player has a waste of its own, and turns it over
        words[k.REMOVABLE] = False  # the player takes no card back
        first = np.zeros(row_size(self.rules), dtype=np.uint8)
        rows = np.empty((mind.TABLES, len(first)), dtype=np.uint8)

        def play(layout: str, p: Words, lots: Lots, wins: Words) -> None:
            load(words, first, self.rules, layout)
            _play_all(words, p, rows, lots, first, wins)

        return play_layouts(layouts, max_nodes, play)


@routine
def _cost_of_column(s: Words, column: int) -> int:
    """Return how bad a column is, from what lies face up in it."""
    length, down, suits = s[k.LENGTH + column], s[k.DOWN + column], s[k.COMPLETE]
    if length == 0:
        return int64(mind.EMPTY_COLUMN[suits])
    cost, lowest, deepest = int64(mind.FACE_DOWN * down), int64(k.NO_CARD), int64(0)
    for height in range(down, length):
        card = card_at(s, column, int64(height))
        rank = card % 13
        if rank > lowest:
            cost += mind.COVERING[suits]
        lowest = min(lowest, rank)
        if height > down:
            under = card_at(s, column, int64(height - 1))
            if (s[k.PARENTS + card] >> under) & 1 == 0:
                cost += mind.MISFIT[suits]
            elif (s[k.RUNS + card] >> under) & 1 == 0:
                cost += mind.BROKEN_RUN[suits]
        if suits == 0 and deepest == 0 and pile_of(s, card) >= 0:
            deepest = int64(length - 1 - height)
    return cost + mind.ABOVE_NEXT * deepest


@inlined
def _keep_costs(s: Words, p: Words) -> None:
    """Have the cost of each column in mind."""
    for column in range(s[k.COLUMNS]):
        p[mind.COLUMN_COST + column] = _cost_of_column(s, int64(column))


@inlined
def _cost(s: Words, p: Words, changed: int) -> int:
    """Return how bad the table is. The costs in mind are those of the columns whose bits are not in `changed`."""
    in_stock = s[k.STOCK_SIZE] - s[k.DEALT] + (s[k.LENGTH + s[k.COLUMNS]] if s[k.TO_WASTE] else 0)
    in_reserve = s[k.LENGTH + reserve_of(s)] if s[k.HAS_RESERVE] else 0
    cost: int = mind.CARD_LEFT * s[k.LEFT] + mind.IN_STOCK * (in_stock + in_reserve)
    for column in range(s[k.COLUMNS]):
        cost += _cost_of_column(s, int64(column)) if changed >> column & 1 else p[mind.COLUMN_COST + column]
    return cost


@inlined
def _changed(s: Words, source: int, target: int) -> int:
    """Return the columns whose costs a move changes: all if it changes what a foundation waits for."""
    return int64(-1) if target == k.TO_FOUNDATION and s[k.COMPLETE] == 0 else int64(1) << source | int64(1) << target


@inlined
def _hidden(s: Words) -> int:
    """Return how many cards lie face down, or in the reserve, of which only the top card can be seen."""
    count: int = s[k.LENGTH + reserve_of(s)] if s[k.HAS_RESERVE] else int64(0)
    for column in range(s[k.COLUMNS]):
        count += s[k.DOWN + column]
    return count


@inlined
def _first_space(s: Words) -> int:
    """Return the first empty column, or -1."""
    for column in range(s[k.COLUMNS]):
        if s[k.LENGTH + column] == 0:
            return int64(column)
    return int64(-1)


@inlined
def _lot(s: Words, p: Words, move: int) -> np.uint64:
    """Return the lot of a move."""
    source, target, size = move & 63, (move >> 6) & 63, move >> 12
    if target == k.TO_FOUNDATION:
        target, size = int64(FOUNDATION), s[k.RANKS] if s[k.COMPLETE] else int64(1)
    if source == s[k.COLUMNS]:
        source = int64(WASTE)
    elif source == reserve_of(s):
        source = int64(RESERVE)
    return mixed(np.uint64(p[mind.SEED]) ^ np.uint64(p[mind.LOOKED] << 18 | size << 12 | source << 6 | target))


@routine
def _fill(s: Words) -> bool:
    """Fill empty columns from the waste, or from the stock if there is none; return whether there were any."""
    filled, waste = False, int64(s[k.COLUMNS])
    while has_to_fill(s):
        if s[k.LENGTH + waste] == 0:
            do(s, int64(k.DEAL << 6), True)
        do(s, waste | _first_space(s) << 6 | 1 << 12, True)
        filled = True
    return filled


@inlined
def _uses_reserve(s: Words) -> bool:
    """Return whether a card of the reserve is gone after a move."""
    reserve = reserve_of(s)
    return bool(s[k.LENGTH + reserve] < s[BEFORE + (k.LENGTH - k.POSITION) + reserve])


@routine
def _look_from(s: Words, p: Words, rows: Rows, lots: Lots, table: int, hidden: int) -> int:
    """Add the tables that a move leads to from the position, and return the best one if it is better than the first
    table, or -1."""
    p[mind.OPEN_COST + table] = mind.CLOSED
    space, best = _first_space(s), int64(-1)
    for field in range(k.POSITION_SIZE):
        s[BEFORE + field] = s[k.POSITION + field]
    for at in range(list_moves(s, True, False)):
        move = s[k.MOVES + at]
        source, target = move & 63, (move >> 6) & 63
        if target != k.TO_FOUNDATION and s[k.LENGTH + target] == 0 and target != space:
            continue
        do(s, move, True)
        is_filled = _fill(s) or (s[k.RESERVE_FILLS] and source < s[k.COLUMNS] and _uses_reserve(s))
        if is_new(p, position_key(s)):
            count, cost = p[mind.COUNT], _cost(s, p, _changed(s, source, target))
            write_row(s, rows, count)
            add(p, lots, cost, _lot(s, p, move), _hidden(s) < hidden)
            if cost < p[mind.COST + 0] and precedes(p, lots, count, best):
                best = count
        if is_filled:
            read_row(s, rows, table)
        for field in range(k.POSITION_SIZE):  # cards stay in the words of a column that they leave
            s[k.POSITION + field] = s[BEFORE + field]
    p[mind.LOOKED] += 1
    return best


@routine
def _look_ahead(s: Words, p: Words, rows: Rows, lots: Lots) -> bool:
    """Make the moves to a better table; return whether one was seen."""
    forget(p)
    is_new(p, position_key(s))
    _keep_costs(s, p)
    write_row(s, rows, int64(0))
    p[mind.COUNT], p[mind.COST + 0] = 1, _cost(s, p, int64(0))
    hidden, table, chosen = _hidden(s), int64(0), int64(-1)
    while table >= 0 and chosen < 0 and p[mind.COUNT] < mind.MAX_TABLES:
        if table:
            read_row(s, rows, table)
            _keep_costs(s, p)
        chosen = _look_from(s, p, rows, lots, table, hidden)
        table = least_bad(p, lots)
    read_row(s, rows, max(chosen, int64(0)))
    return bool(chosen >= 0)


@routine
def _deal(s: Words, p: Words, rows: Rows, lots: Lots) -> bool:
    """Deal a row to the columns; return False if this is not possible. If no column may be empty, the row is dealt to
    the table that seems least bad of those in mind that have no empty one."""
    if s[k.DEALT] == s[k.STOCK_SIZE]:
        return False
    if not may_deal(s):
        filled = int64(-1)
        for table in range(1, p[mind.COUNT]):
            read_row(s, rows, int64(table))
            if may_deal(s) and precedes(p, lots, int64(table), filled):
                filled = int64(table)
        if filled < 0:
            return False
        read_row(s, rows, filled)
    do(s, int64(k.DEAL << 6), True)
    return True


@routine
def _turn_over(s: Words) -> bool:
    """Make the waste the stock, and turn its first cards; return False if this is not possible."""
    waste = int64(s[k.COLUMNS])
    count = s[k.LENGTH + waste]
    if count == 0 or (s[k.LIMITED] and s[k.PASSES] == 0):
        return False
    for at in range(count):
        s[k.STOCK_CARDS + at] = card_at(s, waste, int64(at))
    s[k.STOCK_SIZE], s[k.DEALT], s[k.LENGTH + waste] = count, 0, 0
    s[k.PASSES] -= s[k.LIMITED]
    do(s, int64(k.DEAL << 6), True)
    return True


@routine
def _begin_play(s: Words, rows: Rows) -> None:
    """Make the layout the position, whose row is the first one."""
    read_row(s, rows, int64(0))
    s[k.STOCK_SIZE] = s[FIRST_SIZE]
    for at in range(s[FIRST_SIZE]):
        s[k.STOCK_CARDS + at] = s[FIRST_STOCK + at]
    for column in range(s[k.COLUMNS]):
        finish(s, int64(column), True)
    _fill(s)


@kernel
def _play_all(s: Words, p: Words, rows: Rows, lots: Lots, first: Rows, wins: Words) -> None:
    """Play with the lots of each number, and write 1 for each play that is won. `first` is the row of the layout."""
    s[FIRST_SIZE] = s[k.STOCK_SIZE]
    for at in range(s[k.STOCK_SIZE]):
        s[FIRST_STOCK + at] = s[k.STOCK_CARDS + at]
    for number in range(len(wins)):
        begin(p, number)
        rows[0] = first
        _begin_play(s, rows)
        playing, begun = True, s[k.TO_WASTE] == 0 or s[k.LENGTH + s[k.COLUMNS]] == 0
        while s[k.LEFT] and playing:
            if _look_ahead(s, p, rows, lots):
                begun = s[k.TO_WASTE] == 0
            elif not _deal(s, p, rows, lots):
                playing, begun = not begun and _turn_over(s), True
        wins[number] = s[k.LEFT] == 0
