"""Memory: turn over two cards at a time until all pairs are found."""

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
    Nameless,
    Parameter,
    Read,
    ReadEachLine,
    Scenes,
)

FLIPS = "{:,} flips".format
TRACE = "the cards flipped, counted from 1, two to a move"


class Memory(Game):
    """The description of Memory, and its functions, each imported when it is first used."""

    name = "memory"
    title = "Memory"
    engines = (
        Engine(
            "two-pass",
            "1",
            "look at all cards two by two, then collect the pairs",
            TRACE,
            value_text=FLIPS,
            fast=True,
        ),
        Engine(
            "two-pass-last-card",
            "1",
            "two passes, but the last card is known without looking",
            TRACE,
            value_text=FLIPS,
            fast=True,
        ),
        Engine(
            "incremental",
            "1",
            "collect every pair as soon as both its cards are known",
            TRACE,
            value_text=FLIPS,
            fast=True,
        ),
    )
    deals = Deals("1", {"pairs": Parameter(25, 1, 52, "pairs of cards")})
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
        from .engine import incremental, two_pass, two_pass_last_card

        return {"two-pass": two_pass, "two-pass-last-card": two_pass_last_card, "incremental": incremental}

    @property
    def mask(self) -> CanonicalMask:
        from .canonical import mask

        return mask

    @property
    def nameless(self) -> Nameless:
        from .layout import nameless

        return nameless

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
        """Return the exact mean number of flips."""
        from .theory import mean_flips

        return mean_flips(engine, parameters.get("pairs", self.deals.parameters["pairs"].default))


GAME = Memory()
