"""Benchmarks of the referee against engines, and of audits against a script and against solving."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from shutil import copytree
from statistics import median
from time import process_time

from bench.bare import into_sqlite
from bench.engines import FEWER
from bench.measure import ROUNDS, dealt, in_turn, rounded, spent_by, table, watched_command
from dealmill.pipeline.evidence.referee import Outcome, judge, referee
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from tests.doing import deal
from tests.servers import dealmill_command

SEED = 20261122
MANY = 50_000
FEW = {"tantrix/legal-moves": 500, "card-pairing/odds": 500, "hi-q/fewest": 500}
JUDGED = 5_000
PATIENCES = {"klondike": 300, "golf": 50}
"""How many deals of patiences are audited. A position of Golf is found fastest, compared with counting it."""
PART, PARTS, ENOUGH_SECONDS = 20, 100, 5
"""How many deals of each patience are solved and then judged at a time, how often, and the seconds of solving that are
enough."""
GOALS = {"card-pairing": 3, "camelot": 2, "hi-q": 4, "memory": 4, "tantrix": 12}
"""The goals for the time of an audit as a multiple of the script's."""


def against_solving() -> str:
    """Return a table with a row per engine of games without rules files: the time to judge a verdict as a multiple of
    the time to solve the layout."""
    rows = []
    for game in games().values():
        for engine in () if game.rules_text else game.engines:
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


def of_games_by_rules() -> str:
    """Return a table with a row for each patience and covering game, with the default limit: the processor time of
    solving its first deals, and of judging the verdicts as an audit does."""
    rows, slower = [], list[str]()
    for name, game in games().items():
        if game.rules_text:
            parts = list(_seconds_of_parts(game))
            solving, judging = (sum(times) / len(times) for times in zip(*parts, strict=True))
            rows.append(
                [f"`{name}`", f"{len(parts) * PART:,}", *(rounded(1_000 * each / PART) for each in (solving, judging))]
            )
            rows[-1].append(f"{judging / solving:.2f} ×")
            if judging > solving:
                slower.append(f"`{name}`")
    summary = f"Auditing takes longer than solving in {', '.join(slower) or 'no game'}."
    return f"{summary}\n\n{table(['game', 'deals', 'solving, ms', 'auditing, ms', 'auditing / solving'], rows)}"


def _seconds_of_parts(game: Game) -> Iterator[tuple[float, float]]:
    """Yield the seconds of solving and of judging each part of the deals of a game. Each claim was judged before by
    another referee, which compiled what there is to compile."""
    engine = game.full_name(game.engines[0])
    load(engine)
    compiling, judge_claim, total = referee(engine), referee(engine), 0.0
    solve(engine, deal(game, 1, 1, PART), game.engines[0].max_nodes)
    for first in range(1, PARTS * PART, PART):
        layouts = deal(game, 1, first, PART)
        begun = process_time()
        solved = solve(engine, layouts, game.engines[0].max_nodes)
        solving = process_time() - begun
        claims = list(zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True))
        for claim in claims:
            if compiling(*claim).outcome is Outcome.INVALID:
                raise RuntimeError(claim)
        begun = process_time()
        for claim in claims:
            judge_claim(*claim)
        yield solving, process_time() - begun
        total += solving
        if total > ENOUGH_SECONDS:
            return


def of_patiences() -> Iterator[tuple[str, str, float, float]]:
    """Yield rows of `bench.waits` for audits of patiences, against the runs that solve the deals: all engines and
    referees are compiled before."""
    for name, count in PATIENCES.items():
        ratios = []
        for _ in range(1 + ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                run = spent_by(dealmill_command(["run", f"deal:{name}:seed=0:1-{count}"]), Path(folder))
                audit = spent_by(dealmill_command(["audit", "1"]), Path(folder))
            if " 0 faults" not in audit.said:
                raise RuntimeError(audit.said)
            ratios.append(audit.cpu / run.cpu)
        yield f"`audit` of {count} deals of {find_game(name).title}", "`run` of them", median(ratios[1:]), 1.0


def _audit(store: Path) -> None:
    _, told, _ = watched_command(str(store), "audit", "1")
    if " 0 faults" not in told:
        raise RuntimeError(told)


def _script(game: Game, file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        into_sqlite(game, file, Path(folder) / "script.db")
