"""What describes a game and its layouts: engines, deals, rules as text, the format of answers."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from tomllib import loads
from typing import TYPE_CHECKING, NamedTuple

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import decimal

if TYPE_CHECKING:
    from dealmill.pipeline.programs.manifest import Program


UNKNOWN = "?"
"""Written in place of the answer of a layout that has none."""

GENERATOR = "philox4x64-10"
"""The random numbers of all numbered deals."""
DECIDED = frozenset({Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED})
"""The verdicts that say something about a layout. Without evidence, they are claims."""


def is_claim(verdict: int | None, evidence: str | None) -> bool:
    """Return whether a verdict is a claim without evidence, as programs and imports can give."""
    return evidence is None and verdict in DECIDED


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
    """What its evidence says, and in which notation, on one line, for users."""
    checked_as: str | None = None
    """The engine as which the referee checks its verdicts, if that is another one."""
    complete: bool = True
    """Whether it decides every layout if there is no node limit."""
    max_nodes: int | None = None
    """The node limit of runs that name none."""
    measures: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Whole numbers in its evidence by which layouts can be graded, such as critical choices: for each name, the place
    of the word, from 0."""
    value_text: Callable[[int], str] | None = None
    """Says what a value is, for people: `98 flips`. None if it scores no layouts."""
    lost_value: int | None = None
    """The value of a layout that no play wins, such as a chance of 0; None if no value says so."""
    program: "Program | None" = None
    """The program that solves the layouts, if it is not a function of the game's `solvers`."""
    evidence_of_loss: str | None = None
    """The same as `evidence` for the verdict `unwinnable`, if its evidence differs from that of others."""
    memory: Callable[[int], int] | None = None
    """Returns the bytes of memory that a search with a node limit can take, if that depends on the limit."""
    grades: tuple[int, ...] = ()
    """The bounds of the grades of difficulty, from grade 1; the last grade has none. Of an engine that scores layouts,
    they are the least values, otherwise the most nodes of a win. Empty if it has no grades."""
    fast: bool = False
    """Whether it solves a deal faster than a database stores the verdict, in some microseconds. Its surveys store no
    deals: those that are asked for are solved again."""

    @property
    def needs_no_limit(self) -> bool:
        """Whether runs have no node limit by default, and every layout is decided then."""
        return self.complete and self.max_nodes is None

    def notation(self, verdict: int) -> str:
        """Return what the evidence of a verdict says, and in which notation."""
        return (self.evidence_of_loss if verdict == Verdict.UNWINNABLE else None) or self.evidence

    @property
    def scores(self) -> bool:
        """Whether it gives values."""
        return self.value_text is not None

    def grade(self, number: int) -> int | None:
        """Return the grade of a value or, if the engine gives none, of a win by the nodes of its search; None if the
        engine has no grades."""
        if not self.grades:
            return None
        ends = [-least for least in self.grades] if self.scores else self.grades
        return bisect_left(ends, -number if self.scores else number) + 1

    def range_of_grade(self, grade: int) -> tuple[int, int | None]:
        """Return the least and the greatest value, or number of nodes, of a grade; None if there is no greatest one."""
        bound_before = self.grades[grade - 2] if grade > 1 else None
        bound = self.grades[grade - 1] if grade <= len(self.grades) else None
        if self.scores:
            return bound or 0, None if bound_before is None else bound_before - 1
        return 0 if bound_before is None else bound_before + 1, bound

    def proves_lost(self, verdict: int, value: int | None) -> bool:
        """Return whether a verdict says that no play wins."""
        scored_lost = verdict == Verdict.SCORED and value is not None and value == self.lost_value
        return verdict == Verdict.UNWINNABLE or scored_lost

    @property
    def unit(self) -> str:
        """What its values count, taken from what `value_text` says of one: ``flips``; empty if it says only a
        number."""
        return self.words_of_value(2).partition("2")[2].partition("(")[0].strip()

    def words_of_mean(self, mean: float) -> str:
        """Return a mean of values with their unit."""
        return f"{decimal(mean)} {self.unit}".strip()

    @property
    def referee_name(self) -> str:
        """The name of the engine by which the referee knows it. Engines that have the same answer one question."""
        return self.checked_as or self.name

    def words_of_value(self, value: int) -> str:
        """Return what `value_text` says of a value; the number alone if that fails, since a stored value may be any."""
        try:
            return str((self.value_text or "{:,}".format)(value))
        except Exception:  # noqa: BLE001 -- a game from outside may raise anything; check-game names it
            return f"{value:,}"


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


class RulesText(NamedTuple):
    """The rules of a game of a family, as they are recorded: a canonical text, and the digest that tells it apart.

    `family` is the name of the `Family` that loads the text.
    """

    digest: str
    family: str
    text: str

    def play_as(self, rules: "RulesText") -> bool:
        """Return whether both are the same rules, whatever the games and their families are called. `rules` may be of a
        damaged record."""
        if self.text == rules.text:
            return True
        try:
            left, right = ({**loads(each.text), "title": "", "family": ""} for each in (self, rules))
        except (TypeError, ValueError, RecursionError):
            return False
        return left == right


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
