"""The engine of games such as Black Hole, see `walks_prove_losses`: layouts to the words of its kernel, and the result
to a verdict with evidence."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, to_solved, to_strings
from dealmill.pipeline.games.patience.engine.holes import walks_kernel as k
from dealmill.pipeline.games.patience.engine.plain.words import Words
from dealmill.pipeline.games.patience.memory import FEWEST_SLOTS
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.verdicts import Verdict

RANKS = "A23456789TJQK"


@dataclass(frozen=True)
class Walks:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position, by ranks, from which a walk is possible."""
        batch = Batch([], [], [], [])
        tables = [np.zeros(FEWEST_SLOTS, dtype=np.int64)]
        for layout in to_strings(layouts):
            columns, cells, words = load(self.rules, layout, max_nodes)
            result = _searched(words, tables[0])
            verdict, evidence = Verdict.UNDECIDED, None
            if result == k.WON:
                moves = words[k.MOVE : k.MOVE + words[k.DEPTH]].tolist()
                verdict, evidence = (
                    Verdict.WINNABLE,
                    " ".join(_words_of_moves(moves, columns, cells, self.rules)) or "-",
                )
            elif result == k.LOST:
                verdict, evidence = Verdict.UNWINNABLE, f"walks * {words[k.NODES]}"
            batch.verdicts.append(verdict)
            batch.values.append(None)
            batch.nodes.append(int(words[k.NODES]))
            batch.evidence.append(evidence)
        return to_solved(batch)


def _searched(words: Words, table: Words) -> int:
    """Return the result of a search that begins with a table, which is cleared."""
    table.fill(0)
    while (result := k.search(words, table)) == k.OUT_OF_ROOM:
        larger = np.zeros(4 * len(table), dtype=np.int64)
        k.move_table(table, larger)
        table = larger
    return result


def _words_of_moves(moves: list[int], columns: list[list[str]], cells: list[str], rules: Rules) -> list[str]:
    """Return moves as they are written. Cards are parked in cells first."""
    written, spaces = [], list[str]()
    for move in moves:
        kind, number = move & 3, move >> 2 & 31
        if kind == k.FROM_PARKED:
            parked = next(cards for cards in (cells, spaces) for card in cards if card[0] == RANKS[number])
            card = next(card for card in parked if card[0] == RANKS[number])
            parked.remove(card)
        else:
            card = columns[number].pop()
        if kind == k.PARK:
            (cells if len(cells) < rules.cells else spaces).append(card)
            written.append(f"{card}{'c' if card in cells else 'e'}")
        else:
            written.append(f"{card}h")
    return written


def load(rules: Rules, layout: str, limit: int) -> tuple[list[list[str]], list[str], Words]:
    """Return the columns and the cells of a layout, and the words of its search."""
    _, texts, *parts = layout.split(" ")
    cards = dict(part.split(":") for part in parts)
    columns, cells = [_names(text.strip("-")) for text in texts.split("/")], _names(cards.get("cells", ""))
    s = np.zeros(k.SIZE, dtype=np.int64)
    keys = _random_words()
    s[k.RANKS], s[k.COLUMNS], s[k.PLACES], s[k.SPACES] = rules.ranks, len(columns), rules.cells, rules.spaces == "any"
    s[k.LIMIT] = limit
    for rank in range(rules.ranks):
        s[k.EVEN + rank] = sum(1 << (rank + step) % rules.ranks for step in range(0, rules.ranks, 2))
    s[k.HOLE_KEY : k.HOLE_KEY + 13], s[k.PARKED_KEY : k.PARKED_KEY + 13] = keys[:13], keys[13:26]
    nodes = {"": k.ROOT}
    for number, column in enumerate(columns):
        ranks = ""
        for card in column:
            rank, under = RANKS.index(card[0]), nodes[ranks]
            s[k.LEFT_OF + rank] += 1
            ranks += card[0]
            node = nodes.setdefault(ranks, len(nodes))
            s[k.PARENT + node], s[k.RANK + node] = under, rank
            s[k.NODE_KEY + node] = keys[13 + rank] if under == k.ROOT and s[k.SPACES] else keys[26 + node]
        s[k.NODE_OF + number] = nodes[ranks]
        s[k.HASH] = _sum(s[k.HASH], s[k.NODE_KEY + nodes[ranks]])
    for card in cells:
        rank = RANKS.index(card[0])
        s[k.LEFT_OF + rank] += 1
        s[k.PARKED + rank] += 1
        s[k.HASH] = _sum(s[k.HASH], s[k.PARKED_KEY + rank])
    s[k.PARKED_COUNT], s[k.EMPTY_COUNT] = len(cells), columns.count([])
    s[k.LEFT] = sum(map(len, columns)) + len(cells)
    s[k.HOLE] = RANKS.index(cards["hole"][0])
    s[k.HASH] = _sum(s[k.HASH], s[k.HOLE_KEY + s[k.HOLE]])
    return columns, cells, s


def _sum(first: int, second: int) -> int:
    """Return a sum as that of 64-bit words is."""
    return (int(first) + int(second) + (1 << 63)) % (1 << 64) - (1 << 63)


def _names(text: str) -> list[str]:
    return [text[at : at + 2].upper() for at in range(0, len(text), 2)]


@cache
def _random_words() -> Words:
    """Return the words with which positions are hashed."""
    return np.random.Generator(np.random.PCG64(77)).integers(-(1 << 63), (1 << 63) - 1, 128, dtype=np.int64)
