"""Camelot: deal 52 cards onto 16 slots and remove cards that add up to ten until only court cards are left."""

from collections.abc import Mapping
from fractions import Fraction

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
    Read,
    ReadEachLine,
    Scenes,
)

WINNABLE = Fraction(2404050841460376237703003020355621, 4678932517265691872365596621328125)
"""The share of winnable decks among all distinct decks, counted by `tests/games/camelot/test_exact.py`."""


class Camelot(Game):
    """The description of Camelot, and its functions, each imported when it is first used."""

    name = "camelot"
    title = "Camelot"
    engines = (
        Engine(
            "winnable",
            "1",
            "whether any play wins",
            "the slots dealt to, `abc`, and after each `-` those cleared together, `-fg`",
            evidence_of_loss="the number of cards after which no play can continue",
            fast=True,
        ),
    )
    deals = Deals("1")
    answer = AnswerFormat(winnable="Y", unwinnable="N")

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

    def expectation(self, engine: str, parameters: Mapping[str, int]) -> Fraction | None:
        """Return the exact share of winnable decks."""
        return WINNABLE


GAME = Camelot()
