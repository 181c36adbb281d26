"""Tantrix: count the legal moves of the player to move."""

from dealmill.game import AnswerFormat, Deals, Engine, Game, Parameter


class Tantrix(Game):
    """The description of Tantrix."""

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


GAME = Tantrix()
