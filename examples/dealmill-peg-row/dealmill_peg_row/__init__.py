"""Peg row: pegs in a row of holes jump over a neighbour into an empty hole, and the neighbour is removed."""

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


class PegRow(Game):
    """The description of Peg row, and its functions, each imported when it is first used."""

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


GAME = PegRow()
