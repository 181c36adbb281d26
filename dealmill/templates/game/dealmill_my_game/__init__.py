"""My game: a token jumps along a row of digits to the last square."""

from collections.abc import Mapping

from dealmill.game import (
    AnswerFormat,
    CheckEvidence,
    Deal,
    Deals,
    Engine,
    EngineFunction,
    Frames,
    Game,
    Parameter,
    Read,
    ReadEachLine,
    Scenes,
)


class MyGame(Game):
    """The description of the game. Its functions are imported when they are needed."""

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
        from .engine import winnable

        return {"winnable": winnable}

    @property
    def check(self) -> CheckEvidence:
        from .rules import check

        return check

    @property
    def frames(self) -> Frames:
        from .picture import frames

        return frames

    @property
    def scenes(self) -> Scenes:
        from .picture import scenes

        return scenes


GAME = MyGame()
