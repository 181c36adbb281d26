"""The referee against the engines, a million verdicts audited, and how large certificates are."""

import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import count

from bench.measure import in_turn, rounded, table, watched_command
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import judge
from dealmill.pipeline.solve import load, solve
from tests.doing import deal

SEED = 20261122
MANY = 50_000
FEW = {"tantrix": 500}
JUDGED = 5_000
LOST = 100_000
DECKS = ("card-pairing", "camelot")
MILLION = 1_000_000


def against_solving() -> str:
    """A row per engine: how many times as long as solving it takes to check what was solved."""
    rows = []
    for game in games().values():
        for engine in game.engines:
            name = game.full_name(engine)
            load(name)
            layouts = deal(game, SEED, 1, MANY)
            judged = FEW.get(game.name, JUDGED)
            solved = solve(name, layouts[:judged])
            said = list(zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=False))[:judged]
            checking, solving, ratio = in_turn(
                lambda: [judge(name, *claim) for claim in said],  # noqa: B023
                partial(solve, name, layouts),
            )
            each = f"{rounded(judged / checking)} ({judged:,} verdicts)"
            rows.append([f"`{name}`", rounded(MANY / solving), each, f"{rounded(ratio * MANY / judged)} ×"])
    return table(["engine", "solved/s", "judged/s", "time, judging / solving"], rows)


def a_million() -> str:
    """A row per deck game: a million random deals, solved and audited by the command with two workers."""
    rows = []
    for name in DECKS:
        with tempfile.TemporaryDirectory() as folder:
            source = f"deal:{name}:seed={SEED}:1-{MILLION}"
            solving, _, _ = watched_command(folder, "run", source)
            auditing, told, peak = watched_command(folder, "audit", "1")
        found = told.strip().splitlines()[-1].partition(": ")[2]
        ratio = f"{auditing / solving:.2f} ×"
        rows.append([name, found, f"{rounded(MILLION / auditing)}/s", ratio, f"{peak / 1024:.0f}"])
    return table(["game", "the audit says", "verdicts audited", "time, audit / run", "peak MB of a process"], rows)


def certificates() -> str:
    """A row per deck game: bytes of the certificates of so many lost deals."""
    rows = []
    for game in map(find_game, DECKS):
        sizes: list[int] = []
        for part in _lost(game):
            sizes += part
            if len(sizes) >= LOST:
                break
        sizes = sorted(sizes[:LOST])
        mean = sum(sizes) / len(sizes)
        shortest = sizes.count(sizes[0]) / len(sizes)
        ranked = (sizes[LOST // 2], sizes[LOST * 99 // 100], sizes[-1])
        rows.append([game.name, f"{LOST:,}", f"{mean:.2f}", *map(str, ranked), f"{shortest:.1%} take {sizes[0]}"])
    return table(["game", "unwinnable deals", "mean", "median", "p99", "max", "the shortest"], rows)


def _lost(game: Game) -> Iterator[list[int]]:
    name = game.full_name(game.engines[0])
    for block in count():
        solved = solve(name, deal(game, SEED, block * MANY + 1, MANY))
        pairs = zip(solved.verdicts, solved.evidence, strict=True)
        yield [len(text or "") for verdict, text in pairs if verdict is Verdict.UNWINNABLE]
