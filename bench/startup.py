"""How long it takes until a command does anything."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from bench.measure import rounded, seconds, table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.solve import load
from tests.servers import clean_environment, dealmill_command

GAME = "card-pairing"
TIMES = 9
TOLD = "compiling"
NOTHING = [sys.executable, "-c", "pass"]


def start_up() -> str:
    """A row per command: with compiled engines, and once with none."""
    game = find_game(GAME)
    load(game.full_name(game.engines[0]))
    with tempfile.TemporaryDirectory() as folder:
        layout = Path(folder) / f"{GAME}.txt"
        with (game.examples / f"{GAME}-deals.txt").open() as deals:
            layout.write_text(next(deals))
        commands = {
            "`dealmill --help`": (["--help"], 0.25),
            "`dealmill answer` on one layout": (["answer", GAME, str(layout)], 1.0),
        }
        rows = [_warm(what, dealmill_command(words), goal) for what, (words, goal) in commands.items()]
        rows.append(_cold("`dealmill run` on one layout, nothing compiled yet, two workers", folder, layout))
    return table(["command", "median, s", "best, s", "best / best of `python -c pass`", "goal, s", "told"], rows)


def _warm(what: str, command: Sequence[str], goal: float) -> list[str]:
    pairs = [(seconds(_started(command)), seconds(_started(NOTHING))) for _ in range(TIMES)]
    ours, theirs = zip(*pairs, strict=True)
    return [what, f"{median(ours):.2f}", f"{min(ours):.2f}", f"{rounded(min(ours) / min(theirs))} ×", f"{goal:g}", "–"]


def _started(command: Sequence[str]) -> Callable[[], object]:
    return lambda: subprocess.run(command, env=clean_environment(), check=True, capture_output=True)


def _cold(what: str, folder: str, layout: Path) -> list[str]:
    said: list[str] = []
    env = clean_environment({"DEALMILL_WORKERS": "2", "XDG_CACHE_HOME": folder})
    command = dealmill_command(["run", str(layout)])
    elapsed = seconds(
        lambda: said.append(
            subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True).stderr
        )
    )
    return [what, f"{elapsed:.2f}", f"{elapsed:.2f}", "–", "–", f"{said[0].count(TOLD)} × “{TOLD} …”"]
