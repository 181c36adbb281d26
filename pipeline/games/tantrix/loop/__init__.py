"""Tantrix loop: lay all given tiles so that a colour runs through them in one closed loop."""

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


class TantrixLoop(Game):
    """The description of Tantrix loop, and its functions, each imported when it is first used."""

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
    def mask(self) -> CanonicalMask:
        from .canonical import mask

        return mask

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

    @property
    def playback(self) -> MakePlayback:
        from .playback import playback

        return playback


GAME = TantrixLoop()
