"""The engine of patiences in which each card has one place to go, such as Scorpion, see docs/proofs/waiting.md: layouts
to the words of its kernel, and the result to a verdict with evidence."""

from dataclasses import dataclass

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, to_solved, to_strings
from dealmill.pipeline.games.patience.engine.whole_suits import spider_words as k
from dealmill.pipeline.games.patience.engine.whole_suits import waits_kernel as w
from dealmill.pipeline.games.patience.engine.whole_suits.spider import (
    Names,
    load,
    row_size,
    set_up,
    table_size,
    words_of_moves,
)
from dealmill.pipeline.games.patience.losses.counted import MAX_DEALT
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules
from dealmill.verdicts import Verdict

FIRST_POSITIONS = 20_000
"""The positions that are searched at first; most games have fewer. Larger tables take longer to empty."""


@dataclass(frozen=True)
class Waits:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position that is searched. No referee counts more than `MAX_DEALT`."""
        batch = Batch([], [], [], [])
        search = _Search(self.rules, min(max_nodes, MAX_DEALT))
        for layout in to_strings(layouts):
            verdict, evidence = search.solve(layout)
            nodes = int(search.words[k.NODES])
            batch.verdicts.append(verdict)
            batch.values.append(None)
            batch.nodes.append(nodes)
            batch.evidence.append(evidence)
        return to_solved(batch)


class _Search:
    """The arrays of the kernel for some rules and a limit of positions."""

    def __init__(self, rules: Rules, limit: int) -> None:
        self.rules, self.limit = rules, limit
        self.words = np.zeros(w.END, dtype=np.int64)
        self.layout = np.zeros(row_size(rules), dtype=np.uint8)
        self.rows = np.empty((limit + 1, row_size(rules)), dtype=np.uint8)
        self.table = np.empty(table_size(limit), dtype=np.int64)
        self.links, self.heap = np.empty(limit + 1, dtype=np.int64), np.empty(limit + 1, dtype=np.int64)
        set_up(self.words, rules)

    def solve(self, layout: str) -> tuple[Verdict, str | None]:
        """Return the verdict of a layout with its evidence."""
        words, limit, names = self.words, min(self.limit, FIRST_POSITIONS), Names(self.rules, layout)
        columns, stock = load(words, self.layout, self.rules, layout)
        self.rows[0] = self.layout
        if w.wait(words, self.rows):
            words[k.NODES] = 1
            return Verdict.UNWINNABLE, f"waits {self._waiting(names)}"
        result = self._search(limit)
        if result == k.OPEN and limit < self.limit:
            result = self._search(self.limit)
        if result == k.LOST:
            return Verdict.UNWINNABLE, f"waits * {words[k.COUNT]}"
        if result == k.WON:
            moves = words_of_moves(words, self.links, names, columns, stock, literal=True)
            return Verdict.WINNABLE, " ".join(moves) or "-"
        return Verdict.UNDECIDED, None

    def _search(self, limit: int) -> int:
        """Search at most so many positions."""
        self.rows[0] = self.layout
        self.words[k.NODES], self.words[k.LIMIT] = 0, limit
        return w.search(self.words, self.rows, self.table[: table_size(limit)], self.links, self.heap)

    def _waiting(self, names: Names) -> str:
        """Return the pair of the layout, or its set of waiting cards, by suits and then by ranks."""
        pair = int(self.words[w.PAIR])
        if pair != k.NO_CARD:
            return f"{names.card(pair)}>{names.card(pair + 1)}"
        cards = [names.card(card) for card in range(52) if self.words[w.WAITING] >> card & 1]
        return "".join(sorted(cards, key=lambda name: (SUITS.index(name[1]), RANKS.index(name[0]))))
