"""Numbered deals of card pairing.

The deck has four cards of each rank, in the order ``23456789TJQKA``. With fewer than 13 ranks it has the last ones (9
ranks are ``6789TJQKA``), with more than 13 also ``B``, ``C``, ``D``. Deal k of seed s is the deck shuffled with the
stream of that deal (see `dealmill.pipeline.games.philox`) and divided into stacks of equal height: the first cards are
stack 0 from bottom to top, the next ones stack 1, and so on.
"""

import numpy as np

from dealmill.game import Bytes, Texts, UsageError, kernel, open_stream, shuffle, texts_from_rows
from dealmill.pipeline.games.card_pairing.layout import SUITS

FRENCH = "23456789TJQKA"
MORE = "BCD"


def deal(seed: int, first: int, count: int, ranks: int = 9, stacks: int = 9) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`.

    Raises
    ------
    UsageError
        If the cards cannot be divided into `stacks` stacks of equal height.
    """
    height, rest = divmod(ranks * SUITS, stacks)
    if rest or not height:
        raise UsageError(f"{ranks * SUITS} cards cannot be divided into {stacks} stacks of equal height")
    symbols = FRENCH[-ranks:] + MORE[: max(0, ranks - len(FRENCH))]
    deck = np.frombuffer(symbols.encode("ascii"), dtype=np.uint8).repeat(SUITS)
    texts = np.full((count, stacks * (height + 1) - 1), ord(" "), dtype=np.uint8)
    _deal_each(np.uint64(seed), np.uint64(first), deck, height, texts)
    return texts_from_rows(texts)


@kernel
def _deal_each(seed: np.uint64, first: np.uint64, deck: Bytes, height: int, texts: Bytes) -> None:
    stream = np.empty(8, dtype=np.uint64)
    cards = np.empty_like(deck)
    for i in range(len(texts)):
        for card in range(len(deck)):  # in one assignment, it would take two seconds more to compile
            cards[card] = deck[card]
        open_stream(stream, seed, first + np.uint64(i))
        shuffle(stream, cards, len(cards))
        for card in range(len(cards)):
            texts[i, card + card // height] = cards[card]
