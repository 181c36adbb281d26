"""Loading of engines, and of the compiled masks that tell which texts are canonical layouts.

Only canonical layouts reach an engine: `guarded` checks all texts before each call.
"""

from functools import cache
from typing import Protocol

import numpy as np

from dealmill.pipeline.errors import BadLayout, DealmillError
from dealmill.pipeline.games import EngineKey, find_engine
from dealmill.pipeline.games.batch import Mask, Solved, Texts, to_strings, to_texts
from dealmill.pipeline.games.caches import compiled_mark
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine, Layout, Reject
from dealmill.pipeline.games.functions import NO_LIMIT, CanonicalMask, EngineFunction
from dealmill.pipeline.games.reading import MAX_RECORDED_CHARACTERS, entries_of, is_canonical
from dealmill.pipeline.games.verdict import Verdict

TRIAL_NODES = 1_000
"""The node limit of a trial for engines that search for long."""

CHECK = "the check of {} layouts"
"""What compiles the check of a game's layouts."""


class Solver(Protocol):
    """The function of an engine, preceded by the check that every text is canonical."""

    def __call__(self, layouts: Texts, max_nodes: int | None = None) -> Solved:
        """Solve layouts; one that would take more than `max_nodes` nodes is undecided."""
        ...


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
    shown = repr(text[:MAX_RECORDED_CHARACTERS]) + "..." * (len(text) > MAX_RECORDED_CHARACTERS)
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


def trial_nodes(engine: Engine) -> int | None:
    """Return the node limit with which an engine is tried on one deal; None if it searches without one. An engine whose
    own limit is no higher than `TRIAL_NODES` takes long for each node, such as a whole play: it gets one."""
    return engine.max_nodes and (TRIAL_NODES if engine.max_nodes > TRIAL_NODES else 1)


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
def load_mask(game: Game) -> CanonicalMask | None:
    """Return the compiled mask of a game, ready to run; None if the game has none. If it must be compiled, one process
    does it and others wait."""
    from dealmill.pipeline.games.kernels import compiling

    with compiling(game.folder, CHECK.format(game.name)):
        canonical_mask(game, to_texts([_example(game)]))
    return game.mask


def mask_is_compiled(game: Game) -> bool:
    """Return whether the mask of a game is compiled. Every engine compiles it, too."""
    return compiled_mark(game.folder, CHECK.format(game.name)).exists()


def _try(game: Game, engine: Engine, solver: Solver, deal: Texts) -> None:
    """Solve the first example deal, which compiles or loads all kernels."""
    try:
        if engine.program:
            canonical_mask(game, deal)  # the program is started when it is needed
        else:
            solver(deal, trial_nodes(engine))
    except Exception as error:
        raise DealmillError(
            f"{game.full_name(engine)} fails on the first example deal, {to_strings(deal)[0]}: "
            f"{type(error).__name__}: {error}; show the traceback with: dealmill check-game {game.name}"
        ) from error
