"""Benchmark of checkers, which prove exports with nothing but Python."""

import subprocess
import sys
import tempfile
from itertools import starmap
from statistics import median

from bench.measure import ROUNDS, SEED, rounded, seconds, table, watched_command
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine

ROWS = 10_000
FEW = {
    "card-pairing/odds": 500,
    "hi-q/fewest": 500,
    "tantrix-loop/winnable": 1_000,
    "tantrix/legal-moves": 2_000,
}
BY_RULES = {"alpha-star": 1_000, "scorpion": 300, "tripeaks-no-wrap": 300}
"""The rows of games by rules files: one for each kind of proof that plain Python checks in a moment, by lists of cards,
cards that wait and sweeps."""


def rates() -> str:
    """Return a table with a row for each engine of games without rules files, and for some games with one: the rows
    that its checker proves per second, in both formats."""
    engines = [(game, engine) for game in games().values() if not game.rules_text for engine in game.engines]
    engines += [(find_game(name), find_game(name).engines[0]) for name in BY_RULES]
    return table(["engine", "rows", "JSON Lines, rows/s", "CSV, rows/s"], list(starmap(_rates, engines)))


def _rates(game: Game, engine: Engine) -> list[str]:
    """Return the row of an engine."""
    name = game.full_name(engine)
    rows = BY_RULES.get(game.name) or FEW.get(name, ROWS)
    with tempfile.TemporaryDirectory() as folder:
        watched_command(folder, "run", f"deal:{game.name}:seed={SEED}:1-{rows}", "--engine", name)
        speeds = [rounded(rows / _seconds(folder, suffix)) for suffix in (".jsonl", ".csv")]
    return [f"`{name}`", f"{rows:,}", *speeds]


def _seconds(folder: str, suffix: str) -> float:
    """Return the seconds that the checker of an export takes, from start to end."""
    export = f"all{suffix}"
    watched_command(folder, "export", "1", export, "--with-checker")
    command = [sys.executable, "-I", "-S", f"{export}.check.py", export]
    return median(
        seconds(lambda: subprocess.run(command, cwd=folder, capture_output=True, check=True)) for _ in range(ROUNDS)
    )
