"""Positions as lines of text: how they are read, and every reason why they are not."""

import pytest

from dealmill.pipeline.errors import BadLayout, UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.games.patience.rules import SUITS, pairs
from tests.games.patience.files import FILES

KLONDIKE, CANFIELD, GOLF, TOWERS = (FILES[name] for name in ("klondike", "canfield", "golf", "seahaven-towers"))
UP = "foundations:KCKHQSQD"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (f"  klondike  KS/-/-/-/-/-/-   stock:KD  {UP} ", f"klondike KS/-/-/-/-/-/- {UP} stock:KD"),
        ("klondike kS/-/-/-/-/-/- foundations:QDkCQSKH stock:KD", f"klondike KS/-/-/-/-/-/- {UP} stock:KD"),
        ("klondike 10sJDKS/-/-/-/-/-/-", None),
    ],
)
def test_a_position_is_read_in_more_than_one_way(written: str, canonical: str | None) -> None:
    [entry] = KLONDIKE.read([(3, written)])
    assert entry == Layout(3, canonical) if canonical else isinstance(entry, Reject)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("klondyke KS", "the line begins with 'klondyke', expected klondike"),
        ("klondike", "the number of columns is 0, expected 7"),
        ("klondike KS/-/-/-/-/-", "the number of columns is 6, expected 7"),
        (f"klondike KS/X/-/-/-/-/- {UP} stock:KD", "column 2 is 'X', expected cards such as 6H"),
        (f"klondike Ks/-/-/-/-/-/- {UP} stock:KD", "a card is missing: KS, the last one of column 1, lies face down"),
        (
            f"klondike KSJd9H/-/-/-/-/-/- {UP} stock:KD",
            "column 1 is 'KSJd9H', expected cards such as 6H, face-down ones first",
        ),
        (f"klondike KS/-/-/-/-/-/- {UP} stack:KD", "'stack:KD' is not a part of a position"),
        (f"klondike KS/-/-/-/-/-/- {UP} {UP} stock:KD", "expected each once"),
        (f"klondike KS/-/-/-/-/-/- {UP} stock:K", "stock are 'K', expected cards such as 6H"),
        (f"klondike KS/-/-/-/-/-/- cells:KD {UP}", "klondike has no cells"),
        (f"klondike KS/-/-/-/-/-/- {UP}", "missing: KD"),
        (f"klondike KSKD/KD/-/-/-/-/- {UP}", "KD occurs 2 times"),
        ("klondike KS/-/-/-/-/-/- foundations:KCKCQSQD stock:KD", "the suits of the foundations are CCSD"),
        (f"klondike KS/-/-/-/-/-/- {UP} passes:1 stock:KD", "klondike has no passes"),
        (
            "canfield -/-/-/- foundations:KCKHKSKD",
            "the base is missing: add the rank of the first foundation card, such as base:K",
        ),
        ("golf 2C/-/-/-/-/-/-", "the hole has no single card on top"),
        ("golf 2C/-/-/-/-/-/- hole:2C", "2C occurs 2 times"),
        ("seahaven-towers kSKD/-/-/-/-/-/-/-/-/- foundations:KCKHQSQD", None),
        ("seahaven-towers ksKD/-/-/-/-/-/-/-/-/- foundations:KCKHQSQD", "column 1 has face-down cards"),
        (
            "seahaven-towers KDKS/-/-/-/-/-/-/-/-/- cells:QDJDTD9D8D foundations:KCKHQS7D",
            "5 cards are in cells, expected at",
        ),
        ("canfield -/-/-/- base:Z foundations:KCKHKSKD", "the base is 'Z', expected one of A23456789TJQK"),
        (f"klondike KS/-/-/-/-/-/- base:Z {UP} stock:KD", "klondike has no base"),
        (f"klondike \uff2b\uff33/-/-/-/-/-/- {UP}", "'\uff2b\uff33' are full-width characters: write 'KS'"),
        ("x" * 1_001, "the line is 1001 characters long, expected at most 1000"),
    ],
)
def test_every_reason_is_given(text: str, reason: str | None) -> None:
    game = FILES.get(text.split(" ", maxsplit=1)[0], KLONDIKE)
    [entry] = game.read([(1, text)])
    if reason is None:
        assert isinstance(entry, Layout)
    else:
        assert isinstance(entry, Reject)
        assert any(reason in given for given in entry.reasons), entry.reasons


def test_stock_and_waste_hold_no_more_cards_than_were_dealt_to_the_stock() -> None:
    """By moves of the game, no card comes back to them."""
    cards = "5H6H7H8H9HTHJHQHKH5C6C7C8C9CTCJCQCKC5S6S7S8S9STS"
    for beside, count in ((f"stock:{cards} waste:JSQSKS", 27), (f"stock:JSQSKS waste:{cards}", 27)):
        [entry] = KLONDIKE.read([(1, f"klondike KDQDJDTD9D8D7D6D5D/-/-/-/-/-/- foundations:4C4H4S4D {beside}")])
        assert isinstance(entry, Reject)
        assert entry.reasons == (f"stock and waste have {count} cards, expected at most 24",)


def test_all_reasons_are_given_at_once() -> None:
    with pytest.raises(BadLayout) as caught:
        raise BadLayout(next(iter(KLONDIKE.read([(1, "klondike X/Y stock:1")]))).reasons)  # type: ignore[union-attr]
    assert len(caught.value.reasons) == 4


@pytest.mark.parametrize("name", FILES)
def test_deals_are_layouts_of_the_sizes_in_the_rules(name: str) -> None:
    game = FILES[name]
    for seed in (0, 1, 2**64 - 1):
        for text in to_strings(game.deal(seed, 5, 20)):
            assert list(game.read([(1, text)])) == [Layout(1, text)]
            sizes = [len(column) // 2 for column in text.split(" ")[1].split("/")]
            assert tuple(sizes) == game.rules.sizes


def test_layouts_that_differ_in_suits_and_columns_alone_have_one_nameless_text() -> None:
    position = "canfield 3SQD/TC/JC/6S base:8 foundations:8C8D stock:3HKD"
    same = "canfield 6C/JS/3CQH/TS base:8 foundations:8H8S stock:3DKH"
    different = "canfield 6C/JS/3CQD/TS base:8 foundations:8H8S stock:3DKH"
    assert CANFIELD.nameless(position) == CANFIELD.nameless(same) != CANFIELD.nameless(different)


def test_seed_0_ends_with_the_last_number_of_the_field() -> None:
    assert len(KLONDIKE.deal(0, 2**32 - 1, 1)) == 1
    with pytest.raises(UsageError, match="the deals of seed 0 of klondike have the numbers 1 to 4,294,967,295"):
        KLONDIKE.deal(0, 2**32 - 1, 2)
    with pytest.raises(UsageError, match="have the numbers 1 to"):
        FILES["bakers-game"].deal(0, 0, 1)


def test_solvitaires_deal_0_of_klondike_has_the_number_that_lonelybot_gives_its_deck() -> None:
    """lonelybot numbers decks by the places of their cards; the number of this one is fixed in its tests."""
    [text] = to_strings(KLONDIKE.deal(0, 0, 1))
    _, columns, stock = text.split(" ")
    cards = columns.upper().replace("/", "") + stock.removeprefix("stock:")
    deck = [
        "A23456789TJQK".index(rank) * 4 + "HDCS".index(suit) for rank, suit in zip(cards[::2], cards[1::2], strict=True)
    ]
    number = 0
    for card in range(51, 0, -1):
        index = deck.index(card)
        number = number * (card + 1) + index
        deck[index], deck[card] = deck[card], deck[index]
    assert number == 12954810653509400169295621394006691876957783508183809583464865425989


def deals_of(name: str) -> list[str]:
    return to_strings(find_game(name).deal(1, 1, 50))


def test_kings_are_below_all_other_cards_of_the_same_columns() -> None:
    for below, rows in zip(deals_of("bakers-dozen"), deals_of("bakers-dozen:tableau.deal=rows"), strict=True):
        for column, dealt in zip(below.split()[1].split("/"), rows.split()[1].split("/"), strict=True):
            cards, before = pairs(column), pairs(dealt)
            assert sorted(cards) == sorted(before)
            assert [card[0] == "K" for card in cards] == sorted((card[0] == "K" for card in before), reverse=True)
            assert "K" in dealt or column == dealt


def test_the_other_three_cards_of_the_dealt_rank_are_on_foundations() -> None:
    for deal in deals_of("penguin"):
        _, columns, base, foundations = deal.split()
        first, rank = columns[:2], base.removeprefix("base:")
        assert first[0] == rank
        assert foundations == "foundations:" + "".join(rank + suit for suit in SUITS if rank + suit != first)
        assert [len(pairs(column)) for column in columns.split("/")] == [7] * 7
