"""Benchmark of the waits that people meet first. All rows are ratios of processor time, of all processes of a command
together."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from bench.audits import of_patiences
from bench.growth import age, ranges
from bench.measure import spent_by, table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.solving.loading import load
from tests.servers import dealmill_command

ROOT = Path(__file__).parents[1]
GAME, ENGINE = "camelot", "camelot/winnable"
UNIT = "`import numba`"
ROUNDS = 7
MORE_RANGES = 200
RUNS, MORE_RUNS = 300, 3_000
COMMANDS = {
    "`status`": (("status",), 1.5),
    "`query --order nodes --desc --limit 10`": (("query", "--order", "nodes", "--desc", "--limit", "10"), 1.1),
}
"""Commands over all runs of a store, with the goals."""

Row = tuple[str, str, float, float]
"""What is measured, against what, the ratio, and the goal."""


def waits() -> str:
    """Return a table with the rows of all `MEASURES`."""
    rows = [
        [what, against, _ratio(ratio), f"≤ {_ratio(goal)}", "yes" if ratio <= goal else "**no**"]
        for measure in MEASURES
        for what, against, ratio, goal in measure()
    ]
    return table(["CPU time", "against", "ratio", "goal", "met"], rows)


def _ratio(number: float) -> str:
    return f"{number:,.0f} ×" if number >= 100 else f"{number:.3g} ×"


def _cpu(words: Sequence[str], folder: Path) -> float:
    return spent_by(dealmill_command(words), folder).cpu


def small_runs() -> Iterator[Row]:
    """Yield rows for a run of one layout, and for each further range of one deal."""
    load(ENGINE)  # compiles it
    with find_game(GAME).examples.joinpath(f"{GAME}-deals.txt").open() as deals:
        layout = next(deals)
    ones, furthers = list[float](), list[float]()
    for _ in range(1 + ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            folder, more = Path(name), Path(name) / "more"
            more.mkdir()
            (folder / f"{GAME}.txt").write_text(layout)
            unit = spent_by([sys.executable, "-c", "import numba"], folder).cpu
            ones.append(_cpu(["run", f"{GAME}.txt"], folder) / unit)
            one_range = _cpu(["run", *ranges(GAME, 1)], more)
            (more / "dealmill.db").unlink()
            all_ranges = _cpu(["run", *ranges(GAME, 1 + MORE_RANGES)], more)
            furthers.append((all_ranges - one_range) / MORE_RANGES / unit)
    yield "`run` of one layout, compiled, two workers", UNIT, median(ones[1:]), 3.0
    yield "each further range of one deal of a `run`", UNIT, median(furthers[1:]), 4 / 700


def many_runs() -> Iterator[Row]:
    """Yield rows for commands over all runs of a store: with `MORE_RUNS` against `RUNS`."""
    with tempfile.TemporaryDirectory() as name:
        folders = {count: Path(name) / f"{count}" for count in (RUNS, MORE_RUNS)}
        for count, folder in folders.items():
            folder.mkdir()
            _cpu(["run", *ranges(GAME, count)], folder)
            age(folder)
        for what, (words, goal) in COMMANDS.items():
            ratios = [_cpu(words, folders[MORE_RUNS]) / _cpu(words, folders[RUNS]) for _ in range(ROUNDS)]
            yield f"{what} with {MORE_RUNS:,} runs", f"{RUNS:,} runs", median(ratios), goal


def tests() -> Iterator[Row]:
    """Yield rows for `make test` in a fresh clone, with nothing installed and compiled, and again in the same one."""
    with tempfile.TemporaryDirectory() as name:
        folder, caches = Path(name), {"XDG_CACHE_HOME": f"{name}/cache"}
        subprocess.run(["git", "clone", "--quiet", str(ROOT), "clone"], cwd=folder, check=True)
        for when, goal in (("in a fresh clone", 700.0), ("again", 450.0)):
            unit = spent_by([sys.executable, "-c", "import numba"], folder).cpu
            cpu = spent_by(["make", "test", f"PYTHON={sys.executable}"], folder / "clone", caches).cpu
            yield f"`make test` {when}", UNIT, cpu / unit, goal


MEASURES: Sequence[Callable[[], Iterator[Row]]] = (tests, small_runs, many_runs, of_patiences)
