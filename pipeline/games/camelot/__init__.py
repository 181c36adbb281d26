"""Camelot: deal 52 cards onto 16 slots and remove cards that add up to ten until only court cards are left."""

from collections.abc import Mapping
from fractions import Fraction

from dealmill.game import AnswerFormat, Deals, Engine, Game

WINNABLE = Fraction(2404050841460376237703003020355621, 4678932517265691872365596621328125)
"""The share of winnable decks among all distinct decks, counted by `tests/games/camelot/test_exact.py`."""


class Camelot(Game):
    """The description of Camelot."""

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

    def expectation(self, engine: str, parameters: Mapping[str, int]) -> Fraction | None:
        """Return the exact share of winnable decks."""
        return WINNABLE


GAME = Camelot()
