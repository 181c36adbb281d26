"""What a stream takes in memory, however long it is."""

import tempfile
from pathlib import Path

from bench.measure import GAMES, dealt, rounded, seconds, table
from dealmill.pipeline.games import find_game
from tests.servers import peak_memory

STREAMED = (10_000, 1_000_000)


def stream() -> str:
    """`dealmill answer` through a pipe: memory of a long stream against that of a short one."""
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
