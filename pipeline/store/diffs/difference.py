"""A difference between two runs: its kind, and what two runs must share to be compared."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dealmill.pipeline.arguments import DifferenceKind
from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.descriptions import DECIDED
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.pipeline.store.runs.status import RunStatus


@dataclass(frozen=True, slots=True)
class Difference:
    """A layout on which two runs differ, with their verdicts. `same_question` says whether two verdicts can contradict
    each other. `line` is its line, or the number of its deal, in the first run, or in the other if only that one has
    the layout; None for a block of layouts."""

    layout: str
    one: RecordedVerdict
    other: RecordedVerdict
    same_question: bool = True
    line: int | None = None

    @property
    def kind(self) -> DifferenceKind:
        """What the difference means."""
        left, right = self.one, self.other
        decided = left.verdict in DECIDED, right.verdict in DECIDED
        if left.position is None or right.position is None or (left.verdict is None) != (right.verdict is None):
            return DifferenceKind.MISSING
        if decided == (True, True) and not self.same_question:
            return DifferenceKind.QUESTION
        if decided == (True, True) and (left.verdict, left.value) != (right.verdict, right.value):
            return DifferenceKind.CONTRADICTED
        if left.verdict is right.verdict:  # also of a block of deals, where both are None
            return DifferenceKind.EVIDENCE
        names = {(True, False): DifferenceKind.LOST, (False, True): DifferenceKind.GAINED}
        return names.get(decided, DifferenceKind.UNDECIDED)


@dataclass(frozen=True, slots=True)
class DiffPart:
    """The differences of a part of two runs. `reached` is the position in the first run up to which they have been
    compared by now."""

    reached: int
    differences: list[Difference]


@dataclass(frozen=True, slots=True)
class DiffSummary:
    """The differences between two runs in figures: their number by kind (see `DifferenceKind`), and for layouts with
    other evidence its mean length in the first run and in the other."""

    counts: Mapping[str, int]
    evidence_lengths: tuple[float, float] | None

    @classmethod
    def of(cls, differences: Iterable[Difference]) -> "DiffSummary":
        """Count the differences."""
        counts, lengths = Counter[str](), [0, 0]
        for difference in differences:
            counts[difference.kind] += 1
            if difference.kind is DifferenceKind.EVIDENCE:
                lengths[0] += len(difference.one.evidence or "")
                lengths[1] += len(difference.other.evidence or "")
        number = counts[DifferenceKind.EVIDENCE]
        ordered = {str(kind): counts[kind] for kind in DifferenceKind if counts[kind]}
        return cls(ordered, (lengths[0] / number, lengths[1] / number) if number else None)


def have_same_question(left: RunStatus, right: RunStatus) -> bool:
    """Return whether the engines of two runs answer the same question, as is assumed of one that is not installed."""
    if left.game != right.game:
        return False
    try:
        return len({find_engine(run.referee_engine)[1].referee_name for run in (left, right)}) == 1
    except NotFoundError:
        return True


def layouts_are_stored(left: RunStatus, right: RunStatus) -> bool:
    """Return whether the layouts of both runs are stored."""
    return left.storage.stores_layouts and right.storage.stores_layouts
