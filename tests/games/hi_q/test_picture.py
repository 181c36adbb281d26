"""The pictures of a small game to the letter."""

import pytest

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence
from dealmill.pipeline.games.hi_q.picture import frames
from dealmill.pipeline.games.verdict import Verdict

LAYOUT = "OOO/OOO/OOOXOXO/OOOXOXO/OOOOXOO/OOO/OOO"
EMPTY = LAYOUT.replace("X", "O")
BOARDS = """
   1       · · ·
   4       · · ·
   7   · · · ● · ● ·
  14   · · · ● · ● ·
  21   · · · · ● · ·
  28       · · ·
  31       · · ·

5 pegs; the holes with pegs add up to 83.
---
   1       · · ·
   4       · · ·
   7   · · · ● · ○ ·
  14   · · · ● · × ·
  21   · · · · ● ◉ ·
  28       · · ·
  31       · · ·

Jump 1: from 12 over 19 to 26, the largest target (also possible: 10-24,
17-5).
---
   1       · · ·
   4       · · ·
   7   · · · ● · · ·
  14   · · · ● · · ·
  21   · · · · ○ × ◉
  28       · · ·
  31       · · ·

Jump 2: from 25 over 26 to 27, the largest target (also possible: 26-24, 10-24,
17-5).
---
   1       · · ·
   4       · · ·
   7   · · · ○ · · ·
  14   · · · × · · ·
  21   · · · ◉ · · ●
  28       · · ·
  31       · · ·

Jump 3: from 10 over 17 to 24, the largest target (also possible: 17-5). The
end: 2 pegs that add up to 51.
"""


def test_boards_jump_by_jump() -> None:
    shown = list(frames(LAYOUT, Verdict.SCORED, "12-26 25-27 10-24"))
    assert shown == [board.strip("\n") for board in BOARDS.split("---")]


def test_a_board_without_a_jump() -> None:
    assert list(frames(EMPTY, Verdict.SCORED, ""))[1].endswith("No jump is possible.")


def test_an_undecided_or_failed_verdict_shows_the_layout_only() -> None:
    assert len(list(frames(LAYOUT, Verdict.UNDECIDED, None))) == 1
    assert len(list(frames(LAYOUT, Verdict.FAILED, "out of memory"))) == 1


@pytest.mark.parametrize("trace", ["1-33", "99-1", "1-2", "12-26 12-26"])
def test_jumps_that_break_the_rules_are_an_error(trace: str) -> None:
    with pytest.raises(IllegalMove, match="is not possible here"):
        list(frames(LAYOUT, Verdict.SCORED, trace))


def test_a_trace_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(InvalidEvidence, match="is not a jump"):
        list(frames(LAYOUT, Verdict.SCORED, "12>26"))
