"""Benchmark of the check for canonical text, which every engine call includes, against engines and parsers."""

from functools import partial

from bench.engines import SEED
from bench.kernels import MANY, SUBJECTS, Arrays
from bench.measure import in_turn, rounded, table
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.solving.loading import canonical_mask, load
from tests.doing import deal

ROUNDS = 9
NANOSECONDS = 1e9


def against_kernels() -> str:
    """Return a table with a row per engine: the time of the check, its share of the kernel's time, and the time of the
    parser as a multiple of the check's."""
    rows = []
    for name, subject in SUBJECTS.items():
        game, _ = find_engine(name)
        load(name)
        layouts = deal(game, SEED, 1, MANY)
        lines = list(enumerate(layouts, start=1))
        arrays = Arrays(subject, layouts)
        arrays.solve()
        check = partial(canonical_mask, game, arrays.layouts)
        checking, _, share = in_turn(check, arrays.solve, ROUNDS)
        _, _, reading = in_turn(lambda: list(game.read(lines)), check)  # noqa: B023
        rows.append(
            [f"`{name}`", rounded(checking / MANY * NANOSECONDS), f"{rounded(100 * share)} %", f"{rounded(reading)} ×"]
        )
    return table(["engine", "check, ns/layout", "check / kernel", "parser / check"], rows)
