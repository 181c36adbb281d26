"""What our engines say of our numbered deals, counted; large samples on two processes."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.solve import solve
from tests.doing import deal

SEED = 2005
QUICK = 200_000
CHUNK = 100_000
PROCESSES = 2

Work = Callable[[int], Counter[int]]
"""A count over the `CHUNK` deals from the given number on."""


@cache
def values(engine: str, count: int, **parameters: int) -> Counter[int]:
    """How often an engine (its full name) gives each value on the first `count` deals; won is 1, lost is 0."""
    return counted(partial(_values_of_chunk, engine, parameters), count)


def counted(work: Work, count: int) -> Counter[int]:
    """The sum of the counts over the first `count` deals; on two processes if they are more than a quick sample."""
    starts = range(1, count + 1, CHUNK)
    if count <= QUICK:
        return sum(map(work, starts), Counter())
    # A fork of a process that runs a server's threads can hang, and the tests have such servers.
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        return sum(pool.map(work, starts), Counter())


def _values_of_chunk(engine: str, parameters: dict[str, int], first: int) -> Counter[int]:
    game = find_game(engine.partition("/")[0])
    batch = solve(engine, deal(game, SEED, first, CHUNK, **parameters))
    counts: Counter[int] = Counter()
    for verdict, value in zip(batch.verdicts, batch.values, strict=True):
        counts[_as_number(verdict, value)] += 1
    return counts


def _as_number(verdict: Verdict, value: int | None) -> int:
    if verdict is Verdict.SCORED and value is not None:
        return value
    if verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        raise ValueError("an engine without a limit left a deal undecided")
    return int(verdict is Verdict.WINNABLE)


def statement_values(engine: str) -> tuple[int, ...]:
    """What an engine says of the layouts in the statement of its game."""
    game = find_game(engine.partition("/")[0])
    lines = Path(game.examples / f"{game.name}-statement.txt").read_text().splitlines()
    read = list(game.read(enumerate(lines, start=1)))
    layouts = [layout.text for layout in read if isinstance(layout, Layout)]
    if len(layouts) != len(read):
        raise ValueError("the statement has a layout that is rejected")
    batch = solve(engine, layouts)
    return tuple(map(_as_number, batch.verdicts, batch.values))
