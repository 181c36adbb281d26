"""The compiled referee of wins of patiences: it replays moves, and only accepts or refuses. Plain Python says why.

It is written from the rules, and shares no code with the engine. It takes from the rules which cards fit each other,
and from the plain referee how the text of a position is read. A card is a number, 13 for each suit, from the ace on;
copies of a card have the same one. A position is what lies where, literally: the cards of each column, of the cells,
the reserve and the stock, the lowest or first one first, and how many cards are on each foundation. `t` is one array of
that and of the rules, with the offsets below.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from dealmill.kernels import Fields, Row, compiling, inlined, int64, kernel, routine
from dealmill.pipeline.games.patience.compiled.keys import Words, bit_of
from dealmill.pipeline.games.patience.moves import CELL, DEALT, EMPTY, FOUNDATION, HOLE, RESERVE, STOCK
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, UNLIMITED, Rules, numbers_of_cards
from dealmill.referees import NO_MOVES
from dealmill.rules_files import MAX_COLUMNS

SECONDS = 3.0
"""The time that compiling takes, roughly."""

MAX_CARDS, MAX_PILES = 104, 8
"""The cards of two decks, and their foundations."""
ARRAY = Fields()
# Rules
BASE, RANK_COUNT, COLUMNS, CELLS, PILES, MOVES_RUNS, MOVES_ANY, SPACES, FILLS, STACKED = ARRAY.words(10)
COMPLETE, REMOVABLE, FIXED, HAS_HOLE, WRAP, TO_WASTE, TO_HOLE, TO_COLUMNS, FULL_COLUMNS, DRAW, LIMITED = ARRAY.words(11)
WASTE_FILLS, ONLY_WASTE_FILLS, WHOLE_COLUMNS, NO_SINGLE_CARDS, DECK_SIZE = ARRAY.words(5)
"""`SPACES` are the cards that go to an empty column, `FIXED` how many cards stay on each foundation, and `LIMITED`
whether the passes through the stock are. If `WHOLE_COLUMNS`, runs move only if they are whole columns; if
`NO_SINGLE_CARDS`, cards that leave others in their column do not move to another one."""
PARENTS, RUN_PARENTS = ARRAY.rows(2, 52)
"""The cards on which each may lie, and on which it lies in a run that moves."""
SUIT_OF = ARRAY.row(MAX_PILES)
NEXT = ARRAY.row(MAX_PILES * 13)
"""The card that goes to each foundation after each number of others."""
# Positions
TURNED, PASSES, HOLE_RANK, CELL_COUNT, RESERVE_COUNT, STOCK_COUNT = ARRAY.words(6)
UP = ARRAY.row(MAX_PILES)
HEIGHT, DOWN = ARRAY.rows(2, MAX_COLUMNS)
"""The cards of each column, and how many of them lie face down."""
CELL_CARDS, RESERVE_CARDS, STOCK_CARDS = ARRAY.rows(3, MAX_CARDS)
CARDS = ARRAY.row(MAX_COLUMNS * MAX_CARDS)
# The cards that move: where they are, the index of the first one there, how many they are, and the passes afterwards
SOURCE, INDEX, SIZE, PASSES_AFTER = ARRAY.words(4)
LENGTH = ARRAY.size

IN_CELL, IN_RESERVE, IN_STOCK, ON_FOUNDATION, NOWHERE = range(MAX_COLUMNS, MAX_COLUMNS + 5)
"""Where cards are that are in no column."""
ONTO, TO_EMPTY, TO_FOUNDATION, TO_CELL, INTO_HOLE, IS_DEALT, BETWEEN = range(7)
"""The kinds of moves. If cards exist more than once, those to columns are `BETWEEN`."""
ANY_COLUMN, ANY_INDEX = 63, 127
NUMBERS = numbers_of_cards(len(RANKS), 0)
"""The numbers of cards, face up and down."""


def is_won(rules: Rules, position: Position, evidence: str) -> bool:
    """Return whether moves win from a position in which nothing happens without a move. If not, a word is not a move,
    or not a legal one, or the game is not won after the last one."""
    words = [] if evidence == NO_MOVES else evidence.split(" ")
    return words_of_moves(rules).keys() >= set(words) and moves_made(rules, position, words) > len(words)


def moves_made(rules: Rules, position: Position, words: Sequence[str]) -> int:
    """Return how many of some moves, one after another, are legal, and one more if the game is won after all of them.
    Each is one of `words_of_moves`."""
    numbers = words_of_moves(rules)
    t, moves = _loaded(rules, position), np.array([numbers[name] for name in words], dtype=np.int64)
    with compiling(Path(__file__).parents[1], "the compiled referee of wins of patiences", SECONDS):
        return int(_replay(t, moves))


@cache
def words_of_moves(rules: Rules) -> dict[str, int]:
    """Return the words for all moves that there could be, with the number of each: the card, the kind, and, from bits
    9, 15 and 21 on, a card or a column, the column that the card leaves, or the stock, and its index there."""
    return dict(_numbered_moves(rules))


def _numbered_moves(rules: Rules) -> Iterator[tuple[str, int]]:
    columns, single = range(len(rules.sizes)), rules.copies == 1
    sources = [] if single else list(_places_of_copies(rules))
    names = dict.fromkeys(rules.deck())
    kinds = {FOUNDATION: TO_FOUNDATION, CELL: TO_CELL, HOLE: INTO_HOLE}
    for name in names:
        card = NUMBERS[name]
        yield name + DEALT, card | IS_DEALT << 6
        for source, bits in sources:
            if source != FOUNDATION:
                yield f"{name}{source}{FOUNDATION}", card | TO_FOUNDATION << 6 | bits
            for target in columns:
                yield f"{name}{source}-{target + 1}", card | BETWEEN << 6 | target << 9 | bits
        if single:
            anywhere = ANY_COLUMN << 15 | ANY_INDEX << 21
            yield from ((name + letter, card | kind << 6 | anywhere) for letter, kind in kinds.items())
            yield from ((name + parent, card | ONTO << 6 | NUMBERS[parent] << 9 | anywhere) for parent in names)
            if rules.to != "tableau":
                yield name + EMPTY, card | TO_EMPTY << 6 | ANY_COLUMN << 9 | anywhere
            for target in columns if rules.to == "tableau" else ():
                yield f"{name}{EMPTY}{target + 1}", card | TO_EMPTY << 6 | target << 9 | anywhere


def _places_of_copies(rules: Rules) -> Iterator[tuple[str, int]]:
    """Yield the words for places from which cards move that exist more than once, with their bits in moves."""
    for column in range(len(rules.sizes)):
        yield str(column + 1), column << 15 | ANY_INDEX << 21
    for index in range(min(2 * rules.stock, len(rules.deck())) if rules.to == "waste" else 0):  # waste and stock
        yield f"{STOCK}{index + 1}", IN_STOCK << 15 | index << 21
    if rules.reserve:
        yield RESERVE, IN_RESERVE << 15 | ANY_INDEX << 21
    if rules.removable:
        yield FOUNDATION, ON_FOUNDATION << 15 | ANY_INDEX << 21


@cache
def _loaded_rules(rules: Rules, base: int) -> Words:
    """Return an array with the rules; `base` is the rank of the first cards of the foundations."""
    t = np.zeros(LENGTH, dtype=np.int64)
    t[BASE], t[RANK_COUNT], t[COLUMNS], t[CELLS] = base, rules.ranks, len(rules.sizes), rules.cells
    t[MOVES_RUNS], t[MOVES_ANY] = rules.runs_move, rules.move == "any"
    t[WHOLE_COLUMNS], t[NO_SINGLE_CARDS] = rules.whole_columns_move, rules.move == "whole-pile"
    filling = [number for number in range(52) if rules.cards_for_spaces >> number & 1]
    t[SPACES] = sum(1 << NUMBERS[rules.card_name(number, base)] for number in filling)
    t[FILLS], t[STACKED] = rules.reserve_fills, rules.stacked
    t[WASTE_FILLS], t[ONLY_WASTE_FILLS] = rules.waste_fills, rules.only_waste_fills
    t[COMPLETE], t[REMOVABLE], t[FIXED] = rules.complete, rules.removable, rules.initial == "all"
    t[HAS_HOLE], t[WRAP], t[TO_WASTE] = rules.hole != "none", rules.wrap, rules.to == "waste"
    t[TO_HOLE], t[TO_COLUMNS], t[FULL_COLUMNS] = rules.to == "hole", rules.to == "tableau", rules.full_columns
    t[DRAW], t[LIMITED], t[PILES] = rules.draw, rules.passes != UNLIMITED, len(rules.piles)
    t[DECK_SIZE] = len(rules.deck())
    t[SUIT_OF : SUIT_OF + len(rules.piles)] = [SUITS.index(suit) for suit in rules.piles]
    for pile in range(len(rules.piles)):
        for count in range(rules.ranks):
            t[NEXT + 13 * pile + count] = NUMBERS[rules.next_card(pile, count, base)]
    for row, cards_below in ((PARENTS, rules.cards_below(base)), (RUN_PARENTS, rules.run_cards_below(base))):
        for card, below in cards_below.items():
            t[row + NUMBERS[card]] = sum(1 << NUMBERS[parent] for parent in below)
    return t


def _loaded(rules: Rules, position: Position) -> Words:
    """Return an array with the rules and a position."""
    t = _loaded_rules(rules, position.base).copy()
    width = len(position.columns)
    t[HEIGHT : HEIGHT + width] = list(map(len, position.columns))
    t[DOWN : DOWN + width] = [sum(map(str.islower, "".join(cards)[1::2])) for cards in position.columns]
    for column, cards in enumerate(position.columns):
        first = CARDS + MAX_CARDS * column
        t[first : first + len(cards)] = [NUMBERS[card] for card in cards]
    for row, count, cards in (
        (CELL_CARDS, CELL_COUNT, position.cells),
        (RESERVE_CARDS, RESERVE_COUNT, position.reserve),
        (STOCK_CARDS, STOCK_COUNT, position.stock),
    ):
        t[row : row + len(cards)] = [NUMBERS[card] for card in cards]
        t[count] = len(cards)
    t[UP : UP + len(position.foundations)] = position.foundations
    t[TURNED], t[PASSES] = position.turned, position.passes
    t[HOLE_RANK] = RANKS.index(position.hole[0]) if position.hole else 0
    return t


@inlined
def _start_of(column: int) -> int:
    """Return the offset of the lowest card of a column."""
    return int64(CARDS + MAX_CARDS * column)  # type: ignore[arg-type]


@inlined
def _top_of(t: Words, column: int) -> int:
    """Return the top card of a column that is not empty."""
    top: int = t[_start_of(column) + t[HEIGHT + column] - 1]
    return top


@inlined
def _take_at(t: Words, row: Row, count: int, index: int) -> None:
    """Take a card out of a list of cards."""
    for at in range(index, count - 1):
        t[row + at] = t[row + at + 1]


@routine
def _size_in_column(t: Words, column: int, card: int) -> int:
    """Return how many cards move if this one leaves a column, with those on it; 0 if it is not there, or stays."""
    start, index = _start_of(column), t[HEIGHT + column] - 1
    while index >= 0:
        lower = t[start + index]
        if lower == card:
            size = int64(t[HEIGHT + column] - index)
            return size if size == 1 or index == 0 or t[WHOLE_COLUMNS] == 0 else int64(0)
        if index <= t[DOWN + column]:  # the card below lies face down, or there is none
            return int64(0)
        index -= 1
        if t[MOVES_ANY] == 0 and (t[MOVES_RUNS] == 0 or t[RUN_PARENTS + lower] & bit_of(t[start + index]) == 0):
            return int64(0)
    return int64(0)


@routine
def _find_in_stock(t: Words, card: int, only: int) -> None:
    """Note where a card of the stock is, if it can be taken; at the index `only`, or anywhere."""
    count, turned = t[STOCK_COUNT], t[TURNED]
    if t[TO_HOLE] and count and t[STOCK_CARDS + 0] == card:
        t[SOURCE], t[INDEX], t[PASSES_AFTER] = IN_STOCK, 0, t[PASSES]
    for index in range(count * t[TO_WASTE]):
        if t[STOCK_CARDS + index] != card or only not in (index, ANY_INDEX):
            continue
        number, passes = index + 1, t[PASSES]
        ahead = number - turned
        if ahead < 0 or (ahead % t[DRAW] and number != count):  # in this pass, it is not uncovered any more
            if number % t[DRAW] or (t[LIMITED] and passes == 0):
                return
            passes -= t[LIMITED]
        t[SOURCE], t[INDEX], t[PASSES_AFTER] = IN_STOCK, index, passes


@routine
def _find(t: Words, card: int, only: int, index_in_stock: int) -> None:
    """Note where a card that can move is, with those on it; in the column `only`, or in the stock, on a foundation, or
    anywhere. Of foundations with the same top card, it is the last one: they are in order, the highest first."""
    t[SOURCE], t[SIZE] = NOWHERE, 1
    for column in range(t[COLUMNS]):
        size = _size_in_column(t, int64(column), card)
        if size and only in (column, ANY_COLUMN):
            t[SOURCE], t[INDEX], t[SIZE] = column, t[HEIGHT + column] - size, size
            return
    for index in range(t[CELL_COUNT]):
        if t[CELL_CARDS + index] == card:
            t[SOURCE], t[INDEX] = IN_CELL, index
    for index in range(t[RESERVE_COUNT] * (only in (IN_RESERVE, ANY_COLUMN))):
        if t[RESERVE_CARDS + index] == card and (t[STACKED] == 0 or index == t[RESERVE_COUNT] - 1):
            t[SOURCE], t[INDEX] = IN_RESERVE, index
    for pile in range(t[PILES] * t[REMOVABLE] * (only in (ON_FOUNDATION, ANY_COLUMN))):
        if t[UP + pile] > t[FIXED] and card == t[NEXT + 13 * pile + t[UP + pile] - 1]:
            t[SOURCE], t[INDEX] = ON_FOUNDATION, pile
    if only in (IN_STOCK, ANY_COLUMN):
        _find_in_stock(t, card, index_in_stock)


@routine
def _take(t: Words) -> None:
    """Take the cards that move away from where they are."""
    source, index = t[SOURCE], t[INDEX]
    if source == IN_CELL:
        _take_at(t, CELL_CARDS, t[CELL_COUNT], index)
        t[CELL_COUNT] -= 1
    elif source == IN_RESERVE:
        _take_at(t, RESERVE_CARDS, t[RESERVE_COUNT], index)
        t[RESERVE_COUNT] -= 1
    elif source == IN_STOCK:
        _take_at(t, STOCK_CARDS, t[STOCK_COUNT], index)
        t[STOCK_COUNT] -= 1
        if t[TO_WASTE]:
            t[TURNED], t[PASSES] = index, t[PASSES_AFTER]
    elif source == ON_FOUNDATION:
        t[UP + index] -= 1
    else:
        t[HEIGHT + source] -= t[SIZE]


@routine
def _goes_to(t: Words, card: int, column: int) -> bool:
    """Return whether the cards that move, of which this one is the lowest, may go to a column."""
    source = t[SOURCE]
    if column == source or (t[NO_SINGLE_CARDS] and source < t[COLUMNS] and t[INDEX]):
        return False
    if t[HEIGHT + column]:
        return bool(t[PARENTS + card] & bit_of(_top_of(t, column)))
    is_whole = source < t[COLUMNS] and t[INDEX] == 0
    in_order = t[TO_COLUMNS] and t[STOCK_COUNT]
    is_filled = t[ONLY_WASTE_FILLS] == 0 or source == IN_STOCK
    return bool(t[SPACES] & bit_of(card) and (in_order or not is_whole) and is_filled)


@routine
def _target_of(t: Words, card: int, kind: int, target: int) -> int:
    """Return the column to which a card may go, with those on it, or `NOWHERE`."""
    for column in range(t[COLUMNS]):
        if kind == ONTO:
            is_meant = t[HEIGHT + column] and _top_of(t, int64(column)) == target
        elif kind == TO_EMPTY:
            is_meant = t[HEIGHT + column] == 0 and target in (column, ANY_COLUMN)
        else:
            is_meant = column == target
        if is_meant and _goes_to(t, card, int64(column)):
            return int64(column)
    return int64(NOWHERE)


@routine
def _to_column(t: Words, card: int, kind: int, target: int) -> bool:
    """Move a card to a column, with those on it; return whether that is legal."""
    column = _target_of(t, card, kind, target)
    if column == NOWHERE:
        return False
    at = _start_of(column) + t[HEIGHT + column]
    if t[SOURCE] < t[COLUMNS]:
        first = _start_of(t[SOURCE]) + t[INDEX]
        for number in range(t[SIZE]):
            t[at + number] = t[first + number]
    else:
        t[at] = card
    t[HEIGHT + column] += t[SIZE]
    _take(t)
    return True


@routine
def _to_foundation(t: Words, card: int) -> bool:
    """Move a card to the first foundation of its suit on which it is the next one; return whether that is legal."""
    if t[HAS_HOLE] or t[SOURCE] == ON_FOUNDATION:
        return False
    for pile in range(t[PILES]):
        if t[UP + pile] < t[RANK_COUNT] and t[NEXT + 13 * pile + t[UP + pile]] == card:
            _take(t)
            t[UP + pile] += 1
            return True
    return False


@routine
def _to_cell(t: Words, card: int) -> bool:
    """Move a card to a free cell; return whether that is legal."""
    if t[CELL_COUNT] >= t[CELLS] or t[SOURCE] == IN_CELL:
        return False
    _take(t)
    t[CELL_CARDS + t[CELL_COUNT]] = card
    t[CELL_COUNT] += 1
    return True


@routine
def _into_hole(t: Words, card: int) -> bool:
    """Move a card into the hole; return whether that is legal. A card of the stock that goes there always may."""
    apart = abs(card % 13 - t[HOLE_RANK])
    is_beside = apart == 1 or (t[WRAP] and apart == t[RANK_COUNT] - 1)
    is_turned = t[TO_HOLE] and t[SOURCE] == IN_STOCK
    if t[HAS_HOLE] == 0 or not (is_beside or is_turned):
        return False
    _take(t)
    t[HOLE_RANK] = card % 13
    return True


@routine
def _complete(t: Words, card: int, only: int) -> bool:
    """Move a whole suit, of which this is the last card, from the top of a column to a foundation; return whether that
    is legal. `only` is a column, or `ANY_COLUMN`."""
    last = (t[BASE] - 1) % t[RANK_COUNT]
    for column in range(t[COLUMNS]):
        first = t[HEIGHT + column] - t[RANK_COUNT]
        if only not in (column, ANY_COLUMN) or card % 13 != last or first < t[DOWN + column]:
            continue
        is_suit = True
        for number in range(t[RANK_COUNT]):
            rank = (t[BASE] - 1 - number) % t[RANK_COUNT]
            is_suit = is_suit and t[_start_of(int64(column)) + first + number] == card // 13 * 13 + rank
        for pile in range(t[PILES] * is_suit):
            if t[SUIT_OF + pile] == card // 13 and t[UP + pile] == 0:
                t[UP + pile] = t[RANK_COUNT]
                t[HEIGHT + column] = first
                return True
    return False


@routine
def _deal(t: Words, card: int) -> bool:
    """Deal a card of the stock, of which this is the first, to each column, as long as there are any; return whether
    that is legal."""
    if t[TO_COLUMNS] == 0 or t[STOCK_COUNT] == 0 or t[STOCK_CARDS + 0] != card:
        return False
    for column in range(t[COLUMNS]):
        if t[FULL_COLUMNS] and t[HEIGHT + column] == 0:
            return False
    dealt = min(t[COLUMNS], t[STOCK_COUNT])
    for column in range(dealt):
        t[_start_of(int64(column)) + t[HEIGHT + column]] = t[STOCK_CARDS + column]
        t[HEIGHT + column] += 1
    t[STOCK_COUNT] -= dealt
    for at in range(t[STOCK_COUNT]):
        t[STOCK_CARDS + at] = t[STOCK_CARDS + at + dealt]
    return True


@routine
def _settle(t: Words) -> None:
    """Do what happens after a move: top cards are turned up, and empty columns filled from the reserve. One number of
    turned cards stands for all that offer the same cards of the stock."""
    for column in range(t[COLUMNS]):
        if t[HEIGHT + column]:
            t[DOWN + column] = min(t[DOWN + column], t[HEIGHT + column] - 1)
        elif t[FILLS] and t[RESERVE_COUNT]:
            t[RESERVE_COUNT] -= 1
            t[_start_of(int64(column))] = t[RESERVE_CARDS + t[RESERVE_COUNT]]
            t[HEIGHT + column], t[DOWN + column] = 1, 0
    if t[LIMITED] == 0 and (t[TURNED] % t[DRAW] == 0 or t[TURNED] == t[STOCK_COUNT]):
        t[TURNED] = 0


@inlined
def _fills_first(t: Words) -> bool:
    """Return whether an empty column is filled from waste and stock before anything else moves."""
    has_space = False
    for column in range(t[COLUMNS]):
        has_space |= t[HEIGHT + column] == 0
    return bool(t[WASTE_FILLS] and t[STOCK_COUNT] and has_space)


@routine
def _fill(t: Words, card: int, kind: int, target: int) -> bool:
    """Move a card of waste and stock to an empty column; return whether that is legal."""
    column = _target_of(t, card, kind, target)
    return column != NOWHERE and t[HEIGHT + column] == 0 and _to_column(t, card, kind, target)


@routine
def _play(t: Words, move: int) -> bool:
    """Make a move; return whether it is legal."""
    card, kind, target, source, index = move & 63, move >> 6 & 7, move >> 9 & 63, move >> 15 & 63, move >> 21
    if _fills_first(t):
        _find(t, card, source, index)
        return bool(t[SOURCE] == IN_STOCK and kind in (TO_EMPTY, BETWEEN)) and _fill(t, card, kind, target)
    if kind == IS_DEALT:
        return _deal(t, card)
    if kind == TO_FOUNDATION and t[COMPLETE]:
        return _complete(t, card, source)
    _find(t, card, source, index)
    is_legal = t[SOURCE] != NOWHERE
    if kind in (TO_FOUNDATION, TO_CELL, INTO_HOLE):
        is_legal = is_legal and t[SIZE] == 1
    if t[TO_HOLE] and t[SOURCE] == IN_STOCK:
        is_legal = is_legal and kind == INTO_HOLE
    if not is_legal:
        return False
    if kind == INTO_HOLE:
        is_legal = _into_hole(t, card)
    elif kind == TO_FOUNDATION:
        is_legal = _to_foundation(t, card)
    elif kind == TO_CELL:
        is_legal = _to_cell(t, card)
    else:
        is_legal = _to_column(t, card, kind, target)
    return is_legal


@inlined
def _wins(t: Words) -> bool:
    """Return whether all cards are on the foundations, or in the hole."""
    left, up = t[CELL_COUNT] + t[RESERVE_COUNT] + t[STOCK_COUNT], int64(0)
    for column in range(t[COLUMNS]):
        left += t[HEIGHT + column]
    for pile in range(t[PILES]):
        up += t[UP + pile]
    return bool(left == 0 if t[HAS_HOLE] else up == t[DECK_SIZE])


@kernel
def _replay(t: Words, moves: Words) -> int:
    """Make moves one after another, up to the first one that is not legal. Return how many were made, and one more if
    the game is won after all of them."""
    for number in range(len(moves)):
        if not _play(t, moves[number]):
            return number
        _settle(t)
    return len(moves) + _wins(t)
