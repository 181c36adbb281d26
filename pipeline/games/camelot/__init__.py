"""Camelot: deal 52 cards onto 16 slots and remove cards that add up to ten until only court cards are left."""

from dealmill.contract import AnswerFormat, Deals, Engine, Game

GAME = Game(
    name="camelot",
    package=__name__,
    title="Camelot",
    engines=(
        Engine(
            "winnable",
            "1",
            "whether any play wins",
            "won: the slots dealt to and, after `-`, the slots cleared: `abcdefghijklmnop -fg -j bc`; "
            "lost: the number of cards after which no play can continue",
        ),
    ),
    deals=Deals("1"),
    answer=AnswerFormat(winnable="Y", unwinnable="N"),
)
