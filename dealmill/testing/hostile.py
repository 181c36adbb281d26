"""The check that no evidence takes too much memory, whatever it is: the referee refuses it while it still counts.

Each text is judged and drawn in a process with limited memory. It is made to be long, to state much, or to be nearly
right: a number in real evidence is another one, the evidence is repeated, or it is nested.
"""

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import islice
from random import Random

from dealmill.pipeline.errors import InvalidEvidence, UsageError
from dealmill.pipeline.evidence.referee import LONGEST_TEXT, judge
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.system.bounded import BoundedProcess, TooMuch
from dealmill.testing.subject import CheckFailed, Subject, altered_texts

SECONDS = 3_600
"""After which a referee is taken to run for ever."""
NUMBERS = ("0", "9999", "99999", "9999999", "9" * 19, "9" * 4_400)
"""Numbers that evidence may state: of positions that a referee visits, of more, with more digits than Python reads."""
NUMBER = re.compile("[0-9]+")
NESTED = ("[", '{"a":')
SIGNS = 3
ALTERED = 5
MAX_SCENES = 1_000
"""A page shows no more."""


def no_evidence_takes_too_much_memory(subject: Subject, engine: Engine) -> None:
    """Whatever it is, and however large its layout: judging and drawing it takes no more than 500 MB."""
    name = subject.game.full_name(engine)
    largest = max([text.decode() for text in subject.canonical_texts] + list(_large_deals(subject.game)), key=len)
    with closing(BoundedProcess()) as process:
        for layout, verdict, value, evidence in subject.some_of_each_verdict(engine, 1):
            for text in dict.fromkeys(hostile_texts(evidence, Random(19))):
                for subject_layout in dict.fromkeys([layout, largest]):
                    try:
                        process.call(SECONDS, judge_and_draw, name, subject_layout, verdict, value, text)
                    except TooMuch as error:
                        what = f"{verdict}, evidence {text[:60]!r} of {len(text):,} characters"
                        raise CheckFailed(
                            f"layout {subject_layout[:200]}: {what}: judging and drawing it {error}"
                        ) from error


def hostile_texts(evidence: str, random: Random) -> Iterator[str]:
    """Yield texts that are made from evidence, or look like it."""
    for number in NUMBERS:
        yield NUMBER.sub(number, evidence, count=1)
        yield NUMBER.sub(number, evidence[::-1], count=1)[::-1]
        yield NUMBER.sub(number, evidence)
        yield number
    signs = random.sample(sorted(set(evidence)), min(SIGNS, len(set(evidence))))
    for part in dict.fromkeys([f"{evidence} ", f"{evidence.partition(' ')[0]} ", *signs, *NESTED]):
        yield (part * (LONGEST_TEXT // len(part))).rstrip()
    yield "9" * (LONGEST_TEXT + 1)
    altered = altered_texts([evidence.encode()], random)
    yield from (text.decode("utf-8", "replace") for text in islice(altered, ALTERED))


def judge_and_draw(name: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
    """Judge evidence of an engine (its full name), and draw as much of it as a page shows."""
    game, _ = find_engine(name)
    judge(name, layout, verdict, value, evidence)
    for drawn in (game.frames, game.scenes):
        with suppress(InvalidEvidence):
            for _ in islice(drawn(layout, verdict, evidence), MAX_SCENES):
                pass


def _large_deals(game: Game) -> Iterator[str]:
    for name, parameter in game.deals.parameters.items():
        for value in {parameter.most, (parameter.default + parameter.most) // 2}:
            with suppress(UsageError):  # not every size goes with the other parameters
                yield from to_strings(game.deal(2, 1, 1, **{name: value}))


CHECKS = (no_evidence_takes_too_much_memory,)
