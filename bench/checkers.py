"""Benchmark of checkers, which prove exports with nothing but Python."""

import subprocess
import sys
import tempfile
from statistics import median

from bench.measure import ROUNDS, SEED, rounded, seconds, table, watched_command
from dealmill.pipeline.games import games

ROWS = 10_000
FEW = {
    "card-pairing/odds": 500,
    "hi-q/fewest": 500,
    "tantrix-loop/winnable": 1_000,
    "tantrix/legal-moves": 2_000,
}


def rates() -> str:
    """Return a table with a row per engine: the rows that its checker proves per second, in both formats."""
    table_rows = []
    for game in games().values():
        for engine in map(game.full_name, game.engines):
            rows = FEW.get(engine, ROWS)
            with tempfile.TemporaryDirectory() as folder:
                watched_command(folder, "run", f"deal:{game.name}:seed={SEED}:1-{rows}", "--engine", engine)
                speeds = [rounded(rows / _seconds(folder, suffix)) for suffix in (".jsonl", ".csv")]
            table_rows.append([f"`{engine}`", f"{rows:,}", *speeds])
    return table(["engine", "rows", "JSON Lines, rows/s", "CSV, rows/s"], table_rows)


def _seconds(folder: str, suffix: str) -> float:
    """Return the seconds that the checker of an export takes, from start to end."""
    export = f"all{suffix}"
    watched_command(folder, "export", "1", export, "--with-checker")
    command = [sys.executable, "-I", "-S", f"{export}.check.py", export]
    return median(
        seconds(lambda: subprocess.run(command, cwd=folder, capture_output=True, check=True)) for _ in range(ROUNDS)
    )
