"""How measures of the difficulty of patiences agree: nodes and moves of a win, and a careful player's chances.

``python -m bench.difficulty klondike freecell``: of the first 300 winnable deals of seed 1 within 100,000 nodes.
``python -m bench.difficulty --published``: of deals of FreeCell that others have graded (`bench/published.json`).
"""

import argparse
import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealmill import Verdict, deals, solve

NODES = 100_000
AT_ONCE = 50
GRADES = 5
RESAMPLES = 2_000
PUBLISHED = Path(__file__).parent / "published.json"

Numbers = NDArray[np.int64]


def rank_correlation(left: Numbers, right: Numbers) -> float:
    """Return Spearman's coefficient; equal numbers have the mean of their ranks."""
    return float(np.corrcoef(_ranks(left), _ranks(right))[0, 1])


def _ranks(numbers: Numbers) -> NDArray[np.float64]:
    ordered = np.sort(numbers)
    return (np.searchsorted(ordered, numbers) + np.searchsorted(ordered, numbers, "right")) / 2


def interval(left: Numbers, right: Numbers) -> tuple[float, float]:
    """Return the bounds of the middle 95 % of the coefficients of deals that are drawn again (bootstrap)."""
    draws = np.random.default_rng(1).integers(len(left), size=(RESAMPLES, len(left)))
    low, high = np.nanquantile([rank_correlation(left[draw], right[draw]) for draw in draws], (0.025, 0.975))
    return float(low), float(high)


def agreement(nodes: Numbers, chances: Numbers) -> float:
    """Return the share of pairs, of those that differ in both, in which the deal with fewer nodes has more chances."""
    signs = [np.sign(numbers[:, None] - numbers) for numbers in (nodes, -chances)]
    return float((signs[0] * signs[1] > 0).sum() / (signs[0] * signs[1] != 0).sum())


def percent(chances: Sequence[int] | Numbers) -> str:
    """Return the mean of values in millionths as percent."""
    return f"{np.mean(chances) / 10_000:.1f} %"


def measure(name: str, count: int) -> None:
    """Print how often the player wins, also by fifths of the nodes, and the correlations."""
    rows: list[tuple[int, int, int]] = []
    first = 1
    while len(rows) < count:
        solved = solve(f"{name}/winnable", deals(name, first=first, count=AT_ONCE), max_nodes=NODES)
        won = [result for result in solved if result.verdict is Verdict.WINNABLE][: count - len(rows)]
        first += AT_ONCE
        values = [result.value or 0 for result in solve(f"{name}/chances", [result.layout for result in won])]
        lengths = (len(str(result.evidence).split()) for result in won)
        rows += zip((result.nodes for result in won), lengths, values, strict=True)
    columns = dict(zip(("nodes", "moves", "chances"), np.array(rows).T, strict=True))
    nodes, chances = columns["nodes"], columns["chances"]
    print(f"{name}: {count} of {first - 1} deals, mean {percent(chances)}, no play wins {(chances == 0).sum()}")
    print("  by fifths of the nodes:", *map(percent, np.array_split(chances[np.argsort(nodes, kind="stable")], GRADES)))
    print(f"  of two deals, both say which is harder: {agreement(nodes, chances):.0%}")
    for left, right in combinations(columns, 2):
        pair = columns[left], columns[right]
        low, high = interval(*pair)
        print(f"  {left} and {right}: {rank_correlation(*pair):+.2f} [{low:+.2f}, {high:+.2f}]")


def compare_with_published() -> None:
    """Print how often the player wins the deals of each published grade, and the median nodes of their wins."""
    for grading, grades in json.loads(PUBLISHED.read_text()).items():
        print(grading)
        for grade, numbers in grades.items():
            layouts = [layout for number in numbers for layout in deals("freecell", seed=0, first=number, count=1)]
            chances = [result.value or 0 for result in solve("freecell/chances", layouts)]
            nodes = [result.nodes for result in solve("freecell/winnable", layouts, max_nodes=NODES)]
            print(
                f"  {grade}: {len(numbers)} deals, mean {percent(chances)}, no play wins {chances.count(0)},", end=" "
            )
            print(f"median of the nodes {np.median(nodes):,.0f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--published", action="store_true")
    arguments = parser.parse_args()
    for game in arguments.games:
        measure(game, arguments.deals)
    if arguments.published:
        compare_with_published()
