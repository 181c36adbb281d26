"""What a game must offer. Each folder beside this file is one game and keeps this contract.

A game's folder holds a `GAME` in its ``__init__`` and these modules, which are imported only when needed
(``engine``, ``canonical`` and ``deal`` pull in the compiler):

============= ================================================================================================
``layout``    ``read(lines)``: layouts out of a file in the statement's format, or one canonical layout a line;
              ``each_line(first)``: what reads files with a layout on each line
``deal``      ``deal(seed, first, count, **parameters) -> Texts``: numbered deals
``engine``    one function per engine, named like it (``two-pass`` is ``two_pass``): ``(layouts, max_nodes) -> Solved``
``canonical`` ``mask(text, starts, ends)``: the compiled check that texts are canonical; without it, the reader checks
``rules``     ``check(...)``: the referee, plain Python that shares no code with ``engine`` or ``deal``
``picture``   ``frames(...)``: boards as text, one for the layout and one per step of its evidence
============= ================================================================================================
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Bytes, Mask, Numbers, Solved, Texts
    from dealmill.pipeline.games.reading import EachLine

UNKNOWN = "?"
"""Stands where a layout has no answer."""

NO_LIMIT = 2**62
"""The node limit of a run that may search as long as it needs."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One valid layout: its canonical text (one line, ASCII) and the line of the file it starts in."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Reject:
    """One bad layout: the line it starts in, its text as found, and everything that is wrong with it."""

    line: int
    text: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """A named, versioned solver. Same name and version: same output, byte for byte, on every machine."""

    name: str
    version: str
    summary: str
    evidence: str
    """The notation of its evidence, in one line for the user."""

    @property
    def function(self) -> str:
        """The name of the function in the game's ``engine`` module."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that shapes the deals of a game."""

    default: int
    least: int
    most: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Deals:
    """The numbered deals of a game: the version of their generator, and what shapes them."""

    version: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """The output format of a game's statement: the answers, with lines before and behind them."""

    opening: str = ""
    between: str = "\n"
    closing: str = ""
    winnable: str = ""
    unwinnable: str = ""

    def word(self, verdict: Verdict, value: int | None) -> str:
        """One answer; `?` for a layout that has no verdict to give."""
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
        """Read numbered lines (from 1, without line ends) in the statement's format or canonical, one a line.

        Works in bounded memory. A bad layout is yielded as a `Reject` that lists all reasons; reading goes on.
        """
        ...

    def each_line(self, first: str) -> "EachLine | None":
        """What reads a file whose `first` line that is not blank is this one, stripped, as `read` does; None if a file
        that begins so does not have a layout on each line."""
        ...


class DealModule(Protocol):
    """``deal.py`` of a game."""

    def deal(self, seed: int, first: int, count: int, **parameters: int) -> "Texts":
        """Canonical texts of deals number `first` … `first + count - 1` of `seed` (0 ≤ seed, number < 2⁶⁴)."""
        ...


class CanonicalModule(Protocol):
    """``canonical.py`` of a game, which it may have."""

    def mask(self, text: "Bytes", starts: "Numbers", ends: "Numbers") -> "Mask":
        """Check which of the texts ``text[starts[i]:ends[i]]`` are canonical layouts; texts are any bytes.

        A text is canonical if `layout` reads exactly one layout from it and writes that layout as the same text. Bytes
        outside the texts are never read.
        """
        ...


class RulesModule(Protocol):
    """``rules.py`` of a game: the referee."""

    def check(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        """Prove the verdict that `engine` (its name in the game) gave by its evidence, from the rules alone.

        Raises
        ------
        InvalidEvidence
            With the first step that breaks a rule or does not prove the verdict or its value.
        """
        ...


class PictureModule(Protocol):
    """``picture.py`` of a game."""

    def frames(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
        """Text boards: the layout first, then one per step of the trace, or the certificate in words."""
        ...


class EngineFunction(Protocol):
    """A function of ``engine.py``."""

    def __call__(self, layouts: "Texts", max_nodes: int = NO_LIMIT) -> "Solved":
        """Solve canonical layouts; a layout that would take more than `max_nodes` nodes is undecided."""
        ...


class Solver(Protocol):
    """The function of an engine, behind the check that every text is canonical."""

    def __call__(self, layouts: "Texts", max_nodes: int | None = None) -> "Solved":
        """Solve layouts; one that would take more than `max_nodes` nodes is undecided.

        Raises
        ------
        BadLayout
            If a text is not canonical, before anything is solved.
        """
        ...


@dataclass(frozen=True, slots=True)
class Game:
    """One game with its rules. The first engine is the default one."""

    package: str
    title: str
    engines: tuple[Engine, ...]
    deals: Deals
    answer: AnswerFormat

    @property
    def name(self) -> str:
        """The game's name: its folder's, with dashes."""
        return self.package.rpartition(".")[2].replace("_", "-")

    @property
    def generator(self) -> str:
        """Name and version of what deals its numbered deals: a part of their identity."""
        return f"philox4x64-10 {self.name}/{self.deals.version}"

    def full_name(self, engine: Engine) -> str:
        """An engine's name with its game's: ``camelot/winnable``."""
        return f"{self.name}/{engine.name}"

    @property
    def folder(self) -> Path:
        """The folder of its modules."""
        return Path(__file__).parent / self.name.replace("-", "_")

    @property
    def examples(self) -> Path:
        """The folder of its examples: ``NAME-statement.txt``, ``NAME-statement.answer``, ``NAME-deals.txt``."""
        return self.folder / "examples"

    @property
    def layout(self) -> LayoutModule:
        """Reading, validation and canonical text."""
        return cast(LayoutModule, import_module(f"{self.package}.layout"))

    @property
    def deal(self) -> DealModule:
        """Numbered deals."""
        return cast(DealModule, import_module(f"{self.package}.deal"))

    @property
    def rules(self) -> RulesModule:
        """The referee."""
        return cast(RulesModule, import_module(f"{self.package}.rules"))

    @property
    def picture(self) -> PictureModule:
        """Text boards."""
        return cast(PictureModule, import_module(f"{self.package}.picture"))

    def canonical(self, layouts: "Texts") -> "Mask":
        """Check which texts are canonical layouts: one truth value for each."""
        return _guard().mask(self, layouts)

    def solver(self, engine: Engine) -> Solver:
        """Return the function of an engine, behind the check; its kernels are compiled or loaded at its first call."""
        module = import_module(f"{self.package}.engine")
        return _guard().guarded(self, cast(EngineFunction, getattr(module, engine.function)))


class _GuardModule(Protocol):
    """``guard.py`` beside this file, which loads the compiler and so is imported only when needed, too."""

    def mask(self, game: Game, layouts: "Texts") -> "Mask": ...

    def guarded(self, game: Game, function: EngineFunction) -> Solver: ...


def _guard() -> _GuardModule:
    return cast(_GuardModule, import_module("dealmill.pipeline.games.guard"))
