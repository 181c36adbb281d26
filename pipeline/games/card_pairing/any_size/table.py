"""Layouts of card pairing of any size as cards, options and groups, in arrays for kernels.

A play that wins removes each card together with another of its rank, its mate. An *option* is a choice of mates: one of
the three matchings for a rank of four cards, or a pair for a rank of any other size. A *group* is a set of options of
which a winning play takes exactly one: the three of a rank of four, or all options that contain a given card.

Cards are numbered rank by rank, ranks of four first, so that the four cards of such a rank are in one word of a set.
The *index* of a card is its number in the layout, stack by stack from bottom to top. Options and groups are numbered as
in certificates: ranks in the order of their first places, and the cards of a rank in the order of their places.
"""

from typing import NamedTuple

import numpy as np

from dealmill.kernels import Bytes, allocating, routine
from dealmill.pipeline.games.card_pairing.canonical import BLANK, DASH, GOLDEN, HASH_SHIFT, SEPARATOR, SLOTS
from dealmill.pipeline.games.card_pairing.sets import EIGHT, FOUR, ONE, THREE, TWO, ZERO, Words

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
WORD_BITS, LOW_BITS = np.uint64(6), np.uint64(63)


class Table(NamedTuple):
    """A layout. `NONE` stands for a card that does not exist."""

    cards: np.uint64
    words: np.uint64
    """The number of words of a set of cards."""
    levels: np.uint64
    """One more than the number of options that a play takes from ranks of more than two cards."""
    stack_starts: Words
    """The index of the lowest card of each stack, and the number of cards."""
    card_at: Words
    """The card at each index."""
    index_of: Words
    stack_of: Words
    below: Words
    """The card directly below each card."""
    above: Words
    """The card directly above each card."""
    rank_of: Words
    first_card: Words
    """For each rank, its first card."""
    sizes: Words
    """For each rank, its number of cards."""
    first_option: Words
    """For each rank, its first option."""
    own: Words
    """For each rank, the set of its cards."""
    pairs: Words
    """For each option four cards, two pairs; an option of one pair has it twice."""
    groups: Words
    """For each option its two groups, which are the same for a rank of two or four."""
    leaders: Words
    """For each group, a card that is in all its options."""
    entry_starts: Words
    """For each card, its first entry; and the number of entries. A card has an entry for each option that contains
    it."""
    entry_options: Words
    """The option of each entry."""
    entry_mates: Words
    """The mate of the card in this option."""


@allocating
def new_table(text: Bytes, begin: np.uint64, end: np.uint64) -> Table:
    """Read the canonical layout ``text[begin:end]``."""
    rank_at = np.empty(end - begin, dtype=np.uint64)
    sizes = np.zeros(end - begin, dtype=np.uint64)
    stack_starts = np.zeros(end - begin + TWO, dtype=np.uint64)
    cards, stacks, ranks = read_cards(text, begin, end, rank_at, sizes, stack_starts)
    words = (cards + LOW_BITS) >> WORD_BITS
    first_card = np.empty(ranks, dtype=np.uint64)
    first_option = np.empty(ranks, dtype=np.uint64)
    first_group = np.empty(ranks, dtype=np.uint64)
    options, groups, entries, levels = _number(sizes[:ranks], first_card, first_option, first_group)
    table = Table(
        cards,
        words,
        levels,
        stack_starts[: stacks + ONE],
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        first_card,
        sizes[:ranks],
        first_option,
        np.zeros(ranks * words, dtype=np.uint64),
        np.empty(FOUR * options, dtype=np.uint64),
        np.empty(TWO * options, dtype=np.uint64),
        np.empty(groups, dtype=np.uint64),
        np.empty(cards + ONE, dtype=np.uint64),
        np.empty(entries, dtype=np.uint64),
        np.empty(entries, dtype=np.uint64),
    )
    _lay_cards(table, rank_at)
    _set_options(table, first_group)
    return table


@allocating
def read_cards(
    text: Bytes, begin: np.uint64, end: np.uint64, rank_at: Words, sizes: Words, stack_starts: Words
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Set the rank at each index, the size of each rank and the start of each stack; return the numbers of cards,
    stacks and ranks."""
    keys = np.zeros(SLOTS, dtype=np.uint64)
    ranks_of_keys = np.empty(SLOTS, dtype=np.uint64)
    listed = False
    for at in range(begin, end):
        listed |= text[at] == SEPARATOR
    cards = ranks = key = ZERO
    stacks = ONE
    for at in range(begin, end):
        sign = np.uint64(text[at])
        if sign == BLANK:
            stack_starts[stacks] = cards
            stacks += ONE
        elif sign not in (SEPARATOR, DASH):
            key = key << EIGHT | sign
            if not listed or at + ONE == end or text[at + ONE] == SEPARATOR or text[at + ONE] == BLANK:
                slot = key * GOLDEN >> HASH_SHIFT
                while keys[slot] != key and keys[slot] != ZERO:
                    slot = (slot + ONE) % np.uint64(SLOTS)
                if keys[slot] == ZERO:
                    keys[slot] = key
                    ranks_of_keys[slot] = ranks
                    ranks += ONE
                rank_at[cards] = ranks_of_keys[slot]
                sizes[ranks_of_keys[slot]] += ONE
                cards += ONE
                key = ZERO
    stack_starts[stacks] = cards
    return cards, stacks, ranks


@routine
def _number(
    sizes: Words, first_card: Words, first_option: Words, first_group: Words
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Number the cards, options and groups of each rank; return the numbers of options, groups, entries and levels."""
    ranks = np.uint64(len(sizes))
    options = groups = entries = cards = ZERO
    levels = ONE
    for rank in range(ranks):
        size = sizes[rank]
        first_option[rank], first_group[rank] = options, groups
        if size == FOUR:
            first_card[rank] = cards
            cards += FOUR
            options += THREE
            groups += ONE
            levels += ONE
        else:
            options += size * (size - ONE) // TWO
            groups += size if size > TWO else ONE
            levels += size // TWO if size > TWO else ZERO
        entries += size * (size - ONE)
    for rank in range(ranks):
        if sizes[rank] != FOUR:
            first_card[rank] = cards
            cards += sizes[rank]
    return options, groups, entries, levels


@allocating
def _lay_cards(table: Table, rank_at: Words) -> None:
    dealt = np.zeros(len(table.sizes), dtype=np.uint64)
    for stack in range(np.uint64(len(table.stack_starts)) - ONE):
        under = NONE
        for index in range(table.stack_starts[stack], table.stack_starts[stack + ONE]):
            rank = rank_at[index]
            card = table.first_card[rank] + dealt[rank]
            dealt[rank] += ONE
            table.card_at[index] = card
            table.index_of[card] = index
            table.stack_of[card] = stack
            table.rank_of[card] = rank
            table.own[rank * table.words + (card >> WORD_BITS)] |= ONE << (card & LOW_BITS)
            table.below[card] = under
            table.above[card] = NONE
            if under != NONE:
                table.above[under] = card
            under = card


@routine
def _set_options(table: Table, first_group: Words) -> None:
    fours = ZERO
    for rank in range(np.uint64(len(table.sizes))):
        fours += FOUR if table.sizes[rank] == FOUR else ZERO
    table.entry_starts[fours] = THREE * fours
    for rank in range(np.uint64(len(table.sizes))):
        first, size, option = table.first_card[rank], table.sizes[rank], table.first_option[rank]
        if size == FOUR:
            _set_matchings(table, first, option, first_group[rank])
        else:
            _set_pairs(table, first, size, option, first_group[rank])


@routine
def _set_matchings(table: Table, first: np.uint64, option: np.uint64, group: np.uint64) -> None:
    """Set the three options of a rank of four: in the one numbered m, card k leaves with card k ^ (m + 1)."""
    table.leaders[group] = first
    for k in range(FOUR):
        table.entry_starts[first + k] = THREE * (first + k)
    for m in range(THREE):
        pairs = FOUR * (option + m)
        lower = ONE if m != ZERO else TWO
        table.pairs[pairs], table.pairs[pairs + ONE] = first, first + m + ONE
        table.pairs[pairs + TWO], table.pairs[pairs + THREE] = first + lower, first + (lower ^ (m + ONE))
        table.groups[TWO * (option + m)] = table.groups[TWO * (option + m) + ONE] = group
        for k in range(FOUR):
            entry = THREE * (first + k) + m
            table.entry_options[entry] = option + m
            table.entry_mates[entry] = first + (k ^ (m + ONE))
    table.entry_starts[first + FOUR] = THREE * (first + FOUR)


@routine
def _set_pairs(table: Table, first: np.uint64, size: np.uint64, option: np.uint64, group: np.uint64) -> None:
    """Set the options of a rank of another size: its pairs in lexicographic order."""
    start = table.entry_starts[first]
    for i in range(size + ONE):
        table.entry_starts[first + i] = start + i * (size - ONE)
    for i in range(size):
        mine = i if size > TWO else ZERO
        table.leaders[group + mine] = first if size == TWO else first + i
        for j in range(i + ONE, size):
            its = j if size > TWO else ZERO
            pairs = FOUR * option
            table.pairs[pairs] = table.pairs[pairs + TWO] = first + i
            table.pairs[pairs + ONE] = table.pairs[pairs + THREE] = first + j
            table.groups[TWO * option], table.groups[TWO * option + ONE] = group + mine, group + its
            entry, its_entry = start + i * (size - ONE) + j - ONE, start + j * (size - ONE) + i
            table.entry_options[entry] = table.entry_options[its_entry] = option
            table.entry_mates[entry], table.entry_mates[its_entry] = first + j, first + i
            option += ONE


@routine
def option_of(table: Table, card: np.uint64, mate: np.uint64) -> np.uint64:
    """Return the option of two cards of a rank that has not four."""
    rank = table.rank_of[card]
    first, size = table.first_card[rank], table.sizes[rank]
    i, j = min(card, mate) - first, max(card, mate) - first
    return np.uint64(table.first_option[rank] + i * (TWO * size - i - ONE) // TWO + j - i - ONE)
