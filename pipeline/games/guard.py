"""The check before every engine that each text is canonical."""

from importlib.util import find_spec
from typing import cast

import numpy as np

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.batch import Mask, Solved, Texts, unpack
from dealmill.pipeline.games.contract import (
    NO_LIMIT,
    CanonicalModule,
    Engine,
    EngineFunction,
    Game,
    Layout,
    Reject,
    Solver,
)
from dealmill.pipeline.games.reading import MOST_RECORDED_CHARACTERS, entries_of, is_canonical


def mask(game: Game, layouts: Texts) -> Mask:
    """Return which texts are canonical layouts, by the compiled check of the game or, if it has none, its reader."""
    if check := compiled_check(game):
        return check.mask(layouts.text, layouts.starts[:-1], layouts.starts[1:])
    return np.array([is_canonical(game, text) for text in unpack(layouts)], dtype=np.bool_)


def compiled_check(game: Game) -> CanonicalModule | None:
    """Return ``canonical.py`` of a game, or None if it has none."""
    name = f"{game.package}.canonical"
    return cast(CanonicalModule, game.module("canonical", "mask")) if find_spec(name) else None


def function_of(game: Game, engine: Engine) -> EngineFunction:
    """Return the function of an engine: that of its program, or one in the game's ``engine`` module."""
    if engine.program:
        from dealmill.pipeline.programs.solver import ProgramSolver  # loads the library that reads manifests

        return ProgramSolver(engine.program, engine.version)
    return cast(EngineFunction, getattr(game.module("engine", engine.function), engine.function))


def checked_solver(game: Game, function: EngineFunction) -> Solver:
    """Return the function of an engine, preceded by the check.

    Raises
    ------
    BadLayout
        Raised by the returned function for the first text that is not canonical.
    """

    def solve(layouts: Texts, max_nodes: int | None = None) -> Solved:
        canonical = mask(game, layouts)
        if not canonical.all():
            first = int(np.argmin(canonical))
            raise not_canonical_error(game, unpack(layouts.part(first, first + 1))[0])
        return function(layouts, NO_LIMIT if max_nodes is None else max_nodes)

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
