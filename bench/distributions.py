"""Benchmark of the distributions in job rows: what they cost a run."""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from statistics import median
from time import process_time
from unittest.mock import patch

from bench.measure import rounded, table
from dealmill import open
from dealmill.pipeline.solve import load
from dealmill.pipeline.store.histograms import spread_of
from tests.doing import do_runs

ENGINES = ("card-pairing/winnable", "hi-q/greedy", "camelot/winnable")
LAYOUTS = 1_000_000
ROUNDS = 7
HOOKS = tuple(f"dealmill.pipeline.store.{module}.spread_of" for module in ("rows", "packed_solving"))


def cost() -> str:
    """Return a table of the CPU time of runs with and without distributions, in one process."""
    rows = []
    for engine in ENGINES:
        load(engine)
        for packed in (False, True):
            _solved(engine, packed, spread_of)  # fills caches
            found = [(_solved(engine, packed, _no_spread), _solved(engine, packed, spread_of)) for _ in range(ROUNDS)]
            without, recorded = (median(side) for side in zip(*found, strict=True))
            ratio = median(new / old for old, new in found)
            name = f"{engine}, {'packed' if packed else 'rows'}"
            rows.append([name, rounded(without), rounded(recorded), f"{ratio:.3f} ×"])
    return table(["run, µs of CPU time per layout", "without", "with distributions", "ratio"], rows)


def _no_spread(*_: object) -> dict[str, object]:
    """Take the place of `spread_of`."""
    return {}


def _solved(engine: str, packed: bool, spread: Callable[..., object]) -> float:
    """Solve a new run and return its µs of CPU time per layout, without those of reading the deals."""
    game = engine.partition("/")[0]
    with (
        tempfile.TemporaryDirectory() as folder,
        open(f"sqlite:///{folder}/dealmill.db") as store,
        ExitStack() as hooks,
    ):
        store.queue(f"deal:{game}:seed=1:1-{LAYOUTS}", engine=engine, packed=packed)
        for hook in HOOKS:
            hooks.enter_context(patch(hook, spread))
        begun = process_time()
        do_runs(store._database)
        return (process_time() - begun) / LAYOUTS * 1e6
