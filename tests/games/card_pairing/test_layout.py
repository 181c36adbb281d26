"""Reading card pairing: the count line, untidy layouts, and every reason for a bad one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.card_pairing.layout import canonical, read
from dealmill.pipeline.games.contract import Layout, Reject

ONE = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"
TWO = "KK6A QKT8 9TA9 A7QT QJ7Q 6J66 78JJ T8K9 879A"


def entries(text: str) -> list[Layout | Reject]:
    return list(read(enumerate(text.split("\n"), start=1)))


def test_the_count_line_is_optional() -> None:
    assert entries(f"2\n{ONE}\n{TWO}\n") == [Layout(2, ONE), Layout(3, TWO)]
    assert entries(f"{ONE}\n{TWO}") == [Layout(1, ONE), Layout(2, TWO)]


def test_blank_lines_white_space_and_small_letters_do_not_matter() -> None:
    untidy = "\t" + ONE.lower().replace(" ", "  \t") + " \r"
    assert entries(f"\n \r\n 2 \r\n\n{untidy}\n\n{TWO}\r\n\n") == [Layout(5, ONE), Layout(7, TWO)]


def test_an_empty_file_has_no_layouts() -> None:
    for text in ("", "\n \n\t\r\n", "0", "0\n\n"):
        assert entries(text) == []


def test_layouts_beyond_the_announced_number_are_rejected() -> None:
    first, *beyond = entries(f"1\n{ONE}\n\n{TWO}\nx")
    assert first == Layout(2, ONE)
    assert beyond == [
        Reject(4, TWO, ("this is layout 2, but the first line announces 1",)),
        Reject(5, "x", ("this is layout 3, but the first line announces 1",)),
    ]
    assert entries(f"0\n{ONE}") == [Reject(2, ONE, ("this is layout 1, but the first line announces 0",))]


def test_a_file_that_ends_too_early_says_so() -> None:
    found = entries(f"5\n{ONE}\nbad\n{TWO}\n\n")
    assert [found[0], found[2]] == [Layout(2, ONE), Layout(4, TWO)]
    assert found[1].line == 3
    assert found[3:] == [Reject(4, "", ("the first line announces 5 layouts, but the file has 3",))]
    assert entries("7") == [Reject(1, "", ("the first line announces 7 layouts, but the file has 0",))]


@pytest.mark.parametrize("line", ["-1", "+3", "3.0", "3 layouts", "٣", "²", "0x3"])
def test_a_count_line_must_be_a_whole_number(line: str) -> None:
    bad, good = entries(f"{line}\n{ONE}")
    assert isinstance(bad, Reject)
    assert (bad.line, bad.text) == (1, line)
    assert good == Layout(2, ONE)


def test_a_count_of_any_size_is_accepted() -> None:
    first, missing = entries(f"{'9' * 5_000}\n{ONE}")
    assert first == Layout(2, ONE)
    assert isinstance(missing, Reject)


@pytest.mark.parametrize(
    ("layout", "reasons"),
    [
        ("", ["the number of stacks is 0, expected 2 to 36"]),
        ("6666", ["the number of stacks is 1, expected 2 to 36"]),
        (
            " ".join("A23456789" * 4) + " A",
            ["the number of stacks is 37, expected 2 to 36", "rank A occurs 5 times, expected 4"],
        ),
        ("AAA A", ["stacks of unequal height: 3, 1 cards"]),
        ("AK AK", ["rank A occurs 2 times, expected 4", "rank K occurs 2 times, expected 4"]),
        ("A1 A1 A1 A1", [f"unknown symbol '1' in stack {stack}" for stack in range(4)]),
        ("AAAA KKKX", ["unknown symbol 'X' in stack 1", "rank K occurs 3 times, expected 4"]),
        ("AAAA ßßßß", ["stacks of unequal height: 4, 8 cards", "unknown symbol 'S' in stack 1"]),
        (
            "10AA A0/ KKKK",
            [
                "stacks of unequal height: 4, 3, 4 cards",
                "unknown symbol '0' in stack 0",
                "unknown symbol '1' in stack 0",
                "unknown symbol '/' in stack 1",
                "unknown symbol '0' in stack 1",
                "rank A occurs 3 times, expected 4",
            ],
        ),
        (ONE.replace("Q", "K", 1), ["rank Q occurs 3 times, expected 4", "rank K occurs 5 times, expected 4"]),
        ("A" * 1_001, ["the line is 1001 characters long, expected at most 1000"]),
    ],
)
def test_all_reasons_are_given(layout: str, reasons: list[str]) -> None:
    with pytest.raises(BadLayout) as caught:
        canonical(layout)
    assert list(caught.value.reasons) == reasons


def test_a_bad_layout_is_abbreviated_and_the_next_one_is_read() -> None:
    bad, good = entries(f"2\n{'x' * 100_000}\n{ONE}")
    assert bad == Reject(2, "x" * 200, ("the line is 100000 characters long, expected at most 1000",))
    assert good == Layout(3, ONE)


def test_a_lone_number_is_a_count_only_in_the_first_line() -> None:
    assert entries(f"{ONE}\n6666") == [
        Layout(1, ONE),
        Reject(2, "6666", ("the number of stacks is 1, expected 2 to 36",)),
    ]
    assert entries("6666 7777") == [Layout(1, "6666 7777")]


@given(st.lists(st.text("6A \t", max_size=10), min_size=1, max_size=4).map(" ".join))
def test_a_layout_is_accepted_if_and_only_if_it_follows_the_rules(text: str) -> None:
    stacks = text.split()
    keeps = len(stacks) > 1 and len(set(map(len, stacks))) == 1 and {text.count("6"), text.count("A")} <= {0, 4}
    try:
        assert canonical(text) == " ".join(stacks)
        assert keeps
    except BadLayout as error:
        assert error.reasons
        assert not keeps
