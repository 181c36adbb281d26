"""Reading layouts: every kind of malformed input, and that nothing makes the reader raise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.memory.layout import canonical, read


def read_lines(*lines: str) -> list[Layout | Reject]:
    return list(read(enumerate(lines, start=1)))


def test_layouts_blank_lines_and_white_space() -> None:
    assert read_lines("ABAB", "", "  a A\tA a \r", "\r") == [Layout(1, "ABAB"), Layout(3, "aAAa")]


def test_the_largest_layout() -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    assert canonical(letters + letters) == letters + letters


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("A", ["letter A occurs only once"]),
        ("ABA", ["letter B occurs only once"]),
        ("AAAA", ["letter A occurs 4 times, expected 2"]),
        ("Aa", ["letter A occurs only once", "letter a occurs only once"]),
        ("AA11", ["unknown symbol '1' at card 3"]),
        ("ÄÄAA", ["unknown symbol 'Ä' at card 1"]),
        ("A?BAAB", ["letter A occurs 3 times, expected 2", "unknown symbol '?' at card 2"]),
        ("A\0A", ["unknown symbol '\\x00' at card 2"]),
        (
            "AB" * 53,
            ["the number of cards is 106, expected at most 104"]
            + [f"letter {letter} occurs 53 times, expected 2" for letter in "AB"],
        ),
        ("A" * 1001, ["the line is 1001 characters long, expected at most 1000"]),
    ],
)
def test_all_reasons_are_given(text: str, reasons: list[str]) -> None:
    assert read_lines("AA", text, "BB") == [Layout(1, "AA"), Reject(2, text[:200], tuple(reasons)), Layout(3, "BB")]


def test_canonical_of_nothing() -> None:
    with pytest.raises(BadLayout, match="there are no cards"):
        canonical(" ")


@given(st.lists(st.sampled_from("ABCabc"), min_size=1, max_size=12).map("".join))
def test_a_layout_is_accepted_if_and_only_if_it_consists_of_pairs(text: str) -> None:
    (entry,) = read_lines(text)
    assert isinstance(entry, Layout) == all(text.count(letter) == 2 for letter in text)
