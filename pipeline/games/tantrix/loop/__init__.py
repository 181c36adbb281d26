"""Tantrix loop: lay all given tiles so that a colour runs through them in one closed loop."""

from dealmill.game import AnswerFormat, Deals, Engine, Game, Parameter


class TantrixLoop(Game):
    """The description of Tantrix loop."""

    name = "tantrix-loop"
    title = "Tantrix loop"
    engines = (
        Engine(
            "winnable",
            "1",
            "whether the tiles form one closed loop of the colour",
            "the tiles along the loop as `x,y:COLOURS`, the colours clockwise from the top side",
            complete=False,
            evidence_of_loss="`gentle` and an odd number of gentle curves; or `chains` and how many of them were tried",
            grades=(614, 1_122, 2_047, 3_530),
        ),
    )
    deals = Deals(
        "1",
        {
            "tiles": Parameter(20, 3, 42, "tiles of the loop"),
            "colour": Parameter(3, 1, 4, "colour of the loop: 1 blue, 2 green, 3 red, 4 yellow"),
        },
    )
    answer = AnswerFormat(winnable="yes", unwinnable="no")


GAME = TantrixLoop()
