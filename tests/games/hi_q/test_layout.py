"""Reading Hi-Q: the statement's games that share lines and wrap, canonical boards, and everything malformed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.hi_q.layout import canonical, read

EMPTY = "OOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOO"


def entries(text: str) -> list[Layout | Reject]:
    return list(read(enumerate(text.split("\n"), start=1)))


def test_games_share_lines_and_wrap_and_keep_the_line_they_start_in() -> None:
    outcome = entries("3\n1 2\n\n3 0 0 33\n0\n")
    assert outcome == [
        Layout(2, "XXX/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOO"),
        Layout(4, EMPTY),
        Layout(4, "OOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOX"),
    ]


def test_games_may_begin_on_the_line_of_their_number() -> None:
    assert entries("1 33 0") == [Layout(1, "OOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOX")]


@pytest.mark.parametrize(
    ("game", "reasons"),
    [
        ("34 0", ["there is no hole 34, expected 1 to 33"]),
        ("1 1 0", ["hole 1 occurs 2 times, expected 1"]),
        (
            "1 x 99 2 2 0",
            ["'x' is not a number", "there is no hole 99, expected 1 to 33", "hole 2 occurs 2 times, expected 1"],
        ),
        ("-5 0", ["'-5' is not a number"]),
        ("7 07 0", ["there is no hole 07, expected 1 to 33"]),
        ("00 0", ["there is no hole 00, expected 1 to 33"]),
        ("٣ 0", ["'٣' is not a number"]),
        ("123456789012345678901234567890 0", ["there is no hole 12345678901234567890, expected 1 to 33"]),
    ],
)
def test_all_reasons_are_given_and_the_next_game_is_read(game: str, reasons: list[str]) -> None:
    bad, good = entries(f"2\n{game}\n0\n")
    assert isinstance(bad, Reject)
    assert list(bad.reasons) == reasons
    assert good == Layout(3, EMPTY)


def test_a_file_that_ends_too_early_says_so() -> None:
    assert entries("3\n1 0\n2 3") == [
        Layout(2, "XOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOO"),
        Reject(3, "2 3", ("the file ends before the 0 that ends this game",)),
        Reject(3, "", ("the first line announces 3 games, but the file has 2",)),
    ]


def test_a_game_without_its_0_gets_all_other_reasons() -> None:
    assert entries("1\n0 99 x")[1:] == [
        Reject(
            2,
            "99 x",
            (
                "this is game 2, but the first line announces 1",
                "there is no hole 99, expected 1 to 33",
                "'x' is not a number",
                "the file ends before the 0 that ends this game",
            ),
        )
    ]


def test_a_game_that_never_ends_is_read_in_bounded_memory() -> None:
    [endless] = read((number, "1 2 3") for number in range(1, 100_000))
    assert isinstance(endless, Reject) and len(endless.text) == 200
    assert endless.reasons[-2:] == (
        "the game has 1000 holes or more, expected at most 33",
        "the file ends before the 0 that ends this game",
    )


def test_games_beyond_the_announced_number_are_rejected() -> None:
    first, second = entries("1\n0 0")
    assert isinstance(first, Layout)
    assert second == Reject(2, "", ("this is game 2, but the first line announces 1",))


@pytest.mark.parametrize(
    ("board", "reasons"),
    [
        ("XX", ["the number of rows is 1, expected 7", "row 1 has 2 holes, expected 3"]),
        (EMPTY + "/OOO", ["the number of rows is more than 7, expected 7"]),
        (EMPTY.replace("O", "0", 1), ["unknown symbol '0'"]),
        (EMPTY[:-1], ["row 7 has 2 holes, expected 3"]),
    ],
)
def test_an_invalid_board_is_rejected_with_reasons(board: str, reasons: list[str]) -> None:
    with pytest.raises(BadLayout) as caught:
        canonical(board)
    assert list(caught.value.reasons) == reasons


def test_boards_may_be_untidy() -> None:
    assert entries(f"  {EMPTY.lower()} \r") == [Layout(1, EMPTY)]


@given(st.lists(st.sets(st.integers(1, 33)), max_size=5))
def test_games_that_are_written_are_read(games: list[set[int]]) -> None:
    text = f"{len(games)}\n" + " ".join(" ".join(map(str, [*sorted(game), 0])) for game in games)
    layouts = entries(text)
    assert [
        {hole for hole, sign in enumerate(layout.text.replace("/", ""), 1) if sign == "X"} for layout in layouts
    ] == games
