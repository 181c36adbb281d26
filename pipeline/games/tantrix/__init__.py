"""Tantrix: count the legal moves of the player to move."""

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


class Tantrix(Game):
    """The description of Tantrix, and its functions, each imported when it is first used."""

    name = "tantrix"
    title = "Tantrix"
    engines = (
        Engine(
            "legal-moves",
            "1",
            "count the legal moves of the player to move",
            "every legal move as `x,y:COLOURS`, the colours clockwise from the top side",
            value_text=lambda moves: f"{moves} legal move{'' if moves == 1 else 's'}",
            fast=True,
        ),
    )
    deals = Deals("1", {"tiles": Parameter(10, 1, 20, "tiles played so far")})
    answer = AnswerFormat()

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
        from .engine import legal_moves

        return {"legal-moves": legal_moves}

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


GAME = Tantrix()
