"""What the referees of families of card games share, in plain Python; a checker takes it along.

`Judge` replays wins, and `JudgeOfPlays` repeats the plays of the careful player of ``docs/chances.md``.
"""

from dealmill.pipeline.games.player import (
    ERROR_SHIFT,
    PLAYS,
    TABLE_LIMIT,
    JudgeOfPlays,
    drawn_plays,
    mixed,
    read_plays,
    seed_of_play,
)
from dealmill.pipeline.games.referee import NO_MOVES, Judge

__all__ = [
    "ERROR_SHIFT",
    "NO_MOVES",
    "PLAYS",
    "TABLE_LIMIT",
    "Judge",
    "JudgeOfPlays",
    "drawn_plays",
    "mixed",
    "read_plays",
    "seed_of_play",
]
