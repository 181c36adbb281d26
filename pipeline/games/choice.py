"""Which referee judges a loss in families of games that have two: plain Python, or compiled code.

That follows from the evidence and the layout alone, so that a verdict is judged in the same way everywhere.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from dealmill.pipeline.games.player import JudgeOfPlays
from dealmill.pipeline.games.verdict import Verdict

SAMPLE = 16
"""Of the losses that plain Python counts, about one in so many is counted by compiled code, too."""

RulesT = TypeVar("RulesT")
PositionT = TypeVar("PositionT")
LossT = TypeVar("LossT")


@dataclass(frozen=True)
class CompiledJudge(ABC, Generic[RulesT, PositionT, LossT]):
    """A referee that leaves losses of many positions to compiled code, and a sample of the others to both; all else, to
    plain Python. What is drawn follows from the layout."""

    rules: RulesT

    def __call__(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        """Replay the moves of a win, repeat plays, or count the positions of a loss.

        Raises
        ------
        InvalidEvidence
            If the evidence does not prove the verdict; at step 0, if the text is not a position.
        UncompiledError
            If the compiled referee is needed, and must not be compiled now.
        """
        plain = self.plain
        if verdict is not Verdict.UNWINNABLE or engine != "winnable" or value is not None:
            plain(engine, layout, verdict, value, evidence)
            return
        position = plain.position(layout)
        loss = self.read_loss(evidence)
        is_plain = self.is_plain(loss)
        if is_plain:
            plain(engine, layout, verdict, value, evidence)
        if not is_plain or self.number_of(layout) % self.sample(loss) == 0:
            self.check_compiled(layout, position, loss)

    @property
    @abstractmethod
    def plain(self) -> JudgeOfPlays[PositionT, Any]:
        """The referee in plain Python."""

    @abstractmethod
    def read_loss(self, evidence: str) -> LossT:
        """Return what the evidence of a loss claims, or raise `InvalidEvidence`."""

    @abstractmethod
    def is_plain(self, loss: LossT) -> bool:
        """Return whether plain Python checks a loss in a moment."""

    def sample(self, _loss: LossT) -> int:
        """Return of how many such losses that plain Python checks compiled code checks one, too."""
        return SAMPLE

    @abstractmethod
    def check_compiled(self, layout: str, position: PositionT, loss: LossT) -> None:
        """Check a loss with compiled code."""

    def number_of(self, layout: str) -> int:
        """Return a number that looks random, always the same for a layout."""
        return int.from_bytes(blake2b(layout.encode(), digest_size=8).digest(), "big")
