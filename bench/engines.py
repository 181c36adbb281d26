"""Benchmarks of engines, called from Python and including evidence, against the naive implementations of the tests."""

from collections.abc import Callable
from functools import partial
from math import ceil

from bench.measure import in_turn, rounded, table
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from tests.doing import deal
from tests.games.camelot.naive import winnable_by_counts
from tests.games.card_pairing.naive import odds_by_play, winnable_by_play
from tests.games.hi_q.naive import play, reachable
from tests.games.memory.naive import STRATEGIES
from tests.games.tantrix import naive as tantrix

MANY = 100_000
FEWER = {"card-pairing/odds": 10_000, "hi-q/fewest": 5_000, "tantrix-loop/winnable": 10_000}
"""The deals of engines that take longer."""
SEED = 20261121


def _odds(layout: str) -> tuple[int, str]:
    odds = odds_by_play(layout)
    return ceil(10**6 * odds.chance), " ".join(map(str, odds))


def _memory(strategy: Callable[[str], list[int]], layout: str) -> tuple[int, str]:
    flips = strategy(layout)
    return len(flips), " ".join(map(str, flips))


def _hi_q(layout: str) -> tuple[int, str]:
    total, jumps = play(_pegs(layout))
    return total, " ".join(f"{source}-{target}" for source, target in jumps)


def _fewest(layout: str) -> tuple[int, str]:
    boards = reachable(_pegs(layout))
    return min(map(len, boards)), str(len(boards))


def _pegs(layout: str) -> set[int]:
    return {hole for hole, sign in enumerate(layout.replace("/", ""), start=1) if sign == "X"}


def _tantrix(layout: str) -> tuple[int, str]:
    moves = tantrix.legal_moves(*tantrix.parse(layout))
    return len(moves), " ".join(f"{x},{y}:{tile}" for (x, y), tile in moves)


Naive = Callable[[str], bool] | Callable[[str], tuple[int, str]]
"""A function that decides whether a layout is winnable, or returns its value and its evidence in the stored form."""

NAIVE: dict[str, tuple[Naive, int, str]] = {
    "card-pairing/winnable": (winnable_by_play, 100, "search over states, memo"),
    "card-pairing/odds": (_odds, 20, "search over states, memo"),
    "camelot/winnable": (winnable_by_counts, 20, "search over removals, memo"),
    "hi-q/greedy": (_hi_q, 1_000, "play on a grid"),
    "hi-q/fewest": (_fewest, 5, "search over boards"),
    "tantrix/legal-moves": (_tantrix, 50, "every place, tile, turn"),
    **{
        f"memory/{name}": (partial(_memory, strategy), 3_000, "the article's play")
        for name, strategy in STRATEGIES.items()
    },
}
"""The naive implementation for each engine, the number of layouts it solves, and a description of it."""


def against_naive() -> str:
    """Return a table with a row per engine: its rate, and that as a multiple of the naive implementation's."""
    rows = []
    for name, (naive, few, what) in NAIVE.items():
        game, _ = find_engine(name)
        load(name)
        many = FEWER.get(name, MANY)
        layouts = deal(game, SEED, 1, many)
        fast, slow, ratio = in_turn(partial(solve, name, layouts), lambda: [naive(layout) for layout in layouts[:few]])  # noqa: B023
        rows.append(
            [
                f"`{name}`",
                rounded(many / fast),
                f"{rounded(few / slow)} ({few:,} deals)",
                what,
                f"{rounded(many / few / ratio)} ×",
            ]
        )
    return table(["engine", "layouts/s", "naive layouts/s", "naive implementation", "ratio"], rows)


def around_the_engine() -> str:
    """Return a table with a row per game: the times of dealing and parsing as multiples of the default engine's."""
    rows = []
    for game in map(find_game, dict.fromkeys(name.partition("/")[0] for name in NAIVE)):
        name = game.full_name(game.engines[0])
        layouts = deal(game, SEED, 1, MANY)
        lines = list(enumerate(layouts, start=1))
        _, _, dealing = in_turn(partial(game.deal, SEED, 1, MANY), partial(solve, name, layouts))
        _, _, reading = in_turn(lambda: list(game.read(lines)), partial(solve, name, layouts))  # noqa: B023
        rows.append([game.name, f"{dealing:.2f}", f"{reading:.1f}"])
    return table(["game", "dealing / solving", "parsing / solving"], rows)


def evidence_sizes() -> str:
    """Return a table with a row per engine and verdict: sizes of the evidence of many deals, in bytes."""
    rows = []
    for name in NAIVE:
        game, _ = find_engine(name)
        solved = solve(name, deal(game, SEED, 1, FEWER.get(name, MANY)))
        for verdict in sorted(set(solved.verdicts)):
            pairs = zip(solved.verdicts, solved.evidence, strict=True)
            sizes = sorted(len(text or "") for word, text in pairs if word is verdict)
            mean, p99 = sum(sizes) / len(sizes), sizes[len(sizes) * 99 // 100]
            rows.append([f"`{name}`", verdict.word, f"{len(sizes):,}", f"{mean:.1f}", str(p99), str(sizes[-1])])
    return table(["engine", "verdict", "deals", "mean", "p99", "max"], rows)
