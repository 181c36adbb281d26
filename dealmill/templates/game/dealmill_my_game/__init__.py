"""My game: a token jumps along a row of digits to the last square."""

from dealmill.game import AnswerFormat, Deals, Engine, Game, Parameter


class MyGame(Game):
    """The description of the game. `Game` imports its functions from the modules beside this one."""

    name = "my-game"
    title = "My game"
    engines = (
        Engine(
            name="winnable",
            version="1",
            summary="whether the token can reach the last square",
            evidence="the squares of the token, `1 4 2 5`",
            evidence_of_loss="all squares that the token reaches",
        ),
    )
    deals = Deals("1", {"squares": Parameter(12, 4, 60, "squares of the row")})
    answer = AnswerFormat(winnable="yes", unwinnable="no")


GAME = MyGame()
