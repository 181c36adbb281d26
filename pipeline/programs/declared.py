"""The declared programs, as engines of their games.

A manifest is found if the setting `DEALMILL_ENGINES` names it or its folder, or if it is in the folder ``engines`` of
a game's package. A manifest that cannot be used is left out; `broken_programs` reports it.
"""

import os
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dealmill.pipeline.errors import ProgramError, UnknownSettingWarning
from dealmill.pipeline.printable import printable

if TYPE_CHECKING:
    from dealmill.pipeline.games.contract import Game
    from dealmill.pipeline.games.descriptions import Engine
    from dealmill.pipeline.programs.manifest import Program, State

SETTING = "DEALMILL_ENGINES"


@dataclass(frozen=True, slots=True)
class Extended:
    """A game with its programs, and those of its manifests that cannot be used, with the reason. It is valid while no
    file or folder in `watched` changes."""

    original: "Game"
    game: "Game"
    broken: Mapping[Path, str] = field(default_factory=dict)
    watched: Mapping[Path, object] = field(default_factory=dict)


_extended: dict[str, Extended] = {}


def with_programs(game: "Game") -> "Game":
    """Return a game with the engines that are programs after its own. If their files change, so do their versions."""
    return _extend(game).game


def broken_programs(games: Iterable[str]) -> dict[Path, str]:
    """Return the manifests that cannot be used, with the reason. `games` are the names of all games with programs."""
    known = [_extended[name] for name in games]
    broken = {path: why for extended in known for path, why in extended.broken.items()}
    for path in manifests(places()):
        with suppress(ProgramError):  # it is among the broken ones
            program = _read(path)
            if program.manifest.game not in {extended.game.name for extended in known}:
                broken[path] = f"{path}: game: there is no game {program.manifest.game!r}"
    return broken


def reasons(game: str) -> str:
    """Return why manifests that may be of a game cannot be used, as the end of a message."""
    return "".join(f"; {why}" for why in _extended[game].broken.values())


def check_starts(engine: "Engine") -> None:
    """Start an engine that is a program, and end it.

    Raises
    ------
    ProgramError
        If it does not start.
    """
    if engine.program:
        from dealmill.pipeline.games.functions import NO_LIMIT
        from dealmill.pipeline.programs.process import Process  # loads the library that reads manifests

        Process(engine.program, engine.version, NO_LIMIT).kill()


def _extend(game: "Game") -> Extended:
    last = _extended.get(game.name)
    if last is None or last.original is not game or not _unchanged(last.watched):
        last = _extended[game.name] = _read_programs(game)
    return last


def _unchanged(watched: Mapping[Path, object]) -> bool:
    if not watched:
        return True
    from dealmill.pipeline.programs.manifest import state_of

    return all(state_of(path) == state for path, state in watched.items())


def _read_programs(game: "Game") -> Extended:
    packaged = game.folder / "engines"
    named = (*places(), *([packaged] if packaged.is_dir() else []))
    if not named:
        return Extended(game, game)
    from dealmill.pipeline.programs.manifest import state_of

    watched = {path: state_of(path) for path in named}
    broken: dict[Path, str] = {}
    engines = {engine.name: engine for engine in game.engines}
    for path in manifests(named):
        watched[path] = state_of(path)
        try:
            program = _read(path)
            if program.manifest.game == game.name:
                watched |= {file: state_of(file) for file in program.files}
                _add(program, engines)
        except ProgramError as error:
            broken[path] = str(error)
            watched[path] = None  # so that it is read again
    extended = copy(game)
    extended.engines = tuple(engines.values())
    return Extended(game, extended, broken, watched)


def _read(path: Path) -> "Program":
    from dealmill.pipeline.programs.manifest import read_program

    return read_program(path)


def _add(program: "Program", engines: "dict[str, Engine]") -> None:
    """Add the engine that a program is to those of its game.

    Raises
    ------
    ProgramError
        If its name is taken, or the engine that it is to be checked as does not exist.
    """
    from dealmill.pipeline.games.descriptions import Engine

    manifest = program.manifest
    if manifest.name in engines:
        raise ProgramError(f"{program.path}: name: there is already an engine {program.full_name}")
    like = engines.get(manifest.checked_as) if manifest.checked_as else next(iter(engines.values()), None)
    if like is None and manifest.checked_as:
        raise ProgramError(f"{program.path}: checked_as: there is no engine {manifest.game}/{manifest.checked_as}")
    engines[manifest.name] = Engine(
        manifest.name,
        _version(program, program.state()),
        manifest.summary,
        like.evidence if like else "as its program writes it",
        checked_as=like.referee_name if like else manifest.name,
        complete=manifest.complete,
        value_text=like.value_text if like else None,
        lost_value=like.lost_value if like else None,
        program=program,
        evidence_of_loss=like.evidence_of_loss if like else None,
    )


@cache
def _version(program: "Program", _state: "State") -> str:
    return program.version()


def manifests(named: Iterable[Path]) -> list[Path]:
    """Return the manifests among these paths and in the folders among them, sorted within each folder."""
    return [
        path for location in named for path in (sorted(location.glob("*.toml")) if _is_folder(location) else [location])
    ]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # for example, its name is too long; who reads it as a manifest says so
        return False


@cache
def places() -> tuple[Path, ...]:
    """Return the files and folders that the setting names, as absolute paths; warn of those that do not exist
    (`UnknownSettingWarning`)."""
    if not may_be_set(SETTING):
        return ()
    from dealmill.pipeline.system.settings import settings

    paths = tuple(Path(word).absolute() for word in settings().engines.split(os.pathsep) if word)
    for path in paths:
        if not os.path.lexists(path):
            missing = f"{SETTING} names {printable(str(path))}, which does not exist; correct the setting"
            warnings.warn(missing, UnknownSettingWarning, stacklevel=2)
    return paths


def may_be_set(setting: str) -> bool:
    """Return whether the environment has a setting, or a file may have it. Reading the settings takes as long as
    solving some thousand layouts, which pure referees need not wait for."""
    return setting in map(str.upper, os.environ) or Path(".env").exists()
