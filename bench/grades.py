"""Print the bounds of grades of games by rules files again: ``python -m bench.grades [GAME…]``. All take half an hour.

The bounds divide the wins of deals of seed 1 within 100,000 nodes into fifths by their nodes: the first 200 wins, or
fewer if a thousand deals have fewer, but at least 50. A game has no grades if none of a thousand deals is won, or fewer
than 50 of 100,000. `dealmill.pipeline.games.patience.grades` has what this prints, and `GRADES` of covering games.
"""

import sys
from collections.abc import Iterator

from dealmill import Verdict, deals, games, solve

SEED, MAX_NODES = 1, 100_000
WINS, FEWEST_WINS, DEALS, DEAL_LIMIT = 200, 50, 1_000, 100_000
AT_ONCE, GRADES = 100, 5


def bounds(name: str) -> list[int]:
    """Return the most nodes of each grade but the last; none if there are too few wins, or their nodes are equal."""
    nodes = sorted(wins(name))
    if len(nodes) < FEWEST_WINS:
        return []
    return sorted({nodes[len(nodes) * grade // GRADES - 1] for grade in range(1, GRADES)})


def wins(name: str) -> list[int]:
    """Return the nodes of the wins."""
    nodes: list[int] = []
    for dealt, more in enumerate(_wins_of_deals(name), start=1):
        nodes += more
        enough = FEWEST_WINS if dealt * AT_ONCE >= DEALS else WINS
        if len(nodes) >= enough or (not nodes and dealt * AT_ONCE >= DEALS):
            break
    return nodes[:WINS]


def _wins_of_deals(name: str) -> Iterator[list[int]]:
    for first in range(1, DEAL_LIMIT, AT_ONCE):
        solved = solve(name, deals(name, seed=SEED, first=first, count=AT_ONCE), max_nodes=MAX_NODES)
        yield [result.nodes for result in solved if result.verdict is Verdict.WINNABLE]


if __name__ == "__main__":
    for name in sys.argv[1:] or [name for name, game in games().items() if game.rules_text]:
        if ends := bounds(name):
            print(f'    "{name}": ({", ".join(f"{end:_}" for end in ends)}),', flush=True)
