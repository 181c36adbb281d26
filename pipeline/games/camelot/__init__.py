"""Camelot: deal 52 cards onto 16 slots, take away what adds up to ten, keep only the court."""

from dealmill.pipeline.games.contract import AnswerFormat, Deals, Engine, Game

GAME = Game(
    package=__name__,
    title="Camelot",
    engines=(
        Engine(
            "winnable",
            "1",
            "whether any play wins",
            "won: the slots dealt to and, after `-`, those cleared: `abcdefghijklmnop -fg -j bc`; "
            "lost: how many cards it takes until no play can go on",
        ),
    ),
    deals=Deals("1"),
    answer=AnswerFormat(winnable="Y", unwinnable="N"),
)
