"""Hi-Q: peg solitaire in which the problem statement prescribes every jump."""

from collections.abc import Mapping

from dealmill.game import (
    AnswerFormat,
    CanonicalMask,
    CheckEvidence,
    Deal,
    Deals,
    Engine,
    EngineFunction,
    Frames,
    Game,
    MakePlayback,
    Parameter,
    Read,
    ReadEachLine,
    Scenes,
)
from dealmill.verdicts import Verdict


class HiQ(Game):
    """The description of Hi-Q, and its functions, each imported when it is first used."""

    name = "hi-q"
    title = "Hi-Q"
    engines = (
        Engine(
            "greedy",
            "1",
            "jump to the largest hole, from the largest; the value is the sum of the holes with pegs at the end",
            "the jumps, from hole to hole: `12-26 25-27`",
            value_text="{:,}".format,
            fast=True,
        ),
        Engine(
            "fewest",
            "1",
            "the fewest pegs that any play leaves",
            "why no play leaves fewer, `class` or how many boards can be reached; then the jumps, `12-26`",
            complete=False,
            value_text=lambda pegs: f"{pegs} peg{'' if pegs == 1 else 's'}",
        ),
    )
    deals = Deals("1", {"pegs": Parameter(16, 0, 33, "pegs on the board")})
    answer = AnswerFormat(opening="HI Q OUTPUT\n", closing="END OF OUTPUT\n")

    @property
    def read(self) -> Read:
        from .layout import read

        return read

    @property
    def each_line(self) -> ReadEachLine:
        from .layout import each_line

        return each_line

    @property
    def deal(self) -> Deal:
        from .deal import deal

        return deal

    @property
    def solvers(self) -> Mapping[str, EngineFunction]:
        from .engine import greedy
        from .fewest import fewest

        return {"greedy": greedy, "fewest": fewest}

    @property
    def mask(self) -> CanonicalMask:
        from .canonical import mask

        return mask

    @property
    def check(self) -> CheckEvidence:
        from .rules import check

        return check

    def check_seconds(self, engine: str, _verdict: Verdict, _evidence: str) -> float:
        return 3e-3 if engine == "fewest" else 5e-5

    @property
    def frames(self) -> Frames:
        from .picture import frames

        return frames

    @property
    def scenes(self) -> Scenes:
        from .picture import scenes

        return scenes

    @property
    def playback(self) -> MakePlayback:
        from .playback import playback

        return playback


GAME = HiQ()
