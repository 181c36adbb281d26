"""New games and engines: folders that are copied from `dealmill/templates`, to be changed by their authors."""

import re
import shutil
import tempfile
from collections.abc import Mapping
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path

from dealmill.pipeline.errors import OutputError, UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.installed import BAD_NAME, LONGEST_NAME, NAME, all_offers

SKIPPED = shutil.ignore_patterns("__pycache__")


def new_game(name: str, folder: str | PathLike[str] = ".") -> Path:
    """Write a package with a toy game, ``dealmill-NAME``, into a folder, and return its path.

    The package can be installed and meets all checks. It is meant to be changed into another game.

    Raises
    ------
    UsageError
        If the name is not valid, or is that of an installed game.
    OutputError
        If the folder exists or cannot be written.
    """
    _check_name(name)
    if name in {offer.name for offer in all_offers()}:
        raise UsageError(f"there is a game {name} already; choose another name")
    words = name.split("-")
    title = " ".join(words).capitalize()
    names = {
        "my-game": name,
        "my_game": "_".join(words),
        "MyGame": "".join(word.capitalize() for word in words) + "Game",  # with any name an identifier, and not None
        "My game": title,
    }
    return _copy("game", Path(folder) / f"dealmill-{name}", names)


def new_engine(engine: str, folder: str | PathLike[str] = ".") -> Path:
    """Write a program that is an engine of a game, such as ``memory/mine``, into a folder ``GAME-ENGINE``, and return
    its path.

    It has a manifest, and speaks the line protocol, but leaves every layout undecided.

    Raises
    ------
    UsageError
        If the name is not valid, or is that of an engine of the game.
    NotFoundError
        If there is no such game.
    OutputError
        If the folder exists or cannot be written.
    """
    game_name, _, name = engine.partition("/")
    if not name:
        raise UsageError(f"{engine!r} is not the name of an engine; write GAME/NAME, such as memory/{engine}")
    _check_name(name)
    game = find_game(game_name)
    if name in {known.name for known in game.engines}:
        raise UsageError(f"there is an engine {engine} already; choose another name")
    module = f"{game.name}-{name}".replace("-", "_")  # not that of a module which the program imports, such as json
    names = {"my-game": game.name, "my-engine": name, "my_engine": module}
    return _copy("engine", Path(folder) / f"{game.name}-{name}", names)


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UsageError(f"{name!r} cannot be used: {BAD_NAME}")


def _copy(template: str, target: Path, names: Mapping[str, str]) -> Path:
    """Copy a template to a new folder, with other names in the paths and texts of its files. The folder appears only
    when it is complete."""
    replace = re.compile("|".join(map(re.escape, names)))
    try:
        if target.exists() or target.is_symlink():
            raise OutputError(f"{target} exists; choose another name, or another folder")
        if not target.parent.is_dir():
            raise OutputError(f"{target} cannot be written: there is no folder {target.parent}")
        with (
            as_file(files("dealmill") / "templates" / template) as source,
            tempfile.TemporaryDirectory(prefix=".dealmill-", dir=target.parent) as waiting,
        ):
            copy = Path(shutil.copytree(source, Path(waiting) / "copy", ignore=SKIPPED))
            for path in sorted(copy.rglob("*"), reverse=True):  # what is in a folder before the folder
                if path.is_file():
                    text = replace.sub(lambda match: names[match[0]], path.read_text())
                    path.write_text(text)
                    path.chmod(0o755 if text.startswith("#!") else 0o644)
                path.rename(path.with_name(replace.sub(lambda match: names[match[0]], path.name)))
            copy.rename(target)
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error
    return target
