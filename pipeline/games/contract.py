"""The interface of a game, which is a Python package.

The package defines `GAME`, usually in its ``__init__``, and its distribution offers that by an entry point in the group
``dealmill.games``. It has these modules, which are imported only when needed (``engine``, ``canonical`` and ``deal``
may import the compiler), and a folder ``examples``:

============= ================================================================================================
``layout``    ``read(lines)``: reads a file in the format of the problem statement, or with one layout per line;
              ``each_line(first)``: returns the reader for files with one layout per line
``deal``      ``deal(seed, first, count, **parameters) -> Texts``: numbered deals
``engine``    one function per engine, named after it (``two-pass`` is ``two_pass``): ``(layouts, max_nodes) -> Solved``
``canonical`` ``mask(text, starts, ends)``: the compiled check for canonical texts; optional, the reader is used without
``rules``     ``check(...)``: the referee, plain Python that shares no code with ``engine`` or ``deal``
``picture``   ``frames(...)``: boards as text, one for the layout and one per step of its evidence;
              ``scenes(...)``: the same as pictures
============= ================================================================================================

The problem statement is the published text of a game's task. It gives the rules, the input format that ``layout`` reads
and the output format that `AnswerFormat` writes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, cast

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.games.caches import CacheError
from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Bytes, Mask, Numbers, Solved, Texts
    from dealmill.pipeline.games.pictures import Scene
    from dealmill.pipeline.games.reading import EachLine
    from dealmill.pipeline.programs.manifest import Program

UNKNOWN = "?"
"""Written in place of the answer of a layout that has none."""

NO_LIMIT = 2**62
"""The node limit that stands for no limit."""


FUNCTIONS: Mapping[str, Sequence[str]] = {
    "layout": ("read", "each_line"),
    "deal": ("deal",),
    "rules": ("check",),
    "picture": ("frames", "scenes"),
}
"""The functions that each module of a game has, apart from those of ``engine``."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A valid layout: its canonical text (one line of ASCII) and the number of the line in which it starts."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Reject:
    """A text that is not a valid layout: the line in which it starts, the text as found, and all reasons."""

    line: int
    text: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """A named, versioned solver. The same name and version give the same output, byte for byte, on every machine."""

    name: str
    version: str
    summary: str
    evidence: str
    """The notation of its evidence, on one line, for users."""
    checked_as: str | None = None
    """The engine as which the referee checks its verdicts, if that is another one."""
    program: "Program | None" = None
    """The program that solves the layouts, if it is not a function of the game's ``engine`` module."""

    @property
    def rules_name(self) -> str:
        """The name of the engine by which the referee knows it."""
        return self.checked_as or self.name

    @property
    def function(self) -> str:
        """The name of the function in the game's ``engine`` module."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Parameter:
    """An integer parameter of a game's deals; `least` and `most` are included in its range."""

    default: int
    least: int
    most: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Deals:
    """The numbered deals of a game: the version of their generator, and their parameters by name.

    `limited` says that some numbers have no deal. Then the last deal of a range is dealt before anything is stored.
    """

    version: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    limited: bool = False


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """The output format of a game's problem statement: the answers, with text before, between and after them."""

    opening: str = ""
    between: str = "\n"
    closing: str = ""
    winnable: str = ""
    unwinnable: str = ""

    def word(self, verdict: Verdict, value: int | None) -> str:
        """Return the answer for a verdict; `UNKNOWN` if it is undecided or failed."""
        match verdict:
            case Verdict.WINNABLE:
                return self.winnable
            case Verdict.UNWINNABLE:
                return self.unwinnable
            case Verdict.SCORED:
                return str(value)
        return UNKNOWN


class LayoutModule(Protocol):
    """``layout.py`` of a game."""

    def read(self, lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
        """Read numbered lines (from 1, without line ends) in the problem statement's format, or one layout per line.

        Works in bounded memory. A bad layout is yielded as a `Reject` that lists all reasons; reading continues.
        """
        ...

    def each_line(self, first: str) -> "EachLine | None":
        """Return a reader for a file with one layout per line; it gives the same results as `read`.

        `first` is the first line of the file that is not blank or a comment, stripped. Returns None if it shows that
        the file does not have one layout per line.
        """
        ...


class DealModule(Protocol):
    """``deal.py`` of a game."""

    def deal(self, seed: int, first: int, count: int, **parameters: int) -> "Texts":
        """Return the canonical texts of deals `[first, first + count)` of `seed` (0 ≤ seed, number < 2⁶⁴)."""
        ...


class CanonicalModule(Protocol):
    """``canonical.py`` of a game (optional)."""

    def mask(self, text: "Bytes", starts: "Numbers", ends: "Numbers") -> "Mask":
        """Return which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts; a text may be any bytes.

        A text is canonical if `layout` reads exactly one layout from it, and the canonical text of that layout is the
        same text. Bytes outside the texts are never read.
        """
        ...


class RulesModule(Protocol):
    """``rules.py`` of a game: the referee."""

    def check(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        """Check, from the rules alone, that the evidence proves the verdict of `engine` (its name in the game).

        Raises
        ------
        InvalidEvidence
            If a step breaks a rule, or the evidence does not prove the verdict or its value; names the first such step.
        """
        ...


class PictureModule(Protocol):
    """``picture.py`` of a game."""

    def frames(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
        """Yield text boards: the layout first, then one per step of the trace, or the certificate in words."""
        ...

    def scenes(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> "Iterator[Scene]":
        """Yield pictures: the layout first, then one per step of the trace or per case of the certificate.

        Raises
        ------
        InvalidEvidence
            If the evidence cannot be read, breaks a rule or proves nothing.
        """
        ...


class EngineFunction(Protocol):
    """A function of ``engine.py``."""

    def __call__(self, layouts: "Texts", max_nodes: int = NO_LIMIT) -> "Solved":
        """Solve canonical layouts; a layout that would take more than `max_nodes` nodes is undecided."""
        ...


class Solver(Protocol):
    """The function of an engine, preceded by the check that every text is canonical."""

    def __call__(self, layouts: "Texts", max_nodes: int | None = None) -> "Solved":
        """Solve layouts; one that would take more than `max_nodes` nodes is undecided.

        Raises
        ------
        BadLayout
            If a text is not canonical; nothing is solved then.
        """
        ...


@dataclass(frozen=True, slots=True)
class Game:
    """A game with its rules. The first engine is the default one.

    `name` is the name under which users know the game: lower-case letters, digits and single hyphens. `package` is the
    Python package that contains its modules.
    """

    name: str
    package: str
    title: str
    engines: tuple[Engine, ...]
    deals: Deals
    answer: AnswerFormat

    @property
    def generator(self) -> str:
        """The name and version of the generator of its numbered deals, which is part of their identity."""
        return f"philox4x64-10 {self.name}/{self.deals.version}"

    def full_name(self, engine: Engine) -> str:
        """Return the full name of an engine, such as ``camelot/winnable``."""
        return f"{self.name}/{engine.name}"

    @property
    def folder(self) -> Path:
        """The folder of its package."""
        return Path(str(files(self.package)))

    @property
    def examples(self) -> Path:
        """The folder of its examples ``NAME-statement.txt``, ``NAME-statement.answer`` and ``NAME-deals.txt``."""
        return self.folder / "examples"

    @property
    def layout(self) -> LayoutModule:
        """The module that reads and validates layouts."""
        return cast(LayoutModule, self.module("layout", *FUNCTIONS["layout"]))

    @property
    def deal(self) -> DealModule:
        """The module that generates numbered deals."""
        return cast(DealModule, self.module("deal", *FUNCTIONS["deal"]))

    @property
    def rules(self) -> RulesModule:
        """The module of the referee."""
        return cast(RulesModule, self.module("rules", *FUNCTIONS["rules"]))

    @property
    def picture(self) -> PictureModule:
        """The module that draws text boards and pictures."""
        return cast(PictureModule, self.module("picture", *FUNCTIONS["picture"]))

    def module(self, name: str, *functions: str) -> ModuleType:
        """Import a module that has these functions.

        Raises
        ------
        DealmillError
            If it cannot be imported, or lacks one of them.
        """
        module = f"{self.package}.{name}"
        try:
            found = import_module(module)
        except CacheError:
            raise  # says all that a user needs to know
        except (Exception, SystemExit) as error:
            raise DealmillError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
        for function in functions:
            if not hasattr(found, function):
                raise DealmillError(f"{module} has no function {function}")
        return found

    def canonical(self, layouts: "Texts") -> "Mask":
        """Return which texts are canonical layouts, as an array of booleans."""
        return _guard().mask(self, layouts)

    def solver(self, engine: Engine) -> Solver:
        """Return the checked function of an engine; its kernels are compiled or loaded at the first call."""
        return _guard().checked_solver(self, _guard().function_of(self, engine))


class _GuardModule(Protocol):
    """``guard.py`` next to this file, which imports the compiler and so is also imported only when needed."""

    def mask(self, game: Game, layouts: "Texts") -> "Mask": ...

    def function_of(self, game: Game, engine: Engine) -> EngineFunction: ...

    def checked_solver(self, game: Game, function: EngineFunction) -> Solver: ...


def _guard() -> _GuardModule:
    return cast(_GuardModule, import_module("dealmill.pipeline.games.guard"))
