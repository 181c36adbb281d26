"""The kernel of card pairing for classic deals: reads them, decides them with `search`, and writes traces and
certificates. It leaves all other layouts to `any_size`.
"""

from typing import NamedTuple

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Bytes, Numbers, Results, inlined, kernel, lowest_bit
from dealmill.pipeline.games.card_pairing.canonical import BLANK, is_classic
from dealmill.pipeline.games.card_pairing.classic.search import (
    ALL,
    ENTRIES,
    LONGEST_CERTIFICATE,
    NODES,
    SUIT_BITS,
    Search,
    new_search,
    solve,
)
from dealmill.pipeline.games.card_pairing.layout import CLASSIC_CARDS, RANKS
from dealmill.pipeline.games.card_pairing.sets import LOST, ONE, STACK_SIGNS, THREE, TWO, WON, ZERO, Words
from dealmill.verdicts import Verdict

WINNABLE = int(Verdict.WINNABLE)
UNWINNABLE = int(Verdict.UNWINNABLE)
UNDECIDED = int(Verdict.UNDECIDED)
NOT_CLASSIC = 0
"""What the kernel writes in place of a verdict on a layout that is not classic."""

RANK_SIGNS = np.frombuffer(RANKS.encode("ascii"), dtype=np.uint8)
RANK_OF = np.zeros(128, dtype=np.uint64)
RANK_OF[RANK_SIGNS] = np.arange(ALL)

MORE_SEARCHES = 2
"""Additional searches for a shorter certificate. With 9 ranks on 9 stacks, certificates have 14.9 entries on average
without any, and 8.7, 8.0 and 7.8 after 1, 2 and 3 additional searches."""


class Table(NamedTuple):
    """A deal, in arrays that are allocated once for many deals.

    Stack s has the indexes ``[height * s, height * (s + 1))``, bottom first.
    """

    cards: Words
    """The card at each index."""
    index_of: Words
    """The index of each card."""
    mates: Words
    """For each index, the index of the card that leaves with the card there."""
    signs: Bytes
    """For each index, the name of its stack."""
    seen: Words
    """For each rank, the number of cards dealt."""


@kernel
def _new_table() -> Table:
    return Table(
        np.empty(CLASSIC_CARDS, dtype=np.uint64),
        np.empty(CLASSIC_CARDS, dtype=np.uint64),
        np.empty(CLASSIC_CARDS, dtype=np.uint64),
        np.empty(CLASSIC_CARDS, dtype=np.uint8),
        np.empty(ALL, dtype=np.uint64),
    )


@kernel
def solve_each(possible: Bytes, text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    search = new_search(possible)
    table = _new_table()
    end = ZERO
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - np.int64(end) < LONGEST_CERTIFICATE:
            return i
        if not is_classic(text, np.uint64(starts[i]), np.uint64(starts[i + 1])):
            results.verdicts[i] = NOT_CLASSIC
            results.ends[i] = end
            continue
        stacks = _deal(text, np.uint64(starts[i]), np.uint64(starts[i + 1]), table)
        height = np.uint64(starts[i + 1] - starts[i] + 1) // stacks - ONE
        ranks = _set_above(table, stacks, height, search.before)
        outcome = solve(search, ranks, limit, False)
        results.nodes[i] = search.counts[NODES]
        if outcome == WON:
            results.verdicts[i] = WINNABLE
            end = _write_play(table, stacks, height, search.chosen, results.evidence, end)
        elif outcome == LOST:
            results.verdicts[i] = UNWINNABLE
            end += np.uint64(_write_shortened(search, ranks, results.evidence[end:]))
        else:
            results.verdicts[i] = UNDECIDED
        results.ends[i] = end
    return len(results.verdicts)


@inlined
def _deal(text: Bytes, begin: np.uint64, end: np.uint64, table: Table) -> np.uint64:
    """Number the cards stack by stack, from bottom to top, and return the number of stacks."""
    table.seen[:] = 0
    index, stacks = ZERO, ONE
    for at in range(begin, end):
        if text[at] == BLANK:
            stacks += ONE
        else:
            rank = RANK_OF[text[at]]
            card = (rank << SUIT_BITS) + table.seen[rank]
            table.cards[index] = card
            table.index_of[card] = index
            table.seen[rank] += ONE
            index += ONE
    return stacks


@inlined
def _set_above(table: Table, stacks: np.uint64, height: np.uint64, before: Words) -> np.uint64:
    """Set `before` to the cards above each card, and return the set of ranks."""
    ranks = ZERO
    for stack in range(stacks):
        higher = ZERO
        index = height * (stack + ONE)
        while index > height * stack:
            index -= ONE
            card = table.cards[index]
            before[card] = higher
            higher |= ONE << card
            ranks |= ONE << (card >> SUIT_BITS)
    return ranks


@kernel
def _write_shortened(search: Search, ranks: np.uint64, evidence: Bytes) -> int:
    """Write the shortest certificate found in a few additional searches, and return its length.

    Each search prefers the ranks that the previous certificate names most often.
    """
    length = _write_certificate(search, evidence)
    for _ in range(MORE_SEARCHES if length > 1 else 0):
        search.weights[:] = 0
        for entry in range(search.counts[ENTRIES]):
            search.weights[search.certificate[entry]] += 1
        outcome = solve(search, ranks, NO_LIMIT, True)
        if outcome == LOST and search.counts[ENTRIES] < length:
            length = _write_certificate(search, evidence)
    search.weights[:] = 0
    return length


@kernel
def _write_certificate(search: Search, evidence: Bytes) -> int:
    for entry in range(search.counts[ENTRIES]):
        evidence[entry] = RANK_SIGNS[search.certificate[entry]]
    return int(search.counts[ENTRIES])


@inlined
def _write_play(
    table: Table, stacks: np.uint64, height: np.uint64, chosen: Words, evidence: Bytes, end: np.uint64
) -> np.uint64:
    """Remove the chosen pairs as soon as both cards are on top, visiting the stacks in turn; write the pairs of stacks.

    The tops are a set of indexes. Removing a card uncovers the next lower index, unless that is the top of another
    stack. Returns the new end.
    """
    cards, index_of, mates, signs, _ = table
    tops = ZERO
    for stack in range(stacks):
        for index in range(stack * height, (stack + ONE) * height):
            card = cards[index]
            mates[index] = index_of[card ^ (chosen[card >> SUIT_BITS] + ONE)]
            signs[index] = STACK_SIGNS[stack]
        tops |= ONE << ((stack + ONE) * height - ONE)
    within = ~tops
    while tops:
        for stack in range(stacks):
            stack_mask = (ONE << height) - ONE << stack * height
            while tops & stack_mask:
                top = lowest_bit(tops & stack_mask)
                mate = mates[top]
                if not tops >> mate & ONE:
                    break
                pair = ONE << top | ONE << mate
                tops = tops & ~pair | pair >> ONE & within
                evidence[end] = signs[min(top, mate)]
                evidence[end + ONE] = signs[max(top, mate)]
                evidence[end + TWO] = BLANK
                end += THREE
    return end - ONE
