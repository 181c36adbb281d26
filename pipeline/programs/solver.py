"""The function of an engine that is a program; and the checks of declared programs, for ``dealmill doctor`` and before
runs are solved."""

import atexit
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from dealmill.pipeline.errors import ProgramError
from dealmill.pipeline.games.batch import Batch, Solved, Texts, to_solved, to_strings
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.verdict import RETRYABLE, Verdict
from dealmill.pipeline.programs.declared import broken_programs, check_starts
from dealmill.pipeline.programs.manifest import Program, State
from dealmill.pipeline.programs.process import Process, ProgramFailure, changed
from dealmill.pipeline.programs.protocol import ANSWERS, Answer

logger = logging.getLogger(__name__)

TRIES = 2


@dataclass(frozen=True, slots=True)
class ProgramSolver:
    """The function of an engine; see `dealmill.pipeline.games.contract.EngineFunction`.

    A layout that the program does not answer as it should is tried once more in a fresh process, unless it was in one,
    because the layout before failed, too. Then it is `FAILED`.

    Raises
    ------
    ProgramError
        When called, if the program cannot be started, or has failed in the same way on too many layouts in a row.
    VersionError
        When called, if its files are not, or no longer, those of `version`.
    """

    program: Program
    version: str
    verdicts: Sequence[Verdict] = ANSWERS
    """The verdicts that it can give."""

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        state = self.program.state()
        with _LOCK:
            batch = Batch.of([self._solve(layout, max_nodes, state) for layout in to_strings(layouts)])
        if state != self.program.state():
            raise changed(self.program, self.version, self.program.version())
        return to_solved(batch)

    def _solve(self, layout: str, max_nodes: int, state: State) -> Answer:
        reason = last_error = ""
        for _ in range(1 if _failed_last(self) else TRIES):  # after a failure, its process is a fresh one already
            process = _running(self, max_nodes, state)
            try:
                answer = process.ask(layout, self.verdicts)
            except ProgramFailure as failure:
                reason = str(failure)
                _stop()
                last_error = process.last_error()
                _log_once(self.program.full_name, reason, f"{process.errors()}; first on {layout}")
            else:
                _count_failure(self, "")
                return answer
        limit = self.program.manifest.same_failures
        if _count_failure(self, reason) >= limit:
            error = ProgramError(
                f"{self.program.full_name} failed on {limit:,} layouts in a row in the same way, and is not asked any "
                f"more: {reason.removeprefix(RETRYABLE)}{last_error}"
            )
            error.hopeless = True
            raise error
        written = last_error if reason.startswith(RETRYABLE) else ""  # otherwise, each run must have the same evidence
        return Answer(Verdict.FAILED, evidence=f"{reason}{written}")


_logged: set[tuple[str, str]] = set()


def _log_once(engine: str, reason: str, rest: str) -> None:
    """Log the first failure of an engine for a reason in this process: a broken program fails on every layout."""
    if (engine, reason) not in _logged:
        _logged.add((engine, reason))
        logger.warning("%s: %s%s; others like it are only counted", engine, reason.removeprefix(RETRYABLE), rest)


_LOCK = Lock()
_process: Process | None = None
_key: tuple[ProgramSolver, int, State] | None = None
_failures: tuple[ProgramSolver, str, int] | None = None
"""The engine that was asked last, the reason for which it failed, and the number of layouts in a row."""


def _count_failure(solver: ProgramSolver, reason: str) -> int:
    """Return the number of layouts in a row on which a solver has failed for a reason; 0 if there is none."""
    global _failures  # noqa: PLW0603
    if not reason:
        _failures = None
        return 0
    before = _failures[2] if _failures and _failures[:2] == (solver, reason) else 0
    _failures = solver, reason, before + 1
    return before + 1


def _failed_last(solver: ProgramSolver) -> bool:
    """Return whether a solver has failed on the layout before."""
    return _failures is not None and _failures[0] == solver


def _running(solver: ProgramSolver, max_nodes: int, state: State) -> Process:
    """Return the program of a solver, started if necessary. This process runs one program at a time."""
    global _process, _key
    if _process is None or _key != (solver, max_nodes, state) or not _process.runs:
        _stop()
        _process, _key = Process(solver.program, solver.version, max_nodes), (solver, max_nodes, state)
    return _process


_ended_seconds = 0.0
"""The processor seconds that the programs of this process took which have ended."""


def cpu_seconds_of_programs() -> float:
    """Return the processor seconds that the programs of this process have taken so far; NaN where the system does not
    say."""
    return _ended_seconds + (_process.cpu_seconds if _process else 0.0)


def _stop() -> None:
    global _process, _ended_seconds  # noqa: PLW0603
    if _process is not None:
        _ended_seconds = cpu_seconds_of_programs()
        _process.kill()
    _process = None


def _forget() -> None:
    global _process  # noqa: PLW0603
    _process = None


atexit.register(_stop)
os.register_at_fork(after_in_child=_forget)


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
    return f"{names}: started"


def _programs(games: Mapping[str, Game]) -> list[Engine]:
    return [engine for game in games.values() for engine in game.engines if engine.program]


def _not_started(engines: Iterable[Engine]) -> Iterable[str]:
    for engine in engines:
        try:
            check_starts(engine)
        except ProgramError as error:
            yield str(error)
