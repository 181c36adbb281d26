"""The engine of patiences such as Scotch Patience, whose cards move one by one, see `counted_without_arrangements`.

The plain search finds wins, and lists of cards that matter. Of what it leaves, the game in which runs move, too, is
searched without the arrangement of moved cards: if that is lost, so is the real one, see docs/proofs/klondike.md.
"""

from dataclasses import dataclass

from dealmill.game import NO_LIMIT
from dealmill.kernels import Solved, Texts, to_strings, to_texts
from dealmill.pipeline.games.patience.engine.plain.engine import Winnable
from dealmill.pipeline.games.patience.engine.quotient import words as k
from dealmill.pipeline.games.patience.engine.quotient.engine import ALL_ROUNDS, Arrays, load
from dealmill.pipeline.games.patience.engine.quotient.pieces import solve_plainly_first
from dealmill.pipeline.games.patience.memory import NODES_WITHOUT_ARRANGEMENTS, WIDER, slots_of_quotient
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.verdicts import Verdict

FIRST_NODES = 2_500_000
"""The nodes of the plain search at first: with more, it decides hardly any further deal."""


@dataclass(frozen=True)
class Singles:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position of the plain search, or one without the arrangement of moved cards."""
        return solve_plainly_first(self.rules, layouts, max_nodes, FIRST_NODES, _Search(self.rules, max_nodes).solve)


class _Search:
    """The search for losses without the arrangement of moved cards by some rules, and the plain one after it, with a
    wider beam if the easier game can be won; with at most so many nodes."""

    def __init__(self, rules: Rules, max_nodes: int) -> None:
        self.rules, self.max_nodes = rules, max_nodes
        self.arrays = Arrays.of(slots_of_quotient(min(max_nodes, NODES_WITHOUT_ARRANGEMENTS)))

    def solve(self, layout: str, nodes: int) -> tuple[Verdict, int, str | None]:
        """Return the verdict of a layout on which so many nodes were spent, all its nodes and its evidence."""
        words = self.arrays.words
        load(words, self.rules, layout)
        words[k.LIMIT] = min(self.max_nodes - nodes, NODES_WITHOUT_ARRANGEMENTS)
        result = self.arrays.solve(ALL_ROUNDS)
        nodes += int(words[k.NODES])
        if result == k.LOST:
            return Verdict.UNWINNABLE, nodes, f"quotient * {words[k.FULL + k.STORED]}"
        if nodes == self.max_nodes:
            return Verdict.UNDECIDED, nodes, None
        plain = Winnable(self.rules, WIDER if result == k.WON else 1)(to_texts([layout]), self.max_nodes - nodes)
        return Verdict(plain.verdicts[0]), nodes + int(plain.nodes[0]), to_strings(plain.evidence)[0] or None
