"""The evidence of `chances`, which plays the careful player of docs/chances.md wins, and how a referee repeats them.

The player plays a layout a thousand times, each time with other *lots*: small errors in its judgement of a *table*,
which is what it sees of a position. How it plays, the families of games say. Checkers take this module along, so it
imports nothing but the standard library and other modules of referees.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from dealmill.pipeline.games.referee import Judge, PlayT, PositionT
from dealmill.verdicts import InvalidEvidence, Verdict

PLAYS, REPEATED_PLAYS = 1_000, 100
DIGITS = 200
MILLION = 1_000_000
TABLE_LIMIT = 1_000
"""The player looks no further once there are so many tables in mind."""
ERROR_SHIFT = 59
"""The highest five bits of a lot are the error with which the player judges a table."""
WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def read_plays(evidence: str) -> list[bool]:
    """Return which of the plays are won.

    Raises
    ------
    InvalidEvidence
        If the evidence is not 200 digits of five plays each.
    """
    if not re.fullmatch(rf"[0-9a-v]{{{DIGITS}}}", evidence, re.ASCII):
        raise InvalidEvidence(1, f"{evidence[:40]!r} is not {DIGITS} of the digits 0-9 and a-v, one for five plays")
    return [digit == "1" for digit in f"{int(evidence, 32):0{PLAYS}b}"]


def drawn_plays(layout: str, evidence: str) -> list[int]:
    """Return the numbers of the plays, from 1, that a referee repeats: fifty that are won and fifty that are lost, or
    all if there are fewer, and then others. They are drawn by a seed that is bound to the layout and the evidence.

    Raises
    ------
    InvalidEvidence
        If the evidence cannot be read.
    """
    wins = read_plays(evidence)
    seed = int.from_bytes(blake2b(f"{layout} {evidence}".encode(), digest_size=8).digest(), "little")
    order = sorted(range(1, PLAYS + 1), key=lambda number: mixed(seed ^ number))
    halves = [[number for number in order if wins[number - 1] == won][: REPEATED_PLAYS // 2] for won in (True, False)]
    chosen = [*halves[0], *halves[1]]
    return [*chosen, *(number for number in order if number not in chosen)][:REPEATED_PLAYS]


def seed_of_play(number: int) -> int:
    """Return the seed of the lots of a play, counted from 1."""
    return mixed(number * GOLDEN & WORD)


def mixed(number: int) -> int:
    """Return 64 bits that look random, others for each number: the last step of SplitMix64."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & WORD
    number = (number ^ number >> 27) * 0x94D049BB133111EB & WORD
    return number ^ number >> 31


class JudgeOfPlays(Judge[PositionT, PlayT]):
    """A referee of all engines: it checks wins and losses, and repeats a hundred plays of a thousand."""

    def __call__(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        """Check evidence and raise errors as `Judge` does, or repeat plays."""
        if engine == "chances" and verdict is Verdict.SCORED:
            self.position(layout)  # refuses any other text at step 0, whatever the evidence
            self.check_plays(layout, value, evidence, drawn_plays(layout, evidence))
        else:
            super().__call__(engine, layout, verdict, value, evidence)

    @abstractmethod
    def plays_won(self, layout: str, numbers: Iterable[int]) -> Iterator[bool]:
        """Play a layout with the lots of these numbers; yield whether each play is won."""

    def check_plays(
        self, layout: str, value: int | None, evidence: str, numbers: Iterable[int] = range(1, PLAYS + 1)
    ) -> None:
        """Check that a value counts the plays that are won, and repeat those with the given numbers, from 1.

        Raises
        ------
        InvalidEvidence
            If the evidence cannot be read, or the value or a play differs.
        """
        wins = read_plays(evidence)
        if value != sum(wins) * MILLION // PLAYS:
            raise InvalidEvidence(1, f"{sum(wins)} of {PLAYS} plays are won by the evidence, but the value is {value}")
        repeated = list(numbers)
        for number, is_won in zip(repeated, self.plays_won(layout, repeated), strict=True):
            if is_won != wins[number - 1]:
                result = "won" if is_won else "lost"
                raise InvalidEvidence(number, f"play {number} is {result}, the evidence says otherwise")

    def explained(self, layout: str, verdict: Verdict, evidence: str) -> Iterator[str]:
        """Yield, in words, what evidence that was checked says, of a loss or of plays."""
        if verdict is Verdict.SCORED:
            yield f"The careful player wins {sum(read_plays(evidence))} of {PLAYS:,} plays."
        else:
            yield from super().explained(layout, verdict, evidence)  # type: ignore[safe-super]
