"""The interface of a game: the class `Game`, from which a package derives one.

The package defines ``GAME``, an instance of its class, usually in its ``__init__``, and its distribution offers that by
an entry point in the group ``dealmill.games``. It has a folder ``examples``. Games that share their code are a list of
instances, or a `Family` of games whose rules are texts; an entry point in the group ``dealmill.families`` offers it.

The problem statement is the published text of a game's task. It gives the rules, the input format that a game reads and
the output format that `AnswerFormat` writes. A game without one (`Game.has_statement`) reads one layout per line.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cache, wraps
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dealmill.pipeline.arguments import MAX_DEAL
from dealmill.pipeline.errors import DealmillError, UsageError
from dealmill.pipeline.games.caches import CacheError
from dealmill.pipeline.games.descriptions import GENERATOR, AnswerFormat, Deals, Engine, RulesText
from dealmill.pipeline.games.functions import (
    CanonicalMask,
    CheckEvidence,
    Deal,
    EngineFunction,
    Frames,
    MakePlayback,
    Nameless,
    Play,
    Read,
    ReadEachLine,
    ReadMoves,
    Scenes,
    WriteLayout,
)
from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    pass

FUNCTIONS = (
    "read",
    "each_line",
    "writers",
    "notations",
    "deal",
    "solvers",
    "mask",
    "nameless",
    "check",
    "compiled_check",
    "frames",
    "scenes",
    "playback",
    "play",
)
"""The functions of a game, each a property that imports it."""
MODULE_OF_FUNCTION = {
    "read": "layout",
    "each_line": "layout",
    "deal": "deal",
    "mask": "canonical",
    "check": "rules",
    "frames": "picture",
    "scenes": "picture",
    "playback": "playback",
}
"""The module of a game's package from which a function is imported if the class of the game does not define it."""
OPTIONAL_FUNCTIONS = {"mask", "playback"}
"""The functions among them that a game without such a module does not have."""


class Game:
    """A game with its rules. The first engine is the default one.

    A game is described by the attributes below. Its functions are properties: each imports a function of the same name
    from a module of the package (`MODULE_OF_FUNCTION`), so that a module is loaded when it is first needed. A class
    that gets a function from elsewhere defines the property itself. Only the modules of `deal`, `solvers`, `mask` and
    `compiled_check` may import NumPy and the compiler.
    """

    name: str
    """The name under which users know the game: lower-case letters, digits and single hyphens."""
    title: str
    family: str = ""
    """The heading under which similar games are listed, if there is one."""
    engines: tuple[Engine, ...] = ()
    """Its engines, without those that are programs."""
    deals: Deals
    answer: AnswerFormat
    rules_text: RulesText | None = None
    """Its rules as a file in TOML, if it is a game of a `Family`."""
    has_statement: bool = True
    """Whether it has a problem statement, and so an example of its input and output."""
    reader: str = ""
    """How its reader differs from that of earlier versions, if it takes some texts for other layouts than they did.
    Files that were read before are then read again, as other sources."""
    waivers: Mapping[str, str] = {}
    """Checks of `dealmill.testing` whose assumption does not hold for the game: the reason by the name of the check."""

    def __init_subclass__(cls) -> None:
        """Have the functions that cannot be imported raise an error that names them."""
        for name in FUNCTIONS:
            if isinstance(declared := vars(cls).get(name), property) and declared.fget:
                setattr(
                    cls, name, property(_with_import_errors(declared.fget, f"{cls.__module__}.{cls.__name__}.{name}"))
                )

    @property
    def other_names(self) -> list[str]:
        """The names by which people know the game, besides its title."""
        from dealmill.pipeline.games.names import names_of  # reads a file

        return [name for name in names_of(self.name) if name != self.title]

    @property
    def full_title(self) -> str:
        """The title; that of a variant, which lists its changed rules, behind the name by which people know it."""
        names = self.other_names if ":" in self.name else []
        return f"{names[0]} ({self.title})" if names else self.title

    @property
    def missing_modules(self) -> list[str]:
        """The modules that the package lacks, and needs for functions that the class does not define."""
        defined = {name for name in MODULE_OF_FUNCTION if getattr(type(self), name) is not getattr(Game, name)}
        needed = {MODULE_OF_FUNCTION[name] for name in MODULE_OF_FUNCTION.keys() - defined - OPTIONAL_FUNCTIONS}
        return sorted(module for module in needed if not self._has_module(module))

    def _function(self, name: str, module: str | None = None) -> Callable[..., Any]:
        """Import a function from a module of the package, by default that in `MODULE_OF_FUNCTION`."""
        home = f"{self.package}.{module or MODULE_OF_FUNCTION[name]}"
        with _import_errors_named(f"{home}.{name}"):
            function: Callable[..., Any] = getattr(import_module(home), name)
        return function

    def _has_module(self, name: str) -> bool:
        return _is_module(sys.modules[self.package], name)

    @property
    def read(self) -> Read:
        """``read(lines)``: read numbered lines in the problem statement's format, or with one layout per line.

        Lines are numbered from 1 and have no line ends. Works in bounded memory. A bad layout is yielded as a `Reject`
        that lists all reasons; reading continues.
        """
        return self._function("read")

    @property
    def each_line(self) -> ReadEachLine:
        """``each_line(first)``: return a reader for a file with one layout per line, with the same results as `read`.

        `first` is the first line of the file that is not blank or a comment, stripped. Returns None if it shows that
        the file does not have one layout per line.
        """
        return self._function("each_line")

    @property
    def writers(self) -> Mapping[str, WriteLayout]:
        """Functions that return a layout in the form of another program, by the name of the form. A reader that knows
        the form reads the same layout from it."""
        return {}

    @property
    def notations(self) -> Mapping[str, ReadMoves]:
        """Functions that return a solution in the notation of another program as the words of moves of the game,
        separated by blanks, by the name of the program. If `whole` is set, the moves must win, and become evidence.

        Raises
        ------
        InvalidEvidence
            Raised by the functions if a move cannot be read, or the rules do not allow it, or the game is not won.
        """
        return {}

    def spellings(self, layout: str) -> tuple[str, ...]:
        """Return all canonical texts of a layout, that of today first, given one of them or any other text.

        There are several if earlier versions of the game stored others. Engines and the referee take all of them, and
        `read` yields the first.
        """
        return (layout,)

    @property
    def deal(self) -> Deal:
        """``deal(seed, first, count, **parameters)``: return the canonical texts of the deals `[first, first + count)`.

        They are `Texts`. The seed and the numbers of deals are at least 0 and less than 2⁶⁴.
        """
        return self._function("deal")

    def last_deal(self, seed: int) -> int:
        """Return the number of the last deal of a seed."""
        return MAX_DEAL

    def check_deals(self, seed: int) -> None:
        """Check that new deals of a seed may be asked for. Stored ones are dealt again even if not.

        Raises
        ------
        UsageError
            If not.
        """

    @property
    def solvers(self) -> Mapping[str, EngineFunction]:
        """The functions of the engines by the names of the engines; none if all engines are programs.

        By default, the function ``two_pass`` is the engine ``two-pass``, from the module ``two_pass`` if there is one,
        or else from the module ``engine``.
        """
        functions = dict[str, EngineFunction]()
        for engine in self.engines:
            if engine.program is None:
                name = engine.name.replace("-", "_")
                functions[engine.name] = self._function(name, name if self._has_module(name) else "engine")
        return functions

    @property
    def mask(self) -> CanonicalMask | None:
        """``mask(text, starts, ends)``: return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts.

        A text may be any bytes. It is canonical if `read` reads exactly one layout from it, and the canonical text of
        that layout is the same text. Bytes outside the texts are never read. None if there is no such compiled check:
        `read` is used instead.
        """
        return self._function("mask") if self._has_module("canonical") else None

    @property
    def nameless(self) -> Nameless:
        """``nameless(layout)``: return a text that is the same for all layouts that differ only in names, such as those
        of ranks and stacks, or by a symmetry of the board.

        Layouts with the same text are the same to players: `dealmill pack` takes only one of them. By default, this is
        the layout itself.
        """
        if not self._has_module("layout"):
            return str
        with _import_errors_named(f"{self.package}.layout"):
            function: Nameless = getattr(import_module(f"{self.package}.layout"), "nameless", str)
        return function

    @property
    def check(self) -> CheckEvidence:
        """``check(engine, layout, verdict, value, evidence)``: check that the evidence proves the verdict.

        This is the referee: plain Python that knows only the rules and shares no code with engines. `engine` is the
        name of the engine in its game.

        Raises
        ------
        InvalidEvidence
            Raised by the function if a step breaks a rule, or the evidence does not prove the verdict or its value;
            names the first such step.
        Unchecked
            Raised by the function if the evidence is too long for plain Python; `compiled_check` checks it. If the
            function is a dataclass with a field `limit`, exported checkers have an option that replaces it.
        """
        return self._function("check")

    @property
    def compiled_check(self) -> CheckEvidence:
        """``compiled_check(engine, layout, verdict, value, evidence)``: the same as `check`, also for evidence that is
        too long for plain Python. By default, this is `check`.

        Audits use it; a program that checks an export has only `check`. It shares no code with engines, either.
        """
        return self.check

    def check_seconds(self, _engine: str, _verdict: Verdict, _evidence: str) -> float:
        """Return about how many seconds of processor time `compiled_check` takes for a verdict of an engine, given by
        its name in the game, without checking anything. The evidence may be any text.

        Audits are cut into jobs by it, and say beforehand how long they take. By default, this is the twenty-thousandth
        part of a second.
        """
        return 5e-5

    @property
    def frames(self) -> Frames:
        """``frames(layout, verdict, evidence)``: yield text boards, the layout first.

        Then there is one per step of the trace, or the certificate in words.
        """
        return self._function("frames")

    @property
    def scenes(self) -> Scenes:
        """``scenes(layout, verdict, evidence)``: yield pictures, the layout first.

        Then there is one per step of the trace or per case of the certificate. Those of a proof of a loss say what it
        shows (`Scene.proves`). They are drawn while a reader waits: leave a long search to the referee.

        Raises
        ------
        InvalidEvidence
            Raised by the function if the evidence cannot be read, breaks a rule or proves nothing.
        """
        return self._function("scenes")

    @property
    def playback(self) -> MakePlayback | None:
        """``playback(layout, verdict, evidence)``: return the table and the moves of a solution as data, for programs
        that show it. None if the game does not tell; no steps if the evidence is no play.

        Raises
        ------
        InvalidEvidence
            Raised by the function if a move cannot be read or breaks a rule.
        """
        return self._function("playback") if self._has_module("playback") else None

    @property
    def play(self) -> Play | None:
        """``play(layout, moves)``: return the `Table` after these moves, words of a winning trace; None if positions of
        the game are not layouts.

        Raises
        ------
        IllegalMove
            Raised by the function if the rules do not allow a move.
        InvalidEvidence
            Raised by the function if a word is not a move.
        """
        return None

    def expectation(self, engine: str, parameters: Mapping[str, int]) -> Fraction | None:
        """Return the exact share of winnable deals, or the exact mean value, of an engine (its name in the game) over
        all random deals with these parameters; None if it is not known. `parameters` lacks those with their default.
        """
        return None

    @property
    def generator(self) -> str:
        """The name and version of the generator of its numbered deals, which is part of their identity."""
        return f"{GENERATOR} {self.name}/{self.deals.version}"

    def full_name(self, engine: Engine) -> str:
        """Return the full name of an engine, such as ``camelot/winnable``."""
        return f"{self.name}/{engine.name}"

    def grader(self, engine: Engine) -> Engine | None:
        """Return the engine whose values or nodes grade the wins of an engine: itself, or one that scores layouts; None
        if there are no grades."""
        scoring = (grader for grader in self.engines if grader.grades and grader.scores)
        return engine if engine.grades else next(scoring, None)

    def verdicts_of(self, engine: Engine) -> list[Verdict]:
        """Return the verdicts that an engine can give: there is an answer or a text for each."""
        has = {Verdict.WINNABLE: self.answer.winnable, Verdict.UNWINNABLE: self.answer.unwinnable}
        return [verdict for verdict in Verdict if (has | {Verdict.SCORED: engine.value_text}).get(verdict, True)]

    @property
    def package(self) -> str:
        """The name of the package that defines it."""
        module = sys.modules[type(self).__module__]
        return module.__package__ or module.__name__

    @property
    def folder(self) -> Path:
        """The folder of its package."""
        return Path(str(sys.modules[type(self).__module__].__file__)).parent

    @property
    def examples(self) -> Path:
        """The folder of its examples: ``NAME-deals.txt`` and, if it has a statement, ``NAME-statement.txt`` and
        ``NAME-statement.answer``."""
        return self.folder / "examples"


class Family(ABC):
    """Games that differ only in their rules, each of which is a text in TOML.

    The versions of the engines and of the deals of a game are those of the family, a hyphen, and the digest of the
    rules (`engines_by`, `deals_by`): changed rules are another version.
    """

    name: str
    """The name of the entry point that offers it."""
    folder: Path
    """The folder of its own rules files: each file ``NAME.toml`` is the game NAME."""
    table: str = ""
    """The table by which rules files of users are known to be of this family. Families without one get the files that
    have the table of no family."""
    engines: tuple[Engine, ...]
    """The engines that are the same in all its games, but for the rules."""
    deals: Deals
    aliases: Mapping[str, str] = {}
    """Other names under which users know its own games, with the name of each game."""

    @abstractmethod
    def load(self, name: str, text: str) -> Game:
        """Return the game `name` with the rules in a text, which may be anything.

        Raises
        ------
        UsageError
            With everything that is wrong with the text.
        """

    def changed(self, text: str, changes: Mapping[str, str]) -> str:
        """Return a text of rules in which some keys have other values, which `load` checks. By default, none can.

        Raises
        ------
        UsageError
            If a key cannot be changed.
        """
        raise UsageError(f"the rules of {self.name} cannot be changed by key, except in a file: {', '.join(changes)}")

    def engines_by(self, digest: str, *own: Engine) -> tuple[Engine, ...]:
        """Return the engines of the game with these rules: its `own` ones, and then those of the family."""
        return tuple(replace(engine, version=f"{engine.version}-{digest}") for engine in (*own, *self.engines))

    def deals_by(self, digest: str) -> Deals:
        """Return the deals of the game with these rules."""
        return replace(self.deals, version=f"{self.deals.version}-{digest}")


def _with_import_errors(get: Callable[[Any], object], what: str) -> Callable[[Any], object]:
    """Return a getter of a property that raises a `DealmillError` if the import in it fails."""

    @wraps(get)
    def imported(game: Game) -> object:
        with _import_errors_named(what):
            return get(game)

    return imported


@contextmanager
def _import_errors_named(what: str) -> Iterator[None]:
    """Raise a `DealmillError` if an import fails."""
    try:
        yield
    except CacheError:
        raise  # says all that a user needs to know
    except (Exception, SystemExit) as error:
        raise DealmillError(f"{what} cannot be imported: {type(error).__name__}: {error}") from error


@cache
def _is_module(package: ModuleType, name: str) -> bool:
    """Return whether a package has a module of this name, without importing it."""
    path = getattr(package, "__path__", None)
    return path is not None and PathFinder.find_spec(f"{package.__name__}.{name}", path) is not None
