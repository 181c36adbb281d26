"""Reading card pairing: the count line, both forms, every reason for a bad layout; and the compiled check."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.batch import to_texts
from dealmill.pipeline.games.card_pairing.canonical import LONGEST, mask
from dealmill.pipeline.games.card_pairing.layout import RANKS, canonical, read
from dealmill.pipeline.games.descriptions import Layout, Reject
from tests.fuzz.inputs import mutated

ONE = "98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ"
TWO = "KK6A QKT8 9TA9 A7QT QJ7Q 6J66 78JJ T8K9 879A"
EVEN = "expected an even number of times"


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
    outcome = entries(f"5\n{ONE}\nbad\n{TWO}\n\n")
    assert [outcome[0], outcome[2]] == [Layout(2, ONE), Layout(4, TWO)]
    assert outcome[1].line == 3
    assert outcome[3:] == [Reject(4, "", ("the first line announces 5 layouts, but the file has 3",))]
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
    ("text", "expected"),
    [
        ("ak -  k\ta", "AK - K A"),
        ("- aaa a", "- AAA A"),
        ("12,7,q,103 103,7 q,12 -", "12,7,Q,103 103,7 Q,12 -"),
        ("aB1,Ab1 -,", "AB1,AB1 -"),
        ("- 12 12,", "- 12, 12"),
        ("01 1, 01 1", "01, 1 01 1"),
        ("10 10 a,a", "10 10 A,A"),
        ("a,t t,a k k,", "AT TA K K"),
        ("ABCDEFG8 abcdefg8,", "ABCDEFG8, ABCDEFG8"),
    ],
)
def test_both_forms_are_read_and_the_compact_one_is_written_if_all_symbols_are_letters(
    text: str, expected: str
) -> None:
    assert canonical(text) == canonical(expected) == expected


@pytest.mark.parametrize(
    ("layout", "reasons"),
    [
        ("", ["the number of stacks is 0, expected 2 to 1,024"]),
        ("6666", ["the number of stacks is 1, expected 2 to 1,024"]),
        ("- -", ["all stacks are empty, expected at least one card"]),
        (
            " ".join("A" * 1_025),
            [
                "the number of stacks is 1,025, expected 2 to 1,024",
                "the number of cards is 1,025, expected at most 1,024",
                "rank A occurs 1025 times, expected an even number of times",
            ],
        ),
        ("AAA K", [f"rank {rank} occurs {times}, {EVEN}" for rank, times in (("A", "3 times"), ("K", "once"))]),
        ("A1 A1 A1 A1", [f"unknown symbol '1' in stack {stack}" for stack in range(4)]),
        ("AAAA KKKX", ["unknown symbol 'X' in stack 1", f"rank K occurs 3 times, {EVEN}"]),
        ("AAAA ßßßß", ["unknown symbol 'ß' in stack 1"]),
        (
            "10AA A0/ KKKK A-",
            [
                "unknown symbol '0' in stack 0",
                "unknown symbol '1' in stack 0",
                "unknown symbol '/' in stack 1",
                "unknown symbol '0' in stack 1",
                "unknown symbol '-' in stack 3",
            ],
        ),
        (f"{'AA ' * 10}X {'AA ' * 25}", ["unknown symbol 'X' in stack a"]),
        (f"{'AA ' * 10}X {'AA ' * 26}", ["unknown symbol 'X' in stack 10"]),
        (ONE.replace("Q", "K", 1), [f"rank K occurs 5 times, {EVEN}", f"rank Q occurs 3 times, {EVEN}"]),
        ("12,7,,7 12 12", ["empty symbol in stack 0", f"rank 12 occurs 3 times, {EVEN}"]),
        (", 5 5", ["empty symbol in stack 0"]),
        (
            "ABCDEFGHI,5 5,é,A-B,-",
            [
                "symbol 'ABCDEFGHI' of 9 characters, expected at most 8, in stack 0",
                "symbol '-' with other characters than letters and digits in stack 1",
                "symbol 'A-B' with other characters than letters and digits in stack 1",
                "symbol 'é' with other characters than letters and digits in stack 1",
            ],
        ),
        ("A" * 20_001, ["the line is 20001 characters long, expected at most 20000"]),
    ],
)
def test_all_reasons_are_given(layout: str, reasons: list[str]) -> None:
    with pytest.raises(BadLayout) as caught:
        canonical(layout)
    assert list(caught.value.reasons) == reasons


def test_the_largest_layouts_are_accepted_and_larger_ones_refused() -> None:
    longest = f"{','.join(['ABCDEFGH'] * 1_024)}{' -' * 1_023}"
    assert len(longest) == LONGEST
    for large, larger in (
        (longest, f"{longest} -"),
        (" ".join(["10,"] + ["10"] * 1_023), " ".join(["10,"] + ["10"] * 1_024)),
        ("A" * 1_024 + " -", "A" * 1_026 + " -"),
        ("A A" + " -" * 1_022, "A A" + " -" * 1_023),
    ):
        assert canonical(large) == large
        with pytest.raises(BadLayout):
            canonical(larger)
        assert masked([large, larger]) == [True, False]


def test_a_bad_layout_is_abbreviated_and_the_next_one_is_read() -> None:
    bad, good = entries(f"2\n{'x' * 100_000}\n{ONE}")
    assert bad == Reject(2, "x" * 200, ("the line is 100000 characters long, expected at most 20000",))
    assert good == Layout(3, ONE)


def test_a_lone_number_is_a_count_only_in_the_first_line() -> None:
    assert entries(f"{ONE}\n6666") == [
        Layout(1, ONE),
        Reject(2, "6666", ("the number of stacks is 1, expected 2 to 1,024",)),
    ]
    assert entries("6666 7777") == [Layout(1, "6666 7777")]


def masked(texts: list[str]) -> list[bool]:
    arrays = to_texts(texts)
    accepted: list[bool] = mask(arrays.text, arrays.starts[:-1], arrays.starts[1:]).tolist()
    return accepted


def naive(text: str) -> str | None:
    """The canonical text of a layout in ASCII, by regular expressions and counting; None if it is not one."""
    words = text.upper().split()
    if "," in text:
        stack, card = "-,?|[A-Z0-9]{1,8}(,[A-Z0-9]{1,8})*,?", "[A-Z0-9]+"
    else:
        stack, card = "-|[A2-9TJQKBCD]+", "[A2-9TJQKBCD]"
    stacks = [re.findall(card, word) for word in words]
    cards = [symbol for symbols in stacks for symbol in symbols]
    if (
        not all(re.fullmatch(stack, word) for word in words)
        or not (2 <= len(stacks) <= 1_024 and 1 <= len(cards) <= 1_024)
        or any(cards.count(symbol) % 2 for symbol in cards)
    ):
        return None
    comma = "" if all(symbol in RANKS for symbol in cards) else ","
    tidy = " ".join(comma.join(symbols) or "-" for symbols in stacks)
    return tidy if comma in tidy else re.sub("(?<!-) ", ", ", tidy, count=1)


@st.composite
def near_canonical(draw: st.DrawFn) -> str:
    """Pairs of a few symbols on a few stacks, in either form, with a few errors."""
    symbols = draw(st.lists(st.sampled_from("AKQTD") | st.text("A1Z9", min_size=1, max_size=9), min_size=1, max_size=5))
    count = draw(st.integers(1, 6))
    stacks: list[list[str]] = [[] for _ in range(count)]
    for symbol in draw(st.permutations(symbols * 2)):
        stacks[draw(st.integers(0, count - 1))].append(symbol)
    comma = draw(st.sampled_from([",", ""])) if set("".join(symbols)) <= set(RANKS) else ","
    words = [comma.join(stack) or "-" for stack in stacks]
    if draw(st.booleans()):
        words[draw(st.integers(0, count - 1))] += comma
    return draw(mutated(st.just(" ".join(words))))


texts = near_canonical() | st.text("6A \t-,1", max_size=16) | st.lists(st.text("6A \t", max_size=10)).map(" ".join)


@pytest.mark.slow
@settings(max_examples=400)
@given(st.lists(texts.filter(str.isascii), min_size=1, max_size=5))
def test_a_layout_is_accepted_if_and_only_if_it_follows_the_rules(lines: list[str]) -> None:
    for text in lines:
        try:
            assert canonical(text) == naive(text)
        except BadLayout as error:
            assert error.reasons
            assert naive(text) is None
    assert masked(lines) == [naive(text) == text for text in lines]
