"""The check that a text is canonical, which stands in front of every engine, against engines and readers."""

from functools import partial

from bench.engines import SEED
from bench.kernels import MANY, SUBJECTS, Packed
from bench.measure import in_turn, rounded, table
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.solve import load
from tests.doing import deal

ROUNDS = 9
NANOSECONDS = 1e9


def against_kernels() -> str:
    """A row per engine: the time of a check, its share of the time of the kernel, and the reader as its multiple."""
    rows = []
    for name, subject in SUBJECTS.items():
        game, _ = find_engine(name)
        load(name)
        layouts = deal(game, SEED, 1, MANY)
        lines = list(enumerate(layouts, start=1))
        packed = Packed(subject, layouts)
        packed.solve()
        check = partial(game.canonical, packed.layouts)
        checking, _, share = in_turn(check, packed.solve, ROUNDS)
        _, _, reading = in_turn(lambda: list(game.layout.read(lines)), check)  # noqa: B023
        rows.append(
            [f"`{name}`", rounded(checking / MANY * NANOSECONDS), f"{rounded(100 * share)} %", f"{rounded(reading)} ×"]
        )
    return table(["engine", "check, ns/layout", "check / kernel", "reader / check"], rows)
