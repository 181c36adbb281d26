"""Peg row: pegs in a row of holes jump over a neighbour into an empty hole, and the neighbour is removed."""

from dealmill.game import AnswerFormat, Deals, Engine, Game, Parameter


class PegRow(Game):
    """The description of Peg row."""

    name = "peg-row"
    title = "Peg row"
    engines = (
        Engine(
            "winnable",
            "1",
            "whether jumps can leave a single peg",
            "the jumps as numbers of holes, `1-3 6-4`",
            evidence_of_loss="the number of positions that can be reached",
        ),
    )
    deals = Deals("1", {"holes": Parameter(14, 4, 20, "holes in the row")})
    answer = AnswerFormat(winnable="yes", unwinnable="no")


GAME = PegRow()
