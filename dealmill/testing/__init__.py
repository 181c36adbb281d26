"""Checks that every game meets, for tests of games from other packages.

``dealmill check-game NAME`` runs them all. In a test file of pytest:

>>> import pytest
>>> from dealmill.testing import checks_of
>>> @pytest.mark.parametrize("check", checks_of("memory"), ids=str)
... def test_memory(check):
...     check()

A check raises `CheckFailed` if the game does not meet it. The checks are deterministic; they try some thousands of
numbered deals, altered layouts and altered evidence. Nothing but Dealmill is needed to run them.
"""

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from traceback import extract_tb, print_exc
from typing import NamedTuple

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.caches import caches
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.solving.solve import logger
from dealmill.testing import covering, engines, hostile, layouts, patiences, pictures, referees
from dealmill.testing.engines import the_output_is_that_of_its_golden_file, write_golden
from dealmill.testing.subject import CheckFailed, Subject

__all__ = ["Check", "CheckFailed", "CheckOutcome", "checks_of", "each_once", "write_golden"]


def __getattr__(name: str) -> object:
    if name == "Outcome":
        warnings.warn(
            "dealmill.testing.Outcome was renamed CheckOutcome and will be removed in 0.4.0",
            DeprecationWarning,
            stacklevel=2,
        )
        return CheckOutcome
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


HINT = (
    'the check assumes that {}; if this is not so for your game, give the reason in its class: waivers = {{"{}": "…"}}'
)


class Tracebacks(logging.Filter):
    """The errors whose tracebacks were printed. As a filter of a log, it drops all further records of the same error.

    Two errors are the same if they have one type and were raised in the same line.
    """

    def __init__(self) -> None:
        super().__init__()
        self._printed: set[object] = set()

    def is_new(self, error: BaseException) -> bool:
        """Return whether this is the first time that this method is called with the error."""
        while error.__cause__:
            error = error.__cause__
        location = [(frame.filename, frame.lineno) for frame in extract_tb(error.__traceback__)[-1:]]
        key = type(error), *location
        new = key not in self._printed
        self._printed.add(key)
        return new

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is to be logged."""
        error = record.exc_info[1] if record.exc_info else None
        return error is None or self.is_new(error)


@contextmanager
def each_once() -> Iterator[Tracebacks]:
    """Filter the tracebacks of engines that fail on layouts, and return the filter for other errors."""
    tracebacks = Tracebacks()
    logger.addFilter(tracebacks)
    try:
        yield tracebacks
    finally:
        logger.removeFilter(tracebacks)


class CheckOutcome(NamedTuple):
    """The outcome of a check: its state, which is `ok`, `failed` or `waived`, and a sentence, if there is one.

    The sentence is the reason why the check failed or is waived, or says what was tried.
    """

    state: str
    sentence: str | None = None


@dataclass(frozen=True)
class Check:
    """A check of a game, or of one engine: `subject` is its name, and `name` says what is checked.

    Calling it runs the check, which raises `CheckFailed`, or any error that the game raises; some checks return a
    sentence that says what was tried. `assumption` is what the check assumes beyond what every game must do, or None.
    `waiver` is the reason why this does not hold for the game; then the check is not run.
    """

    subject: str
    name: str
    run: Callable[[], str | None]
    assumption: str | None = None
    waiver: str | None = None

    def __call__(self) -> str | None:
        """Run the check, unless the game waives it, and return what it says of what was tried.

        Raises
        ------
        CheckFailed
            If the game does not meet it.
        """
        if self.waiver is not None:
            return None
        try:
            return self.run()
        except CheckFailed as error:
            if self.assumption is None:
                raise
            raise CheckFailed(f"{error}; {HINT.format(self.assumption, self.name)}") from error

    def outcome(self, printed: Tracebacks) -> CheckOutcome:
        """Run the check, and return its outcome. If the game raises an unexpected error, print its traceback on
        standard error, unless that was `printed` before."""
        if self.waiver is not None:
            return CheckOutcome("waived", self.waiver)
        try:
            return CheckOutcome("ok", self())
        except CheckFailed as error:
            return CheckOutcome("failed", str(error))
        except Exception as error:  # noqa: BLE001 -- a game can raise anything
            if printed.is_new(error):
                print_exc()
            else:
                sys.stderr.write(f"{self}: {type(error).__name__}, as above\n")
            return CheckOutcome("failed", f"{type(error).__name__}: {error}")

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"


def checks_of(game: str, lines: Sequence[str] = (), golden: Path | None = None) -> list[Check]:
    """Return the checks of a game and its engines.

    `lines` are unusual layouts, and texts that are nearly layouts, that the checks try besides numbered deals. If
    `golden` is given, the output of each engine is compared with a file in that folder, see `write_golden`.

    Raises
    ------
    NotFoundError
        If there is no such game, or it cannot be used.
    UsageError
        If the game waives a check that assumes nothing.
    DealmillError
        If compiled engines cannot be cached.
    """
    definition = find_game(game)
    caches()
    subject = Subject(definition, lines)
    of_statement = layouts.STATEMENT_CHECKS if definition.has_statement else ()
    of_family = (*patiences.checks(definition), *covering.checks(definition))
    of_game = (*of_statement, *layouts.CHECKS, *referees.GAME_CHECKS, *of_family)
    checks = [_check(definition, game, check, subject) for check in of_game]
    for engine in definition.engines:
        name = definition.full_name(engine)
        of_engine = (*engines.CHECKS, *referees.CHECKS, *pictures.CHECKS, *hostile.CHECKS)
        checks += [_check(definition, name, check, subject, engine) for check in of_engine]
        if golden:
            checks.append(_check(definition, name, the_output_is_that_of_its_golden_file, subject, engine, golden))
    allowed = {check.name for check in checks if check.assumption}
    if wrong := sorted(definition.waivers.keys() - allowed):
        raise UsageError(
            f"{game} waives {wrong[0]!r}, which is not one of the checks that a game can waive: "
            f"{', '.join(sorted(allowed))}"
        )
    return checks


def _check(game: Game, subject: str, function: Callable[..., str | None], *arguments: object) -> Check:
    """Return the check by a function: its name is that of the function, in words."""
    name = function.__name__.replace("_", " ")
    assumption: str | None = getattr(function, "assumption", None)
    return Check(subject, name, partial(function, *arguments), assumption, game.waivers.get(name))
