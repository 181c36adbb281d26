"""FreeCell: four free cells, eight columns of cards that lie face up, and foundations built up by suit.

The engine is Freecell Solver, a program that ``engines/fc-solve.toml`` declares.
"""

from dealmill.contract import AnswerFormat, Deals, Game

GAME = Game(
    name="freecell",
    package=__name__,
    title="FreeCell",
    engines=(),
    deals=Deals("1", limited=True),
    answer=AnswerFormat(winnable="winnable", unwinnable="unwinnable"),
)
