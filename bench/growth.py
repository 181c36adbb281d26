"""Benchmark of ten million layouts against one million: time, memory, disk space, and queries."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.measure import dealt, rounded, seconds, table, watched_command
from bench.room import bytes_by_part
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import load
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.results import Query
from dealmill.pipeline.store.revisions import open_store
from dealmill.pipeline.store.runs import find_run, list_runs

GAME = "card-pairing"
FEW, MANY = 1_000_000, 10_000_000
PAGE = 100
TIMES = 9


class Size(NamedTuple):
    """The cost of a number of layouts: seconds and peak memory (kB) of a run and of an export, and disk space by part
    in bytes per layout."""

    run: float
    run_peak: int
    export: float
    export_peak: int
    parts: dict[str, float]


def ten_times() -> str:
    """Return a table of times, memory and disk space of both sizes, and a table of queries on the larger store."""
    game = find_game(GAME)
    load(game.full_name(game.engines[0]))
    with tempfile.TemporaryDirectory() as folder:
        few = _size(folder, FEW)
    with tempfile.TemporaryDirectory() as folder:
        many = _size(folder, MANY)
        asked = _asked(Path(folder) / "dealmill.db")
    return "\n\n".join((_grown(few, many), asked))


def _size(folder: str, count: int) -> Size:
    file = dealt(find_game(GAME), count, Path(folder))
    run, _, run_peak = watched_command(folder, "run", str(file))
    export, _, export_peak = watched_command(folder, "export", "1", "verdicts.parquet")
    parts = bytes_by_part(Path(folder) / "dealmill.db", count)
    return Size(run, run_peak, export, export_peak, parts)


def _grown(few: Size, many: Size) -> str:
    rows = [
        _row("`dealmill run`, µs per layout", few.run / FEW * 1e6, many.run / MANY * 1e6),
        _row("its largest process, MB", few.run_peak / 1024, many.run_peak / 1024),
        _row("`dealmill export` to Parquet, µs per verdict", few.export / FEW * 1e6, many.export / MANY * 1e6),
        _row("its largest process, MB", few.export_peak / 1024, many.export_peak / 1024),
        *(_row(f"{part}, bytes per layout", few.parts[part], many.parts[part]) for part in few.parts),
    ]
    return table(["", f"{FEW:,}", f"{MANY:,}", "ratio"], rows)


def _row(what: str, few: float, many: float) -> list[str]:
    return [what, f"{few:.1f}", f"{many:.1f}", f"{many / few:.2f} ×" if few else "–"]


def _asked(database: Path) -> str:
    store = open_store(f"sqlite:///{database}")
    run = find_run(store, "1")
    lost = Filter(verdict=(Verdict.UNWINNABLE,))

    def page(wanted: Filter, after: int) -> Callable[[], object]:
        return lambda: list(Query(store, [run], wanted, (run.id, after), PAGE))

    asked = {
        "counts by verdict": lambda: list_runs(store, [run.id]),
        f"the first {PAGE} unwinnable": page(lost, 0),
        f"{PAGE} unwinnable after the middle": page(lost, MANY // 2),
        f"{PAGE} unwinnable near the end": page(lost, MANY - 10 * PAGE),
        f"the first {PAGE} of all": page(Filter(), 0),
        f"{PAGE} of all near the end": page(Filter(), MANY - 10 * PAGE),
    }
    rows = []
    for what, ask in asked.items():
        first = seconds(ask)
        rows.append([what, rounded(first * 1e3), rounded(median(seconds(ask) for _ in range(TIMES)) * 1e3)])
    return table([f"query on {MANY:,} verdicts", "first time, ms", f"median of {TIMES}, ms"], rows)
