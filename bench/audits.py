"""Benchmarks of the referee against engines, of audits against a script and of a million verdicts; and the sizes of
certificates."""

import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from shutil import copytree

from bench.bare import into_sqlite
from bench.measure import ROUNDS, dealt, in_turn, rounded, table, watched_command
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
AUDITED = {
    "card-pairing": (MILLION, 3),
    "camelot": (MILLION, 2),
    "hi-q": (MILLION, 4),
    "memory": (MILLION, 4),
    "tantrix": (200_000, 12),
}
"""The number of layouts of each game, and the goal for the time of an audit as a multiple of the script's."""


def against_solving() -> str:
    """Return a table with a row per engine: the time to judge a verdict as a multiple of the time to solve the
    layout."""
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
    """Return a table with a row per card game: a million random deals, solved and audited with two workers."""
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


def against_a_script() -> str:
    """Return a table with a row per game: `dealmill audit` of a run over a file, against a script that solves the
    file."""
    rows = []
    for name, (layouts, goal) in AUDITED.items():
        game = find_game(name)
        load(game.full_name(game.engines[0]))
        with tempfile.TemporaryDirectory() as folder:
            file, store = dealt(game, layouts, Path(folder)), Path(folder) / "store"
            store.mkdir()
            watched_command(str(store), "run", str(file))
            # An audit also checks earlier audits, so each one starts with a copy of the store after the run.
            copies = [copytree(store, Path(folder) / str(number)) for number in range(ROUNDS)]
            auditing, script, ratio = in_turn(
                lambda: _audit(copies.pop()),  # noqa: B023
                lambda: _script(game, file),  # noqa: B023
            )
        rates = (rounded(layouts / auditing), rounded(layouts / script))
        rows.append([name, f"{layouts:,}", *rates, f"{ratio:.2f} ×", f"{goal} ×"])
    return table(["game", "layouts", "audit, verdicts/s", "script, layouts/s", "time, audit / script", "at most"], rows)


def _audit(store: Path) -> None:
    _, told, _ = watched_command(str(store), "audit", "1")
    if " 0 faults" not in told:
        raise RuntimeError(told)


def _script(game: Game, file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        into_sqlite(game, file, Path(folder) / "script.db")


def certificates() -> str:
    """Return a table with a row per card game: sizes of the certificates of `LOST` unwinnable deals, in bytes."""
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
