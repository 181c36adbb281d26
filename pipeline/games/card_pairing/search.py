"""The search of card pairing, compiled: which cards of each rank leave together.

Choose for every rank one of the three ways to match its four cards. Draw an arc from pair p to pair q when a card of p
lies above a card of q in one stack: the deal is won iff some choice makes this graph acyclic, and then pairs can be
removed in any order that the tops allow. So it is a constraint problem over ranks whose nogoods are cycles.

Card 4r + k is the k-th card of rank r, and a set of cards is a word of 64 bits. ``before[x]`` is the set of cards that
must leave before card x: at first those above it, then whatever follows from the matchings assigned so far. A matching
is impossible now iff one of its pairs must leave before itself, or its two pairs before each other; all of that stands
in the four bits of each card for those of its own rank.
"""

import numpy as np
from numpy.typing import NDArray

from pipeline.games.batch import Bytes, Numbers
from pipeline.games.card_pairing.layout import RANKS, SUITS
from pipeline.games.kernel import kernel

Sets = NDArray[np.uint64]
"""For each level, a set of cards for each card."""

MATCHINGS = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]])
"""A row is a matching: its first two cards leave together, and its last two."""
MATES = np.array([[1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
"""The mate of each card in each matching."""
SIZES = np.array([bin(matchings).count("1") for matchings in range(8)])
ALL = len(RANKS)
LEVELS = 2 * (ALL + 1)
"""Levels of a search that never goes deeper than there are ranks, and behind them those of `refutes`."""
CHECKING = ALL + 1
"""The first level of `refutes`."""
RANK, UNTRIED, BEGIN, CHILD_BEGIN, OPEN = range(5)
NOTES = 5
"""What is noted for each level: the rank that is branched on, its matchings still to be tried, where its entries of the
certificate begin and those of its present child, and the ranks not yet assigned."""
NONE, ONE = np.uint64(0), np.uint64(1)

LONGEST_CERTIFICATE = 1 << 14
"""Entries; deals of up to 64 cards were not seen to need a tenth of it. Beyond it a deal is left undecided."""

WON, LOST, GAVE_UP = 1, 2, 3


def _possible_matchings() -> Bytes:
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


POSSIBLE = _possible_matchings()


@kernel
def possible_matchings(possible: Bytes, before: Sets, level: int, rank: int) -> int:
    """The set of matchings (bits 0 to 2) that a rank has left."""
    shift = np.uint64(SUITS * rank)
    key = NONE
    for card in range(SUITS):
        key |= (before[level, SUITS * rank + card] >> shift & np.uint64(15)) << np.uint64(SUITS * card)
    return int(possible[key])


@kernel
def assign(possible: Bytes, before: Sets, level: int, rank: int, matching: int, others: int, whole: bool) -> int:
    """Let the cards of a rank leave by a matching: what then, one level on, must leave before those of `others`.

    Returns the first of the other ranks with the fewest matchings left. Unless the `whole` level is asked for, it is
    left unfinished at a rank with none.
    """
    base = SUITS * rank
    a, b = base + MATCHINGS[matching, 0], base + MATCHINGS[matching, 1]
    c, d = base + MATCHINGS[matching, 2], base + MATCHINGS[matching, 3]
    pair = ONE << np.uint64(a) | ONE << np.uint64(b)
    other = ONE << np.uint64(c) | ONE << np.uint64(d)
    with_pair = before[level, a] | before[level, b] | pair
    with_other = before[level, c] | before[level, d] | other
    if with_pair & other:
        with_pair |= with_other
    elif with_other & pair:
        with_other |= with_pair
    best, fewest = -1, SUITS
    for y in range(ALL):
        if others >> y & 1:
            for card in range(SUITS * y, SUITS * y + SUITS):
                sooner = before[level, card]
                by_pair = with_pair if sooner & pair else NONE
                by_other = with_other if sooner & other else NONE
                before[level + 1, card] = sooner | by_pair | by_other
            size = SIZES[possible_matchings(possible, before, level + 1, y)]
            if size < fewest:
                best, fewest = y, size
                if size == 0 and not whole:
                    break
    return best


@kernel
def solve(
    possible: Bytes,
    ranks: int,
    limit: int,
    shorten: bool,
    before: Sets,
    notes: Numbers,
    chosen: Numbers,
    certificate: Bytes,
    counts: Numbers,
) -> int:
    """Search one deal; `ranks` is the set of its ranks, and ``before[0]`` what lies above each card.

    Returns `WON` with the matching of every rank in `chosen`, `LOST` with the ranks of the certificate, or `GAVE_UP`
    after more than `limit` nodes. `counts` becomes the number of nodes and of entries of the certificate. To `shorten`
    it, the refutation below an assignment is tried without it, and replaces the whole node where it holds; that takes
    longer than the search, so it is for a second pass over a deal that is known to be lost.
    """
    nodes = entries = level = 0
    notes[OPEN, 0] = ranks
    rank = _most_constrained(possible, before, ranks)
    while True:
        notes[RANK, level] = rank
        notes[UNTRIED, level] = possible_matchings(possible, before, level, rank)
        notes[BEGIN, level] = entries
        certificate[entries] = rank
        entries += 1
        while notes[UNTRIED, level] == 0:
            if level == 0:
                counts[0], counts[1] = nodes, entries
                return LOST
            level -= 1
            begin = notes[CHILD_BEGIN, level]
            if shorten and refutes(possible, certificate, begin, entries, notes[OPEN, level], before, level, notes):
                for k in range(begin, entries):  # what was assigned at this level played no part: jump back over it
                    certificate[notes[BEGIN, level] + k - begin] = certificate[k]
                entries += notes[BEGIN, level] - begin
                notes[UNTRIED, level] = 0
        if nodes == limit or entries + ALL >= LONGEST_CERTIFICATE:
            counts[0], counts[1] = nodes, 0
            return GAVE_UP
        nodes += 1
        rank = notes[RANK, level]
        chosen[rank] = _lowest(notes[UNTRIED, level])
        notes[UNTRIED, level] &= notes[UNTRIED, level] - 1
        notes[CHILD_BEGIN, level] = entries
        others = notes[OPEN, level] & ~(1 << rank)
        rank = assign(possible, before, level, rank, chosen[rank], others, False)
        level += 1
        notes[OPEN, level] = others
        if others == 0:
            counts[0], counts[1] = nodes, 0
            return WON


@kernel
def refutes(
    possible: Bytes, certificate: Bytes, begin: int, end: int, ranks: int, before: Sets, from_level: int, notes: Numbers
) -> bool:
    """Whether the entries `begin` to `end`, used up exactly, refute a level's position in which `ranks` are open."""
    for card in range(before.shape[1]):
        before[CHECKING, card] = before[from_level, card]
    level = CHECKING
    for entry in range(begin, end):
        rank = int(certificate[entry])
        if not ranks >> rank & 1:
            return False
        notes[RANK, level] = rank
        notes[UNTRIED, level] = possible_matchings(possible, before, level, rank)
        while notes[UNTRIED, level] == 0:
            if level == CHECKING:
                return entry == end - 1
            level -= 1
            ranks |= 1 << notes[RANK, level]
        rank = notes[RANK, level]
        ranks &= ~(1 << rank)
        assign(possible, before, level, rank, _lowest(notes[UNTRIED, level]), ranks, True)
        notes[UNTRIED, level] &= notes[UNTRIED, level] - 1
        level += 1
    return False


@kernel
def _most_constrained(possible: Bytes, before: Sets, ranks: int) -> int:
    """The first of the ranks with the fewest matchings left before anything is assigned."""
    best, fewest = -1, SUITS
    for rank in range(ALL):
        if ranks >> rank & 1:
            size = SIZES[possible_matchings(possible, before, 0, rank)]
            if size < fewest:
                best, fewest = rank, size
    return best


@kernel
def _lowest(matchings: int) -> int:
    """The first of a set of matchings."""
    if matchings & 1:
        return 0
    return 1 if matchings & 2 else 2
