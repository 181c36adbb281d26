"""Choose the benchmark sets of `dealmill bench-engine` again: ``python -m bench.sets [GAME-SET…]``. Takes minutes.
Choose those of patiences again when their engine has a new version.

Each set has 150 layouts. A hard set begins with odd ones, such as the smallest, the largest and the easiest, and goes
on with the hardest of many deals, half of them of each verdict where a game has both. Those of a patience are decided
within 100,000 nodes, but for Golf, whose nodes are positions. The classic set of card pairing has only the hardest of
its default deals, which are those of the problem statement. All are numbered deals, so the sets are the same on every
machine. The referee proves every verdict before it is written.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dealmill import Result, deals, games, solve
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.verdict import Verdict

SEED = 36
SIZE = 150
LONGEST = 20_000
"""The most characters of a layout with its evidence; a few odd ones must not make up most of a file."""
AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Pool:
    """The first `count` deals with these parameters, of which the `take` hardest are chosen, or the easiest, of those
    that are decided within the node limit, with at most `max_positions` positions if it is the loss of a patience."""

    count: int
    take: int
    parameters: Mapping[str, int] = field(default_factory=dict)
    easiest: bool = False
    max_nodes: int | None = None
    max_positions: int | None = None


CARDS = ((1, 2, 2), (2, 4, 2), (3, 4, 6), (5, 8, 9), (4, 2, 8), (40, 2, 20), (30, 4, 40), (100, 2, 60), (100, 2, 200))
"""Ranks, cards of each rank, and stacks."""
PATIENCES = (
    *("bakers-game", "beleaguered-castle", "black-hole", "canfield", "eight-off", "fan", "free-cell-0-cell"),
    *("free-cell-1-cell", "free-cell-2-cell", "free-cell-3-cell", "freecell", "klondike", "klondike-deal-1"),
    *("seahaven-towers", "trigon"),
)
OF_PATIENCES = (
    Pool(100, 10, max_nodes=100_000, max_positions=10_000),
    Pool(500, SIZE, max_nodes=100_000, max_positions=1_000),
)
"""The plain referee counts some thousand positions a second, and should not take minutes for a set."""
COVERING_GAMES = (
    *("escalator", "giza", "pyramid", "pyramid-one-pass", "pyramid-pysol", "tripeaks", "tripeaks-no-wrap"),
)
OF_COVERING_GAMES = (Pool(200, 10, easiest=True), Pool(3_000, SIZE))

POOLS: Mapping[str, Sequence[Pool]] = {
    "camelot-hard": [Pool(2_000, 10, easiest=True), Pool(400_000, SIZE)],
    "card-pairing-classic": [Pool(200_000, SIZE)],
    "card-pairing-hard": [
        *(Pool(100, 3, {"ranks": ranks, "suits": suits, "stacks": stacks}) for ranks, suits, stacks in CARDS),
        Pool(1_000, 16, {"ranks": 20, "stacks": 16}),
        Pool(20_000, 20, {"ranks": 16, "stacks": 12}),
        Pool(100_000, 30, {"ranks": 13, "stacks": 13}),
        Pool(200_000, SIZE),
    ],
    "hi-q-hard": [
        *(Pool(2_000, 1, {"pegs": pegs}) for pegs in range(34)),
        *(Pool(40_000, 30, {"pegs": pegs}) for pegs in (20, 24)),
        Pool(40_000, SIZE),
    ],
    "memory-hard": [
        *(Pool(2_000, 1, {"pairs": pairs}) for pairs in range(1, 53)),
        Pool(100_000, 40, {"pairs": 52}),
        Pool(100_000, SIZE),
    ],
    "tantrix-hard": [
        *(Pool(2_000, 4, {"tiles": tiles}) for tiles in range(1, 21)),
        Pool(20_000, SIZE),
    ],
    "tantrix-loop-hard": [
        *(Pool(500, 4, {"tiles": tiles}) for tiles in range(3, 10)),
        *(Pool(2_000, 4, {"tiles": tiles}) for tiles in range(18, 43, 3)),
        Pool(20_000, SIZE),
    ],
    **{f"{name}-hard": OF_PATIENCES for name in PATIENCES},
    **{f"{name}-hard": OF_COVERING_GAMES for name in COVERING_GAMES},
    "golf-hard": [Pool(500, SIZE)],
}
"""The pools of each set, by its game and its name."""


def chosen(game: Game, name: str) -> list[Result]:
    """Return the layouts of a set, with their verdicts."""
    chosen_results: dict[str, Result] = {}
    for pool in POOLS[f"{game.name}-{name}"]:
        for result in _hardest(game, pool):
            chosen_results.setdefault(result.layout, result)
    return list(chosen_results.values())[:SIZE]


def _hardest(game: Game, pool: Pool) -> Iterator[Result]:
    """Yield the hardest layouts of a pool, in turn of each verdict that occurs, the hardest of all first."""

    def order(result: Result) -> tuple[int, int, int, str]:
        sign = 1 if pool.easiest else -1
        return sign * result.nodes, sign * (result.value or 0), sign * len(result.evidence or ""), result.layout

    best: dict[Verdict, list[Result]] = {}
    for first in range(1, pool.count + 1, AT_ONCE):
        count = min(AT_ONCE, pool.count + 1 - first)
        dealt = deals(game.name, seed=SEED, first=first, count=count, parameters=pool.parameters)
        for result in solve(game.name, dealt, max_nodes=pool.max_nodes):
            if _is_short(result, pool.max_positions):
                best.setdefault(result.verdict, []).append(result)
        best = {verdict: sorted(results, key=order)[: pool.take] for verdict, results in best.items()}
    turns = sorted(best.values(), key=lambda results: order(results[0]))
    ordered = [results[rank] for rank in range(pool.take) for results in turns if rank < len(results)]
    yield from ordered[: pool.take]


def _is_short(result: Result, max_positions: int | None) -> bool:
    """Whether there is a proof that is short, and has few positions if there is a limit."""
    if result.evidence is None or len(result.layout) + len(result.evidence) > LONGEST:
        return False
    if max_positions is None or result.verdict is not Verdict.UNWINNABLE:
        return True
    return int(result.evidence.split(" ")[-1]) <= max_positions


def line(result: Result) -> str:
    """Return a line of a set.

    Raises
    ------
    ValueError
        If the referee does not accept the verdict.
    """
    if not result.check().valid:
        raise ValueError(f"{result.layout} is not proved: {result.check()}")
    fields = ("layout", "verdict", "value", "nodes", "evidence")
    return json.dumps({name: result.row[name] for name in fields}) + "\n"


if __name__ == "__main__":
    for key in sys.argv[1:] or POOLS:
        game_name, _, set_name = key.rpartition("-")
        game = games()[game_name]
        file = game.examples / f"{key}.jsonl"
        file.write_text("".join(map(line, chosen(game, set_name))))
        print(f"{file}: {SIZE} layouts")
