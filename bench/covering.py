"""Benchmark of games that are decided completely: TriPeaks, Pyramid and other covering games, Golf, Black Hole."""

import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.measure import rounded, spent_by, table
from bench.patiences import Figures, measured
from dealmill.pipeline.games import find_game
from dealmill.verdicts import Verdict

GAMES = (
    *("tripeaks", "tripeaks-no-wrap", "escalator", "pyramid", "pyramid-pysol", "pyramid-one-pass", "giza"),
    *("golf", "black-hole"),
)
DEALS = 500
PAIRS, POSITIONS = 3, 200
"""A loss of at most so many pairs of ranks and positions is short: a person can follow it."""
ROUNDS = 5
COLUMNS = [
    *("game", "won", "lost", "undecided", "deals/s", "deals in the time of `import numba`"),
    *(f"losses by at most {PAIRS} pairs and {POSITIONS} positions", "positions of a loss: median, largest"),
    *("plain referee of a loss, ms: median, p99", "median / solving a deal"),
]


def decided(count: int = DEALS, names: Sequence[str] = GAMES) -> str:
    """Return a table of the first deals of games: what is decided, in how much processor time, with which evidence."""
    with tempfile.TemporaryDirectory() as folder:
        numba = [spent_by([sys.executable, "-c", "import numba"], Path(folder)).cpu for _ in range(1 + ROUNDS)]
    unit = median(numba[1:])
    return table(COLUMNS, [row(name, measured(find_game(name), 1, count, None), unit) for name in names])


def row(name: str, figures: Figures, unit: float) -> list[str]:
    """Return the row of a game; `unit` are the seconds of `import numba`."""
    verdicts = figures.verdicts
    counts = [f"{verdicts[verdict]:,}" for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.UNDECIDED)]
    seconds, times = figures.seconds / verdicts.total(), sorted(figures.judging)
    positions = sorted(int(text.split()[-1]) for text in figures.losses)
    short = [text for text in figures.losses if _is_short(text)]
    by_pairs = [text for text in figures.losses if "*" in text and not text.partition("*")[2].startswith(" ")]
    return [
        *(f"`{name}`", *counts, rounded(1 / seconds), rounded(unit / seconds)),
        f"{len(short) / len(figures.losses):.1%}" if by_pairs else "–",
        f"{median(positions):,.0f}, {positions[-1]:,}",
        f"{rounded(median(times))}, {rounded(times[len(times) * 99 // 100])}",
        f"{rounded(median(times) / seconds / 1e3)} ×",
    ]


def _is_short(evidence: str) -> bool:
    """Return whether a loss needs few pairs, not the order of the stock, and few positions."""
    words = re.fullmatch(r"\*([A-Z0-9]+) (\d+)", evidence)
    return bool(words and len(words[1]) <= PAIRS and int(words[2]) <= POSITIONS)
