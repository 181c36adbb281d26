"""The engines of Memory: three strategies, each played to the end.

`two-pass` and `incremental` are from the blog article "Memory in 2*n Schritten lösen" on the IOI 2010 task "Memory";
`two-pass-last-card` is from its comments. For 25 pairs in random order, `two-pass` takes 98.981 flips on average,
`two-pass-last-card` 97.022, and `incremental` 79.657, which is within 0.003 of the expected value of optimal play,
79.6595.
"""

from functools import partial

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Bytes, Numbers, Results, Solved, Texts, inlined, kernel, run_kernel
from dealmill.verdicts import Verdict

TWO_PASS, TWO_PASS_LAST_CARD, INCREMENTAL = range(3)

MAX_CARDS = 104
MAX_FLIPS = 2 * MAX_CARDS
"""Every strategy flips a card at most twice: to look at it, and to remove it."""

NAMES = [f"{card} ".encode() for card in range(1, MAX_CARDS + 1)] + [b""]
"""The text of a flip of each card, and at the end that of `NONE`."""
LENGTHS = np.array(list(map(len, NAMES)), dtype=np.uint64)
NAME_ROOM = 4
ONCE = np.array([list(name.ljust(NAME_ROOM)) for name in NAMES], dtype=np.uint8)
TWICE = np.array([list((2 * name).ljust(2 * NAME_ROOM)) for name in NAMES], dtype=np.uint8)
"""The text of one flip and of two flips of each card, padded with spaces: rows of equal length are copied fastest."""
IN_ORDER = np.frombuffer(b"".join(NAMES).ljust(NAME_ROOM * MAX_CARDS), dtype=np.uint8)
"""The text of one flip of each card, in order."""
BEFORE = np.cumsum([0, *map(len, NAMES)]).astype(np.uint64)
"""The offset of each card in `IN_ORDER`."""
BLOCK = 32
LONGEST_EVIDENCE = NAME_ROOM * (MAX_FLIPS + 2)
"""Includes room for the padding after the last flip."""

NONE = np.uint64(MAX_CARDS)
"""Stands for "no card"."""
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)

SCORED = int(Verdict.SCORED)
UNDECIDED = int(Verdict.UNDECIDED)


def two_pass(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Look at all cards two by two, then collect the pairs that were not found on the way."""
    return run_kernel(partial(_play_each, TWO_PASS), layouts, max_nodes, LONGEST_EVIDENCE)


def two_pass_last_card(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Play like `two_pass`, but deduce the last card: it matches the only card that is still single."""
    return run_kernel(partial(_play_each, TWO_PASS_LAST_CARD), layouts, max_nodes, LONGEST_EVIDENCE)


def incremental(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Look at the cards in order, and collect every pair as soon as both its cards are known."""
    return run_kernel(partial(_play_each, INCREMENTAL), layouts, max_nodes, LONGEST_EVIDENCE)


@kernel
def _play_each(strategy: int, text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    places = np.empty(128, dtype=np.uint8)
    partners = np.empty(MAX_CARDS + 1, dtype=np.uint8)
    evidence = results.evidence
    end = ZERO
    for i in range(first, len(results.verdicts)):
        if len(evidence) - np.int64(end) < LONGEST_EVIDENCE:
            return i
        results.nodes[i] = min(limit, 1)
        if limit < 1:
            results.verdicts[i] = UNDECIDED
        else:
            begin, cards = np.uint64(starts[i]), np.uint64(starts[i + 1] - starts[i])
            places[:] = NONE
            if strategy == INCREMENTAL:
                flips, end = _play_incremental(text, begin, cards, places, evidence, end)
            else:
                _find_partners(text, begin, cards, places, partners)
                if strategy == TWO_PASS:
                    flips, end = _play_two_pass(partners, cards, evidence, end)
                else:
                    flips, end = _play_two_pass_last_card(partners, cards, evidence, end)
            end -= ONE  # without the space after the last flip
            results.values[i] = flips
            results.verdicts[i] = SCORED
        results.ends[i] = end
    return len(results.verdicts)


@inlined
def _find_partners(text: Bytes, begin: np.uint64, cards: np.uint64, places: Bytes, partners: Bytes) -> None:
    """Set `partners` to the position of the other card of each pair.

    This and the following kernels have no branches, because branches on random data are mispredicted. Indexes are
    unsigned: for a signed index, compiled code checks at each access whether it counts from the end.
    """
    for card in range(cards):
        letter = text[begin + card]
        partner = places[letter]
        places[letter] = card
        partners[card] = partner
        partners[partner] = card


@inlined
def _play_two_pass(partners: Bytes, cards: np.uint64, evidence: Bytes, end: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Play, and return the number of flips and the new end of the evidence, as the other strategies do."""
    end = _look_at(cards, evidence, end)
    return _collect(partners, cards, NONE, cards, evidence, end)


@inlined
def _play_two_pass_last_card(
    partners: Bytes, cards: np.uint64, evidence: Bytes, end: np.uint64
) -> tuple[np.uint64, np.uint64]:
    last_but_one = cards - TWO
    end = _look_at(last_but_one, evidence, end)
    end = _flip(last_but_one, evidence, end)
    end = _flip(partners[last_but_one], evidence, end)
    return _collect(partners, cards, last_but_one, cards, evidence, end)


@inlined
def _look_at(cards: np.uint64, evidence: Bytes, end: np.uint64) -> np.uint64:
    """Flip the first `cards` cards in order, and return the new end."""
    length: np.uint64 = BEFORE[cards]
    for start in range(ZERO, length, np.uint64(BLOCK)):
        for k in range(BLOCK):
            evidence[end + start + np.uint64(k)] = IN_ORDER[start + np.uint64(k)]
    return end + length


@inlined
def _collect(
    partners: Bytes, cards: np.uint64, taken: np.uint64, flips: np.uint64, evidence: Bytes, end: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Remove all pairs except the pair of card `taken` and the pairs whose cards were looked at together."""
    for card in range(cards):
        partner = np.uint64(partners[card])
        left = np.uint64((partner > card) & (partner != card ^ ONE) & (partner != taken))
        behind = _flip(partner, evidence, _flip(card, evidence, end))
        end += (behind - end) * left
        flips += TWO * left
    return flips, end


@inlined
def _play_incremental(
    text: Bytes, begin: np.uint64, cards: np.uint64, places: Bytes, evidence: Bytes, end: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Play while reading the layout.

    `second` tells whether the next flip is the second one of a move. A card that turns out in a second flip to match an
    earlier card must be flipped again, in a move of its own.
    """
    flips = second = ZERO
    for card in range(cards):
        letter = text[begin + card]
        partner = np.uint64(places[letter])
        places[letter] = card
        known = np.uint64(partner != NONE)
        repeated = known & second & np.uint64(partner + ONE != card)
        taken = known & (second ^ ONE) | repeated
        _write(TWICE, card, evidence, end)
        end += LENGTHS[card] << repeated
        _write(ONCE, partner, evidence, end)
        end += LENGTHS[partner] * taken
        flips += ONE + repeated + taken
        second = (known | second) ^ ONE
    return flips, end


@inlined
def _flip(card: int | np.uint64, evidence: Bytes, end: np.uint64) -> np.uint64:
    """Write a flip at `end`, and return the new end."""
    _write(ONCE, card, evidence, end)
    length: np.uint64 = LENGTHS[card]
    return end + length


@inlined
def _write(labels: Bytes, card: int | np.uint64, evidence: Bytes, end: np.uint64) -> None:
    for k in range(labels.shape[1]):
        evidence[end + np.uint64(k)] = labels[card, k]
