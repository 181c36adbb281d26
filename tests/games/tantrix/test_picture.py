"""The pictures: the sample's second case to the letter, and what holds for all."""

from collections import Counter

import pytest

from dealmill.pipeline.errors import InvalidEvidence
from dealmill.pipeline.games.tantrix.layout import canonical
from dealmill.pipeline.games.tantrix.picture import frames, scenes
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import dealer
from tests.games.drawn import count, words

deal = dealer("tantrix")

LAYOUT = canonical("0,0:BYYGBG -1,1:GRGBBR 1,0:YRBRYB 2,0:YGGRRY / RBBRYY GBGYBY YBBRYR YBYBRR RBBRGG")

FIELD = r"""
                       __Y__
                      Y     G
  __G__         __Y__/  2,0  \
 R     R       B     R       G
/  -1,1 \__B__/  1,0  \__R__/
B       G     Y       B
 \__B__/  0,0  \__R__/
       B       Y
        \__G__/

4 tiles on the field; in hand:

  __B__     __B__     __B__     __B__     __B__
 R     B   Y     B   R     B   G     G   Y     R
/       \ /       \ /       \ /       \ /       \
G       R R       R Y       R Y       Y B       R
 \__G__/   \__Y__/   \__Y__/   \__B__/   \__Y__/
"""

MOVES = r"""
                        2,1
                         x
   -1,2          1,1   __Y__
    x             x   Y     G
  __G__   0,1   __Y__/  2,0  \
 R     R  [2]! B     R       G
/  -1,1 \__B__/  1,0  \__R__/
B       G     Y       B
 \__B__/  0,0  \__R__/
       B       Y
        \__G__/

[n] ways to place a tile   ! forced space   x along a controlled side

2 legal moves on 1 space:
     0,1  GRBBRG YRBBRY
"""


def test_the_samples_second_case() -> None:
    assert list(frames(LAYOUT)) == [FIELD.strip("\n")]
    assert list(frames(LAYOUT, Verdict.SCORED, "0,1:GRBBRG 0,1:YRBBRY")) == [FIELD.strip("\n"), MOVES.strip("\n")]


def test_no_legal_moves() -> None:
    (layout,) = deal(1, 24862, 1, tiles=6)
    assert list(frames(layout, Verdict.SCORED, ""))[1].endswith("\n\n0 legal moves on 0 spaces:")


def test_a_scene_shows_one_move_with_the_forced_and_controlled_spaces() -> None:
    layout, first, second = scenes(LAYOUT, Verdict.SCORED, "0,1:GRBBRG 0,1:YRBBRY")
    assert layout.caption == "4 tiles on the field, 5 in hand; 1 forced space (!), 3 along a controlled side (✕)."
    assert first.caption == "Legal move 1 of 2: GRBBRG on 0,1. This space is forced."
    assert [count(scene, "path", "tile") for scene in (layout, first, second)] == [9, 10, 10]
    assert [count(scene, "path", "forced") for scene in (layout, first, second)] == [1, 0, 0]
    assert [words(scene, "ink").count("!") for scene in (layout, first, second)] == [1, 0, 0]
    spaces = 11
    assert [count(scene, "path", "ghost") - 3 for scene in (layout, first, second)] == [spaces, spaces, spaces]
    assert [count(scene, "path", "chosen") for scene in (layout, first, second)] == [0, 2, 2]
    for colour, name in zip("BGRY", ("blue", "green", "red", "yellow"), strict=True):
        assert count(layout, "path", f"link {name}") * 2 == LAYOUT.count(colour)


def test_letters_are_on_the_sides_that_no_tile_joins() -> None:
    layout, first, _ = scenes(LAYOUT, Verdict.SCORED, "0,1:GRBBRG 0,1:YRBBRY")
    every = Counter(filter(str.isupper, LAYOUT))
    joined = every - Counter(words(layout, "letter"))
    assert joined == {"G": 2, "R": 2, "Y": 2}, "the colours of three joints"
    placed = every + Counter("GRBBRG") - Counter(words(first, "letter"))
    assert placed.total() == 12 and all(number % 2 == 0 for number in placed.values())


def test_a_position_without_a_legal_move_says_so() -> None:
    (layout,) = deal(1, 24862, 1, tiles=6)
    assert [scene.caption for scene in scenes(layout, Verdict.SCORED, "")][1:] == ["There is no legal move."]


def test_a_list_that_misses_a_move_is_an_error() -> None:
    with pytest.raises(InvalidEvidence, match="the legal move 0,1:YRBBRY is missing"):
        list(scenes(LAYOUT, Verdict.SCORED, "0,1:GRBBRG"))
