"""Checks of the declared programs, for ``dealmill doctor`` and before runs are solved."""

from collections.abc import Iterable, Mapping

from dealmill.pipeline.errors import ProgramError
from dealmill.pipeline.games.contract import NO_LIMIT, Engine, Game
from dealmill.pipeline.programs.found import broken_programs
from dealmill.pipeline.programs.process import Process
from dealmill.pipeline.programs.sandbox import missing


def any_programs(games: Mapping[str, Game]) -> bool:
    """Return whether any program is declared, even if it cannot be used."""
    return bool(_programs(games) or broken_programs(games))


def check_programs(games: Mapping[str, Game]) -> str:
    """Start each declared program, and return what was found.

    Raises
    ------
    ProgramError
        If a manifest cannot be used, or a program does not start. The message has one reason for each.
    """
    engines = _programs(games)
    broken = [*broken_programs(games).values(), *_not_started(engines)]
    if broken:
        raise ProgramError("; ".join(broken))
    names = ", ".join(engine.program.full_name for engine in engines if engine.program)
    why = missing()
    return f"{names}: started, {f'with network and without namespaces: {why}' if why else 'without network'}"


def _programs(games: Mapping[str, Game]) -> list[Engine]:
    return [engine for game in games.values() for engine in game.engines if engine.program]


def check_starts(engine: Engine) -> None:
    """Start an engine that is a program, and end it.

    Raises
    ------
    ProgramError
        If it does not start.
    """
    if engine.program:
        Process(engine.program, engine.version, NO_LIMIT).kill()


def _not_started(engines: Iterable[Engine]) -> Iterable[str]:
    for engine in engines:
        try:
            check_starts(engine)
        except ProgramError as error:
            yield str(error)
