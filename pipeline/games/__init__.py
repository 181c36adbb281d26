"""The games. Every folder here is one and is found automatically; `contract` defines what a game must provide."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from dealmill.pipeline.errors import DealmillError, NotFoundError, UsageError
from dealmill.pipeline.programs.found import reasons, with_programs

if TYPE_CHECKING:
    from dealmill.pipeline.games.contract import Engine, Game


def games() -> "dict[str, Game]":
    """Return all games by name, in the order of their names, with the engines that are programs.

    Raises
    ------
    DealmillError
        If a folder does not define a game.
    """
    return {name: with_programs(game) for name, game in _games().items()}


@cache
def _games() -> "dict[str, Game]":
    folders = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    found = map(_game_in, folders)
    return {game.name: game for game in found}


def _game_in(folder: str) -> "Game":
    from dealmill.pipeline.games.contract import Game  # slow to import, and not needed for the names of verdicts

    module = import_module(f"{__name__}.{folder}")
    if isinstance(game := getattr(module, "GAME", None), Game):
        return game
    raise DealmillError(f"{module.__file__} has no GAME: see docs/add-a-game.md, or remove the folder")


def find_game(name: str) -> "Game":
    """Return the game of that name.

    Raises
    ------
    NotFoundError
        If there is no such game.
    """
    if game := games().get(name):
        return game
    raise NotFoundError(f"there is no game {name!r}; the games are: {', '.join(games())}")


def engine_of(game: str, engine: str | None = None) -> "tuple[Game, Engine]":
    """Return an engine of a game by name, or the default engine; `game` may also be the full name of an engine.

    Raises
    ------
    NotFoundError
        If there is no such game or engine.
    UsageError
        If the engine belongs to another game.
    """
    wanted, default = find_engine(game)
    if engine is None:
        return wanted, default
    owner, found = find_engine(engine, wanted)
    if owner is not wanted:
        raise UsageError(f"{engine} is not an engine of {wanted.name}")
    return owner, found


def find_engine(name: str, within: "Game | None" = None) -> "tuple[Game, Engine]":
    """Return the engine of a full name such as ``memory/two-pass``; a game's name alone means its default engine.

    If `within` is given, the name of an engine of that game is enough.

    Raises
    ------
    NotFoundError
        If there is no such game or engine.
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
    raise NotFoundError(f"there is no engine {name!r}; {game.name} has: {offered}{reasons(game.name)}")
