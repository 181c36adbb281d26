"""The compiled search of card pairing: decides which cards of each rank leave together.

For every rank, the search chooses one of the three ways to match its four cards. Draw an arc from pair p to pair q if a
card of p lies above a card of q in the same stack. The deal is winnable iff some choice makes this graph acyclic; pairs
can then be removed in any order that the tops allow. So this is a constraint satisfaction problem over ranks, whose
nogoods are cycles.

Card 4r + k is the k-th card of rank r, and a set of cards is a word of 64 bits. ``before[64 level + x]`` is the set of
cards that must leave before card x: at first the cards above it, then also those that follow from the matchings
assigned so far. A matching is impossible iff one of its pairs must leave before itself, or each of its two pairs before
the other. That can be read from the sets of the rank's four cards, from the four bits of each for the rank itself.

Indexes are unsigned: for a signed index, compiled code checks at each access whether it counts from the end.
"""

from typing import NamedTuple

import numpy as np

from dealmill.kernels import Bytes, Numbers, inlined, kernel, lowest_bit
from dealmill.pipeline.games.card_pairing.classic.vector import pass_on_to_four
from dealmill.pipeline.games.card_pairing.layout import CLASSIC_CARDS, RANKS, SUITS
from dealmill.pipeline.games.card_pairing.sets import GAVE_UP, LOST, ONE, WON, ZERO, Words

MATCHINGS = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]], dtype=np.uint64)
"""The three matchings, one per row: the first two cards leave together, and the last two. In matching m, card k leaves
with card k ^ (m + 1)."""
SIZES = np.array([bin(matchings).count("1") for matchings in range(8)])
"""The size of each set of matchings."""
ALL = len(RANKS)
LEVELS = ALL + 1
NODES, ENTRIES = range(2)
LOWEST = np.uint64(15)
SUIT_BITS, RANK_BITS, CARD_BITS = np.uint64(2), np.uint64(4), np.uint64(6)

LONGEST_CERTIFICATE = 1 << 17
"""The most entries: ten times the nodes of the hardest of a million deals of 16 ranks on 16 stacks. A deal that needs
more is undecided."""
RELUCTANCES = SIZES * LONGEST_CERTIFICATE * ALL
"""The reluctance to branch on a rank, by its set of matchings left; weights cannot outweigh a difference in size."""
NEVER = SUITS * LONGEST_CERTIFICATE * ALL

Effect = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""The effect of an assignment: the two pairs of its matching, and for each pair the cards that must leave before it or
with it."""
NO_EFFECT: Effect = (ZERO, ZERO, ZERO, ZERO)


class Search(NamedTuple):
    """The arrays of a search, allocated once for many deals.

    All but `possible` and the last four have a part for each level.
    """

    possible: Bytes
    """`POSSIBLE`."""
    before: Words
    """For each card, the set of cards that leave before it. The caller sets level 0 for each deal."""
    left: Words
    """For each rank, the set of matchings left."""
    rank: Words
    """The rank to branch on."""
    untried: Words
    """The set of its matchings still to be tried."""
    open_ranks: Words
    """The set of ranks not yet assigned."""
    begin: Words
    """The index at which the level's entries of the certificate begin."""
    child_begin: Words
    """The index at which the entries of the level's current child begin."""
    checked_rank: Words
    """For `refutes`, like `rank`."""
    checked_untried: Words
    """For `refutes`, like `untried`."""
    weights: Numbers
    """The weight of each rank: among ranks with the fewest matchings left, the first of the greatest is chosen."""
    chosen: Words
    """The matching of each rank; if the deal is won, a winning one."""
    certificate: Bytes
    """If the deal is lost, the ranks that were branched on, in preorder."""
    counts: Numbers
    """The number of nodes, and of entries of the certificate (0 unless the deal is lost)."""


def _all_possible() -> Bytes:
    """Return the set of possible matchings for each key of 16 bits.

    The key has four bits for each card of a rank: the cards of the same rank that must leave before it.
    """
    keys = np.arange(1 << 16)
    before = [keys >> (SUITS * card) & 15 for card in range(SUITS)]
    possible = np.zeros(len(keys), dtype=np.uint8)
    for number, (a, b, c, d) in enumerate(MATCHINGS.tolist()):
        first, second = before[a] | before[b], before[c] | before[d]
        first_pair, second_pair = 1 << a | 1 << b, 1 << c | 1 << d
        blocked = (first & first_pair | second & second_pair) != 0
        blocked |= ((first & second_pair) != 0) & ((second & first_pair) != 0)
        possible |= np.where(blocked, 0, 1 << number).astype(np.uint8)
    return possible


POSSIBLE = _all_possible()


@kernel
def new_search(possible: Bytes) -> Search:
    """Allocate the arrays of a search for deals of any size."""
    return Search(
        possible,
        np.zeros(LEVELS * CLASSIC_CARDS, dtype=np.uint64),
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
    """Search one deal; `ranks` is the set of its ranks, and level 0 of ``search.before`` has the cards above each card.

    Returns `WON`, `LOST`, or `GAVE_UP` if the search needs more than `limit` nodes or `LONGEST_CERTIFICATE` entries.
    With `shorten`, a refutation below an assignment that also holds without the assignment replaces the whole node,
    which shortens the certificate.
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
                for k in range(entries - child):  # the assignment here was irrelevant: jump back over it
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
    """Return whether entries `[begin, end)` of the certificate, all of them used, refute the position at `bottom`.

    `bottom` is a level. The ranks that the entries name must not be assigned there. The levels above are overwritten.
    """
    certificate, checked_rank, checked_untried = search.certificate, search.checked_rank, search.checked_untried
    open_ranks = ZERO
    for k in range(begin, end):
        open_ranks |= ONE << np.uint64(certificate[k])
    level, entry = bottom, begin
    pending = 1  # positions still to be refuted; each takes at least one entry
    while True:
        rank = np.uint64(certificate[entry])
        entry += ONE
        if not open_ranks >> rank & ONE:
            break
        untried = search.left[level << RANK_BITS | rank]
        pending += SIZES[untried] - 1
        if pending == 0 or pending > np.int64(end - entry):
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
    return pending == 0 and entry == end


@inlined
def note_matchings(search: Search, ranks: np.uint64) -> np.uint64:
    """Record the matchings that these ranks have at level 0, and return the rank to branch on (see `reluctance`)."""
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
    """Return the reluctance to branch on a rank with these matchings left; its lowest bits are the rank.

    The least reluctance has the rank with the fewest matchings left and, among those, with the greatest weight.
    """
    return int(RELUCTANCES[matchings] - ALL * search.weights[rank] + np.int64(rank))


@inlined
def consequences(before: Words, base: np.uint64, rank: np.uint64, matching: np.uint64) -> Effect:
    """Return the two pairs of a matching, and for each pair all cards that must leave before it or with it."""
    card = rank << SUIT_BITS
    a, b = card + MATCHINGS[matching, 0], card + MATCHINGS[matching, 1]
    c, d = card + MATCHINGS[matching, 2], card + MATCHINGS[matching, 3]
    first_pair, second_pair = ONE << a | ONE << b, ONE << c | ONE << d
    with_first = before[base + a] | before[base + b] | first_pair
    with_second = before[base + c] | before[base + d] | second_pair
    if with_first & second_pair:
        with_first |= with_second
    elif with_second & first_pair:
        with_second |= with_first
    return first_pair, second_pair, with_first, with_second


@inlined
def assign_and_choose(
    search: Search, level: np.uint64, rank: np.uint64, matching: np.uint64, others: np.uint64
) -> np.uint64:
    """Assign a matching to a rank and return the rank to branch on next.

    For `level`, records the sets of cards that must then leave before the cards of the `others`, and the matchings that
    these ranks have left. The rank returned is the first without a matching left (later ones are not visited), or
    otherwise the one of least `reluctance`.
    """
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
    """Assign a matching to a rank like `assign_and_choose`, but visit all `others` and choose no rank."""
    old = level - ONE
    effect = consequences(search.before, old << CARD_BITS, rank, matching)
    while others:
        pass_on(search, old, level, lowest_bit(others), effect)
        others &= others - ONE


@inlined
def pass_on(search: Search, old: np.uint64, new: np.uint64, rank: np.uint64, effect: Effect) -> np.uint64:
    """Record for level `new` the effect on a rank of an assignment at level `old`; return the matchings it has left."""
    card = rank << SUIT_BITS
    old_card, new_card = (old << CARD_BITS) + card, (new << CARD_BITS) + card
    own: np.uint64 = pass_on_to_four(search.before, old_card, new_card, card, effect)  # type: ignore[call-arg]
    matchings = np.uint64(search.possible[own])
    search.left[new << RANK_BITS | rank] = matchings
    return matchings
