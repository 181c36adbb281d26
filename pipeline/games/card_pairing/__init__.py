"""Card pairing: remove pairs of cards of the same rank from the tops of the stacks until no card is left."""

from dealmill.contract import AnswerFormat, Deals, Engine, Game, Parameter

GAME = Game(
    name="card-pairing",
    package=__name__,
    title="Card pairing",
    engines=(
        Engine(
            "winnable",
            "1",
            "whether any play wins",
            "won: the pairs of stacks in the order of removal, `25 46 06`; "
            "lost: the ranks to pair off in every way until each way jams, `K7`",
        ),
    ),
    deals=Deals("1", {"ranks": Parameter(9, 1, 16, "ranks in the deck"), "stacks": Parameter(9, 2, 36, "stacks")}),
    answer=AnswerFormat(between=" ", winnable="yes", unwinnable="no"),
)
