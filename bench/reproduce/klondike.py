"""Compare verdicts on Solvitaire's deals of Klondike, draw 3, with published ones: ``make reproduce KLONDIKE=FILE``.

FILE is a CSV file with the columns ``seed``, a deal of seed 0, and ``result``, ``solved`` or ``unsolvable``, such as
the united verdicts of the six solvers of Dang, Gent, Nightingale, Ulrich-Oltean and Waller, *Constraint Models for
Klondike*, CP 2025. Some of them play with worrying back, as ``klondike`` does, and some without: there, a card on a
foundation stays. So a deal that is solved must not be unwinnable with worrying back, and one that is unsolvable must
not be winnable without. Deal 1638 is lost without, with 7,878 positions, and won with worrying back: only solvers that
have it solved the deal. Deals without a published result are solved with worrying back only.
"""

import csv
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience import GAMES
from dealmill.pipeline.games.patience.compiled.referee import CompiledReferee
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.schema import FIELD_SEED
from dealmill.pipeline.games.patience.searches import search_of
from dealmill.verdicts import Verdict

SOLVED, UNSOLVABLE, UNPUBLISHED = "solved", "unsolvable", "unpublished"
MAX_NODES = 200_000_000
CONTRADICTIONS = {
    True: {(SOLVED, Verdict.UNWINNABLE)},
    False: {(UNSOLVABLE, Verdict.WINNABLE)},
}
"""Published results and verdicts that cannot both be right, by whether cards come back from foundations."""


def main() -> int:
    """Print how often each verdict meets each published result; 1 if some contradict each other."""
    parser = ArgumentParser(description="Compare verdicts on Klondike, draw 3, with published ones.")
    parser.add_argument("file", type=Path, help="a CSV file with the columns seed and result")
    parser.add_argument("--first", type=int, default=1, help="the first deal (default: 1)")
    parser.add_argument("--count", type=int, default=10_000, help="the number of deals (default: 10,000)")
    parser.add_argument("--max-nodes", type=int, default=MAX_NODES, help=f"the node limit (default: {MAX_NODES:,})")
    options = parser.parse_args()
    with options.file.open(newline="") as file:
        published = {int(row["seed"]): row["result"] for row in csv.DictReader(file)}
    numbers = range(options.first, options.first + options.count)
    results = {number: published.get(number, UNPUBLISHED) for number in numbers}
    rules = GAMES.load("klondike", (GAMES.folder / "klondike.toml").read_text()).rules
    contradicts = _contradicts(rules, results, options.max_nodes)
    compared = {number: result for number, result in results.items() if result != UNPUBLISHED}
    return int(_contradicts(replace(rules, removable=False), compared, options.max_nodes) or contradicts)


def _contradicts(rules: Rules, results: Mapping[int, str], max_nodes: int) -> bool:
    """Print the counts and the contradictions by some rules, and return whether there are any."""
    counts, contradictions = Counter[tuple[str, Verdict]](), list[int]()
    for number, verdict in _verdicts(rules, list(results), max_nodes):
        counts[results[number], verdict] += 1
        if (results[number], verdict) in CONTRADICTIONS[rules.removable]:
            contradictions.append(number)
    sys.stdout.write(f"foundations.removable = {str(rules.removable).lower()}, {len(results):,} deals\n")
    for (result, verdict), count in sorted(counts.items()):
        sys.stdout.write(f"  {result:11}  {verdict.word:10}  {count:5,}\n")
    sys.stdout.write(f"  contradictions: {', '.join(map(str, contradictions)) or 'none'}\n")
    return bool(contradictions)


def _verdicts(rules: Rules, numbers: list[int], max_nodes: int) -> Iterator[tuple[int, Verdict]]:
    """Yield the verdicts on deals, whose evidence is refereed."""
    solve, check = search_of(rules).load()(rules), CompiledReferee(rules)
    for number in numbers:
        [layout] = to_strings(deal(rules, FIELD_SEED, number, 1))
        solved = to_batch(solve(to_texts([layout]), max_nodes))
        [verdict], [evidence] = solved.verdicts, solved.evidence
        if evidence is not None:
            check("winnable", layout, verdict, None, evidence)
        yield number, verdict


if __name__ == "__main__":
    sys.exit(main())
