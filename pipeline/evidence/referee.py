"""Checking of verdicts by the referee of their game."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from dealmill.pipeline.errors import InvalidEvidence, Unchecked
from dealmill.pipeline.games import EngineKey, find_engine
from dealmill.pipeline.games.verdict import Code, Verdict

LONGEST_TEXT = 1 << 20
"""The most characters of a layout, and of evidence, that is judged or drawn."""
Check = Callable[[str, str, Verdict, int | None, str], None]
"""The function ``check(engine, layout, verdict, value, evidence)`` of a game's rules."""


class Outcome(Code):
    """The outcome of a referee's check. The numbers are stored: never reuse one."""

    VALID = 1
    """The evidence proves the verdict and its value."""
    INVALID = 2
    """The evidence does not prove them."""
    NO_EVIDENCE = 3
    """There is nothing to check: the verdict is undecided or failed, or a claim without evidence."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A referee's judgement on a verdict.

    If the outcome is invalid, `step` is the step of the evidence at fault (0 for the verdict itself), and `reason`
    explains why.
    """

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


Judge = Callable[[str, int, int | None, str | None], Judgement]
"""Judges a layout, verdict, value and evidence."""


def judge(
    engine: EngineKey,
    layout: str,
    verdict: int,
    value: int | None,
    evidence: str | None,
    *,
    imported: bool = False,
) -> Judgement:
    """Check a verdict of an engine against its evidence; for `imported` see `referee`.

    The other arguments may be anything: what the referee cannot interpret is judged invalid.
    """
    return referee(engine, imported=imported)(layout, verdict, value, evidence)


def referee(engine: EngineKey, *, imported: bool = False) -> Judge:
    """Return the `judge` of one engine, or of verdicts `imported` for an engine that exists only on record, and which
    are checked as those of this one. Verdicts of such engines and of programs may be claims without evidence, which are
    neither valid nor invalid.
    """
    game, known = find_engine(engine)
    judge: Judge = partial(judge_by, game.compiled_check, known.referee_name)
    may_claim = imported or known.program is not None
    return partial(_judge_claim, judge) if may_claim else judge


def _judge_claim(judge: Judge, layout: str, verdict: int, value: int | None, evidence: str | None) -> Judgement:
    return NO_EVIDENCE if evidence is None and verdict in VERDICTS else judge(layout, verdict, value, evidence)


def judge_by(
    check: Check, engine: str, layout: str, verdict: int, value: int | None, evidence: str | None
) -> Judgement:
    """Check a verdict of an engine (its name in the game) against its evidence, by the rules of the game.

    The other arguments may be anything: what the rules cannot interpret is judged invalid.

    Raises
    ------
    Unchecked
        If `check` leaves this evidence to others.
    MemoryError
        If there is not enough memory, which says nothing about the evidence.
    """
    if wrong := _wrong_claim(verdict, evidence):
        return Judgement(Outcome.INVALID, 0, wrong)
    if evidence is None or verdict == Verdict.FAILED:
        return NO_EVIDENCE
    if wrong := too_long(layout, evidence):
        return Judgement(Outcome.INVALID, 0, wrong)
    try:
        check(engine, layout, Verdict(verdict), value, evidence)
    except InvalidEvidence as error:
        objection = error
    except (MemoryError, Unchecked):
        raise
    except Exception as error:  # noqa: BLE001 -- a damaged record may hold any layout and evidence
        objection = InvalidEvidence(0, f"the referee cannot read it: {type(error).__name__}: {error}")
    else:
        return VALID
    return Judgement(Outcome.INVALID, objection.step, objection.reason)


def too_long(layout: str, evidence: str | None) -> str | None:
    """Return which of two texts is too long to be judged or drawn, or None."""
    for name, text in (("layout", layout), ("evidence", evidence or "")):
        if len(text) > LONGEST_TEXT:
            return f"the {name} has {len(text):,} characters, expected at most {LONGEST_TEXT:,}"
    return None


def _wrong_claim(verdict: int, evidence: str | None) -> str | None:
    """Return what is wrong apart from the content of the evidence, or None."""
    if verdict not in VERDICTS:
        return f"{verdict} is not a valid verdict"
    claims_nothing = verdict == Verdict.UNDECIDED
    if claims_nothing and evidence is not None:
        return "the verdict is undecided, but there is evidence"
    if not claims_nothing and evidence is None:
        return f"the verdict is {Verdict(verdict).word}, but there is no evidence"
    return None
