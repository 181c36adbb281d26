"""Hi-Q: peg solitaire in which the problem statement prescribes every jump."""

from dealmill.contract import AnswerFormat, Deals, Engine, Game, Parameter

GAME = Game(
    name="hi-q",
    package=__name__,
    title="Hi-Q",
    engines=(
        Engine(
            "greedy",
            "1",
            "jump to the largest hole, from the largest; the value is the sum of the holes with pegs at the end",
            "the jumps, from hole to hole: `12-26 25-27`",
        ),
    ),
    deals=Deals("1", {"pegs": Parameter(16, 0, 33, "pegs on the board")}),
    answer=AnswerFormat(opening="HI Q OUTPUT\n", closing="END OF OUTPUT\n"),
)
