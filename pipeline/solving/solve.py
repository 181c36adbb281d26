"""Solving of one batch of layouts with an engine, without SQL or Celery."""

import logging
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from dealmill.pipeline.errors import BadLayout, ProgramError, VersionError
from dealmill.pipeline.games import EngineKey, find_engine
from dealmill.pipeline.games.batch import Batch, Solved, Texts, concatenate_solved, to_batch, to_strings, to_texts
from dealmill.pipeline.games.caches import UncompiledError
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.machine import check_limit
from dealmill.pipeline.games.reading import read_one
from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.printable import printable
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.solving.loading import canonical_mask, load, not_canonical_error

logger = logging.getLogger(__name__)

PART_SECONDS = 1.0
"""The time after which a worker that solves a job leaves the rest of its layouts to others: as long as an interrupted
command waits for it, so that only layouts that take longer are solved again."""
FIRST_PART = 10
"""The layouts for which a program is called at once."""
FIRST_CALL = 1
"""The layouts that an engine gets at the beginning of a job: no result of a call survives if the worker is killed, and
nothing is known yet of how long they take."""
CALL_SECONDS = 0.25
"""About how long an engine is called: a few layouts may take longer than all others, so the time is often looked at."""
GROWTH = 8
"""How many times as many layouts an engine may get at once as before."""
LEAST_SECONDS = 1e-6
"""What a call takes at least, for a clock that stands still meanwhile."""
OF_THE_MACHINE = (MemoryError, OSError)
"""The exceptions of engines that say something about the machine, not about the layout."""

NO_ERRORS: Mapping[int, str] = MappingProxyType({})


def solve(engine: EngineKey, layouts: Sequence[str], max_nodes: int | None = None) -> Batch:
    """Solve canonical layouts with an engine (its full name).

    A layout on which the engine raises an exception gets the verdict `FAILED`, with the text of the error as evidence;
    the other layouts are not affected.
    """
    return to_batch(_solve(engine, to_texts(layouts), max_nodes)) if layouts else Batch([], [], [], [])


def solve_texts(
    engine: EngineKey, layouts: Texts, max_nodes: int | None = None, errors: Mapping[int, str] = NO_ERRORS
) -> Solved:
    """Solve recorded layouts, given and returned as flat arrays.

    These get the verdict `FAILED` with an error text as evidence: texts that are not canonical, layouts on which the
    engine raises an exception, and layouts listed in `errors` (error text by index, from 0), which are not tried.
    """
    if not errors:
        try:
            return _solve(engine, layouts, max_nodes)
        except BadLayout as error:
            errors = _faults_of_record(engine, layouts)
            logger.warning(
                "%s: %d of %d recorded layouts are not canonical; %s", engine, len(errors), len(layouts), error
            )
    bad = np.array(sorted(errors), dtype=np.int64)
    good = np.setdiff1d(np.arange(len(layouts)), bad)
    parts = [_failed([errors[index] for index in bad.tolist()])]
    if len(good):
        parts.append(solve_texts(engine, layouts.take(good), max_nodes))
    return concatenate_solved(parts).take(np.argsort(np.concatenate([bad, good])))


def solve_part(engine: EngineKey, layouts: Texts, max_nodes: int | None, errors: Mapping[int, str]) -> Solved:
    """Solve recorded layouts as `solve_texts` does, but only the first ones: as many as take about `PART_SECONDS`, and
    at least one. So a job with hard layouts ends before its lease does, other workers get the rest of it, and an
    interruption loses little more than that time and the layouts in hand."""
    _, known = find_engine(engine)
    load(engine)  # takes seconds if it is not compiled yet
    parts: list[Solved] = []
    begun, first, size = time.monotonic(), 0, FIRST_PART if known.program else FIRST_CALL
    while first < len(layouts):
        stop = min(first + size, len(layouts))
        part_errors = {index - first: why for index, why in errors.items() if first <= index < stop}
        parts.append(solve_texts(engine, layouts.part(first, stop), max_nodes, part_errors))
        first, spent = stop, time.monotonic() - begun
        if spent > PART_SECONDS:
            break
        if not known.program:
            in_time = first * min(CALL_SECONDS, PART_SECONDS - spent) / max(spent, LEAST_SECONDS)
            size = max(1, int(min(GROWTH * size, in_time)))
    return concatenate_solved(parts)


def cpu_seconds(engine: EngineKey) -> float:
    """Return the processor seconds that the program of an engine has taken in this process or, if it is not a program,
    this process; NaN where the system does not say. The difference between two calls is what the engine cost."""
    _, known = find_engine(engine)
    if not known.program:
        return time.process_time()
    from dealmill.pipeline.programs.solver import cpu_seconds_of_programs  # loads the library that reads manifests

    return cpu_seconds_of_programs()


def _faults_of_record(engine: EngineKey, layouts: Texts) -> dict[int, str]:
    """Return an error text for each text that is not canonical, by index from 0."""
    game, _ = find_engine(engine)
    bad = np.flatnonzero(~canonical_mask(game, layouts))
    texts = to_strings(layouts.take(bad))
    return {
        index: f"fault of the record: {not_canonical_error(game, text)}"
        for index, text in zip(bad.tolist(), texts, strict=True)
    }


def _solve(engine: EngineKey, layouts: Texts, max_nodes: int | None) -> Solved:
    solver = load(engine)
    try:
        return solver(layouts, max_nodes)
    except (BadLayout, ProgramError, VersionError, UncompiledError):
        raise
    except Exception as error:
        if len(layouts) == 1:
            logger.exception("%s failed on %s", engine, to_strings(layouts)[0])
            retryable = RETRYABLE if isinstance(error, OF_THE_MACHINE) else ""
            return failed_verdicts(f"{retryable}{type(error).__name__}: {error}", 1)
    middle = len(layouts) // 2
    halves = layouts.part(0, middle), layouts.part(middle, len(layouts))
    return concatenate_solved([_solve(engine, half, max_nodes) for half in halves])


def solve_layouts(game: Game, engine: Engine, texts: Sequence[str], max_nodes: int | None = None) -> list[Result]:
    """Solve layouts that are written as lines of a file are, and return their results.

    Raises
    ------
    UsageError
        If the node limit does not fit into the memory of this machine.
    """
    check_limit(engine, max_nodes)
    name = game.full_name(engine)
    layouts = [read_one(game, text) for text in texts]
    solved = solve(name, layouts, max_nodes)
    names = ("layout", *solved.columns)
    rows = enumerate(zip(layouts, *solved.columns.values(), strict=True), start=1)
    return [Result(name, position=line, line=line, **dict(zip(names, row, strict=True))) for line, row in rows]


def failed_verdicts(error: str, count: int) -> Solved:
    """Return `FAILED` verdicts for `count` layouts that could not be solved, with `error` on one line as evidence."""
    return _failed([" ".join(error.replace("\0", " ").split())] * count)


def _failed(reasons: Sequence[str]) -> Solved:
    """Return verdicts `FAILED` with these reasons as evidence, each as one line of ASCII."""
    nothing = np.zeros(len(reasons), dtype=np.int64)
    encoded = [printable(reason).encode("ascii", "backslashreplace").decode() for reason in reasons]
    return Solved(np.full(len(encoded), int(Verdict.FAILED), dtype=np.int8), nothing, nothing, to_texts(encoded))
