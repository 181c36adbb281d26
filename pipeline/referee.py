"""Verdicts before the referee of their game."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.contract import RulesModule
from dealmill.pipeline.games.verdict import Code, Verdict


class Outcome(Code):
    """What the referee says of a verdict. The numbers are stored: never reuse one."""

    VALID = 1
    """The evidence proves the verdict and its value."""
    INVALID = 2
    """It does not."""
    NO_EVIDENCE = 3
    """The verdict claims nothing that could be proved: undecided, or failed."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the referee says; of what is invalid also the step of the evidence (0 for the verdict itself) and why."""

    outcome: Outcome
    step: int | None = None
    reason: str | None = None

    @property
    def valid(self) -> bool:
        """Whether the evidence proves the verdict and its value."""
        return self.outcome is Outcome.VALID

    def __str__(self) -> str:
        return self.outcome.word if self.reason is None else f"{self.outcome.word}: step {self.step}: {self.reason}"


VERDICTS = tuple(Verdict)
VALID, NO_EVIDENCE = Judgement(Outcome.VALID), Judgement(Outcome.NO_EVIDENCE)


def judge(engine: str, layout: str, verdict: int, value: int | None, evidence: str | None) -> Judgement:
    """Hold a verdict of an engine (its full name) against its evidence. Nothing about the five is taken for granted:
    whatever the referee cannot make sense of is invalid.

    Raises
    ------
    NotFoundError
        If there is no such engine.
    """
    return referee(engine)(layout, verdict, value, evidence)


def referee(engine: str) -> Callable[[str, int, int | None, str | None], Judgement]:
    """The same for many verdicts of one engine: a function of layout, verdict, value and evidence.

    Raises
    ------
    NotFoundError
        If there is no such engine.
    """
    game, known = find_engine(engine)
    return partial(_judge, game.rules, known.name)


def _judge(
    rules: RulesModule, engine: str, layout: str, verdict: int, value: int | None, evidence: str | None
) -> Judgement:
    if objection := _objection(verdict, evidence):
        return Judgement(Outcome.INVALID, 0, objection)
    if evidence is None or verdict == Verdict.FAILED:
        return NO_EVIDENCE
    try:
        rules.check(engine, layout, Verdict(verdict), value, evidence)
    except InvalidEvidence as error:
        return Judgement(Outcome.INVALID, error.step, error.reason)
    except Exception as error:  # noqa: BLE001 -- layout and evidence may be anything by now
        return Judgement(Outcome.INVALID, 0, f"the referee cannot read it: {type(error).__name__}: {error}")
    return VALID


def _objection(verdict: int, evidence: str | None) -> str | None:
    """What is wrong with a verdict before the evidence is looked at."""
    if verdict not in VERDICTS:
        return f"{verdict} is no verdict"
    claims_nothing = verdict == Verdict.UNDECIDED
    if claims_nothing and evidence is not None:
        return "an undecided layout has no evidence, but here is some"
    if not claims_nothing and evidence is None:
        return f"there is no evidence for {Verdict(verdict).word}"
    return None
