"""Benchmarks of growth: ten times as many layouts, in time, memory, disk space, and queries; and stores with more and
more runs."""

import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from math import log
from pathlib import Path
from statistics import linear_regression, median
from time import process_time
from typing import NamedTuple

import dealmill
from bench.measure import dealt, rounded, seconds, spent_by, table, watched_command
from bench.pages import alone, serving
from bench.room import bytes_by_part
from dealmill.cli.status import status_rows
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.queries.results import Query
from dealmill.pipeline.store.runs.finding import find_run, list_runs
from tests.servers import dealmill_command

GAME = "card-pairing"
PAGE = 100
TIMES = 9


class Size(NamedTuple):
    """The cost of a number of layouts: seconds and peak memory (kB) of a run and of an export, and disk space by part
    in bytes per layout."""

    layouts: int
    run: float
    run_peak: int
    export: float
    export_peak: int
    parts: dict[str, float]


def ten_times(layouts: int = 100_000) -> str:
    """Return a table of times, memory and disk space of both sizes, and a table of queries on the larger store."""
    game = find_game(GAME)
    load(game.full_name(game.engines[0]))
    with tempfile.TemporaryDirectory() as folder:
        few = _size(folder, layouts)
    with tempfile.TemporaryDirectory() as folder:
        many = _size(folder, 10 * layouts)
        asked = _asked(Path(folder) / "dealmill.db", 10 * layouts)
    return "\n\n".join((_grown(few, many), asked))


def _size(folder: str, count: int) -> Size:
    file = dealt(find_game(GAME), count, Path(folder))
    run, _, run_peak = watched_command(folder, "run", str(file))
    export, _, export_peak = watched_command(folder, "export", "1", "verdicts.parquet")
    parts = bytes_by_part(Path(folder) / "dealmill.db", count)
    return Size(count, run, run_peak, export, export_peak, parts)


def _grown(few: Size, many: Size) -> str:
    rows = [
        _row("`dealmill run`, µs per layout", few.run / few.layouts * 1e6, many.run / many.layouts * 1e6),
        _row("its largest process, MB", few.run_peak / 1024, many.run_peak / 1024),
        _row(
            "`dealmill export` to Parquet, µs per verdict",
            few.export / few.layouts * 1e6,
            many.export / many.layouts * 1e6,
        ),
        _row("its largest process, MB", few.export_peak / 1024, many.export_peak / 1024),
        *(_row(f"{part}, bytes per layout", few.parts[part], many.parts[part]) for part in few.parts),
    ]
    return table(["", f"{few.layouts:,}", f"{many.layouts:,}", "ratio"], rows)


def _row(what: str, few: float, many: float) -> list[str]:
    return [what, f"{few:.1f}", f"{many:.1f}", f"{many / few:.2f} ×" if few else "–"]


def _asked(database: Path, count: int) -> str:
    store = open_store(f"sqlite:///{database}")
    run = find_run(store, "1")
    lost = Filter(verdict=(Verdict.UNWINNABLE,))

    def page(filter_: Filter, after: int) -> Callable[[], object]:
        return lambda: list(Query(store, [run], filter_, (run.id, after), PAGE))

    asked = {
        "counts by verdict": lambda: list_runs(store, [run.id]),
        f"the first {PAGE} unwinnable": page(lost, 0),
        f"{PAGE} unwinnable after the middle": page(lost, count // 2),
        f"{PAGE} unwinnable near the end": page(lost, count - 10 * PAGE),
        f"the first {PAGE} of all": page(Filter(), 0),
        f"{PAGE} of all near the end": page(Filter(), count - 10 * PAGE),
    }
    rows = []
    for what, ask in asked.items():
        first = seconds(ask)
        rows.append([what, rounded(first * 1e3), rounded(median(seconds(ask) for _ in range(TIMES)) * 1e3)])
    return table([f"query on {count:,} verdicts", "first time, ms", f"median of {TIMES}, ms"], rows)


SOLVED, ENGINE = "memory", "memory/two-pass"
ROUNDS = 3
REQUESTS = 50
CONSTANT = {
    "`status RUN`": ("status", "last"),
    "`query RUN`": ("query", "last"),
    "`query`": ("query",),
    "`query --order nodes`": ("query", "--order", "nodes"),
    "`audit RUN`": ("audit", "last"),
}
"""Commands whose time should not depend on the number of runs."""
PAGES = {
    "runs": "/",
    "run": "/runs/{run}",
    "layouts of a run": "/runs/{run}/layouts",
    "verdict": "/runs/{run}/layouts/1",
    "log": "/log",
}
LINEAR: dict[str, Callable[[dealmill.Store], object]] = {
    "`status` of all": lambda store: status_rows(store, store.status()),
    "`query` of all results": lambda store: sum(1 for _ in store.query()),
    "`log` of all": lambda store: store.log(),
}
"""Calls whose time grows with the number of runs."""


def more_runs(numbers: Sequence[int] = (100, 300, 1_000)) -> str:
    """Return a table of what should not grow with the number of runs, and a table of what has to. `numbers` are those
    of runs of one layout each in a store."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / f"{count}" for count in numbers]
        linear = _solved(folders, numbers)
        for folder in folders:
            age(folder)
        for what, call in LINEAR.items():
            linear[what] = [_cpu_of_call(folder, call) for folder in folders]
        constant = _commands(folders) | _pages(folders, numbers)
    heads = [f"{count:,} runs, ms" for count in numbers]
    rows = [
        [what, *(rounded(time * 1e3) for time in times), f"{times[-1] / times[0]:.2f} ×"]
        for what, times in constant.items()
    ]
    rows_of_each = [[what, *map(_each, numbers, times), _slope(numbers, times)] for what, times in linear.items()]
    return "\n\n".join(
        (table(["CPU time", *heads, "ratio"], rows), table(["CPU time for each run", *heads, "slope"], rows_of_each))
    )


def _each(count: int, time: float) -> str:
    return rounded(time / count * 1e3)


def _slope(numbers: Sequence[int], times: Sequence[float]) -> str:
    """Return the exponent of the growth: the slope of a line through the logarithms."""
    return f"{linear_regression(list(map(log, numbers)), list(map(log, times))).slope:.2f}"


def _solved(folders: Sequence[Path], numbers: Sequence[int]) -> dict[str, list[float]]:
    """Create a store in each folder by solving ranges of one deal. Return the CPU seconds of that, of the same command
    once more, and of solving files of one layout instead, each without those of a single range or file."""
    load(ENGINE)
    least = _spent_on_runs(folders[0].parent / "one", 1)
    costs = [_spent_on_runs(folder, count) for folder, count in zip(folders, numbers, strict=True)]
    whats = ("`run` of ranges", "`run` of the same ranges again", "`run` of files")
    return {what: [cost[index] - least[index] for cost in costs] for index, what in enumerate(whats)}


def _spent_on_runs(folder: Path, count: int) -> list[float]:
    folder.mkdir()
    deals, files = ranges(SOLVED, count), _files(folder / "files", count)
    return [
        _cpu_of_run(deals, folder, "dealmill.db"),
        _cpu_of_run(deals, folder, "dealmill.db"),
        _cpu_of_run(files, folder, "files.db"),
    ]


def age(folder: Path) -> None:
    """Let the runs of a store be from yesterday: the list of workers is about the jobs of the last hour."""
    with closing(sqlite3.connect(folder / "dealmill.db")) as connection, connection:
        connection.execute("UPDATE jobs SET started = started - 86400, finished = finished - 86400")


def ranges(game: str, count: int) -> list[str]:
    """Return `count` ranges of one deal each."""
    return [f"deal:{game}:seed=1:{number}-{number}" for number in range(1, count + 1)]


def _files(folder: Path, count: int) -> list[str]:
    """Write files of one layout each, and return their paths."""
    folder.mkdir()
    names = [str(folder / f"{SOLVED}-{number}.txt") for number in range(1, count + 1)]
    for name, layout in zip(names, dealmill.deals(SOLVED, count=count), strict=True):
        Path(name).write_text(f"{layout.text}\n")
    return names


def _cpu_of_run(sources: Sequence[str], folder: Path, database: str) -> float:
    settings = {"DEALMILL_DATABASE_URL": f"sqlite:///{database}"}
    return spent_by(dealmill_command(["run", *sources]), folder, settings).cpu


def _commands(folders: Sequence[Path]) -> dict[str, list[float]]:
    """Return the median CPU seconds of each command of `CONSTANT` on each store, which are measured in turn."""
    medians = {}
    for what, words in CONSTANT.items():
        rounds = [[spent_by(dealmill_command(words), folder).cpu for folder in folders] for _ in range(ROUNDS)]
        medians[what] = [median(times) for times in zip(*rounds, strict=True)]
    return medians


def _pages(folders: Sequence[Path], numbers: Sequence[int]) -> dict[str, list[float]]:
    """Return the mean CPU seconds of each of `PAGES` on each store."""
    means: dict[str, list[float]] = {f"page: {what}": [] for what in PAGES}
    for count, folder in zip(numbers, folders, strict=True):
        with serving(f"sqlite:///{folder}/dealmill.db") as (port, process):
            for times, path in zip(means.values(), PAGES.values(), strict=True):
                times.append(alone(port, path.format(run=count), [process], REQUESTS).cpu / 1e3)
    return means


def _cpu_of_call(folder: Path, call: Callable[[dealmill.Store], object]) -> float:
    """Return the median CPU seconds of a call in this process."""
    with dealmill.open(f"sqlite:///{folder}/dealmill.db") as store:
        return median(_cpu_seconds(lambda: call(store)) for _ in range(ROUNDS))


def _cpu_seconds(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start
