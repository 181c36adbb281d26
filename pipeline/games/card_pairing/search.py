"""The search of card pairing, compiled: which cards of each rank leave together.

Choose for every rank one of the three ways to match its four cards. Draw an arc from pair p to pair q when a card of p
lies above a card of q in one stack: the deal is won iff some choice makes this graph acyclic, and then pairs can be
removed in any order that the tops allow. So it is a constraint problem over ranks whose nogoods are cycles.

Card 4r + k is the k-th card of rank r, and a set of cards is a word of 64 bits. ``before[64 level + x]`` is the set of
cards that must leave before card x: at first those above it, then whatever follows from the matchings assigned so far.
A matching is impossible now iff one of its pairs must leave before itself, or its two pairs before each other; all of
that stands in the four bits of each card for those of its own rank.

Numbers are unsigned: a signed index would be asked each time whether it counts from the end.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.batch import Bytes, Numbers
from dealmill.pipeline.games.bits import lowest_bit
from dealmill.pipeline.games.card_pairing.layout import MOST_CARDS, RANKS, SUITS
from dealmill.pipeline.games.card_pairing.vector import pass_on_to_four
from dealmill.pipeline.games.kernel import inlined, kernel

Words = NDArray[np.uint64]
"""Sets, of cards or ranks, or numbers."""

MATCHINGS = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]], dtype=np.uint64)
"""A row is a matching: its first two cards leave together, and its last two. In matching m, that is card k and card
k ^ (m + 1)."""
SIZES = np.array([bin(matchings).count("1") for matchings in range(8)])
"""How many matchings each set of them has."""
ALL = len(RANKS)
LEVELS = ALL + 1
NODES, ENTRIES = range(2)
ZERO, ONE, LOWEST = np.uint64(0), np.uint64(1), np.uint64(15)
SUIT_BITS, RANK_BITS, CARD_BITS = np.uint64(2), np.uint64(4), np.uint64(6)

LONGEST_CERTIFICATE = 1 << 17
"""Entries; ten times the nodes that any of a million deals of 16 ranks on 16 stacks took. A deal that needs more is
left undecided."""
RELUCTANCES = SIZES * LONGEST_CERTIFICATE * ALL
"""To branch on a rank with so many matchings left: more than any weight can make up for."""
NEVER = SUITS * LONGEST_CERTIFICATE * ALL

WON, LOST, GAVE_UP = 1, 2, 3

Effect = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""Of an assignment: the two pairs of its matching, and what must leave before each of them or with it."""
NO_EFFECT: Effect = (ZERO, ZERO, ZERO, ZERO)


class Search(NamedTuple):
    """What a search works with, made once for many deals. All but the last four have a part for each level."""

    possible: Bytes
    """`POSSIBLE`."""
    before: Words
    """For each card, the set of those that leave before it. Level 0 is to be set for each deal."""
    left: Words
    """For each rank, the set of matchings that it has left."""
    rank: Words
    """The rank that is branched on."""
    untried: Words
    """Its matchings still to be tried."""
    open_ranks: Words
    """The ranks not yet assigned."""
    begin: Words
    """Where its entries of the certificate begin."""
    child_begin: Words
    """Where those of its present child begin."""
    checked_rank: Words
    """For `refutes`, like `rank`."""
    checked_untried: Words
    """For `refutes`, like `untried`."""
    weights: Numbers
    """Of the ranks with the fewest matchings left, the first of the greatest weight is branched on."""
    chosen: Words
    """The matching of each rank; for a deal that was won, one that wins it."""
    certificate: Bytes
    """For a deal that was lost, the ranks that were branched on, in preorder."""
    counts: Numbers
    """Nodes, and entries of the certificate (none unless the deal was lost)."""


def _all_possible() -> Bytes:
    """For each 16 bits (four cards, four bits of cards of their rank that leave before) the set of matchings."""
    keys = np.arange(1 << 16)
    before = [keys >> (SUITS * card) & 15 for card in range(SUITS)]
    possible = np.zeros(len(keys), dtype=np.uint8)
    for number, (a, b, c, d) in enumerate(MATCHINGS.tolist()):
        first, second = before[a] | before[b], before[c] | before[d]
        pair, other = 1 << a | 1 << b, 1 << c | 1 << d
        blocked = (first & pair | second & other) != 0
        blocked |= ((first & other) != 0) & ((second & pair) != 0)
        possible |= np.where(blocked, 0, 1 << number).astype(np.uint8)
    return possible


POSSIBLE = _all_possible()


@kernel
def new_search(possible: Bytes) -> Search:
    """Room for searches of deals of any size."""
    return Search(
        possible,
        np.zeros(LEVELS * MOST_CARDS, dtype=np.uint64),
        np.zeros(LEVELS * ALL, dtype=np.uint64),
        np.zeros(LEVELS, dtype=np.uint64),
        np.zeros(LEVELS, dtype=np.uint64),
        np.zeros(LEVELS, dtype=np.uint64),
        np.zeros(LEVELS, dtype=np.uint64),
        np.zeros(LEVELS, dtype=np.uint64),
        np.zeros(LEVELS, dtype=np.uint64),
        np.zeros(LEVELS, dtype=np.uint64),
        np.zeros(ALL, dtype=np.int64),
        np.zeros(ALL, dtype=np.uint64),
        np.empty(LONGEST_CERTIFICATE, dtype=np.uint8),
        np.zeros(2, dtype=np.int64),
    )


@kernel
def solve(search: Search, ranks: np.uint64, limit: int, shorten: bool) -> int:
    """Search one deal; `ranks` is the set of its ranks, and level 0 of ``search.before`` what lies above each card.

    Returns `WON`, `LOST`, or `GAVE_UP` after more than `limit` nodes. To `shorten` the certificate, the refutation
    below an assignment is tried without it, and replaces the whole node where it holds.
    """
    counts, certificate, begin = search.counts, search.certificate, search.begin
    nodes = 0
    entries = level = ZERO
    search.open_ranks[ZERO] = ranks
    rank = note_matchings(search, ranks)
    while search.open_ranks[level]:
        search.rank[level] = rank
        search.untried[level] = search.left[level << RANK_BITS | rank]
        begin[level] = entries
        certificate[entries] = rank
        entries += ONE
        while search.untried[level] == ZERO:
            if level == ZERO:
                counts[NODES], counts[ENTRIES] = nodes, entries
                return LOST
            level -= ONE
            child = search.child_begin[level]
            if shorten and entries - child > ONE and refutes(search, level, child, entries):
                for k in range(entries - child):  # what was assigned here played no part: jump back over it
                    certificate[begin[level] + k] = certificate[child + k]
                entries -= child - begin[level]
                search.untried[level] = ZERO
        if nodes == limit or entries == LONGEST_CERTIFICATE:
            counts[NODES], counts[ENTRIES] = nodes, 0
            return GAVE_UP
        nodes += 1
        rank = search.rank[level]
        matching = lowest_bit(search.untried[level])
        search.chosen[rank] = matching
        search.untried[level] &= search.untried[level] - ONE
        search.child_begin[level] = entries
        search.open_ranks[level + ONE] = search.open_ranks[level] & ~(ONE << rank)
        level += ONE
        rank = assign_and_choose(search, level, rank, matching, search.open_ranks[level])
    counts[NODES], counts[ENTRIES] = nodes, 0
    return WON


@inlined
def refutes(search: Search, bottom: np.uint64, begin: np.uint64, end: np.uint64) -> bool:
    """Whether the entries `begin` to `end` of the certificate, used up exactly, refute the position at level `bottom`.

    The ranks that they name are not yet assigned there. The levels above are overwritten.
    """
    certificate, checked_rank, checked_untried = search.certificate, search.checked_rank, search.checked_untried
    open_ranks = ZERO
    for k in range(begin, end):
        open_ranks |= ONE << np.uint64(certificate[k])
    level, entry = bottom, begin
    wanted = 1  # positions that are still to be refuted; each takes an entry at least
    while True:
        rank = np.uint64(certificate[entry])
        entry += ONE
        if not open_ranks >> rank & ONE:
            break
        untried = search.left[level << RANK_BITS | rank]
        wanted += SIZES[untried] - 1
        if wanted == 0 or wanted > np.int64(end - entry):
            break
        checked_rank[level] = rank
        checked_untried[level] = untried
        while checked_untried[level] == ZERO:
            level -= ONE
            open_ranks |= ONE << checked_rank[level]
        rank = checked_rank[level]
        open_ranks &= ~(ONE << rank)
        matching = lowest_bit(checked_untried[level])
        checked_untried[level] &= checked_untried[level] - ONE
        level += ONE
        assign(search, level, rank, matching, open_ranks)
    return wanted == 0 and entry == end


@inlined
def note_matchings(search: Search, ranks: np.uint64) -> np.uint64:
    """Note which matchings these ranks have left at first, and return the rank to branch on (see `reluctance`)."""
    least = NEVER
    while ranks:
        rank = lowest_bit(ranks)
        ranks &= ranks - ONE
        matchings = pass_on(search, ZERO, ZERO, rank, NO_EFFECT)
        if matchings == ZERO:
            return rank
        least = min(least, reluctance(search, rank, matchings))
    return np.uint64(least) & LOWEST


@inlined
def reluctance(search: Search, rank: np.uint64, matchings: np.uint64) -> int:
    """How little we want to branch on a rank that has these matchings left, and in the lowest bits the rank: the one
    with the fewest matchings is branched on, and the one of the greatest weight of these."""
    return int(RELUCTANCES[matchings] - ALL * search.weights[rank] + np.int64(rank))


@inlined
def consequences(before: Words, base: np.uint64, rank: np.uint64, matching: np.uint64) -> Effect:
    """The two pairs of a matching, and all cards that must leave before each of them or with it."""
    card = rank << SUIT_BITS
    a, b = card + MATCHINGS[matching, 0], card + MATCHINGS[matching, 1]
    c, d = card + MATCHINGS[matching, 2], card + MATCHINGS[matching, 3]
    pair, other = ONE << a | ONE << b, ONE << c | ONE << d
    with_pair = before[base + a] | before[base + b] | pair
    with_other = before[base + c] | before[base + d] | other
    if with_pair & other:
        with_pair |= with_other
    elif with_other & pair:
        with_other |= with_pair
    return pair, other, with_pair, with_other


@inlined
def assign_and_choose(
    search: Search, level: np.uint64, rank: np.uint64, matching: np.uint64, others: np.uint64
) -> np.uint64:
    """Let the cards of a rank leave by a matching: note for `level` what then must leave before those of the others,
    and which matchings these have left. Returns the rank to branch on next: the first that has no matching left, and
    those behind it are not looked at; else the one of the least `reluctance`."""
    old = level - ONE
    effect = consequences(search.before, old << CARD_BITS, rank, matching)
    least = NEVER
    while others:
        y = lowest_bit(others)
        others &= others - ONE
        matchings = pass_on(search, old, level, y, effect)
        if matchings == ZERO:
            return y
        least = min(least, reluctance(search, y, matchings))
    return np.uint64(least) & LOWEST


@inlined
def assign(search: Search, level: np.uint64, rank: np.uint64, matching: np.uint64, others: np.uint64) -> None:
    """The same for all of the others, without a choice."""
    old = level - ONE
    effect = consequences(search.before, old << CARD_BITS, rank, matching)
    while others:
        pass_on(search, old, level, lowest_bit(others), effect)
        others &= others - ONE


@inlined
def pass_on(search: Search, old: np.uint64, new: np.uint64, rank: np.uint64, effect: Effect) -> np.uint64:
    """Note for level `new` what an assignment at level `old` means for a rank, and return the matchings that it has
    left."""
    card = rank << SUIT_BITS
    old_card, new_card = (old << CARD_BITS) + card, (new << CARD_BITS) + card
    own: np.uint64 = pass_on_to_four(search.before, old_card, new_card, card, effect)  # type: ignore[call-arg]
    matchings = np.uint64(search.possible[own])
    search.left[new << RANK_BITS | rank] = matchings
    return matchings
