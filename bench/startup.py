"""Benchmark of the startup time of commands."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import dealmill
from bench.measure import NO_SETTINGS, rounded, spent_by, table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from tests.servers import dealmill_command

GAME = "card-pairing"
TIMES = 9
TOLD = "compiling"
NOTHING = "pass"
COMPILER = "import numba"


def start_up() -> str:
    """Return a table with a row per command: with compiled engines and cached bytecode, and once without compiled
    engines."""
    game = find_game(GAME)
    with tempfile.TemporaryDirectory() as folder:
        layout = _layout(game, Path(folder))
        run = ["run", str(layout)]
        warm = [
            _warm("`dealmill --help`", ["--help"], NOTHING, "CPU ≤ 5 ×"),
            _warm("`dealmill answer` on one layout", ["answer", GAME, str(layout)], COMPILER, "CPU ≤ 2 ×"),
            _warm("`dealmill status`", ["status"], NOTHING, "–", {"DEALMILL_DATABASE_URL": _store(Path(folder))}),
            _warm("`dealmill run` on one layout, two workers", run, COMPILER, "2 s, alone on the machine"),
        ]
        cold = spent_by(dealmill_command(run), Path(folder), {"XDG_CACHE_HOME": folder})
    told = f"without compiled engines: {cold.said.count(TOLD)} × “{TOLD} …”"
    rows = [*warm, [f"the same, {told}", f"{cold.elapsed:.2f}", f"{cold.cpu:.2f}", "–", "–", "12 s"]]
    _, answering, asking, running = (row[1] for row in warm)
    summary = (
        f"From start to end, `dealmill run` of one layout takes {running} s, `dealmill answer` {answering} s, and "
        f"`dealmill status` {asking} s."
    )
    return f"{summary}\n\n" + table(
        ["command", "median, s", "CPU, s", "against `python -c`", "CPU / CPU", "goal"], rows
    )


def _layout(game: Game, folder: Path) -> Path:
    file = folder / f"{game.name}.txt"
    with (game.examples / f"{game.name}-deals.txt").open() as deals:
        file.write_text(next(deals))
    return file


def _store(folder: Path) -> str:
    """Create a store with a run and return its URL."""
    url = f"sqlite:///{folder}/night.db"
    with dealmill.open(url) as store:
        store.run("deal:memory:seed=1:1-9")
    return url


def _warm(
    what: str, words: Sequence[str], script: str, goal: str, settings: Mapping[str, str] = NO_SETTINGS
) -> list[str]:
    """Measure both sides alternately, in a new folder each time, without counting the first round. Return a row."""
    pairs = []
    for _ in range(1 + TIMES):
        with tempfile.TemporaryDirectory() as folder:
            ours = spent_by(dealmill_command(words), Path(folder), settings)
            pairs.append((ours, spent_by([sys.executable, "-c", script], Path(folder))))
    counted = pairs[1:]
    elapsed, cpu = (median(column) for column in zip(*((ours.elapsed, ours.cpu) for ours, _ in counted), strict=True))
    ratio = median(ours.cpu / theirs.cpu for ours, theirs in counted)
    return [what, f"{elapsed:.2f}", f"{cpu:.2f}", f"`{script}`", f"{rounded(ratio)} ×", goal]
