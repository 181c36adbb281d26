"""Numbered deals of all games: they are what the documentation says, fair, and layouts."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.camelot.layout import VALUES
from dealmill.pipeline.games.contract import Layout
from dealmill.pipeline.games.memory.deal import LETTERS
from dealmill.pipeline.games.philox import below, next_word, open_stream
from tests.doing import dealer
from tests.games.streams import PlainStream
from tests.games.tantrix import naive as tantrix

STREAMS = [(0, 0), (1, 1), (7, 2**32), (2**64 - 1, 2**63 + 5), (2**63, 2**64 - 8)]
EMPTY = "OOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOO"


def plain_camelot(stream: PlainStream) -> str:
    return "".join(stream.shuffled("".join(value * 4 for value in VALUES)))


def plain_card_pairing(stream: PlainStream, ranks: int = 9, stacks: int = 9) -> str:
    symbols = ("23456789TJQKA"[-ranks:] + "BCD")[:ranks]
    cards = "".join(stream.shuffled("".join(symbol * 4 for symbol in symbols)))
    height = len(cards) // stacks
    return " ".join(cards[start : start + height] for start in range(0, len(cards), height))


def plain_hi_q(stream: PlainStream, pegs: int = 16) -> str:
    places = [place for place, sign in enumerate(EMPTY) if sign == "O"]
    with_pegs = stream.shuffled(places)[:pegs]
    return "".join("X" if place in with_pegs else sign for place, sign in enumerate(EMPTY))


def plain_memory(stream: PlainStream, pairs: int = 25) -> str:
    return "".join(stream.shuffled("".join(letter * 2 for letter in LETTERS[:pairs])))


def plain_tantrix(stream: PlainStream, tiles: int = 10) -> str:
    return tantrix.deal(stream, tiles)


PLAIN: dict[str, tuple[Callable[..., str], list[dict[str, int]]]] = {
    "camelot": (plain_camelot, [{}]),
    "card-pairing": (
        plain_card_pairing,
        [
            {},
            *(
                {"ranks": ranks, "stacks": stacks}
                for ranks, stacks in [(1, 2), (2, 8), (9, 36), (13, 13), (14, 7), (16, 8), (16, 32)]
            ),
        ],
    ),
    "hi-q": (plain_hi_q, [{}, {"pegs": 0}, {"pegs": 1}, {"pegs": 33}]),
    "memory": (plain_memory, [{}, {"pairs": 1}, {"pairs": 2}, {"pairs": 52}]),
    "tantrix": (plain_tantrix, [{}, {"tiles": 1}, {"tiles": 20}]),
}
"""By game, the description of a deal in plain code, and the parameters to try."""


@pytest.mark.parametrize(("seed", "deal"), STREAMS)
def test_words_are_those_of_numpy(seed: int, deal: int) -> None:
    stream = np.zeros(8, dtype=np.uint64)
    open_stream(stream, np.uint64(seed), np.uint64(deal))
    plain = PlainStream(seed, deal)
    assert [int(next_word(stream)) for _ in range(50)] == [plain.word() for _ in range(50)]


@pytest.mark.parametrize("bound", [1, 2, 3, 52, 2**32 + 1, 2**62 + 1, 2**63 - 1])
def test_bounded_numbers_are_as_documented(bound: int) -> None:
    stream = np.zeros(8, dtype=np.uint64)
    open_stream(stream, np.uint64(5), np.uint64(6))
    plain = PlainStream(5, 6)
    assert [below(stream, bound) for _ in range(100)] == [plain.below(bound) for _ in range(100)]


@pytest.mark.parametrize("game", PLAIN)
def test_deals_can_be_made_from_the_documentation_alone(game: str) -> None:
    plain, all_parameters = PLAIN[game]
    for parameters in all_parameters:
        for seed, first in STREAMS:
            expected = [plain(PlainStream(seed, first + number), **parameters) for number in range(2)]
            assert dealer(game)(seed, first, 2, **parameters) == expected, (seed, first, parameters)
    assert dealer(game)(1, 5, 0) == []


def test_a_deal_of_tantrix_in_which_a_player_is_stuck_starts_again() -> None:
    number = 24862
    [stuck], [dealt] = (dealer("tantrix")(1, number, 1, tiles=tiles) for tiles in (6, 7))
    assert tantrix.legal_moves(*tantrix.parse(stuck)) == []
    assert dealt == tantrix.deal(PlainStream(1, number), 7)
    assert not tantrix.parse(stuck)[0].items() <= tantrix.parse(dealt)[0].items()


@pytest.mark.parametrize("game", ["camelot", "card-pairing", "hi-q", "memory"])
def test_every_card_is_equally_likely_in_every_place(game: str) -> None:
    deals = [text.replace(" ", "").replace("/", "") for text in dealer(game)(5, 1, 20_000)]
    shares = {card: count / len(deals[0]) for card, count in Counter(deals[0]).items()}
    for cards in zip(*deals, strict=True):
        counts = Counter(cards)
        for card, share in shares.items():
            assert abs(counts[card] / len(deals) - share) < 5 * (share * (1 - share) / len(deals)) ** 0.5


def test_deals_of_card_pairing_are_layouts_if_the_cards_can_be_divided() -> None:
    deal, game = dealer("card-pairing"), find_game("card-pairing")
    for ranks in range(1, 17):
        for stacks in range(2, 37):
            if ranks * 4 % stacks == 0:
                dealt = deal(4, 1, 3, ranks=ranks, stacks=stacks)
                assert list(game.read(enumerate(dealt))) == [Layout(*line) for line in enumerate(dealt)]
                assert all(text.count(" ") == stacks - 1 and len(set(text) - {" "}) == ranks for text in dealt)
            else:
                with pytest.raises(UsageError, match=f"{4 * ranks} cards cannot be divided into {stacks} stacks"):
                    deal(1, 1, 1, ranks=ranks, stacks=stacks)
