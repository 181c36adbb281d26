"""The text boards and pictures of a play and of a certificate that is a tree."""

from itertools import islice

import pytest

from dealmill.pipeline.games.card_pairing.picture import frames, scenes
from dealmill.pipeline.games.verdict import Verdict
from tests.games.drawn import count, covered, letters, lines, words


def test_a_play_is_shown_move_by_move() -> None:
    first, second, *_, last = frames("67 76 67 76", Verdict.WINNABLE, "02 13 02 13")
    assert first == "7 6 7 6\n6 7 6 7\n───────\n0 1 2 3\n\n8 cards in 4 stacks."
    assert second == "· 6 · 6\n6 7 6 7\n───────\n0 1 2 3\n\nMove 1: 7 from 0 and 7 from 2. 6 cards are left."
    assert last == "\n  ·   ·\n───────\n0 1 2 3\n\nMove 4: 7 from 1 and 7 from 3. No card is left: won."


def test_a_certificate_is_explained_in_words() -> None:
    _, explained = frames("QQA KQK AKK AAQ", Verdict.UNWINNABLE, "QAA")
    words, _, tree = explained.partition("\n\n")
    assert words.startswith("No play wins.")
    assert tree.splitlines() == [
        "Q: 0.1 with 0.2, 1.2 with 3.3: jams",
        "Q: 0.1 with 1.2, 0.2 with 3.3: then",
        "  A: 0.3 with 2.1, 3.1 with 3.2: jams",
        "  A: 0.3 with 3.1, 2.1 with 3.2: jams",
        "  A: 0.3 with 3.2, 2.1 with 3.1: jams",
        "Q: 0.1 with 3.3, 0.2 with 1.2: then",
        "  A: 0.3 with 2.1, 3.1 with 3.2: jams",
        "  A: 0.3 with 3.1, 2.1 with 3.2: jams",
        "  A: 0.3 with 3.2, 2.1 with 3.1: jams",
    ]


def test_a_move_is_joined_and_the_places_before_it_are_dashed() -> None:
    layout, first, second, third, last = scenes("7T T7 7T T7", Verdict.WINNABLE, "02 13 02 13")
    assert words(layout, "ink") == ["7", "10", "10", "7", "7", "10", "10", "7"]
    assert first.caption == "Move 1: 10 from 0 and 10 from 2. 6 cards are left."
    assert first.alt.startswith("Stacks from bottom to top: 0: 7 10; 1: 10 7; 2: 7 10; 3: 10 7.")
    steps = (layout, first, second, third, last)
    assert [count(scene, "rect", "card") for scene in steps] == [8, 8, 6, 4, 2]
    assert [count(scene, "rect", "chosen") for scene in steps] == [0, 2, 2, 2, 2]
    assert [count(scene, "path", "chosen") for scene in steps] == [0, 1, 1, 1, 1]
    assert [count(scene, "rect", "ghost") for scene in steps] == [0, 0, 2, 2, 2]


def test_a_case_shows_its_pairs_and_numbers_the_circle() -> None:
    _, *shown = scenes("A344 4A2A 2342 332A", Verdict.UNWINNABLE, "A43")
    case = shown[1]
    assert case.path == ("A: 0.1 with 1.2, 1.4 with 3.4", "4: 0.3 with 1.1, 0.4 with 2.3")
    assert case.caption == (
        "Case 2 of 7: (1) the 4 on top of stack 0 waits for the 4 below the A of stack 1; (2) the A on top of stack 1 "
        "waits for the A below the 4 of stack 0. They wait in a circle, so none of them can ever leave."
    )
    assert words(case, "light") == ["1", "2"]
    assert len(lines(case, "arrow")) == 2
    assert {scene.proves for scene in shown} == {case.proves}
    assert "However the four As, and then the 4s or 3s, are paired, cards end up waiting" in case.proves
    assert case.alt == "Stacks from bottom to top: 0: A 3 4; 1: 4 A; 2: empty; 3: empty."
    assert (
        shown[0].caption == "Case 1 of 7: the 4 on top of stack 0 waits for the 4 below it, so neither can ever leave."
    )
    assert (count(shown[0], "rect", "chosen"), count(shown[0], "rect", "other")) == (4, 2), "solid and dashed rings"


def test_the_longest_circle_found_is_drawn() -> None:
    """Seven stacks wait for one another."""
    layout, certificate = "KJ7A 79J6 6AJK QTT6 KJAA 6Q87 97Q8 8989 KTTQ", "T988QAKJKJJ"
    shown = list(scenes(layout, Verdict.UNWINNABLE, certificate))
    longest = max(shown, key=lambda scene: len(lines(scene, "arrow")))
    assert words(longest, "light") == list("1234567")
    assert all(covered(scene, ("arrow",)) == [] for scene in shown)


def test_a_board_has_aligned_columns_for_stacks_of_any_height() -> None:
    board, moved = islice(frames("12,7,Q,103 12,7,103 - Q", Verdict.WINNABLE, "01 03 01 01"), 2)
    assert board == ("103\n  Q 103\n  7   7\n 12  12       Q\n───────────────\n  0   1   2   3\n\n8 cards in 4 stacks.")
    assert moved.startswith("  ·\n  Q   ·\n  7   7\n 12  12       Q\n───")


def test_a_board_of_many_stacks_has_several_rows() -> None:
    layout = " ".join(["A", "-", "AKK", *"A" * 38])
    board, *_ = frames(layout, Verdict.WINNABLE, "0,3")
    upper, lower, counted = board.split("\n\n")
    assert upper.splitlines()[:3] == ["       K", "       K", " A     A" + "  A" * 18]
    assert upper.splitlines()[-1].split() == [str(number) for number in range(21)]
    assert lower.splitlines()[-1].split() == [str(number) for number in range(21, 41)]
    assert counted == "42 cards in 41 stacks."


def test_a_move_is_named_by_the_numbers_of_its_stacks_if_there_are_many() -> None:
    layout = " ".join(["10,10", *["10"] * 36, *["-"] * 3])
    moves = [f"0,{number}" for number in (1, 2)] + [f"{number},{number + 1}" for number in range(3, 37, 2)]
    *_, last = scenes(layout, Verdict.WINNABLE, " ".join(moves))
    assert last.caption == "Move 19: 10 from 35 and 10 from 36. No card is left: won."


def test_only_what_matters_of_many_cards_is_drawn_strongly() -> None:
    layout = " ".join(["K" * 52, "K" * 52, "T,10"[:1], "T"])
    first, move, *_ = scenes(layout, Verdict.WINNABLE, " ".join(["23", *["01"] * 52]))
    assert (count(first, "rect", "card"), count(move, "rect", "card")) == (106, 2)
    assert words(move, "ink") == ["10", "10"]
    assert words(move, "note").count("K") == 104
    assert len(move.svg) < len(first.svg) / 2


def test_symbols_in_list_form_are_printed_as_they_are() -> None:
    first, *_ = scenes("T,10 10,T,ABCDEFGH,0 ABCDEFGH,0 -")
    assert words(first, "ink") == ["T", "10", "10", "T", "ABCDEFGH", "0", "ABCDEFGH", "0"]
    assert all(right - left < first.width / 4 for _, (left, _, right, _) in letters(first))


@pytest.mark.parametrize(
    "layout", [f"{','.join(['12'] * 1_022)} 12 12{' -' * 1_021}", " ".join(["12,", *["12"] * 1_023])]
)
def test_a_picture_of_the_largest_layouts_holds_all_cards(layout: str) -> None:
    [drawn] = scenes(layout)
    boxes = [box for word, box in letters(drawn) if word == "12"]
    assert len(boxes) >= 1_024
    assert all(
        left >= 0 and top >= 0 and right <= drawn.width and low <= drawn.height for left, top, right, low in boxes
    )
