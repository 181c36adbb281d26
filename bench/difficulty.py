"""Rank correlations of what could say how hard a patience is: nodes and moves of a win, and a careful player's chances.

``python -m bench.difficulty klondike freecell``: of the first 300 winnable deals of seed 1 within 100,000 nodes.
"""

import argparse
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import unpack
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import solve

NODES = 100_000
AT_ONCE = 50


def rank_correlation(left: Sequence[int], right: Sequence[int]) -> float:
    """Return Spearman's coefficient; equal numbers have the mean of their ranks."""
    return float(np.corrcoef(_ranks(left), _ranks(right))[0, 1])


def _ranks(numbers: Sequence[int]) -> list[float]:
    ordered = np.sort(np.array(numbers))
    return [(np.searchsorted(ordered, number) + np.searchsorted(ordered, number, "right")) / 2 for number in numbers]


def measure(name: str, deals: int) -> None:
    """Print the mean chance, how many deals no play wins, and the correlations."""
    game, columns, first = find_game(name), {"nodes": [], "moves": [], "chances": []}, 1  # type: ignore[var-annotated]
    while len(columns["nodes"]) < deals:
        layouts = unpack(game.deal(1, first, AT_ONCE))
        first += AT_ONCE
        wins = solve(f"{name}/winnable", layouts, NODES)
        rows = zip(layouts, wins.verdicts, wins.nodes, wins.evidence, strict=True)
        won = [row for row in rows if row[1] is Verdict.WINNABLE][: deals - len(columns["nodes"])]
        columns["nodes"] += [nodes for _, _, nodes, _ in won]
        columns["moves"] += [len(str(evidence).split()) for *_, evidence in won]
        columns["chances"] += solve(f"{name}/chances", [layout for layout, *_ in won]).values
    chances = columns["chances"]
    none, every = chances.count(0), chances.count(1_000_000)
    print(f"{name}: {deals} deals, mean {np.mean(chances) / 10_000:.1f} %, no play wins {none}, all win {every}")
    for left, right in combinations(columns, 2):
        print(f"  {left} and {right}: {rank_correlation(columns[left], columns[right]):+.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--deals", type=int, default=300)
    arguments = parser.parse_args()
    for each in arguments.games:
        measure(each, arguments.deals)
