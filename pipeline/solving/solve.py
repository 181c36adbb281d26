"""Solving of one batch of layouts with an engine, without SQL or Celery.

Only canonical layouts reach an engine: `guarded` checks all texts before each call.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Protocol

import numpy as np

from dealmill.pipeline.errors import BadLayout, DealmillError, ProgramError, VersionError
from dealmill.pipeline.games import EngineKey, find_engine
from dealmill.pipeline.games.batch import Batch, Mask, Solved, Texts, concatenate_solved, to_batch, to_strings, to_texts
from dealmill.pipeline.games.caches import UncompiledError, compiled_mark
from dealmill.pipeline.games.contract import Engine, Game, Layout, Reject
from dealmill.pipeline.games.functions import NO_LIMIT, CanonicalMask, EngineFunction
from dealmill.pipeline.games.machine import check_limit
from dealmill.pipeline.games.reading import MOST_RECORDED_CHARACTERS, entries_of, is_canonical, read_one
from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.printable import printable
from dealmill.pipeline.results.result import Result

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

TRIAL_NODES = 1_000
"""The node limit on the first example deal for engines that search for long."""

CHECK = "the check of {} layouts"
"""What compiles the check of a game's layouts."""

OF_THE_MACHINE = (MemoryError, OSError)
"""The exceptions of engines that say something about the machine, not about the layout."""

NO_ERRORS: Mapping[int, str] = MappingProxyType({})


class Solver(Protocol):
    """The function of an engine, preceded by the check that every text is canonical."""

    def __call__(self, layouts: Texts, max_nodes: int | None = None) -> Solved:
        """Solve layouts; one that would take more than `max_nodes` nodes is undecided."""
        ...


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


def canonical_mask(game: Game, layouts: Texts) -> Mask:
    """Return which texts are canonical layouts, by the compiled check of the game or, if it has none, its reader."""
    if mask := game.mask:
        return mask(layouts.text, layouts.starts[:-1], layouts.starts[1:])
    return np.array([is_canonical(game, text) for text in to_strings(layouts)], dtype=np.bool_)


def guarded(game: Game, function: EngineFunction, default: int | None = None) -> Solver:
    """Return the function of an engine, preceded by the check; it refuses the first text that is not canonical.
    `default` is the node limit of calls that name none."""

    def solve(layouts: Texts, max_nodes: int | None = None) -> Solved:
        canonical = canonical_mask(game, layouts)
        if not canonical.all():
            first = int(np.argmin(canonical))
            raise not_canonical_error(game, to_strings(layouts.part(first, first + 1))[0])
        limit = default if max_nodes is None else max_nodes
        return function(layouts, NO_LIMIT if limit is None else limit)

    return solve


def not_canonical_error(game: Game, text: str) -> BadLayout:
    """Return the error for a text that is not a canonical layout, with the reasons that the game's reader gives."""
    shown = repr(text[:MOST_RECORDED_CHARACTERS]) + "..." * (len(text) > MOST_RECORDED_CHARACTERS)
    return BadLayout(_reasons(game, text), f"{shown} is not a canonical layout of {game.name}")


def _reasons(game: Game, text: str) -> list[str]:
    match entries_of(game, text):
        case []:
            return ["the text has no layout"]
        case [Reject(reasons=reasons), *_] | [_, Reject(reasons=reasons)]:
            return list(reasons)
        case [Layout(text=canonical)]:
            return [f"the canonical text is {canonical!r}"]
    return ["the text has more than one layout"]


def function_of(game: Game, engine: Engine) -> EngineFunction:
    """Return the function of an engine: that of its program, or one of the `solvers` of the game.

    Raises
    ------
    DealmillError
        If the game has no such function, or it cannot be imported.
    """
    if engine.program:
        from dealmill.pipeline.programs.solver import ProgramSolver  # loads the library that reads manifests

        verdicts = tuple(verdict for verdict in game.verdicts_of(engine) if verdict is not Verdict.FAILED)
        return ProgramSolver(engine.program, engine.version, verdicts)
    if function := game.solvers.get(engine.name):
        return function
    raise DealmillError(f"{game.package}: the solvers of the game have no engine {engine.name!r}")


def failed_verdicts(error: str, count: int) -> Solved:
    """Return `FAILED` verdicts for `count` layouts that could not be solved, with `error` on one line as evidence."""
    return _failed([" ".join(error.replace("\0", " ").split())] * count)


def _failed(reasons: Sequence[str]) -> Solved:
    """Return verdicts `FAILED` with these reasons as evidence, each as one line of ASCII."""
    nothing = np.zeros(len(reasons), dtype=np.int64)
    encoded = [printable(reason).encode("ascii", "backslashreplace").decode() for reason in reasons]
    return Solved(np.full(len(encoded), int(Verdict.FAILED), dtype=np.int8), nothing, nothing, to_texts(encoded))


def _example(game: Game) -> str:
    """Return the first of the example deals of a game, which is the first deal of seed 1."""
    if game.rules_text:
        return to_strings(game.deal(1, 1, 1))[0]
    file = game.examples / f"{game.name}-deals.txt"
    try:
        with file.open() as deals:
            return next(deals).rstrip("\n")
    except (OSError, StopIteration) as error:
        raise DealmillError(
            f"{game.name} has no example deals in {file}; "
            f"write them with: dealmill deal {game.name} --count 2000 --seed 1"
        ) from error


def load(name: EngineKey) -> Solver:
    """Return an engine that is ready to run. If its kernels must be compiled, one process does it and others wait."""
    return _load(name, find_engine(name)[1])


@cache
def _load(name: EngineKey, engine: Engine) -> Solver:
    from dealmill.pipeline.games.kernels import compiling

    game, _ = find_engine(name)
    with compiling(game.folder, CHECK.format(game.name) if engine.program else str(name)):
        solver = guarded(game, function_of(game, engine), engine.max_nodes)
        _try(game, engine, solver, to_texts([_example(game)]))
        compiled_mark(game.folder, CHECK.format(game.name)).touch()
    return solver


@cache
def load_check(game: Game) -> CanonicalMask | None:
    """Return the compiled check of a game's layouts, ready to run; None if the game has none. If it must be compiled,
    one process does it and others wait."""
    from dealmill.pipeline.games.kernels import compiling

    with compiling(game.folder, CHECK.format(game.name)):
        canonical_mask(game, to_texts([_example(game)]))
    return game.mask


def check_is_compiled(game: Game) -> bool:
    """Return whether the check of a game's layouts is compiled. Every engine compiles it, too."""
    return compiled_mark(game.folder, CHECK.format(game.name)).exists()


def _try(game: Game, engine: Engine, solver: Solver, deal: Texts) -> None:
    """Solve the first example deal, which compiles or loads all kernels."""
    try:
        if engine.program:
            canonical_mask(game, deal)  # the program is started when it is needed
        else:
            solver(deal, engine.max_nodes and TRIAL_NODES)
    except Exception as error:
        raise DealmillError(
            f"{game.full_name(engine)} fails on the first example deal, {to_strings(deal)[0]}: "
            f"{type(error).__name__}: {error}; show the traceback with: dealmill check-game {game.name}"
        ) from error
