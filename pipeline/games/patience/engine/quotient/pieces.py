"""The engine of patiences such as Yukon: the plain search finds wins, and a search without the arrangement of pieces
proves losses, see docs/proofs/yukon.md."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, check_memory, to_solved, to_strings, to_texts
from dealmill.pipeline.games.patience.engine.plain.engine import Winnable
from dealmill.pipeline.games.patience.engine.quotient import pieces_kernel as k
from dealmill.pipeline.games.patience.engine.quotient.words import FIELD, LOST, NO_CARD, OUT_OF_TABLE, SUIT, WON, Words
from dealmill.pipeline.games.patience.memory import slots_of_quotient
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.verdicts import Verdict

FIRST_NODES = 30_000
"""The nodes of the plain search before the one without the arrangement of pieces: it rarely wins with more."""
FIRST_ROOM = 25_000_000
"""The slots of the table at first, and no more than the limit needs. It is reserved, though rarely used."""


@dataclass(frozen=True)
class Pieces:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position of the plain search, or one without the arrangement of pieces."""
        return solve_plainly_first(self.rules, layouts, max_nodes, FIRST_NODES, _Search(self.rules, max_nodes).solve)


def solve_plainly_first(
    rules: Rules,
    layouts: Texts,
    max_nodes: int,
    first_nodes: int,
    solve: Callable[[str, int], tuple[Verdict, int, str | None]],
) -> Solved:
    """Solve layouts by the plain search with so many first nodes. `solve` gets those that it leaves, and the nodes that
    were spent on them; it returns their verdict, all nodes and the evidence."""
    batch = Batch([], [], [], [])
    first = Winnable(rules)(layouts, min(max_nodes, first_nodes))
    texts = zip(to_strings(layouts), to_strings(first.evidence), strict=True)
    for number, (layout, evidence) in enumerate(texts):
        verdict, nodes = Verdict(first.verdicts[number]), int(first.nodes[number])
        answer = verdict, nodes, evidence or None
        if verdict is Verdict.UNDECIDED and nodes < max_nodes:
            answer = solve(layout, nodes)
        batch.verdicts.append(answer[0])
        batch.values.append(None)
        batch.nodes.append(answer[1])
        batch.evidence.append(answer[2])
    return to_solved(batch)


class _Search:
    """The search without the arrangement of pieces by some rules, and the plain one after it if that decides nothing,
    with at most so many nodes."""

    def __init__(self, rules: Rules, max_nodes: int) -> None:
        self.rules, self.max_nodes = rules, max_nodes
        self.words = np.empty(k.END, dtype=np.int64)
        self.table = np.empty(min(slots_of_quotient(max_nodes), FIRST_ROOM), dtype=np.int64)

    def solve(self, layout: str, nodes: int) -> tuple[Verdict, int, str | None]:
        """Return the verdict of a layout on which so many nodes were spent, all its nodes and its evidence."""
        load(self.words, self.rules, layout)
        result = k.search(self.words, self.table, self.max_nodes - nodes)
        while result == OUT_OF_TABLE:
            check_memory(16 * len(self.table), f"a search of {self.words[k.NODES]:,} positions")
            self.table = np.empty(2 * len(self.table), dtype=np.int64)
            result = k.search(self.words, self.table, self.max_nodes - nodes)
        positions = int(self.words[k.NODES])
        nodes += positions
        if result == LOST:
            return Verdict.UNWINNABLE, nodes, f"quotient * {positions}"
        if result != WON or nodes == self.max_nodes:
            return Verdict.UNDECIDED, nodes, None
        plain = Winnable(self.rules)(to_texts([layout]), self.max_nodes - nodes)
        return Verdict(plain.verdicts[0]), nodes + int(plain.nodes[0]), to_strings(plain.evidence)[0] or None


def load(words: Words, rules: Rules, layout: str) -> None:
    """Write a layout."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = rules.base_of(texts)
    numbers = rules.card_numbers(base)

    def names(text: str) -> list[str]:
        return [text[at : at + 2] for at in range(0, len(text), 2)]

    words[: k.STACK] = 0
    words[k.RANKS], words[k.COLUMNS], words[k.KINGS_FILL] = rules.ranks, len(rules.sizes), rules.spaces == "kings"
    words[k.DECK] = sum(((1 << rules.ranks) - 1) << 13 * suit for suit in range(4))
    words[k.UNDER : k.UNDER + 52] = words[k.OVER : k.OVER + 52] = NO_CARD
    heights, waiting, key = [0] * 4, 0, 0
    for name in names(texts.get("foundations", "")):
        heights[numbers[name] // 13] = numbers[name] % 13 + 1
    for column in columns.split("/"):
        below, below_is_down = NO_CARD, False
        for name in names(column.strip("-")):
            card, is_down = numbers[name], name[1].islower()
            if below == NO_CARD:
                waits = card % 13 != rules.ranks - 1
                words[k.ROOTS] |= waits << card
            else:
                fits = below % 13 == card % 13 + 1 and (card // 13 + below // 13) % 2
                waits = below_is_down or not fits
                words[k.UNDER + card], words[k.OVER + below] = below, card
            words[k.FACE_DOWN] |= is_down << card
            waiting |= waits << card
            below, below_is_down = card, is_down
    for suit in reversed(range(4)):
        field, height = waiting >> 13 * suit & SUIT, heights[suit]
        key = key << FIELD | (field >> height << 1 | 1) << height
    words[k.FIRST_KEY] = key
