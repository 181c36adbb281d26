"""The engine of patiences such as Spider, see `searched_by_stages`: layouts to the words of its kernel, and the result
to a verdict with evidence.

Searches for a win take turns with counts of all positions, each with a greater budget. Whether a deal is decided within
a node limit does not depend on what the limit is otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, to_solved, unpack
from dealmill.pipeline.games.patience import spider_kernel as k
from dealmill.pipeline.games.patience.engine import built_runs, may_lie_on
from dealmill.pipeline.games.patience.losses.counted import MOST_POSITIONS
from dealmill.pipeline.games.patience.moves import DEALT, EMPTY, FOUNDATION
from dealmill.pipeline.games.patience.referee import NO_MOVES
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules
from dealmill.verdicts import Verdict

PROBES = ((1_000, 20), (4_000, 50), (16_000, 100), (16_000, 100), (60_000, 200))
"""The positions of each stage of a search, and those to which a row is dealt. The last search is repeated."""
COUNTS = {0: 5_000, 2: MOST_POSITIONS}
"""After which search positions are counted, and up to how many. No referee visits more of a loss."""
NOISE = 0x9E3779B97F4A7C1


@dataclass(frozen=True)
class Spider:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position that is searched, or counted."""
        batch = Batch([], [], [], [])
        search = _Search(self.rules, max_nodes)
        for layout in unpack(layouts):
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
        stages = -(-rules.stock // len(rules.sizes)) + k.LAST_STAGE
        self.positions = [stages * (budget + width) for budget, width in PROBES]
        size = min(max(*self.positions, *COUNTS.values()) + 1, limit + 1)
        self.words = np.zeros(k.END, dtype=np.int64)
        self.rows = np.empty((size, row_size(rules)), dtype=np.uint8)
        self.layout = np.zeros(row_size(rules), dtype=np.uint8)
        self.table = np.empty(_table_size(size), dtype=np.int64)
        self.links = np.empty(size, dtype=np.int64)
        self.heap = np.empty(size, dtype=np.int64)
        self.words[k.LIMIT] = limit
        set_up(self.words, rules)

    def solve(self, layout: str) -> tuple[Verdict, str | None]:
        """Return the verdict of a layout with its evidence."""
        columns, stock = load(self.words, self.layout, self.rules, layout)
        for result, literal in self._results():
            if result == k.LOST:
                return Verdict.UNWINNABLE, f"* {self.words[k.COUNT]}"
            if result == k.WON:
                moves = self._words_of_moves(columns, stock, literal=literal)
                return Verdict.WINNABLE, " ".join(moves) or NO_MOVES
        return Verdict.UNDECIDED, None

    def _results(self) -> Iterator[tuple[int, bool]]:
        """Yield the results of the searches until the limit is reached, and whether each makes literal moves."""
        number, words = 0, self.words
        while words[k.NODES] < words[k.LIMIT]:
            step = min(number, len(PROBES) - 1)
            words[k.NOISE] = number * NOISE % (1 << 63)
            yield k.probe(*self._arrays(self.positions[step]), self.heap, *PROBES[step]), False
            if number in COUNTS:
                yield k.count(*self._arrays(COUNTS[number])), True
            number += 1

    def _arrays(self, positions: int) -> tuple[k.Words, k.Rows, k.Words, k.Words]:
        """Return the arrays of a search with so many positions, with the layout as the first row."""
        self.rows[0] = self.layout
        return self.words, self.rows[:positions], self.table[: _table_size(positions)], self.links

    def _words_of_moves(self, columns: list[Column], stock: list[int], *, literal: bool) -> Iterator[str]:
        """Yield the moves of a win as they are written. If they are not `literal`, whole suits leave at once."""
        changed = list(range(len(columns)))
        for move in [0, *self._trail()]:
            column, target, size = move & 63, move >> 6 & 63, move >> 12
            if target == k.DEAL:
                yield self._name(stock[0]) + DEALT
                changed = list(range(min(len(columns), len(stock))))
                for number in changed:
                    columns[number].cards.append(stock.pop(0))
            elif target == k.UP:
                yield self._put_up(columns, column)
            elif size:
                yield self._move_to_column(columns, column, target, size)
                columns[target].cards += columns[column].take(size)
                changed = [column, target]
            for number in changed:
                while not literal and columns[number].has_whole_suit(self.rules.ranks):
                    yield self._put_up(columns, number)

    def _trail(self) -> list[int]:
        """Return the moves that lead to the last row."""
        row, moves = int(self.words[k.COUNT]) - 1, list[int]()
        while row:
            link = int(self.links[row])
            moves.append(link & k.ROW)
            row = link >> 32
        return moves[::-1]

    def _move_to_column(self, columns: list[Column], column: int, target: int, size: int) -> str:
        """Return the word for the move of `size` cards to another column. Cards that exist once need no columns."""
        card, onto = self._name(columns[column].cards[-size]), columns[target].cards
        if self.rules.copies > 1:
            return f"{card}{column + 1}-{target + 1}"
        return card + (self._name(onto[-1]) if onto else f"{EMPTY}{target + 1}")

    def _put_up(self, columns: list[Column], number: int) -> str:
        """Take a whole suit from a column, and return the word for this move."""
        cards = columns[number].take(self.rules.ranks)
        return f"{self._name(cards[0])}{number + 1 if self.rules.copies > 1 else ''}{FOUNDATION}"

    def _name(self, card: int) -> str:
        return RANKS[(card % 13 + RANKS.index(self.rules.foundations)) % self.rules.ranks] + SUITS[card // 13]


def row_size(rules: Rules) -> int:
    """Return the bytes of a position."""
    return 2 + 2 * len(rules.sizes) + len(rules.deck())


def set_up(words: k.Words, rules: Rules) -> None:
    """Write what is the same for all layouts of a game."""
    every = sum(((1 << rules.ranks) - 1) << 13 * suit for suit in range(4))
    last = sum(1 << 13 * suit + rules.ranks - 1 for suit in range(4))
    words[k.COLUMNS], words[k.RANKS] = len(rules.sizes), rules.ranks
    words[k.MOVES_RUNS] = rules.move == "run"
    words[k.SPACES] = {"any": every, "kings": last, "none": 0}[rules.spaces]
    words[k.FULL_COLUMNS] = rules.full_columns
    for card in range(52):
        suit, rank = divmod(card, 13)
        for field, build in ((k.PARENTS, rules.build), (k.RUNS, built_runs(rules))):
            parents = [13 * under + rank + 1 for under in range(4) if may_lie_on(build, suit, under)]
            words[field + card] = sum(1 << parent for parent in parents if rank < rules.ranks - 1)


def load(words: k.Words, row: k.Rows, rules: Rules, layout: str) -> tuple[list[Column], list[int]]:
    """Write a layout as a row, and its stock to the words of the kernel; return its columns and its stock."""
    _, columns, *parts = layout.split(" ")
    cards = dict(part.split(":") for part in parts)
    base = RANKS.index(rules.foundations)

    def numbers(text: str) -> list[int]:
        pairs = [text[at : at + 2] for at in range(0, len(text.strip("-")), 2)]
        return [13 * SUITS.index(card[1].upper()) + (RANKS.index(card[0]) - base) % rules.ranks for card in pairs]

    stock = numbers(cards.get("stock", ""))
    words[k.NODES], words[k.STOCK_SIZE] = 0, len(stock)
    words[k.STOCK_CARDS : k.STOCK_CARDS + len(stock)] = stock
    piles = [Column(numbers(text), sum(suit.islower() for suit in text[1::2])) for text in columns.split("/")]
    position = [0, len(stock) + sum(len(pile.cards) for pile in piles)]
    for pile in piles:
        position += [len(pile.cards), pile.down, *pile.cards]
    row[: len(position)] = position
    return piles, stock


def _table_size(positions: int) -> int:
    """Return the slots for so many positions, a power of 2."""
    return 1 << (2 * positions).bit_length()
