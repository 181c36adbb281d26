"""Reading Camelot: the asterisk, untidy decks, and every reason for a bad one."""

import pytest

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.camelot.layout import canonical, read
from dealmill.pipeline.games.descriptions import Layout, Reject

DECK = "JJJJQQQQKKKKA9A9A9A928282828373737374646464655550000"


def entries(text: str) -> list[Layout | Reject]:
    return list(read(enumerate(text.split("\n"), start=1)))


def test_the_asterisk_ends_the_input() -> None:
    outcome = entries(f"{DECK}\n\n {DECK.lower()}\r\n*\n\n{DECK}\n")
    assert outcome[:2] == [Layout(1, DECK), Layout(3, DECK)]
    assert outcome[2] == Reject(6, DECK, ("the line comes after the * that ends the input",))


@pytest.mark.parametrize(
    ("deck", "reasons"),
    [
        (DECK[:-1], ["the deck has 51 cards, expected 52", "value 0 occurs 3 times, expected 4"]),
        (
            DECK.replace("0", "T"),
            ["unknown symbol 'T' at card 49; ten is written 0", "value 0 occurs 0 times, expected 4"],
        ),
        ("J" + DECK[:-1], ["value 0 occurs 3 times, expected 4", "value J occurs 5 times, expected 4"]),
        (
            DECK.replace("0000", "10101010"),
            ["the deck has 56 cards, expected 52", "unknown symbol '1' at card 49; ten is written 0"],
        ),
    ],
)
def test_a_bad_deck_is_rejected_with_all_reasons(deck: str, reasons: list[str]) -> None:
    with pytest.raises(BadLayout) as caught:
        canonical(deck)
    assert list(caught.value.reasons) == reasons


def test_a_line_longer_than_any_deck_is_told_by_its_length() -> None:
    [entry] = entries("K" * 100_000)
    assert entry == Reject(1, "K" * 200, ("the line is 100000 characters long, expected at most 1000",))
