"""Engines of Memory: three strategies, each played to the end.

`two-pass` and `incremental` are those of the blog article "Memory in 2*n Schritten lösen" on the IOI 2010 task
"Memory"; `two-pass-last-card` is from its comments. For 25 pairs in random order they take 98.981, 97.022 and 79.657
flips on average; the last is within 0.003 of the expectation of optimal play, 79.6595.
"""

from functools import partial

import numpy as np

from pipeline.games.batch import Bytes, Numbers, Results, Solved, Texts, run_kernel
from pipeline.games.contract import NO_LIMIT, Verdict
from pipeline.games.kernel import kernel

TWO_PASS, TWO_PASS_LAST_CARD, INCREMENTAL = range(3)
REMOVED = 0
"""As a partner: no card comes before card 0."""

MOST_CARDS = 104
MOST_FLIPS = 2 * MOST_CARDS
"""Every strategy flips a card at most twice: when it meets it, and when it takes it away."""

LABELS = np.array([list(f"{card:<4}".encode()) for card in range(1, MOST_CARDS + 1)], dtype=np.uint8)
LABEL_LENGTHS = np.array([len(f"{card} ") for card in range(1, MOST_CARDS + 1)])
"""How a flip is written, its blank behind it included: four bytes, and how many of them count."""
LONGEST_EVIDENCE = 4 * MOST_FLIPS

SCORED = int(Verdict.SCORED)
UNDECIDED = int(Verdict.UNDECIDED)


def two_pass(layouts: Texts, limit: int = NO_LIMIT) -> Solved:
    """Look at all cards two by two, then collect the pairs that were not met on the way."""
    return run_kernel(partial(_play_each, TWO_PASS), layouts, limit, LONGEST_EVIDENCE)


def two_pass_last_card(layouts: Texts, limit: int = NO_LIMIT) -> Solved:
    """The same, but the last two cards are not looked at in vain: the last can only match what is still single."""
    return run_kernel(partial(_play_each, TWO_PASS_LAST_CARD), layouts, limit, LONGEST_EVIDENCE)


def incremental(layouts: Texts, limit: int = NO_LIMIT) -> Solved:
    """Look at the cards in order and collect every pair as soon as both its places are known."""
    return run_kernel(partial(_play_each, INCREMENTAL), layouts, limit, LONGEST_EVIDENCE)


@kernel
def _play_each(strategy: int, text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    places = np.empty(128, dtype=np.uint8)
    partners = np.empty(MOST_CARDS + 1, dtype=np.uint8)
    flips = np.empty(MOST_FLIPS + 2, dtype=np.uint8)
    end = 0
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - end < LONGEST_EVIDENCE:
            return i
        results.nodes[i] = min(limit, 1)
        if limit < 1:
            results.verdicts[i] = UNDECIDED
        else:
            cards = starts[i + 1] - starts[i]
            _find_partners(text[starts[i] : starts[i + 1]], places, partners)
            if strategy == TWO_PASS:
                results.values[i] = _play_two_pass(partners, cards, flips)
            elif strategy == TWO_PASS_LAST_CARD:
                results.values[i] = _play_two_pass_last_card(partners, cards, flips)
            else:
                results.values[i] = _play_incremental(partners, cards, flips)
            results.verdicts[i] = SCORED
            end = _write(flips, results.values[i], results.evidence, end)
        results.ends[i] = end
    return len(results.verdicts)


@kernel
def _find_partners(layout: Bytes, places: Bytes, partners: Bytes) -> None:
    """Note for every card where the other one of its pair lies. There are no branches here and below, for the processor
    cannot foresee chance."""
    places[:] = MOST_CARDS  # where nothing is read
    for card in range(len(layout)):
        partner = places[layout[card]]
        partners[card] = partner
        partners[partner] = card
        places[layout[card]] = card


@kernel
def _play_two_pass(partners: Bytes, cards: int, flips: Bytes) -> int:
    """Play and return the number of flips, as the other strategies do."""
    count = 0
    for card in range(0, cards, 2):
        count = _move(card, card + 1, flips, count)
    return _collect(partners, cards, flips, count)


@kernel
def _play_two_pass_last_card(partners: Bytes, cards: int, flips: Bytes) -> int:
    last_but_one = cards - 2
    count = 0
    for card in range(0, last_but_one, 2):
        count = _move(card, card + 1, flips, count)
    count = _move(last_but_one, partners[last_but_one], flips, count)
    return _collect(partners, cards, flips, count)


@kernel
def _collect(partners: Bytes, cards: int, flips: Bytes, count: int) -> int:
    """Take away all pairs that no move so far has met."""
    for i in range(0, count, 2):
        if partners[flips[i]] == flips[i + 1]:
            partners[flips[i]] = partners[flips[i + 1]] = REMOVED
    for card in range(cards):
        _move(card, partners[card], flips, count)
        count += 2 * (partners[card] > card)
    return count


@kernel
def _play_incremental(partners: Bytes, cards: int, flips: Bytes) -> int:
    count = 0
    card = 0
    while card < cards:
        known = partners[card] < card
        count = _move(card, partners[card] if known else card + 1, flips, count)
        card += 1 - known
        _move(card, partners[card], flips, count)
        count += 2 * ((1 - known) & (partners[card] < card - 1))
        card += 1
    return count


@kernel
def _move(one: int, other: int, flips: Bytes, count: int) -> int:
    """Note the two flips of a move and return how many there are now."""
    flips[count] = one
    flips[count + 1] = other
    return count + 2


@kernel
def _write(flips: Bytes, count: int, evidence: Bytes, end: int) -> int:
    """Write the flipped cards, counted from 1, behind `end`, and return the new end."""
    for i in range(count):
        card = flips[i]
        for k in range(4):  # all four, because a branch on the length costs more
            evidence[end + k] = LABELS[card, k]
        end += LABEL_LENGTHS[card]
    return end - 1
