"""The engines that are installed here, and why a run cannot be worked on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from dealmill.pipeline.errors import DealmillError, VersionError
from dealmill.pipeline.games import games
from dealmill.pipeline.games.installed import BrokenGame, games_named
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.choice import storage_of


def installed_engines() -> frozenset[tuple[str, str]]:
    """Return the full name and version of every installed engine."""
    return frozenset((game.full_name(engine), engine.version) for game in games().values() for engine in game.engines)


@dataclass(frozen=True, slots=True)
class Installation:
    """The engines that this process can use: all installed ones except those that are `unloadable`, with the reasons by
    full name."""

    unloadable: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def loading(cls, runs: Iterable[PlannedRun]) -> Self:
        """Load the engines of these runs, which workers could not load. Return the installation without those that
        cannot be loaded by this process either."""
        unloadable = {}
        for run in runs:
            try:
                storage_of(run).prepare(run)
            except DealmillError as error:
                unloadable[run.engine] = f"it cannot be loaded: {error}"
            except Exception as error:  # noqa: BLE001 -- a package from outside may raise anything
                unloadable[run.engine] = f"it cannot be loaded: {type(error).__name__}: {error}"
        return cls(unloadable)

    @property
    def engines(self) -> frozenset[tuple[str, str]]:
        """The full name and version of every engine that can be used."""
        return frozenset((name, version) for name, version in installed_engines() if name not in self.unloadable)

    def mismatch(self, engine: str, version: str) -> str | None:
        """Return why this version of an engine cannot be used; None if it can."""
        if engine in self.unloadable:
            return self.unloadable[engine]
        installed = dict(installed_engines()).get(engine)
        if installed is None:
            unusable = [game for game in games_named(engine.partition("/")[0]) if isinstance(game, BrokenGame)]
            return str(unusable[0]) if unusable else "it is not installed here"
        return None if installed == version else f"version {installed} is installed here"

    def check(self, run: RunStatus) -> None:
        """Check that this installation can work on an unfinished run.

        Raises
        ------
        VersionError
            If another version of its engine is installed, for example since the files of a program were changed, or
            the engine cannot be loaded.
        """
        if not run.finished and (mismatch := self.mismatch(run.engine, run.version)):
            raise VersionError(
                f"run {run.id} stopped: it needs version {run.version} of {run.engine}, but {mismatch}; what was "
                "solved is stored; install that version, or repair it, and repeat the command to go on, or start a new "
                "run"
            )
