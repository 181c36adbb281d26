"""Choose between the two referees of a loss: plain Python or compiled code.

The choice depends only on the evidence and the layout, so a loss is judged in the same way everywhere.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from dealmill.pipeline.games.player import JudgeOfPlays
from dealmill.pipeline.games.verdict import Verdict

SAMPLE = 16
"""Compiled code also counts about one in `SAMPLE` of the losses that plain Python counts."""

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
            self.check_plain(position, loss)
        if not is_plain or random_number(layout) % self.sample(loss) == 0:
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
        """Return how many such losses there are for each one that compiled code checks, too."""
        return SAMPLE

    @abstractmethod
    def check_plain(self, position: PositionT, loss: LossT) -> None:
        """Check a loss with plain Python."""

    @abstractmethod
    def check_compiled(self, layout: str, position: PositionT, loss: LossT) -> None:
        """Check a loss with compiled code."""


def random_number(layout: str) -> int:
    """Return a number that looks random, always the same for a layout."""
    return int.from_bytes(blake2b(layout.encode(), digest_size=8).digest(), "big")
