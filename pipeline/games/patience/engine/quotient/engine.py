"""The engine for games whose positions are searched without their arrangement: layouts to the words of the kernel, and
its result to a verdict with evidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, check_memory, to_solved, to_strings, to_texts
from dealmill.pipeline.games.patience.coverage import is_interrupted
from dealmill.pipeline.games.patience.engine.plain.engine import Winnable, answer, array_for
from dealmill.pipeline.games.patience.engine.plain.engine import load as load_plainly
from dealmill.pipeline.games.patience.engine.plain.solving import search_briefly
from dealmill.pipeline.games.patience.engine.quotient import words as k
from dealmill.pipeline.games.patience.engine.quotient.arranging import Arrangement
from dealmill.pipeline.games.patience.engine.quotient.search import expand, go_up, solve
from dealmill.pipeline.games.patience.engine.quotient.shortening import Shortener
from dealmill.pipeline.games.patience.memory import slots_of_quotient
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.verdicts import Verdict

FIRST_ROOM = 25_000_000
"""The slots of the table at first, and no more than the limit needs. It is reserved, though rarely used."""
FIRST_STACK = 1 << 22
LIST_NODES, LISTED_POSITIONS, LISTED_CARDS = 20_000, 1_000, 12
"""For a loss with at most so many positions, the plain search looks for cards that matter, at most so many of them,
within this number of nodes."""
PROBE_SLOTS, PROBE_STACK = 1 << 17, 1 << 20
ALL_ROUNDS = -1
TO_SPACES = {"none": k.NO_CARDS, "kings": k.KINGS, "any": k.ANY_CARD, "reserve": k.ANY_CARD}


@dataclass
class Arrays:
    """What a search takes: words, and for the full and the short searches, a table and a stack."""

    words: k.Words
    table: k.Words
    stack: k.Words
    probe_table: k.Words
    probe_stack: k.Words

    @classmethod
    def of(cls, slots: int) -> "Arrays":
        """Return arrays with so many slots in the table."""
        sizes = (k.END, min(slots, FIRST_ROOM), FIRST_STACK, PROBE_SLOTS, PROBE_STACK)
        return cls(*(np.empty(size, dtype=np.int64) for size in sizes))

    def solve(self, rounds: int) -> int:
        """Go on with the layout that was loaded, for so many rounds in all, and make room as it is needed."""
        result = self._go_on(rounds)
        while result in (k.OUT_OF_TABLE, k.OUT_OF_STACK):
            name = "table" if result == k.OUT_OF_TABLE else "stack"
            old = getattr(self, name)
            check_memory(16 * len(old), f"the {name} of a search after {self.words[k.NODES]:,} nodes")
            larger = np.empty(2 * len(old), dtype=np.int64)
            larger[: len(old)] = old
            setattr(self, name, larger)
            result = self._go_on(rounds)
        return result

    def _go_on(self, rounds: int) -> int:
        return int(solve(self.words, self.table, self.stack, self.probe_table, self.probe_stack, rounds))

    def path(self) -> list[int]:
        """Return the keys of the positions of a win."""
        search, stack = (k.PROBE, self.probe_stack) if self.words[k.PROBED] else (k.FULL, self.stack)
        keys = stack[: self.words[search + k.TOP]]
        return (~keys[keys < 0]).tolist()  # type: ignore[no-any-return]


class Interruption(NamedTuple):
    """What the plain search does after so many rounds of that in the quotient: nodes for short searches, and for a list
    of cards that matter."""

    rounds: int
    probes: int
    lists: int


INTERRUPTIONS = (Interruption(3, 20_000, 30_000), Interruption(4, 0, 30_000))
"""After 28,000 and 100,000 nodes of the search in the quotient."""


@dataclass(frozen=True)
class Quotient:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position of the quotient that is visited, or one of a plain search."""
        solver = Solver(self.rules, max_nodes)
        batch = Batch([], [], [], [])
        for layout in to_strings(layouts):
            verdict, evidence = solver.solve(layout)
            batch.verdicts.append(verdict)
            batch.values.append(None)
            batch.nodes.append(int(solver.arrays.words[k.NODES]))
            batch.evidence.append(evidence)
        return to_solved(batch)


class Solver:
    """Solves layouts with at most so many nodes each, in arrays of its own."""

    def __init__(self, rules: Rules, max_nodes: int) -> None:
        """Reserve the arrays."""
        self.rules, self.max_nodes = rules, max_nodes
        self.interruptions = INTERRUPTIONS if is_interrupted(rules) else ()
        self.arrays = Arrays.of(slots_of_quotient(max_nodes))
        self.plain_words = array_for(rules, 3 * max((each.lists for each in self.interruptions), default=0))
        self.shortener = Shortener(rules)

    def solve(self, layout: str) -> tuple[Verdict, str | None]:
        """Return the verdict of a layout and its evidence."""
        words = self.arrays.words
        arrangement = load(words, self.rules, layout)
        words[k.LIMIT], result = self.max_nodes, k.OPEN
        for number, interruption in enumerate(self.interruptions):
            result = self.arrays.solve(interruption.rounds)
            if result != k.OPEN:
                break
            verdict, nodes, evidence = self._interrupt(layout, number)
            words[k.NODES] += nodes
            if verdict is not Verdict.UNDECIDED:
                return verdict, evidence
        if result == k.OPEN:
            result = self.arrays.solve(ALL_ROUNDS)
        if result == k.WON:
            steps = list(_steps(words, self.arrays.path()))
            return Verdict.WINNABLE, self.shortener.shortened(layout, arrangement.moves(steps))
        if result == k.LOST:
            return Verdict.UNWINNABLE, self._evidence_of_loss(layout, int(words[k.FULL + k.STORED]))
        return Verdict.UNDECIDED, None

    def _interrupt(self, layout: str, number: int) -> tuple[Verdict, int, str | None]:
        """Return the verdict of the plain search, its nodes and its evidence."""
        words, interruption = self.plain_words, self.interruptions[number]
        base = load_plainly(words, self.rules, layout)
        left = self.max_nodes - int(self.arrays.words[k.NODES])
        result = search_briefly(words, left, number, interruption.probes, interruption.lists)
        return answer(result, words, base, self.rules)

    def _evidence_of_loss(self, layout: str, positions: int) -> str:
        """Return a few cards that matter, if the plain search soon finds them with no more positions, since that is
        easier to understand; otherwise the positions of the quotient. Its nodes are not counted, so that what it finds
        does not depend on the limit."""
        if positions <= LISTED_POSITIONS:
            plain = Winnable(self.rules)(to_texts([layout]), LIST_NODES)
            if plain.verdicts[0] == Verdict.WINNABLE:
                raise RuntimeError("two searches of the layout contradict each other")
            cards, _, count = to_strings(plain.evidence)[0].partition(" ")
            if count and int(count) <= positions and len(cards) // 2 <= LISTED_CARDS:
                return f"{cards} {count}"
        return f"quotient * {positions}"


def _steps(words: k.Words, path: list[int]) -> Iterator[int]:
    """Yield the moves of a win, a card and a kind each, with those of safe cards; from each position the move that
    leads to its latest one."""
    numbers, at = {key: number for number, key in enumerate(path)}, 0
    go_up(words, int(words[k.FIRST_KEY]))
    yield from words[k.SETTLED : k.SETTLED + words[k.SETTLED_COUNT]].tolist()
    while at < len(path) - 1:
        expand(words, path[at])
        count = words[k.CHILD_COUNT]
        after = [numbers.get(key, 0) for key in words[k.AFTER_KEYS : k.AFTER_KEYS + count].tolist()]
        at = max(after)
        child = after.index(at)
        key = int(words[k.CHILD_KEYS + child])
        yield int(words[k.CHILD_MOVES + child])
        go_up(words, key)
        yield from words[k.SETTLED : k.SETTLED + words[k.SETTLED_COUNT]].tolist()


def load(words: k.Words, rules: Rules, layout: str) -> Arrangement:
    """Write a layout, and return how its cards lie."""
    _, texts, *parts = layout.split(" ")
    cards = dict(part.split(":") for part in parts)
    base = rules.base_of(cards)
    numbers = rules.card_numbers(base)

    def read(text: str) -> list[int]:
        return [numbers[text[at : at + 2]] for at in range(0, len(text), 2)]

    columns = [
        [(card, letter.islower()) for card, letter in zip(read(text), text[1::2], strict=True)]
        for text in (text.strip("-") for text in texts.split("/"))
    ]
    waste = read(cards.get("waste", ""))
    stock, reserve = [*waste, *read(cards.get("stock", ""))], read(cards.get("reserve", ""))
    heights = [0] * 4
    for card in read(cards.get("foundations", "")):
        heights[card // 13] = card % 13 + 1
    turned = len(waste)
    if rules.passes == 0 and (turned % rules.draw == 0 or turned == len(stock)):
        turned = 0
    words[: k.END] = 0
    words[k.RANKS], words[k.COLUMNS], words[k.TO_SPACES] = rules.ranks, len(columns), TO_SPACES[rules.spaces]
    words[k.REMOVABLE], words[k.LEAST_UP] = rules.removable, rules.initial == "all"
    words[k.DRAW], words[k.PASSES], words[k.STOCK_SIZE] = rules.draw, rules.passes, len(stock)
    words[k.DECK] = sum(((1 << rules.ranks) - 1) << 13 * suit for suit in range(4))
    words[k.STOCK_ORDER : k.STOCK_ORDER + len(stock)] = stock
    words[k.STOCK_CARDS] = sum(1 << card for card in stock)
    words[k.OPEN_RESERVE] = 0 if rules.stacked else sum(1 << card for card in reserve)
    beginning = []
    row = 0
    for number, blocks in enumerate(map(_blocks, columns)):
        words[k.BLOCKS + number] = row
        under = 0
        for block in blocks:
            if under or words[k.TO_SPACES] == k.ANY_CARD or block[0] % 13 != rules.ranks - 1:
                row += 1
                words[k.LOWEST + row], words[k.HIDDEN + row] = 1 << block[0], under
                words[k.WAITING_IN + number] |= 1 << block[0]
            under |= sum(1 << card for card in block)
        row += 1
        beginning += [(block[0], number) for block in blocks[:1]]
    if words[k.TO_SPACES] == k.ANY_CARD:
        beginning += [(card, -1) for card in reversed(reserve) if rules.stacked]
        words[k.BEGINNING_COUNT] = len(beginning)
        for number, (card, column) in enumerate(beginning):
            words[k.BEGINNING + number], words[k.BEGUN_COLUMN + number] = card, column
    waiting = sum(1 << card for card in (*stock, *reserve)) | sum(
        words[k.WAITING_IN : k.WAITING_IN + len(columns)].tolist()
    )
    key = turned + int(cards.get("passes", 0)) * (len(stock) + 1)
    for suit in reversed(range(4)):
        height, field = heights[suit], waiting >> 13 * suit & k.SUIT
        key = key << k.FIELD | (field >> height << 1 | 1) << height
    words[k.FIRST_KEY] = key
    return Arrangement(columns, reserve if rules.spaces == "reserve" else [], rules.ranks)


def _blocks(column: list[tuple[int, bool]]) -> list[list[int]]:
    """Return the blocks of a column: runs of cards that lie face up, and each other card by itself."""
    blocks = [[card] for card, _ in column[:1]]
    for (below, is_down), (card, _) in pairwise(column):
        if not is_down and card % 13 + 1 == below % 13 and (card // 13 + below // 13) % 2:
            blocks[-1].append(card)
        else:
            blocks.append([card])
    return blocks
