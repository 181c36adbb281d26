"""Benchmark of imports: verdicts from files of each format, compared with an ingest of the same layouts."""

import gc
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

from bench.measure import ROUNDS, dealt, rounded, table
from dealmill import open
from dealmill.pipeline.games import find_game
from dealmill.pipeline.solving.loading import load
from tests.doing import do_runs

GAMES = ("card-pairing", "memory")
FORMS = ("jsonl", "csv", "parquet")


def imports(count: int = 100_000) -> str:
    """Return a table with a row per game and format: µs of CPU time per layout, and ratios."""
    gc.set_threshold(200_000)  # as all commands do
    rows = []
    for name in GAMES:
        game = find_game(name)
        load(game.full_name(game.engines[0]))
        with tempfile.TemporaryDirectory() as folder:
            file = dealt(game, count, Path(folder))
            for form in FORMS:
                both = [_both(file, form, count) for _ in range(ROUNDS)]
                ingested, solved, imported = (median(times) for times in zip(*both, strict=True))
                of_ingest = median(last / first for first, _, last in both)
                of_both = median(last / (first + second) for first, second, last in both)
                times = map(rounded, (ingested, solved, imported))
                rows.append([f"{name}, {form}", *times, f"{of_ingest:.2f} ×", f"{of_both:.2f} ×"])
    heads = ["ingest, µs", "solving and writing the run, µs", "import, µs", "import / ingest", "import / both"]
    return table([f"{count:,} layouts, CPU time per layout", *heads], rows)


def _both(file: Path, form: str, count: int) -> tuple[float, float, float]:
    """Return the µs of CPU time per layout of an ingest, of its run, and of an import of the export of that run."""
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder) / f"verdicts.{form}"
        with open(f"sqlite:///{folder}/one.db") as store:
            start = process_time()
            store.ingest(file)
            ingested = process_time()
            run = store.queue(1)
            do_runs(store._database)
            solved = process_time()
            run.export(exported)
        with open(f"sqlite:///{folder}/other.db") as store:
            begun = process_time()
            store.import_verdicts(exported, engine=run.engine, version=run.version)
            times = ingested - start, solved - ingested, process_time() - begun
    ingest, run_, import_ = (time / count * 1e6 for time in times)
    return ingest, run_, import_
