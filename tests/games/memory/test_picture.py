"""The pictures of a small game to the letter."""

from dealmill.pipeline.games.memory.picture import frames, scenes
from dealmill.pipeline.games.verdict import Verdict
from tests.games.drawn import count, words

BOARDS = """
      1   2   3   4   5   6   7   8   9  10
  0  [A] [B] [C] [D] [E] [F] [a] [a] [B] [A]
 10  [C] [D] [E] [F]

14 cards, all face up.
---
      1   2   3   4   5   6   7   8   9  10
  0  [A] [B]  ▒   ▒   ▒   ▒   ▒   ▒   ▒   ▒
 10   ▒   ▒   ▒   ▒

Move 1: card 1 is A, card 2 is B: no pair.
---
      1   2   3   4   5   6   7   8   9  10
  0   ▒   ▒   ▒   ▒   ▒   ▒  [a] [a]  ▒   ▒
 10   ▒   ▒   ▒   ▒

Move 2: card 7 is a, card 8 is a: a pair, 12 cards are left.
---
      1   2   3   4   5   6   7   8   9  10
  0  [A]  ▒   ▒   ▒   ▒   ▒   ·   ·   ▒  [A]
 10   ▒   ▒   ▒   ▒

Move 3: card 1 is A, card 10 is A: a pair, 10 cards are left.
"""


def test_boards_move_by_move() -> None:
    shown = list(frames("ABCDEFaaBACDEF", Verdict.SCORED, "1 2 7 8 1 10"))
    assert shown == [board.strip("\n") for board in BOARDS.split("---")]


def test_the_last_pair() -> None:
    assert list(frames("AA", Verdict.SCORED, "1 2"))[1].endswith("Move 1: card 1 is A, card 2 is A: the last pair.")


def test_a_picture_shows_what_is_turned_up_and_what_is_known() -> None:
    layout, first, pair, last = scenes("ABCDEFaaBACDEF", Verdict.SCORED, "1 2 7 8 1 10")
    assert words(layout, "ink") == list("ABCDEFaaBACDEF")
    assert (words(first, "ink"), words(first, "light")) == (["A", "B"], [])
    assert (words(pair, "ink"), words(pair, "light")) == (["a", "a"], ["A", "B"])
    assert (words(last, "ink"), words(last, "light")) == (["A", "A"], ["B"])
    assert [count(scene, "rect", "ghost") for scene in (layout, first, pair, last)] == [0, 0, 0, 2]
    assert [count(scene, "rect", "chosen") for scene in (layout, first, pair, last)] == [0, 2, 2, 2]
    assert last.alt == "Turned up: 1 A, 10 A. Face down and known: 2 B. Face down and unknown: 9."
