"""Tantrix: count the legal moves of the player to move."""

from dealmill.contract import AnswerFormat, Deals, Engine, Game, Parameter

GAME = Game(
    name="tantrix",
    package=__name__,
    title="Tantrix",
    engines=(
        Engine(
            "legal-moves",
            "1",
            "count the legal moves of the player to move",
            "every legal move as `x,y:COLOURS`, the colours clockwise from the top side: `1,1:BBRRGG 1,1:GBBRRG`",
        ),
    ),
    deals=Deals("1", {"tiles": Parameter(10, 1, 20, "tiles played so far")}),
    answer=AnswerFormat(),
)
