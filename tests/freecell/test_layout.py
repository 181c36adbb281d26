"""Boards are read as Freecell Solver reads them, and each reason for a reject is reported."""

from collections.abc import Callable

import pytest

from dealmill.game import Layout, Reject
from tests.freecell.solving import dealt, freecell

ROWS = """\
JD 2D 9H JC 5D 7H 7C 5H
KD KC 9S 5S AD QC KH 3H
2S KS 9D QD JS AS AH 3C
4C 5C TS QH 4H AC 4D 7S
3S TD 4S TH 8H 2C JH 7D
6D 8S 8D QS 6C 3D 8C TC
6S 9C 2H 6H
"""
"""Microsoft's deal 1, in the rows in which it is dealt."""


def board(layout: str) -> str:
    """Return a layout as a board with a line for each column."""
    return "\n".join(" ".join(column[at : at + 2] for at in range(0, len(column), 2)) for column in layout.split("/"))


def read(text: str) -> list[Layout | Reject]:
    """Return the entries of a file."""
    return list(freecell().read(enumerate(text.splitlines(), start=1)))


def test_the_rows_of_a_deal_are_dealt_onto_the_columns() -> None:
    cards = ROWS.split()
    assert dealt(0, 1) == ["/".join("".join(cards[column::8]) for column in range(8))]


@pytest.mark.parametrize(
    "written",
    [
        board,
        lambda layout: board(layout).replace("T", "10"),
        lambda layout: board(layout).lower(),
        lambda layout: ": " + board(layout).replace("\n", "\n: "),
        lambda layout: f"Foundations: H-0 C-0 D-0 S-0 \nFreecells:  \n{board(layout)}",
        lambda layout: f"# deal 3\n\n{board(layout)}\n\n",
        lambda layout: layout,
        lambda layout: layout.replace("/", " / ").replace("T", "10").lower(),
    ],
)
def test_boards_and_lines_of_every_form_are_read(written: Callable[[str], str]) -> None:
    [layout] = dealt(0, 3)
    assert [entry.text for entry in read(written(layout))] == [layout]


def test_several_boards_need_no_lines_between_them() -> None:
    layouts = dealt(0, 5, 3)
    assert read("\n".join(map(board, layouts))) == [Layout(1 + 8 * at, text) for at, text in enumerate(layouts)]


def test_a_board_without_a_column_does_not_affect_the_next_one() -> None:
    first, second = dealt(0, 5, 2)
    entries = read(board(first).split("\n", 1)[1] + "\n\n" + board(second))
    assert entries[1] == Layout(9, second)
    assert isinstance(entries[0], Reject)
    assert entries[0].line == 1
    assert entries[0].reasons[0] == "the number of columns is 7, expected 8"


@pytest.mark.parametrize(
    ("before", "after", "reasons"),
    [
        ("JD", "KD", ("KD occurs 2 times", "missing: JD")),
        ("JD", "1D", ("'1D' is not a card; write a rank of A23456789TJQK and a suit of HCDS", "missing: JD")),
        ("JD", "", ("column 1 has 6 cards, expected 7", "missing: JD")),
        ("7C/", "/7C", ("column 1 has 6 cards, expected 7", "column 2 has 8 cards, expected 7")),
    ],
)
def test_a_bad_layout_is_rejected_with_all_reasons(before: str, after: str, reasons: tuple[str, ...]) -> None:
    [layout] = dealt(0, 1)
    layout = "JD" + layout.removeprefix("JD")
    changed = layout.replace(before, after, 1) if before != "7C/" else layout.replace("6S/", "/6S", 1)
    assert read(changed) == [Reject(1, changed, reasons)]


@pytest.mark.parametrize("line", ["Freecells: 2C", "Foundations: H-3 C-0 D-0 S-0"])
def test_positions_that_are_not_initial_are_rejected(line: str) -> None:
    [layout] = dealt(0, 1)
    assert all(isinstance(entry, Reject) for entry in read(f"{line}\n{board(layout)}"))
