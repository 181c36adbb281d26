"""Benchmark of the index of layouts: what it costs an ingest, and how long a lookup takes."""

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from unittest.mock import patch

from bench.measure import dealt, rounded, seconds, table
from dealmill import deals, open
from dealmill.pipeline.games import find_game
from dealmill.pipeline.solve import load
from dealmill.pipeline.store.sources.layout_index import index_items

GAME = "card-pairing"
ROUNDS = 5
SEED, OTHER_SEED = 1, 2
TIMES = 200
HOOK = "dealmill.pipeline.store.sources.writing.index_items"


def lookups(ingested: int = 100_000, stored: int = 1_000_000) -> str:
    """Return a table of the cost of the index, and a table of the times of lookups."""
    return "\n\n".join((_cost(ingested), _times(stored)))


def _cost(count: int) -> str:
    game = find_game(GAME)
    load(game.full_name(game.engines[0]))
    with tempfile.TemporaryDirectory() as folder:
        file = dealt(game, count, Path(folder))
        _ingest(file, count, index_items)  # fills caches
        found = [(_ingest(file, count, _index_nothing), _ingest(file, count, index_items)) for _ in range(ROUNDS)]
    without, indexed = ([one[side] for one in found] for side in (0, 1))
    ratio = median(new[0] / old[0] for old, new in found)
    rows = [
        ["µs of CPU time", *(rounded(median(cpu for cpu, _ in side)) for side in (without, indexed)), f"{ratio:.3f} ×"],
        ["bytes", *(f"{size:.1f}" for (_, size), *_ in (without, indexed)), f"{indexed[0][1] / without[0][1]:.3f} ×"],
    ]
    return table([f"ingest of {count:,} layouts, per layout", "without the index", "with it", "ratio"], rows)


def _index_nothing(*_: object) -> None:
    """Take the place of `index_items`."""


def _ingest(file: Path, count: int, index: Callable[..., None]) -> tuple[float, float]:
    """Return the µs of CPU time and the bytes of the store, per layout."""
    with tempfile.TemporaryDirectory() as folder, patch(HOOK, index):
        begun = process_time()
        with open(f"sqlite:///{folder}/dealmill.db") as store:
            store.ingest(file)
        return (process_time() - begun) / count * 1e6, (Path(folder) / "dealmill.db").stat().st_size / count


def _times(count: int) -> str:
    numbers = random.Random(SEED).sample(range(1, count + 1), TIMES)  # noqa: S311 -- no secret
    rows = []
    with tempfile.TemporaryDirectory() as folder, open(f"sqlite:///{folder}/dealmill.db") as store:
        store.ingest(f"deal:{GAME}:seed={SEED}:1-{count}")
        for what, seed in (("stored", SEED), ("not stored", OTHER_SEED)):
            layouts = [next(iter(deals(GAME, seed=seed, first=number, count=1))) for number in numbers]
            times = sorted(seconds(partial(store.find, layout, game=GAME)) * 1e3 for layout in layouts)
            rows.append([what, rounded(median(times)), rounded(times[-1])])
    return table([f"`Store.find` among {count:,} layouts", "median, ms", f"slowest of {TIMES}, ms"], rows)
