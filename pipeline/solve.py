"""One batch through an engine: knows no SQL and no Celery."""

import fcntl
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Timer

import numpy as np

from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Batch, Solved, Texts, joined, listed, pack, unpack
from dealmill.pipeline.games.contract import NO_LIMIT, Engine, EngineFunction, Game
from dealmill.pipeline.games.kernel import caches
from dealmill.pipeline.games.reading import read_one
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.result import Result

logger = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds after which a load must be a compilation, and the user is told."""


def solve(engine: str, layouts: Sequence[str], limit: int = NO_LIMIT) -> Batch:
    """The verdicts of an engine (its full name) on canonical layouts."""
    return listed(solve_texts(engine, pack(layouts), limit)) if layouts else Batch([], [], [], [])


def solve_texts(engine: str, layouts: Texts, limit: int = NO_LIMIT) -> Solved:
    """The same in arrays.

    A layout on which the engine breaks down gets the verdict `FAILED` with the error's text; the others in the batch
    get theirs.
    """
    solver = load(engine)
    try:
        return solver(layouts, limit)
    except Exception as error:
        if len(layouts) == 1:
            logger.exception("%s failed on %s", engine, unpack(layouts)[0])
            return broken_down(f"{type(error).__name__}: {error}", 1)
    middle = len(layouts) // 2
    halves = layouts.part(0, middle), layouts.part(middle, len(layouts))
    return joined([solve_texts(engine, half, limit) for half in halves])


def solve_layouts(game: Game, engine: Engine, texts: Sequence[str], max_nodes: int | None = None) -> list[Result]:
    """The results of an engine on layouts that are written as lines of a file are.

    Raises
    ------
    BadLayout
        If a text is not exactly one layout.
    """
    name = game.full_name(engine)
    layouts = [read_one(game, text) for text in texts]
    solved = solve(name, layouts, NO_LIMIT if max_nodes is None else max_nodes)
    rows = zip(layouts, solved.verdicts, solved.values, solved.nodes, solved.evidence, strict=True)
    return [Result(name, *row, position, position) for position, row in enumerate(rows, start=1)]


def broken_down(trouble: str, count: int) -> Solved:
    """The verdicts on `count` layouts that something kept from being solved; its text in one line, in ASCII."""
    told = " ".join(trouble.replace("\0", " ").split()).encode("ascii", "backslashreplace").decode()
    nothing = np.zeros(count, dtype=np.int64)
    return Solved(np.full(count, int(Verdict.FAILED), dtype=np.int8), nothing, nothing, pack([told] * count))


@cache
def load(name: str) -> EngineFunction:
    """An engine ready to run. Where its kernels must be compiled first, one process does it and the others wait."""
    game, engine = find_engine(name)
    with compiling(name):
        solver = game.solver(engine)
        with (game.examples / f"{game.name}-deals.txt").open() as deals:
            solver(pack([next(deals).rstrip("\n")]))
    return solver


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """To be around all that may compile: one process does it while the others wait, and the user is told."""
    with _alone(), _told(what):
        yield


@contextmanager
def _alone() -> Iterator[None]:
    with (caches() / "compiling").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _told(name: str) -> Iterator[None]:
    timer = Timer(PATIENCE, lambda: logger.warning("compiling %s (once for this version; seconds)", name))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
