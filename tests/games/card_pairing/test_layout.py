"""Reading layouts: the count line, every kind of malformed input, and that nothing makes the reader raise."""

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import BadLayout
from pipeline.games.card_pairing.layout import canonical, read
from pipeline.games.contract import Layout, Reject

PAIRED = "66 77 67 67"


def read_lines(*lines: str) -> list[Layout | Reject]:
    return list(read(enumerate(lines, start=1)))


def test_layouts_blank_lines_and_white_space() -> None:
    found = read_lines("", PAIRED, "  \t", " ak\tKA  aK ka \r", "\r")
    assert found == [Layout(2, PAIRED), Layout(4, "AK KA AK KA")]


def test_the_statement_s_format() -> None:
    assert read_lines("2", PAIRED, PAIRED) == [Layout(2, PAIRED), Layout(3, PAIRED)]
    assert read_lines("", " 1 \r", "", PAIRED, "") == [Layout(4, PAIRED)]
    assert read_lines("0") == []


def test_a_bad_layout_counts_too() -> None:
    good, bad = read_lines("2", PAIRED, "?")
    assert good == Layout(2, PAIRED)
    assert isinstance(bad, Reject) and bad.line == 3


def test_more_layouts_than_announced() -> None:
    assert read_lines("1", PAIRED, PAIRED, "?") == [
        Layout(2, PAIRED),
        Reject(3, PAIRED, ("layout 2 of the 1 that the first line announces",)),
        Reject(4, "?", ("layout 3 of the 1 that the first line announces",)),
    ]


def test_fewer_layouts_than_announced() -> None:
    reasons = ("the first line announces 5 layouts, the file ends after 1",)
    assert read_lines("5", PAIRED, "") == [Layout(2, PAIRED), Reject(2, "", reasons)]
    [reject] = read_lines("9" * 5000)
    assert isinstance(reject, Reject)


def test_a_lone_number_is_a_count_only_in_the_first_line() -> None:
    """A single stack such as 6666 is no layout, so nothing is lost by reading it as a count."""
    assert isinstance(read_lines("6666", PAIRED)[0], Layout)
    assert read_lines(PAIRED, "6666") == [Layout(1, PAIRED), Reject(2, "6666", ("1 stacks, not 2 to 36",))]


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("6667 6777 6", ["stacks of unequal height: 4, 4, 1 cards", "rank 6 occurs 5 times, not 4"]),
        ("66 6", ["stacks of unequal height: 2, 1 cards", "rank 6 occurs 3 times, not 4"]),
        ("66 6K 77 77", ["rank 6 occurs 3 times, not 4", "rank K occurs 1 times, not 4"]),
        ("61 6$ 66", ["unknown symbol '1' in stack 0", "unknown symbol '$' in stack 1"]),
        ("6\0 66 6Ä", ["unknown symbol '\\x00' in stack 0", "unknown symbol 'Ä' in stack 2"]),
        ("E E E E", [f"unknown symbol 'E' in stack {stack}" for stack in range(4)]),
        (" ".join("666677778888999922223333444455556666"), ["rank 6 occurs 8 times, not 4"]),
        (" ".join("A23456789T" * 4), ["40 stacks, not 2 to 36"]),
        ("A" * 1001, ["the line is 1001 characters long, more than any layout"]),
    ],
)
def test_all_reasons_are_given(text: str, reasons: list[str]) -> None:
    found = read_lines(PAIRED, text, PAIRED)
    assert found == [Layout(1, PAIRED), Reject(2, text[:200], tuple(reasons)), Layout(3, PAIRED)]


def test_the_largest_layouts() -> None:
    ranks = "A23456789TJQKBCD"
    for layout in (" ".join([ranks] * 4), " ".join(["AB", "CD"] * 4), " ".join("A23456789" * 4), "6666 7777"):
        assert canonical(layout.lower()) == layout


def test_canonical_of_nothing() -> None:
    with pytest.raises(BadLayout, match="0 stacks"):
        canonical(" ")


@given(st.lists(st.text(max_size=60)))
def test_no_text_makes_the_reader_raise(lines: list[str]) -> None:
    for found in read_lines(*lines):
        if isinstance(found, Layout):
            assert canonical(found.text) == found.text
        else:
            assert found.reasons
            assert len(found.text) <= 200


@given(st.lists(st.text("6A \t", max_size=10), min_size=1, max_size=4).map(" ".join))
def test_a_layout_is_accepted_if_and_only_if_it_keeps_the_rules(text: str) -> None:
    stacks = text.split()
    well_formed = (
        len(stacks) > 1 and len({len(stack) for stack in stacks}) == 1 and {text.count("6"), text.count("A")} <= {0, 4}
    )
    try:
        assert canonical(text) == " ".join(stacks)
        assert well_formed
    except BadLayout as error:
        assert error.reasons
        assert not well_formed


@pytest.mark.parametrize("first_line", ["20000", PAIRED])
def test_memory_is_bounded(first_line: str) -> None:
    def lines() -> Iterator[tuple[int, str]]:
        yield 1, first_line
        for number in range(2, 20_002):
            yield number, PAIRED if number % 2 else "6" * 5000

    tracemalloc.start()
    count = sum(1 for _ in read(lines()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count >= 20_000
    assert peak < 1_000_000
