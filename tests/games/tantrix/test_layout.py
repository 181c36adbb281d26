"""Reading layouts in both formats: what is accepted, every reason against the rest, and how reading goes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.tantrix.layout import canonical, read
from dealmill.pipeline.games.tantrix.tiles import LEAST, TILES
from tests.doing import dealer
from tests.games.tantrix import naive

deal = dealer("tantrix")

HAND = "BBGGYY BGBRRG BGBYYG BRBYYR GRGYYR"
CASE = ["2", "0 0 BBYYRR", "1 0 GGRRBB", HAND]
NO_COUNT = "the case does not start with its number of tiles"
NO_HAND = "the line with the hand is missing"
TEXT = f"0,0:BBYYRR 1,0:GGRRBB / {HAND}"


def read_lines(*lines: str) -> list[Layout | Reject]:
    return list(read(enumerate(lines, start=1)))


def reasons(text: str) -> tuple[str, ...]:
    with pytest.raises(BadLayout) as caught:
        canonical(text)
    return caught.value.reasons


def test_the_tiles_are_56_in_six_rotations() -> None:
    assert tuple(TILES) == naive.all_tiles()
    assert {tile: min(naive.rotations(tile)) for tile in LEAST} == LEAST
    assert len(LEAST) == 336


def test_canonical_text_of_an_untidy_one() -> None:
    untidy = "+1,00:ggrrbb   0,-0:BBYYRR/YYBBGG GRGYYR BYYGBG BRBYYR RGBGBR "
    assert canonical(untidy) == canonical(TEXT) == TEXT
    assert canonical(" / ".join([TEXT.partition(" / ")[0], " ".join(reversed(HAND.split()))])) == TEXT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["there is no / between the field and the hand"]),
        ("1 1 0 0 BRYRBY", ["in the problem statement's format, each number, tile and hand has a line of its own"]),
        (f"0,0:BBYYRR 1,0:GGRRBB {HAND}", ["there is no / between the field and the hand"]),
        (f"0,0;BBYYRR / {HAND}", ["'0,0;BBYYRR' is not of the form x,y:COLOURS", "there is no tile on 0,0"]),
        (f"0,0:BBYYRR a,0x:GGRRBB / {HAND}", ["x is 'a', not a whole number", "y is '0x', not a whole number"]),
        (f"0,0:BBYYRR 100,-1000:GGRRBB / {HAND}", ["x is 100, expected -99 to 99", "y is -1000, expected -99 to 99"]),
        (f"0,0:BBYYRR 1,0:GGRRBX / {HAND}", ["unknown colour 'X' in 'GGRRBX'"]),
        (f"0,0:BBYYRR 1,0:GGRRB / {HAND}", ["GGRRB has 5 sides, expected 6"]),
        (f"0,0:BBYYRR / {HAND} R", ["the number of tiles in hand is 6, expected 5", "R has 1 side, expected 6"]),
        (f"0,0:BBYYRR 1,0:GGGRBB / {HAND}",
         ["GGGRBB is not one of the 56 tiles: a tile has two sides of each of three colours"]),
        (f"0,0:BBYYRR 1,0:RBGRBG / {HAND}", ["RBGRBG is not one of the 56 tiles: it looks the same after half a turn"]),
        (f"0,0:BBYYRR 1,0:GGYYBB / {HAND}", ["tile BBGGYY occurs 2 times, expected 1"]),
        (f"0,0:BBYYRR 0,0:GGRRBB / {HAND}", ["two tiles on 0,0"]),
        (f"1,1:BBYYRR 2,1:GGRRBB / {HAND}", ["there is no tile on 0,0"]),
        (f"0,0:BBYYRR 1,0:BBGGRR / {HAND}", ["B on 0,0 meets R on 1,0"]),
        (f"0,0:BBYYRR 2,0:GGRRBB / {HAND}", ["not connected to the other tiles: 2,0"]),
        (f"0,0:BBYYRR 1,0:GGRRBB / {HAND} BBRGRG", ["the number of tiles in hand is 6, expected 5"]),
        (f"0,0:BBYYRR / {HAND} / {HAND}", ["the number of tiles in hand is 11, expected 5", "unknown colour '/' in '/'"]
         + [f"tile {tile} occurs 2 times, expected 1" for tile in HAND.split()]),
        ("x" * 2001, ["the line is 2001 characters long, expected at most 2000"]),
    ],
)  # fmt: skip
def test_all_reasons_are_given(text: str, expected: list[str]) -> None:
    assert list(reasons(text)) == expected


def test_reasons_of_all_kinds_come_together() -> None:
    assert reasons("1,1:BBRRGG 1,1:BBRRYY 1,2:BBGGYY 9,9:BBBRRG / BBGGRR BBRRGG") == (
        "two tiles on 1,1",
        "the number of tiles in hand is 2, expected 5",
        "BBBRRG is not one of the 56 tiles: a tile has two sides of each of three colours",
        "tile BBRRGG occurs 2 times, expected 1",
        "there is no tile on 0,0",
        "B on 1,1 meets G on 1,2",
        "not connected to the other tiles: 9,9",
    )


def test_more_than_51_tiles_on_the_field() -> None:
    field = " ".join(f"{i},0:{tile}" for i, tile in enumerate(TILES[:52]))
    assert "there are more than 51 tiles on the field" in reasons(f"{field} / {' '.join(TILES[51:])}")


def test_statement_format_and_canonical_lines_are_told_apart() -> None:
    assert read_lines("", " 1\r", *CASE, "") == [Layout(3, TEXT)]
    assert read_lines("", TEXT, "", f"  {TEXT}\r") == [Layout(2, TEXT), Layout(4, TEXT)]
    assert read_lines() == read_lines("", " ") == read_lines("0") == []
    (entry,) = read_lines("what?")
    assert isinstance(entry, Reject)


@pytest.mark.parametrize(
    ("bad_case", "expected"),
    [
        (["3", *CASE[1:]], ["the number of tiles on the field is 2, but the case announces 3"]),
        (["1", *CASE[1:]], ["the number of tiles on the field is 2, but the case announces 1"]),
        (["0", *CASE[1:]], ["the number of tiles on the field is 2, but the case announces 0"]),
        (["-2", *CASE[1:]], ["the number of tiles on the field is 2, but the case announces -2"]),
        (["two", *CASE[1:]], [NO_COUNT, "'two' is not of the form x y COLOURS"]),
        (CASE[1:], [NO_COUNT]),
        (CASE[:3], [NO_HAND, "the number of tiles in hand is 0, expected 5"]),
        (["2", "0 0 BBYYRR", "1 GGRRBB", HAND], ["'1 GGRRBB' is not of the form x y COLOURS"]),
        (["2", "0 0 BBYYRR", "1 0 0 GGRRBB", HAND], ["'1 0 0 GGRRBB' is not of the form x y COLOURS"]),
        (["2", "0 0 BBYYRR", "1 O GGRRBB", HAND], ["y is 'O', not a whole number"]),
        ([*CASE[:3], HAND[:-1]], ["GRGYY has 5 sides, expected 6"]),
        ([*CASE[:3], HAND[:-7]], ["the number of tiles in hand is 4, expected 5"]),
        (["noise"], [NO_COUNT, NO_HAND, "'noise' is not of the form x y COLOURS",
                     "the number of tiles in hand is 0, expected 5", "there is no tile on 0,0"]),
    ],
)  # fmt: skip
def test_a_malformed_case_is_one_reject_and_reading_goes_on(bad_case: list[str], expected: list[str]) -> None:
    before, bad, after = read_lines("3", *CASE, *bad_case, *CASE)
    assert before == Layout(2, TEXT)
    assert bad == Reject(6, "\n".join(bad_case)[:200], tuple(expected))
    assert after == Layout(6 + len(bad_case), TEXT)


def test_more_cases_than_announced() -> None:
    good, more, even_more = read_lines("1", *CASE, *CASE, *CASE[:3], "BBRRGG")
    assert good == Layout(2, TEXT)
    beyond = "this is layout {}, but the first line announces 1"
    assert more == Reject(6, "\n".join(CASE), (beyond.format(2),))
    assert isinstance(even_more, Reject)
    assert even_more.reasons == ("the number of tiles in hand is 1, expected 5", beyond.format(3))


def test_fewer_cases_than_announced() -> None:
    assert read_lines("5", *CASE, *CASE, "", "") == [
        Layout(2, TEXT),
        Layout(6, TEXT),
        Reject(9, "", ("the first line announces 5 layouts, but the file has 2",)),
    ]
    assert read_lines("3") == [Reject(1, "", ("the first line announces 3 layouts, but the file has 0",))]


def test_a_file_that_ends_within_a_case() -> None:
    cut, end = read_lines("2", *CASE[:2])
    assert isinstance(cut, Reject)
    assert cut.line == 2
    assert NO_HAND in cut.reasons
    assert end == Reject(3, "", ("the first line announces 2 layouts, but the file has 1",))


def test_a_line_that_is_too_long_never_passes() -> None:
    (entry,) = read_lines("1", *CASE[:3], HAND + " " * 300 + "x")
    assert isinstance(entry, Reject)


@given(st.integers(0, 2**64 - 1), st.integers(1, 20), st.data())
def test_both_formats_give_the_same_layout_in_any_order(number: int, tiles: int, data: st.DataObject) -> None:
    (text,) = deal(1, number, 1, tiles=tiles)
    field, hand = naive.parse(text)
    rows = data.draw(st.permutations([f"{x} {y} {tile}" for (x, y), tile in field.items()]))
    turned = [data.draw(st.sampled_from(sorted(naive.rotations(tile)))) for tile in data.draw(st.permutations(hand))]
    assert read_lines("1", str(tiles), *rows, " ".join(turned)) == [Layout(2, text)]
