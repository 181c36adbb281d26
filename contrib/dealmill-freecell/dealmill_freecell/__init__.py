"""FreeCell: four free cells, eight columns of cards that lie face up, and foundations built up by suit.

The engine is Freecell Solver, a program that ``engines/fc-solve.toml`` declares.
"""

from dealmill.game import AnswerFormat, CheckEvidence, Deal, Deals, Frames, Game, Read, ReadEachLine, Scenes


class FreeCell(Game):
    """The description of FreeCell, and its functions, each imported when it is first used."""

    name = "freecell"
    title = "FreeCell"
    deals = Deals("1", limited=True)
    answer = AnswerFormat(winnable="winnable", unwinnable="unwinnable")

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


GAME = FreeCell()
