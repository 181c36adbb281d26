"""Numbered deals of card pairing.

The deck has `suits` cards of each rank. Up to 16 ranks are letters in the order ``23456789TJQKA``: with fewer than 13,
the deck has the last ones (9 ranks are ``6789TJQKA``), with more than 13 also ``B``, ``C``, ``D``. More than 16 ranks
are the numbers from 1 on. Deal k of seed s is the deck shuffled with the stream of that deal (see
`dealmill.pipeline.games.philox`) and divided into stacks: the first cards are stack 0 from bottom to top, the next ones
stack 1, and so on. If the cards do not divide, the first stacks get one card more.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.game import UsageError
from dealmill.kernels import Bytes, Numbers, Texts, inlined, kernel, open_stream, shuffle, texts_from_rows
from dealmill.pipeline.games.card_pairing.layout import COMMA, EMPTY, MAX_CARDS, RANKS, SUITS

FRENCH = "23456789TJQKA"
MORE = "BCD"
CARD = "?"


def deal(seed: int, first: int, count: int, ranks: int = 9, stacks: int = 9, suits: int = SUITS) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`.

    Raises
    ------
    UsageError
        If `suits` is odd, or the deck has too many cards.
    """
    if suits % 2:
        raise UsageError(f"suits is {suits}, expected an even number: cards of a rank leave in pairs")
    if ranks * suits > MAX_CARDS:
        raise UsageError(f"{ranks} ranks of {suits} suits are {ranks * suits:,} cards, expected at most {MAX_CARDS:,}")
    height, higher = divmod(ranks * suits, stacks)
    heights = [height + 1] * higher + [height] * (stacks - higher)
    write = _in_letters if ranks <= len(RANKS) else _in_numbers
    return texts_from_rows(write(np.uint64(seed), np.uint64(first), count, ranks, suits, heights))


def _in_letters(seed: np.uint64, first: np.uint64, count: int, ranks: int, suits: int, heights: list[int]) -> Bytes:
    symbols = FRENCH[-ranks:] + MORE[: max(0, ranks - len(FRENCH))]
    sample = _bytes(" ".join(CARD * height or EMPTY for height in heights))
    texts = np.tile(sample, (count, 1))
    _deal_letters(seed, first, _bytes(symbols).repeat(suits), np.flatnonzero(sample == ord(CARD)), texts)
    return texts


def _in_numbers(seed: np.uint64, first: np.uint64, count: int, ranks: int, suits: int, heights: list[int]) -> Bytes:
    """All texts have the same length, since they have the same symbols, commas and spaces."""
    symbols = [str(rank) for rank in range(1, ranks + 1)]
    gaps = [gap for height in heights if height for gap in (*[COMMA] * (height - 1), " ")]
    gaps[-1] = ""
    if COMMA not in gaps:
        gaps[0] = f"{COMMA} "
    ending = _bytes(f" {EMPTY}" * heights.count(0))
    length = len("".join(symbols)) * suits + len("".join(gaps))
    texts = np.empty((count, length + len(ending)), dtype=np.uint8)
    texts[:, length:] = ending
    deck = np.arange(ranks, dtype=np.uint16).repeat(suits)
    _deal_numbers(seed, first, deck, _padded(symbols), _padded(gaps), texts)
    return texts


def _bytes(text: str) -> Bytes:
    return np.frombuffer(text.encode("ascii"), dtype=np.uint8)


def _padded(texts: list[str]) -> Bytes:
    """Return texts as the rows of an array, padded with zeros."""
    return np.array(texts, dtype=np.bytes_).view(np.uint8).reshape(len(texts), -1)


@kernel
def _deal_letters(seed: np.uint64, first: np.uint64, deck: Bytes, places: Numbers, texts: Bytes) -> None:
    """Put the cards of each deal in their places."""
    stream = np.empty(8, dtype=np.uint64)
    cards = np.empty_like(deck)
    for i in range(len(texts)):
        for card in range(len(deck)):  # in one assignment, it would take two seconds more to compile
            cards[card] = deck[card]
        open_stream(stream, seed, first + np.uint64(i))
        shuffle(stream, cards, len(cards))
        for card in range(len(cards)):
            texts[i, places[card]] = cards[card]


@kernel
def _deal_numbers(
    seed: np.uint64, first: np.uint64, deck: NDArray[np.uint16], symbols: Bytes, gaps: Bytes, texts: Bytes
) -> None:
    """Write the symbols of the cards of each deal, each followed by its gap."""
    stream = np.empty(8, dtype=np.uint64)
    cards = np.empty_like(deck)
    for i in range(len(texts)):
        for card in range(len(deck)):
            cards[card] = deck[card]
        open_stream(stream, seed, first + np.uint64(i))
        shuffle(stream, cards, len(cards))
        end = 0
        for card in range(len(cards)):
            end = _write(texts[i], end, symbols[cards[card]])
            end = _write(texts[i], end, gaps[card])


@inlined
def _write(text: Bytes, end: int, padded: Bytes) -> int:
    for byte in padded:
        if byte:
            text[end] = byte
            end += 1
    return end
