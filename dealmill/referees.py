"""What the referees of families of card games share; a checker takes along what is in plain Python.

`Judge` replays wins, and `JudgeOfPlays` repeats the plays of the careful player of ``docs/chances.md``. `CompiledJudge`
leaves large losses to compiled code, and `random_number` draws samples by the layout.
"""

from dealmill.pipeline.games.compiled_judge import CompiledJudge, random_number
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
    "CompiledJudge",
    "Judge",
    "JudgeOfPlays",
    "drawn_plays",
    "mixed",
    "random_number",
    "read_plays",
    "seed_of_play",
]
