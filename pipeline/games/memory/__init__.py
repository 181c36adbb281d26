"""Memory: turn over two cards at a time until all pairs are found."""

from collections.abc import Mapping
from fractions import Fraction

from dealmill.game import AnswerFormat, Deals, Engine, Game, Parameter

FLIPS = "{:,} flips".format
TRACE = "the cards flipped, counted from 1, two to a move"


class Memory(Game):
    """The description of Memory."""

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

    def expectation(self, engine: str, parameters: Mapping[str, int]) -> Fraction | None:
        """Return the exact mean number of flips."""
        from .theory import mean_flips

        return mean_flips(engine, parameters.get("pairs", self.deals.parameters["pairs"].default))


GAME = Memory()
