"""Hi-Q: peg solitaire in which the problem statement prescribes every jump."""

from dealmill.game import AnswerFormat, Deals, Engine, Game, Parameter
from dealmill.verdicts import Verdict


class HiQ(Game):
    """The description of Hi-Q."""

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

    def check_seconds(self, engine: str, _verdict: Verdict, _evidence: str) -> float:
        return 3e-3 if engine == "fewest" else 5e-5


GAME = HiQ()
