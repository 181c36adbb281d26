"""Checks of a referee: it refuses texts that are not layouts, altered evidence, and verdicts that are not true."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from types import FunctionType

from dealmill.pipeline.errors import InvalidEvidence, UsageError
from dealmill.pipeline.games.careful import CHANCES
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.checker.build import parts_of_referee, sections_of
from dealmill.pipeline.outputs.checker.parts import home_of
from dealmill.referees import JudgeOfPlays, drawn_plays, read_plays
from dealmill.testing.subject import CheckFailed, Subject, altered_texts, assumes, is_costly, require, to_judge

DEALS = 200
LAYOUTS_PER_VERDICT = 30
ALIKE = 100_000
"""Two values of a costly engine, such as chances in millionths, that differ by less may have evidence that a referee
cannot tell apart by the part that it repeats."""
"""Layouts with each verdict."""
ALTERATIONS = 30
BAD_TEXTS = 300
ALLOWED = "dealmill.verdicts"
PROVED = (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED)


def the_referee_shares_no_code_with_engines(subject: Subject) -> None:
    """Its modules import only each other, what `dealmill.verdicts` and `dealmill.referees` name, and the standard
    library, and no engine uses them or a function of them."""
    try:
        parts = parts_of_referee(subject.game)
    except UsageError as error:
        raise CheckFailed(str(error)) from error
    modules = {part.module for part in parts}
    for part in parts:
        for name in sorted({home_of(each) for each in part.taken} - modules):
            require(name == ALLOWED, f"{part.module} imports {name}, expected only {ALLOWED} and the standard library")
    for engine in sorted({solve.__module__ for solve in subject.game.solvers.values()}):
        for name, value in vars(sys.modules[engine]).items():
            home = value.__module__ if isinstance(value, FunctionType) else getattr(value, "__name__", None)
            require(home not in modules, f"{engine} uses {name}, which is code of the referee")


def the_referee_can_be_copied_into_a_checker(subject: Subject) -> None:
    """See `dealmill export --with-checker`."""
    try:
        sections_of(subject.game, Path("export.csv"))
    except UsageError as error:
        raise CheckFailed(str(error)) from error


def the_referee_refuses_texts_that_are_not_layouts(subject: Subject, engine: Engine) -> None:
    """At step 0, whatever the verdict."""
    texts = subject.bad_texts(18, 10 * BAD_TEXTS)[:BAD_TEXTS]
    _, verdict, value, evidence = subject.verdicts(engine, subject.deal(18, 1, 1))[0]
    for text in texts:
        step = _refused(subject, engine, text, verdict, value, evidence)
        require(step is not None, f"{text!r} is not a layout, but the referee accepts it with evidence {evidence}")
        require(step == 0, f"{text!r} is not a layout, but the referee refuses it at step {step}, not at step 0")


@assumes("evidence belongs to one layout, except that two losses, or two values of 0, can have the same")
def the_referee_refuses_evidence_of_another_layout(subject: Subject, engine: Engine) -> None:
    """The referee looks at the layout."""
    solved = subject.verdicts(engine, subject.deals_for(engine, 12, DEALS))
    rows = [row for row in solved if row.verdict is not Verdict.UNDECIDED]
    if len({row.evidence for row in rows}) < 2:  # the deals are too hard for the engine
        rows = subject.some_of_each_verdict(engine, DEALS)
    refused = 0
    for index, (layout, verdict, _, evidence) in enumerate(rows):
        for _, claim, value, theirs in [*rows[index + 1 :], *rows[:index]]:
            both_lost = verdict is claim is Verdict.UNWINNABLE
            if not both_lost and _differ_in_repeated_plays(subject, engine, layout, evidence, theirs):
                accepted = _refused(subject, engine, layout, claim, value, theirs) is None
                require(not accepted, f"layout {layout}: accepts {claim} with evidence of another layout: {theirs}")
                refused += 1
                break
    all_lost = all(row.verdict is Verdict.UNWINNABLE or row.value == 0 for row in rows)
    values = [row.value or 0 for row in rows]
    alike = is_costly(engine) and max(values) - min(values) < ALIKE
    require(refused or all_lost or alike, "the layouts of 200 deals have the same evidence")


def the_referee_proves_no_other_verdict(subject: Subject, engine: Engine) -> None:
    """Altered evidence is refused, or proves the same verdict and value; nothing proves another one."""
    rows = subject.some_of_each_verdict(engine, LAYOUTS_PER_VERDICT)
    proofs = [evidence.encode() for *_, evidence in rows]
    random = Random(17)
    for layout, verdict, value, evidence in to_judge(engine, rows):
        others = [evidence.encode(), *random.choices(proofs, k=3)]
        altered = [text.decode("utf-8", "replace") for text in islice(altered_texts(others, random), ALTERATIONS)]
        texts = [text for text in altered if text != evidence]  # an alteration can write what was there
        for text in texts:
            _refused(subject, engine, layout, verdict, value, text)
        for claim, wrong in _other_claims(verdict, value):
            for text in [evidence, *texts]:
                accepted = _refused(subject, engine, layout, claim, wrong, text) is None
                message = f"layout {layout}: {verdict}, value {value}, but {text!r} proves {claim}, value {wrong}"
                require(not accepted, message)


def _other_claims(verdict: Verdict, value: int | None) -> Iterator[tuple[Verdict, int | None]]:
    for claim in PROVED:
        if claim is not verdict:
            yield claim, 1 if claim is Verdict.SCORED else None
    if value is None:
        yield verdict, 1
    else:
        yield from ((verdict, wrong) for wrong in (value - 1, value + 1, -value - 1, 2**70, None))


def _refused(
    subject: Subject, engine: Engine, layout: str, verdict: Verdict, value: int | None, evidence: str
) -> int | None:
    """Return the step at which the referee refuses evidence, or None if it accepts it."""
    try:
        subject.game.compiled_check(engine.referee_name, layout, verdict, value, evidence)
    except InvalidEvidence as error:
        require(error.reason, f"layout {layout}: evidence {evidence!r} is refused without a reason")
        return error.step
    except Exception as error:
        raise CheckFailed(
            f"layout {layout!r}: {verdict}, evidence {evidence!r}: the referee raises {type(error).__name__}: {error}"
        ) from error
    return None


GAME_CHECKS = (the_referee_shares_no_code_with_engines, the_referee_can_be_copied_into_a_checker)
CHECKS = (
    the_referee_refuses_texts_that_are_not_layouts,
    the_referee_refuses_evidence_of_another_layout,
    the_referee_proves_no_other_verdict,
)


def _differ_in_repeated_plays(
    subject: Subject, engine: Engine, layout: str, evidence: str, other_evidence: str
) -> bool:
    """Return whether the evidence of another layout differs from that of a layout. The referee repeats only some of the
    plays of `chances`, so one of these must differ."""
    if not isinstance(subject.game.check, JudgeOfPlays) or engine.referee_name != CHANCES:
        return other_evidence != evidence
    results, claims = read_plays(evidence), read_plays(other_evidence)
    return any(results[number - 1] != claims[number - 1] for number in drawn_plays(layout, other_evidence))
