"""The games: every folder here is one, found by itself. `contract` says what a game must offer."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from dealmill.pipeline.errors import DealmillError, NotFoundError, UsageError

if TYPE_CHECKING:
    from dealmill.pipeline.games.contract import Engine, Game


@cache
def games() -> "dict[str, Game]":
    """All games by name, in the order of their names.

    Raises
    ------
    DealmillError
        If a folder holds none.
    """
    folders = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    found = map(_game_in, folders)
    return {game.name: game for game in found}


def _game_in(folder: str) -> "Game":
    from dealmill.pipeline.games.contract import Game  # not for those who only need the names of verdicts

    module = import_module(f"{__name__}.{folder}")
    if isinstance(game := getattr(module, "GAME", None), Game):
        return game
    raise DealmillError(f"{module.__file__} has no GAME: see docs/add-a-game.md, or take the folder away")


def find_game(name: str) -> "Game":
    """The game of that name.

    Raises
    ------
    NotFoundError
    """
    if game := games().get(name):
        return game
    raise NotFoundError(f"there is no game {name!r}; the games are: {', '.join(games())}")


def engine_of(game: str, engine: str | None = None) -> "tuple[Game, Engine]":
    """The engine of that name of a game, or its default one. The name of the game may also be that of an engine.

    Raises
    ------
    NotFoundError
        If there is no such game or engine.
    UsageError
        If the engine is one of another game.
    """
    wanted, default = find_engine(game)
    if engine is None:
        return wanted, default
    owner, found = find_engine(engine, wanted)
    if owner is not wanted:
        raise UsageError(f"{engine} is not an engine of {wanted.name}")
    return owner, found


def find_engine(name: str, within: "Game | None" = None) -> "tuple[Game, Engine]":
    """The engine of a full name such as ``memory/two-pass``; a game's name alone means its default engine.

    Where it is clear `within` which game it must be, the name of the engine alone is enough.

    Raises
    ------
    NotFoundError
    """
    if within and "/" not in name and name != within.name:
        name = f"{within.name}/{name}"
    game_name, slash, engine_name = name.partition("/")
    game = find_game(game_name)
    if not slash:
        return game, game.engines[0]
    for engine in game.engines:
        if engine.name == engine_name:
            return game, engine
    offered = ", ".join(map(game.full_name, game.engines))
    raise NotFoundError(f"there is no engine {name!r}; {game.name} has: {offered}")
