"""The engine of patiences such as Spider and Forty Thieves, see `searched_by_stages`: layouts to the words of its
kernel, and the result to a verdict with evidence.

Beams in search of a win are followed by counts of all positions, mostly where they die early. Whether a deal is decided
within a node limit does not depend on what the limit is otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, to_solved, to_strings
from dealmill.pipeline.games.patience.coverage import counted_with_waiting_cards
from dealmill.pipeline.games.patience.engine.whole_suits import spider_counting as c
from dealmill.pipeline.games.patience.engine.whole_suits import spider_words as k
from dealmill.pipeline.games.patience.engine.whole_suits.spider_beam import OF_PLACES, beam
from dealmill.pipeline.games.patience.engine.whole_suits.spider_rows import FIRST_BYTES, ROW
from dealmill.pipeline.games.patience.losses.counted import MAX_DEALT, MAX_POSITIONS
from dealmill.pipeline.games.patience.moves import DEALT, EMPTY, FOUNDATION, RESERVE, STOCK
from dealmill.pipeline.games.patience.rules import SUITS, UNLIMITED, Rules
from dealmill.verdicts import Verdict

WIDTHS = (10, 10, 10, 40, 40, 160, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 12_800)
"""The widths of the beams, of which the last one is repeated, each with other values. Narrow ones win most deals, with
a tenth of the nodes of wider ones, see `docs/decisions/0227-narrow-beams-first.md`."""
LAYERS, LAYERS_OF_ROW, LAYERS_OF_TURN = 300, 20, 10
"""A beam has at most so many positions for each position of its width, and so many more for each row of the stock that
goes to the columns, or for each turn of it."""
MAX_POSITIONS_OF_BEAM = (1 << 24) - 2
"""No beam has more, so that its table takes at most 0.3 GB."""
FIRST_COUNT, SECOND_COUNT, FEW_POSITIONS = 0, 8, 5_000
"""After which beams positions are counted, and how many at first. The second time, only if the beam died since no move
was left: up to `MAX_POSITIONS`, or if it died early, as many as referees visit."""
EARLY = 30
"""A beam dies early after fewer positions than so many times its width."""
NEAR = 32
"""The positions after one move for each of the width, for which there is room."""
WEIGHTS_OF_BEAMS = ((10, 4, 3, -6, -12, 30), (12, 10, -12, -12, -14, 15))
"""The weights of beams in turn, see `spider_words`. By the second ones, only runs are worth anything: they win other
deals."""
NOISE = 0x9E3779B97F4A7C1


@dataclass(frozen=True)
class Spider:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position that is searched, or counted."""
        batch = Batch([], [], [], [])
        search = _Search(self.rules, max_nodes)
        for layout in to_strings(layouts):
            verdict, evidence = search.solve(layout)
            batch.verdicts.append(verdict)
            batch.values.append(None)
            batch.nodes.append(int(search.words[k.NODES]))
            batch.evidence.append(evidence)
        return to_solved(batch)


@dataclass
class Column:
    """The cards of a column, and how many of them lie face down."""

    cards: list[int]
    down: int

    def take(self, size: int) -> list[int]:
        """Remove cards from the top, and return them."""
        cards = self.cards[-size:]
        del self.cards[-size:]
        self.down = min(self.down, max(len(self.cards) - 1, 0))
        return cards

    def has_whole_suit(self, ranks: int) -> bool:
        """Return whether a whole suit lies on top."""
        top = self.cards[self.down :][-ranks:]
        return len(top) == ranks and top[-1] % 13 == 0 and top == [*range(top[0], top[-1] - 1, -1)]


class _Search:
    """The arrays of the kernel for some rules and a node limit, and what is done with them for each layout."""

    def __init__(self, rules: Rules, limit: int) -> None:
        self.rules = rules
        self.most_counted = MAX_POSITIONS if rules.copies > 1 else MAX_DEALT
        rows, turns = -(-rules.stock // len(rules.sizes)), rules.passes * -(-rules.stock // rules.draw)
        layers = LAYERS + (LAYERS_OF_TURN * turns if has_waste(rules) else LAYERS_OF_ROW * rows)
        self.positions = {width: min(layers * width, MAX_POSITIONS_OF_BEAM, limit) + 1 for width in WIDTHS}
        counted, width = min(self.most_counted, limit) + 1, max(WIDTHS)
        searched = max(counted, *self.positions.values())
        self.words = np.zeros(c.END, dtype=np.int64)
        self.rows = np.empty((max(counted, 3 * width), row_size(rules)), dtype=np.uint8)
        self.layout = np.zeros(row_size(rules), dtype=np.uint8)
        self.table = np.empty(table_size(searched), dtype=np.int64)
        self.near = np.empty(table_size(NEAR * width), dtype=np.int64)
        self.links = np.empty(searched, dtype=np.int64)
        self.heaps = np.empty(2 * width + 2, dtype=np.int64)
        self.moves = np.empty(width + 1, dtype=np.int64)
        self.words[k.LIMIT], self.words[c.CARDS_WAIT] = limit, counted_with_waiting_cards(rules)
        set_up(self.words, rules)
        self.notes = np.empty((3 * width, OF_PLACES + 2 * int(self.words[k.PLACES])), dtype=np.int64)

    def solve(self, layout: str) -> tuple[Verdict, str | None]:
        """Return the verdict of a layout with its evidence."""
        words = self.words
        columns, stock = load(words, self.layout, self.rules, layout)
        for result, literal in self._results():
            if result == k.LOST:
                return Verdict.UNWINNABLE, f"{'waits ' if words[c.CARDS_WAIT] else ''}* {words[k.COUNT]}"
            if result == k.WON:
                moves = words_of_moves(words, self.links, Names(self.rules, layout), columns, stock, literal=literal)
                return Verdict.WINNABLE, " ".join(moves) or "-"
        return Verdict.UNDECIDED, None

    def _results(self) -> Iterator[tuple[int, bool]]:
        """Yield the results of the searches until the limit is reached, and whether each makes literal moves."""
        number, words = 0, self.words
        while words[k.NODES] < words[k.LIMIT]:
            width = WIDTHS[min(number, len(WIDTHS) - 1)]
            words[k.NOISE] = number * NOISE % (1 << 63)
            set_weights(words, number % len(WEIGHTS_OF_BEAMS))
            yield self._beam(width), False
            if number == FIRST_COUNT:
                yield self._count(FEW_POSITIONS), True
            elif number == SECOND_COUNT and words[k.DIED]:
                is_early = words[k.COUNT] < EARLY * width
                yield self._count(self.most_counted if is_early else MAX_POSITIONS), True
            number += 1

    def _beam(self, width: int) -> int:
        """Look for a win with a beam."""
        self.rows[0] = self.layout
        positions = self.positions[width]
        table, near = self.table[: table_size(positions)], self.near[: table_size(NEAR * width)]
        links, heaps = self.links[:positions], self.heaps[: 2 * width + 2]
        return beam(self.words, self.rows, self.notes, table, near, links, heaps, self.moves, width)

    def _count(self, positions: int) -> int:
        """Count all positions, up to so many."""
        self.rows[0] = self.layout
        positions = min(positions + 1, len(self.rows))
        return c.count(self.words, self.rows[:positions], self.table[: table_size(positions)], self.links)


class Names:
    """The words for the cards and places of a layout."""

    def __init__(self, rules: Rules, layout: str) -> None:
        self.rules = rules
        self.base = rules.base_of(dict(part.split(":") for part in layout.split(" ")[2:]))

    def card(self, card: int) -> str:
        """Return the name of a card."""
        return self.rules.card_name(card, self.base)

    def source(self, columns: list[Column], number: int) -> str:
        """Return the word for a column, for the place of the top card of the waste, or for the reserve."""
        places = {len(self.rules.sizes): f"{STOCK}{len(columns[number].cards)}", len(self.rules.sizes) + 1: RESERVE}
        return places.get(number, str(number + 1))


def words_of_moves(
    words: k.Words, links: k.Words, names: Names, columns: list[Column], stock: list[int], *, literal: bool
) -> Iterator[str]:
    """Yield the moves that lead to the last row as they are written. If they are not `literal`, whole suits leave at
    once. Changes the columns and the stock, which are those of the layout."""
    rules, changed, waste = names.rules, list(range(len(columns))), len(names.rules.sizes)
    for move in [0, *_trail(words, links)]:
        column, target, size = move & 63, move >> 6 & 63, move >> 12
        if target == k.DEAL and has_waste(rules):
            _turn(columns[waste], stock, rules.draw * (1 - words[k.AGAIN]))
        elif target == k.DEAL:
            yield names.card(stock[0]) + DEALT
            changed = list(range(min(len(columns), len(stock))))
            for number in changed:
                columns[number].cards.append(stock.pop(0))
        elif column == k.FROM_FOUNDATION:
            yield f"{names.card(size - 1)}{FOUNDATION}-{target + 1}"
            columns[target].cards.append(size - 1)
            changed = [target]
        elif size or target == k.TO_FOUNDATION:
            if column == waste:
                _turn(columns[waste], stock, size - len(columns[waste].cards) if words[k.AGAIN] else size - 1)
                size = 1
            if target == k.TO_FOUNDATION:
                yield _put_up(names, columns, column)
            else:
                yield _move_to_column(names, columns, column, target, size)
                columns[target].cards += columns[column].take(size)
                changed = [column, target]
            fill(rules, columns)
        for number in changed:
            while not literal and rules.complete and columns[number].has_whole_suit(rules.ranks):
                yield _put_up(names, columns, number)


def fill(rules: Rules, columns: list[Column]) -> None:
    """Fill empty columns from the reserve if the rules say so."""
    for column in columns[: len(rules.sizes)] if rules.reserve and rules.reserve_fills else ():
        if not column.cards and columns[-1].cards:
            column.cards = columns[-1].take(1)


def _trail(words: k.Words, links: k.Words) -> list[int]:
    """Return the moves that lead to the last row."""
    row, moves = int(words[k.COUNT]) - 1, list[int]()
    while row:
        link = int(links[row])
        moves.append(link & ROW)
        row = link >> 32
    return moves[::-1]


def _move_to_column(names: Names, columns: list[Column], column: int, target: int, size: int) -> str:
    """Return the word for the move of `size` cards to another column. Cards that exist once need no columns."""
    card, onto = names.card(columns[column].cards[-size]), columns[target].cards
    if names.rules.copies > 1:
        return f"{card}{names.source(columns, column)}-{target + 1}"
    if onto:
        return card + names.card(onto[-1])
    return card + EMPTY + (str(target + 1) if names.rules.to == "tableau" else "")


def _put_up(names: Names, columns: list[Column], number: int) -> str:
    """Take a card or a whole suit from a column, the waste or the reserve, and return the word for this move."""
    source = names.source(columns, number) if names.rules.copies > 1 else ""
    cards = columns[number].take(names.rules.ranks if names.rules.complete else 1)
    return f"{names.card(cards[0])}{source}{FOUNDATION}"


def _turn(waste: Column, stock: list[int], count: int) -> None:
    """Turn cards of the stock, which come to the waste; or back, if their number is negative."""
    cards, turned = [*waste.cards, *stock], len(waste.cards) + count
    waste.cards, stock[:] = cards[:turned], cards[turned:]


def has_waste(rules: Rules) -> bool:
    """Return whether cards of the stock come to a waste, which is one more column here."""
    return rules.stock > 0 and rules.to == "waste"


def row_size(rules: Rules) -> int:
    """Return the bytes of a position."""
    return (
        FIRST_BYTES
        + len(SUITS) * rules.copies * (not rules.complete)
        + 2 * (len(rules.sizes) + 1 + (rules.reserve > 0))
        + len(rules.deck())
    )


def set_up(words: k.Words, rules: Rules) -> None:
    """Write what is the same for all layouts of a game."""
    words[k.COLUMNS], words[k.RANKS] = len(rules.sizes), rules.ranks
    words[k.PLACES] = len(rules.sizes) + (2 if rules.reserve else has_waste(rules))
    words[k.TO_WASTE], words[k.HAS_RESERVE] = has_waste(rules), rules.reserve > 0
    words[k.RESERVE_FILLS] = rules.reserve > 0 and rules.reserve_fills
    words[k.ONLY_WASTE_FILLS] = rules.only_waste_fills
    words[k.AGAIN], words[k.LIMITED] = has_waste(rules) and rules.passes != 1, rules.passes != UNLIMITED
    words[k.COMPLETE], words[k.COPIES], words[k.DRAW] = rules.complete, rules.copies, rules.draw
    words[k.PILES] = 0 if rules.complete else len(SUITS) * rules.copies
    words[k.REMOVABLE], words[k.FIXED] = rules.removable, rules.initial == "all"
    words[k.MOVES_RUNS], words[k.MOVES_ANY] = rules.runs_move, rules.move == "any"
    words[k.WHOLE_COLUMNS], words[k.NO_SINGLE_CARDS] = rules.whole_columns_move, rules.move == "whole-pile"
    words[k.SPACES], words[k.FULL_COLUMNS] = rules.cards_for_spaces, rules.full_columns
    words[k.WASTE_FILLS] = rules.waste_fills
    words[k.PARENTS : k.PARENTS + 52], words[k.RUNS : k.RUNS + 52] = rules.parents, rules.run_parents
    set_weights(words, 0)


def set_weights(words: k.Words, number: int) -> None:
    """Write one of `WEIGHTS_OF_BEAMS`."""
    weights = WEIGHTS_OF_BEAMS[number]
    words[k.WEIGHTS : k.WEIGHTS + len(weights)] = weights


def load(words: k.Words, row: k.Rows, rules: Rules, layout: str) -> tuple[list[Column], list[int]]:
    """Write a layout as a row, and its stock to the words of the kernel; return its columns and its stock."""
    _, columns, *parts = layout.split(" ")
    cards = dict(part.split(":") for part in parts)
    base = rules.base_of(cards)

    def numbers(text: str) -> list[int]:
        pairs = [text[at : at + 2] for at in range(0, len(text.strip("-")), 2)]
        return [rules.card_number(card, base) for card in pairs]

    stock, waste = numbers(cards.get("stock", "")), numbers(cards.get("waste", ""))
    turned = len(waste) * bool(words[k.AGAIN])
    if rules.passes == UNLIMITED and (turned % rules.draw == 0 or not stock):
        turned = 0
    if words[k.AGAIN]:
        stock, waste = [], [*waste, *stock]
    words[k.NODES], words[k.STOCK_SIZE] = 0, len(stock)
    words[k.STOCK_CARDS : k.STOCK_CARDS + len(stock)] = stock
    piles = [Column(numbers(text), sum(suit.islower() for suit in text[1::2])) for text in columns.split("/")]
    piles += [Column(waste, 0)] * (has_waste(rules) or rules.reserve > 0)
    piles += [Column(numbers(cards.get("reserve", "")), 0)] * (rules.reserve > 0)
    fill(rules, piles)
    left, passes = len(stock) + sum(len(pile.cards) for pile in piles), int(cards.get("passes", 0))
    position = [0, left, turned, passes]
    heights = [0] * int(words[k.PILES])
    for card in numbers(cards.get("foundations", "")) if heights else ():
        first = card // 13 * rules.copies
        heights[heights.index(0, first)] = card % 13 + 1
    position += heights
    for pile in piles:
        position += [len(pile.cards), pile.down, *pile.cards]
    row[: len(position)] = position
    return piles, stock


def table_size(positions: int) -> int:
    """Return the slots for so many positions, a power of 2."""
    return 1 << (2 * positions).bit_length()
