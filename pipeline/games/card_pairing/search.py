"""The search of card pairing, compiled: which cards of each rank leave together.

Choose for every rank one of the three ways to match its four cards. Draw an arc from pair p to pair q when a card of p
lies above a card of q in one stack: the deal is won iff some choice makes this graph acyclic, and then pairs can be
removed in any order that the tops allow. So it is a constraint problem over ranks whose nogoods are cycles.

Card 4r + k is the k-th card of rank r, and a set of cards is a word of 64 bits. ``before[level, x]`` is the set of
cards that must leave before card x: at first those above it, then whatever follows from the matchings assigned so far.
A matching is impossible now iff one of its pairs must leave before itself, or its two pairs before each other; all of
that stands in the four bits of each card for those of its own rank.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.games.batch import Bytes, Numbers
from pipeline.games.card_pairing.layout import MOST_CARDS, RANKS, SUITS
from pipeline.games.kernel import inlined, kernel

Sets = NDArray[np.uint64]
"""For each level, a set of cards for each card."""
Row = NDArray[np.uint64]
"""Those of one level."""

MATCHINGS = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]])
"""A row is a matching: its first two cards leave together, and its last two. In matching m, that is card k and card
k ^ (m + 1)."""
SIZES = np.array([bin(matchings).count("1") for matchings in range(8)])
"""How many matchings each set of them has."""
LOWEST = np.array([-1, 0, 1, 0, 2, 0, 1, 0])
"""The first matching of each set of them."""
ALL = len(RANKS)
LEVELS = ALL + 1
RANK, UNTRIED, BEGIN, CHILD_BEGIN, OPEN, CHECKED_RANK, CHECKED_UNTRIED = range(7)
NOTES = 7
"""What is noted for each level: the rank that is branched on, its matchings still to be tried, where its entries of the
certificate begin and those of its present child, the ranks not yet assigned, and the first two again for `refutes`."""
NODES, ENTRIES = range(2)
NONE, ONE, OWN = np.uint64(0), np.uint64(1), np.uint64(15)

LONGEST_CERTIFICATE = 1 << 17
"""Entries; ten times the nodes that any of a million deals of 16 ranks on 16 stacks took. A deal that needs more is
left undecided."""

WON, LOST, GAVE_UP = 1, 2, 3


class Search(NamedTuple):
    """What a search works with, made once for many deals."""

    possible: Bytes
    """`POSSIBLE`."""
    before: Sets
    """Level 0 is to be set for each deal."""
    left: Bytes
    """For each level, the set of matchings that each rank has left."""
    notes: Numbers
    weights: Numbers
    """Of the ranks with the fewest matchings left, the first of the greatest weight is branched on."""
    chosen: Numbers
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
        np.zeros((LEVELS, MOST_CARDS), dtype=np.uint64),
        np.zeros((LEVELS, ALL), dtype=np.uint8),
        np.zeros((NOTES, LEVELS), dtype=np.int64),
        np.zeros(ALL, dtype=np.int64),
        np.zeros(ALL, dtype=np.int64),
        np.empty(LONGEST_CERTIFICATE, dtype=np.uint8),
        np.zeros(2, dtype=np.int64),
    )


@kernel
def solve(search: Search, ranks: int, limit: int, shorten: bool) -> int:
    """Search one deal; `ranks` is the set of its ranks, and ``search.before[0]`` what lies above each card.

    Returns `WON`, `LOST`, or `GAVE_UP` after more than `limit` nodes. To `shorten` the certificate, the refutation
    below an assignment is tried without it, and replaces the whole node where it holds.
    """
    possible, before, left, notes, weights, chosen, certificate, counts = search
    nodes = entries = level = 0
    notes[OPEN, 0] = ranks
    rank = note_matchings(possible, before[0], left[0], ranks)
    while notes[OPEN, level]:
        if rank < 0:
            rank = most_constrained(left[level], notes[OPEN, level], weights)
        notes[RANK, level] = rank
        notes[UNTRIED, level] = left[level, rank]
        notes[BEGIN, level] = entries
        certificate[entries] = rank
        entries += 1
        while notes[UNTRIED, level] == 0:
            if level == 0:
                counts[NODES], counts[ENTRIES] = nodes, entries
                return LOST
            level -= 1
            begin = notes[CHILD_BEGIN, level]
            if shorten and entries - begin > 1 and refutes(search, level, begin, entries):
                for k in range(begin, entries):  # what was assigned at this level played no part: jump back over it
                    certificate[notes[BEGIN, level] + k - begin] = certificate[k]
                entries += notes[BEGIN, level] - begin
                notes[UNTRIED, level] = 0
        if nodes == limit or entries == LONGEST_CERTIFICATE:
            counts[NODES], counts[ENTRIES] = nodes, 0
            return GAVE_UP
        nodes += 1
        rank = notes[RANK, level]
        chosen[rank] = LOWEST[notes[UNTRIED, level]]
        notes[UNTRIED, level] &= notes[UNTRIED, level] - 1
        notes[CHILD_BEGIN, level] = entries
        notes[OPEN, level + 1] = notes[OPEN, level] & ~(1 << rank)
        level += 1
        rank = assign(
            possible, before[level - 1], before[level], left[level], rank, chosen[rank], notes[OPEN, level], True
        )
    counts[NODES], counts[ENTRIES] = nodes, 0
    return WON


@inlined
def refutes(search: Search, bottom: int, begin: int, end: int) -> bool:
    """Whether the entries `begin` to `end` of the certificate, used up exactly, refute the position at level `bottom`.

    The ranks that they name are not yet assigned there. The levels above are overwritten.
    """
    possible, before, left, notes, _, _, certificate, _ = search
    open_ranks = 0
    for entry in range(begin, end):
        open_ranks |= 1 << int(certificate[entry])
    level = bottom
    wanted = 1  # positions that are still to be refuted; each takes an entry at least
    for entry in range(begin, end):
        rank = int(certificate[entry])
        if not open_ranks >> rank & 1:
            return False
        untried = left[level, rank]
        wanted += SIZES[untried] - 1
        if wanted == 0:
            return entry == end - 1
        if wanted >= end - entry:
            return False
        notes[CHECKED_RANK, level] = rank
        notes[CHECKED_UNTRIED, level] = untried
        while notes[CHECKED_UNTRIED, level] == 0:
            level -= 1
            open_ranks |= 1 << notes[CHECKED_RANK, level]
        rank = notes[CHECKED_RANK, level]
        open_ranks &= ~(1 << rank)
        matching = LOWEST[notes[CHECKED_UNTRIED, level]]
        notes[CHECKED_UNTRIED, level] &= notes[CHECKED_UNTRIED, level] - 1
        level += 1
        assign(possible, before[level - 1], before[level], left[level], rank, matching, open_ranks, False)
    return False


@inlined
def note_matchings(possible: Bytes, before: Row, left: Bytes, ranks: int) -> int:
    """Note which matchings these ranks have left at first, up to one that has none, which is returned; else -1."""
    rank = 0
    while ranks >> rank:
        if ranks >> rank & 1:
            shift = np.uint64(SUITS * rank)
            key = NONE
            for k in range(SUITS):
                key |= (before[shift + np.uint64(k)] >> shift & OWN) << np.uint64(SUITS * k)
            left[rank] = possible[key]
            if left[rank] == 0:
                return rank
        rank += 1
    return -1


@inlined
def most_constrained(left: Bytes, ranks: int, weights: Numbers) -> int:
    """The rank to branch on: the one with the fewest matchings left, and the greatest weight of these."""
    best, least = -1, SUITS * LONGEST_CERTIFICATE
    rank = 0
    while ranks >> rank:
        if ranks >> rank & 1:
            reluctance = SIZES[left[rank]] * LONGEST_CERTIFICATE - weights[rank]
            if reluctance < least:
                best, least = rank, reluctance
        rank += 1
    return best


@inlined
def consequences(before: Row, rank: int, matching: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The two pairs of a matching, and all cards that must leave before each of them or with it."""
    base = SUITS * rank
    a, b = base + MATCHINGS[matching, 0], base + MATCHINGS[matching, 1]
    c, d = base + MATCHINGS[matching, 2], base + MATCHINGS[matching, 3]
    pair = ONE << np.uint64(a) | ONE << np.uint64(b)
    other = ONE << np.uint64(c) | ONE << np.uint64(d)
    with_pair = before[a] | before[b] | pair
    with_other = before[c] | before[d] | other
    if with_pair & other:
        with_pair |= with_other
    elif with_other & pair:
        with_other |= with_pair
    return pair, other, with_pair, with_other


@inlined
def assign(
    possible: Bytes, before: Row, after: Row, left: Bytes, rank: int, matching: int, others: int, hurried: bool
) -> int:
    """Let the cards of a rank leave by a matching: what then, one level on, must leave before those of the others, and
    which matchings these have left. If `hurried`, the first that has none is returned, and those behind it are not
    looked at; else -1."""
    pair, other, with_pair, with_other = consequences(before, rank, matching)
    y = 0
    while others >> y:
        if others >> y & 1:
            shift = np.uint64(SUITS * y)
            key = NONE
            for k in range(SUITS):
                card = shift + np.uint64(k)
                sooner = before[card]
                by_pair = with_pair if sooner & pair else NONE
                by_other = with_other if sooner & other else NONE
                sooner |= by_pair | by_other
                after[card] = sooner
                key |= (sooner >> shift & OWN) << np.uint64(SUITS * k)
            left[y] = possible[key]
            if left[y] == 0 and hurried:
                return y
        y += 1
    return -1
