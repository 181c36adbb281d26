"""Benchmarks of the referee against engines, and of audits against a script and against solving."""

import tempfile
from functools import partial
from pathlib import Path
from shutil import copytree
from time import process_time

from bench.bare import into_sqlite
from bench.engines import FEWER
from bench.measure import ROUNDS, dealt, in_turn, rounded, table, watched_command
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.batch import Batch
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.referee import Outcome, judge
from dealmill.pipeline.solve import load, solve
from tests.doing import deal

SEED = 20261122
MANY = 50_000
FEW = {"tantrix/legal-moves": 500, "card-pairing/odds": 500, "hi-q/fewest": 500}
JUDGED = 5_000
COMPILING = 40
"""Deals among which there are losses that the compiled referee counts."""
GOALS = {"card-pairing": 3, "camelot": 2, "hi-q": 4, "memory": 4, "tantrix": 12}
"""The goals for the time of an audit as a multiple of the script's."""


def against_solving() -> str:
    """Return a table with a row per engine: the time to judge a verdict as a multiple of the time to solve the
    layout."""
    rows = []
    for game in games().values():
        for engine in game.engines:
            name = game.full_name(engine)
            load(name)
            many = FEWER.get(name, MANY)
            layouts = deal(game, SEED, 1, many)
            judged = FEW.get(name, JUDGED)
            solved = solve(name, layouts[:judged])
            said = list(zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=False))[:judged]
            checking, solving, ratio = in_turn(
                lambda: [judge(name, *claim) for claim in said],  # noqa: B023
                partial(solve, name, layouts),
            )
            each = f"{rounded(judged / checking)} ({judged:,} verdicts)"
            rows.append([f"`{name}`", rounded(many / solving), each, f"{rounded(ratio * many / judged)} ×"])
    return table(["engine", "solved/s", "judged/s", "time, judging / solving"], rows)


def against_a_script(layouts: int = 100_000) -> str:
    """Return a table with a row per game: `dealmill audit` of a run over a file, against a script that solves the
    file."""
    rows, rates = [], list[float]()
    for name, goal in GOALS.items():
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
        rates.append(layouts / auditing)
        shown = rounded(layouts / auditing), rounded(layouts / script)
        rows.append([name, f"{layouts:,}", *shown, f"{ratio:.2f} ×", f"{goal} ×"])
    summary = (
        f"An audit of all evidence checks {rounded(min(rates))} to {rounded(max(rates))} verdicts per second on two "
        "cores, depending on the game."
    )
    heads = ["game", "layouts", "audit, verdicts/s", "script, layouts/s", "time, audit / script", "at most"]
    return f"{summary}\n\n{table(heads, rows)}"


def against_solving_a_patience(name: str = "klondike", deals: int = 300) -> float:
    """Return the processor time of judging deals of a patience as a multiple of that of solving them, with its default
    limit of nodes."""
    game = find_game(name)
    engine = game.engines[0]
    solver = partial(solve, game.full_name(engine), max_nodes=engine.max_nodes)
    judge_claims = partial(_judge_all, game.full_name(engine))
    layouts = deal(game, 0, 1, deals)
    judge_claims(layouts[:COMPILING], solver(layouts[:COMPILING]))  # loads and compiles
    begun = process_time()
    solved = solver(layouts)
    between = process_time()
    judge_claims(layouts, solved)
    return (process_time() - between) / (between - begun)


def _judge_all(engine: str, layouts: list[str], solved: Batch) -> None:
    for claim in zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True):
        if (judgement := judge(engine, *claim)).outcome is Outcome.INVALID:
            raise RuntimeError(f"{claim}: {judgement}")


def _audit(store: Path) -> None:
    _, told, _ = watched_command(str(store), "audit", "1")
    if " 0 faults" not in told:
        raise RuntimeError(told)


def _script(game: Game, file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        into_sqlite(game, file, Path(folder) / "script.db")
