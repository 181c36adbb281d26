"""Benchmark of the search for a layout."""

import random
import tempfile
from functools import partial
from statistics import median

from bench.measure import rounded, seconds, table
from dealmill import deals, open

GAME = "card-pairing"
SEED, OTHER_SEED = 1, 2
TIMES = 20


def searches(count: int = 1_000_000) -> str:
    """Return a table of the times of searches for layouts that a store of `count` layouts has, and has not."""
    numbers = random.Random(SEED).sample(range(1, count + 1), TIMES)  # noqa: S311 -- no secret
    rows = []
    with tempfile.TemporaryDirectory() as folder, open(f"sqlite:///{folder}/dealmill.db") as store:
        store.ingest(f"deal:{GAME}:seed={SEED}:1-{count}")
        for what, seed in (("stored", SEED), ("not stored", OTHER_SEED)):
            layouts = [next(iter(deals(GAME, seed=seed, first=number, count=1))) for number in numbers]
            times = sorted(seconds(partial(store.find, layout, game=GAME)) * 1e3 for layout in layouts)
            rows.append([what, rounded(median(times)), rounded(times[-1])])
    return table([f"`Store.find` among {count:,} layouts", "median, ms", f"slowest of {TIMES}, ms"], rows)
