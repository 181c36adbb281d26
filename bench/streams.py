"""Benchmark of the memory of `dealmill answer` on streams of different lengths."""

import tempfile
from pathlib import Path

from bench.measure import GAMES, dealt, rounded, seconds, table
from dealmill.pipeline.games import find_game
from tests.servers import peak_memory

STREAMED = (10_000, 200_000)


def stream() -> str:
    """Return a table with a row per game: rate and peak memory of `dealmill answer` on a long stream, and the ratio of
    its peak memory to that of a short stream."""
    rows = []
    for game in map(find_game, GAMES):
        peaks, rates = [], []
        for count in STREAMED:
            with tempfile.TemporaryDirectory() as folder:
                deals, answers = dealt(game, count, Path(folder)), Path(folder) / "answers"
                elapsed = seconds(lambda: peaks.append(peak_memory(["answer", game.name], deals, answers)))  # noqa: B023
                rates.append(count / elapsed)
        rows.append([game.name, rounded(rates[-1]), rounded(peaks[-1] / 1024), f"{peaks[-1] / peaks[0]:.2f}"])
    columns = ["game", "layouts/s", "peak MB", f"peak of {STREAMED[1]:,} / of {STREAMED[0]:,}"]
    return table(columns, rows)
