"""Numbered deals of all games: they are what the documentation says, fair, and layouts."""

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import chain

import numpy as np
import pytest

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.camelot.layout import VALUES
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.memory.deal import LETTERS
from dealmill.pipeline.games.philox import below, next_word, open_stream
from tests.doing import dealer
from tests.games.streams import PlainStream
from tests.games.tantrix import naive as tantrix

STREAMS = [(0, 0), (1, 1), (7, 2**32), (2**64 - 1, 2**63 + 5), (2**63, 2**64 - 8)]
EMPTY = "OOO/OOO/OOOOOOO/OOOOOOO/OOOOOOO/OOO/OOO"


def plain_camelot(stream: PlainStream) -> str:
    return "".join(stream.shuffled("".join(value * 4 for value in VALUES)))


def plain_card_pairing(stream: PlainStream, ranks: int = 9, stacks: int = 9, suits: int = 4) -> str:
    letters = ("23456789TJQKA"[-ranks:] + "BCD")[:ranks]
    symbols = list(letters) if ranks <= 16 else [str(number + 1) for number in range(ranks)]
    cards = stream.shuffled([symbol for symbol in symbols for _ in range(suits)])
    heights = [len(cards) // stacks + (stack < len(cards) % stacks) for stack in range(stacks)]
    starts = [sum(heights[:stack]) for stack in range(stacks)]
    comma = "" if ranks <= 16 else ","
    words = [comma.join(cards[start : start + height]) for start, height in zip(starts, heights, strict=True)]
    return " ".join(word or "-" for word in [words[0] + comma * (heights[0] == 1), *words[1:]])


def plain_hi_q(stream: PlainStream, pegs: int = 16) -> str:
    holes = [hole for hole, sign in enumerate(EMPTY) if sign == "O"]
    with_pegs = stream.shuffled(holes)[:pegs]
    return "".join("X" if hole in with_pegs else sign for hole, sign in enumerate(EMPTY))


def plain_memory(stream: PlainStream, pairs: int = 25) -> str:
    return "".join(stream.shuffled("".join(letter * 2 for letter in LETTERS[:pairs])))


def plain_tantrix(stream: PlainStream, tiles: int = 10) -> str:
    return tantrix.deal(stream, tiles)


def plain_tantrix_loop(stream: PlainStream, tiles: int = 20, colour: int = 3) -> str:
    letter = " BGRY"[colour]
    bearing = [tile for tile in tantrix.all_tiles() if letter in tile]
    return f"{letter} / {' '.join(sorted(stream.shuffled(bearing)[:tiles]))}"


PLAIN: dict[str, tuple[Callable[..., str], list[dict[str, int]]]] = {
    "camelot": (plain_camelot, [{}]),
    "card-pairing": (
        plain_card_pairing,
        [
            {},
            *(
                {"ranks": ranks, "stacks": stacks}
                for ranks, stacks in [(1, 2), (2, 8), (9, 36), (13, 13), (14, 7), (16, 8), (16, 32), (9, 8), (1, 7)]
            ),
            {"suits": 2},
            {"suits": 64, "stacks": 1_024, "ranks": 16},
            {"ranks": 17, "stacks": 69},
            {"ranks": 60, "stacks": 40},
            {"ranks": 512, "suits": 2, "stacks": 3},
        ],
    ),
    "hi-q": (plain_hi_q, [{}, {"pegs": 0}, {"pegs": 1}, {"pegs": 33}]),
    "memory": (plain_memory, [{}, {"pairs": 1}, {"pairs": 2}, {"pairs": 52}]),
    "tantrix": (plain_tantrix, [{}, {"tiles": 1}, {"tiles": 20}]),
    "tantrix-loop": (
        plain_tantrix_loop,
        [{}, {"tiles": 3}, {"tiles": 42}, *({"colour": colour} for colour in (1, 2, 4))],
    ),
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


@pytest.mark.slow
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


def test_deals_of_card_pairing_are_layouts_of_the_requested_size() -> None:
    deal, game = dealer("card-pairing"), find_game("card-pairing")
    for ranks in (*range(1, 19), 30, 100, 255, 257, 512):
        for suits in (2, 4, 6, 64):
            for stacks in (*range(2, 38, 7), 100, 1_024):
                if ranks * suits > 1_024:
                    with pytest.raises(UsageError, match=f"{ranks * suits:,} cards, expected at most 1,024"):
                        deal(1, 1, 1, ranks=ranks, stacks=stacks, suits=suits)
                    continue
                dealt = deal(4, 1, 2, ranks=ranks, stacks=stacks, suits=suits)
                assert list(game.read(enumerate(dealt))) == [Layout(*line) for line in enumerate(dealt)]
                for text in dealt:
                    split = list if ranks <= 16 else partial(re.findall, r"\d+")
                    dealt_stacks = [split(word.strip("-")) for word in text.split(" ")]
                    heights = list(map(len, dealt_stacks))
                    assert len(heights) == stacks and heights == sorted(heights, reverse=True)
                    assert heights[0] - heights[-1] <= 1
                    counts = Counter(chain.from_iterable(dealt_stacks))
                    assert len(counts) == ranks and set(counts.values()) == {suits}
    with pytest.raises(UsageError, match="suits is 3, expected an even number"):
        deal(1, 1, 1, suits=3)


def test_ranges_of_card_pairing_keep_the_identity_under_which_they_are_stored() -> None:
    """These are the digests of version 0.1.0, which had fewer parameters."""
    nine = "eeffd69189891c0db7f2e9779e0f3ca6025524945a2deca7ffc86e691a86c02a"
    thirteen = "14604b5b87a68f1f7a4de6ab20379259b3e8f9fc28c39742ca14a31f4d7c9511"
    for given, written, digest in (
        ("1-2000", "1-2000", nine),
        ("ranks=9:stacks=9:1-2000", "1-2000", nine),
        ("suits=4:1-2000", "1-2000", nine),
        ("ranks=13:stacks=13:1-", "ranks=13:stacks=13:1-", thirteen),
    ):
        deals = parse_deal_range(f"deal:card-pairing:seed=1:{given}")
        assert deals.name == f"deal:card-pairing:seed=1:{written}"
        assert deals.digest.hex() == digest
    assert deals.numbers == {"seed": 1, "parameters": {"ranks": 13, "stacks": 13}, "first": 1, "last": None}
