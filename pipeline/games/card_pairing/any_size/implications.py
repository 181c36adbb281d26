"""The consequences of taking and shutting options in card pairing, with reasons.

An option is open, taken or shut. ``waits`` has for each card, while it has no mate yet, the set of cards that must
leave before it: those above it, and those that follow from the options taken. Taking an option shuts the others of its
groups, and every option that would make a pair wait for itself. `search` continues with groups that have one option
left, and with lemmas. `jam` plays the relaxed game in which a card may leave with any mate that is not ruled out.

A literal is ``2 * option``, "is taken", or ``2 * option + 1``, "is not taken".

Indexes are unsigned: for a signed index, compiled code checks at each access whether it counts from the end.
"""

from typing import NamedTuple

import numpy as np

from dealmill.kernels import Bytes, allocating, inlined, lowest_bit, routine
from dealmill.pipeline.games.card_pairing.any_size.table import LOW_BITS, NONE, WORD_BITS, Table, option_of
from dealmill.pipeline.games.card_pairing.sets import FOUR, ONE, THREE, TWO, ZERO, Words

OPEN, TAKEN, SHUT = 0, 1, 2
"""The values of an option."""

KIND_BITS, KIND = np.uint64(3), np.uint64(7)
DECISION, GROUP, LEMMA, RIVAL, CLOSURE, JAM = (np.uint64(kind) for kind in range(6))
"""The kinds of reasons: what a reason refers to is in its higher bits. An option is taken by a decision, as the last of
a group, or by a lemma; it is shut by a lemma, by a rival (an option taken of a group of it), or since it is closed.
Conflicts have reasons, too: a group without options, a lemma, or a jam (downwards is 0, upwards is 1)."""

LEVEL, TRAIL, VISITED, UNITS, UNITS_DONE, CONFLICT, CAUSES = range(7)


class State(NamedTuple):
    """A search: the options taken and shut in the order of the trail, and what is derived from them."""

    now: Words
    """Scalars: the level; the lengths of the trail, of its part visited, of `units` and of its part
    done; the reason of the conflict, or 0; and the length of `causes`."""
    values: Bytes
    """For each option, whether it is open, taken or shut."""
    levels: Words
    """For each option that is not open, the number of decisions before it, with that on itself."""
    reasons: Words
    positions: Words
    """For each option that is not open, its position in the trail."""
    trail: Words
    """The literals that have become true, in order."""
    level_starts: Words
    """The length of the trail at each decision; level 0 starts at 0."""
    left: Words
    """For each group, its number of options that are not shut."""
    units: Words
    """The groups that had one option left, in order."""
    chosen: Words
    """For each card, the option taken that contains it, or `NONE`."""
    mates: Words
    """For each card with a chosen option, its mate."""
    waits: Words
    """For each level and card, the set of cards that must leave before it."""
    unmated: Words
    """For each level, the set of cards without a chosen option."""
    first: Words
    """The set of cards that leave before or with the first pair of an option, while it is taken."""
    second: Words
    """The same for its second pair."""
    changed: Words
    """Ranks of four whose matchings must be looked up."""
    causes: Words
    """Options whose values together are the reason of another one, or of a conflict."""
    seen: Bytes
    """For each option, whether conflict analysis has met it."""
    covered: Words
    """For `_find_cycle`: for each stack, the index of the lowest card not known to be later than the source."""
    entered: Words
    """For `_find_cycle`: for each card, the card above it by which its stack was entered."""
    came_from: Words
    """For `_find_cycle`: for each card by which a stack was entered, the mate from which it was reached."""
    near: Words
    far: Words
    free: Bytes
    """For `jam`: for each card, whether all cards above it have left."""
    gone: Bytes
    """For `jam`: for each card, whether it has left."""
    exits: Words
    """For `jam`, for each direction and card, the option by which the card left when all cards did."""


@allocating
def new_state(table: Table) -> State:
    """Allocate the arrays of a search and set its first state, with all options open."""
    cards, options, groups = table.cards, np.uint64(len(table.groups)) // TWO, np.uint64(len(table.leaders))
    state = State(
        np.zeros(7, dtype=np.uint64),
        np.zeros(options, dtype=np.uint8),
        np.empty(options, dtype=np.uint64),
        np.empty(options, dtype=np.uint64),
        np.empty(options, dtype=np.uint64),
        np.empty(options, dtype=np.uint64),
        np.zeros(table.levels + ONE, dtype=np.uint64),
        np.zeros(groups, dtype=np.uint64),
        np.empty(groups, dtype=np.uint64),
        np.full(cards, NONE),
        np.empty(cards, dtype=np.uint64),
        np.empty(table.levels * cards * table.words, dtype=np.uint64),
        np.empty(table.levels * table.words, dtype=np.uint64),
        np.zeros(table.words, dtype=np.uint64),
        np.zeros(table.words, dtype=np.uint64),
        np.empty(len(table.sizes), dtype=np.uint64),
        np.empty(FOUR * options, dtype=np.uint64),
        np.zeros(options, dtype=np.uint8),
        np.empty(len(table.stack_starts), dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint64),
        np.empty(cards, dtype=np.uint8),
        np.empty(cards, dtype=np.uint8),
        np.full(TWO * cards, NONE),
    )
    for option in range(options):
        state.left[table.groups[TWO * option]] += ONE
        if table.groups[TWO * option + ONE] != table.groups[TWO * option]:
            state.left[table.groups[TWO * option + ONE]] += ONE
    return state


@routine
def begin(table: Table, state: State, possible: Bytes) -> None:
    """Set the cards that each card waits for at level 0, shut the options that are closed at once, and note the groups
    with one option."""
    words = table.words
    state.waits[: table.cards * words] = ZERO
    state.unmated[:words] = ZERO
    for index in range(table.cards):
        card = table.card_at[table.cards - ONE - index]
        state.unmated[card >> WORD_BITS] |= ONE << (card & LOW_BITS)
        over = table.above[card]
        if over != NONE:
            for word in range(words):
                state.waits[card * words + word] = state.waits[over * words + word]
            state.waits[card * words + (over >> WORD_BITS)] |= ONE << (over & LOW_BITS)
    for group in range(np.uint64(len(table.leaders))):
        if state.left[group] == ONE:
            state.units[state.now[UNITS]] = group
            state.now[UNITS] += ONE
    for rank in range(np.uint64(len(table.sizes))):
        if table.sizes[rank] == FOUR:
            _look_up(table, state, possible, np.uint64(rank), ZERO)
        else:
            _shut_within_stacks(table, state, table.first_card[rank], table.sizes[rank])


@routine
def _shut_within_stacks(table: Table, state: State, first: np.uint64, size: np.uint64) -> None:
    for card in range(first, first + size):
        for mate in range(card + ONE, first + size):
            if table.stack_of[card] == table.stack_of[mate]:
                _shut(table, state, option_of(table, np.uint64(card), np.uint64(mate)), CLOSURE)


@inlined
def _note(state: State, option: np.uint64, value: int, reason: np.uint64) -> None:
    now = state.now
    state.values[option] = value
    state.levels[option] = now[LEVEL]
    state.reasons[option] = reason
    state.positions[option] = now[TRAIL]
    state.trail[now[TRAIL]] = TWO * option + np.uint64(value - TAKEN)
    now[TRAIL] += ONE


@routine
def _shut(table: Table, state: State, option: np.uint64, reason: np.uint64) -> None:
    """Shut an open option; note a group that has one option left, or none."""
    _note(state, option, SHUT, reason)
    now = state.now
    group, last = table.groups[TWO * option], table.groups[TWO * option + ONE]
    while True:
        left = state.left[group] - ONE
        state.left[group] = left
        if left == ONE:
            state.units[now[UNITS]] = group
            now[UNITS] += ONE
        elif left == ZERO and now[CONFLICT] == ZERO:
            now[CONFLICT] = group << KIND_BITS | GROUP
        if group == last:
            break
        group = last


@routine
def take(table: Table, state: State, possible: Bytes, option: np.uint64, reason: np.uint64) -> None:
    """Take an open option, and shut its rivals and all options that are closed then."""
    _note(state, option, TAKEN, reason)
    level, words = state.now[LEVEL], table.words
    pairs = table.pairs[FOUR * option : FOUR * option + FOUR]
    for k in range(FOUR):
        card = pairs[k]
        state.chosen[card] = option
        state.mates[card] = pairs[k ^ ONE]
        state.unmated[level * words + (card >> WORD_BITS)] &= ~(ONE << (card & LOW_BITS))
    for k in range(TWO):
        leader = table.leaders[table.groups[TWO * option + k]]
        for entry in range(table.entry_starts[leader], table.entry_starts[leader + ONE]):
            rival = table.entry_options[entry]
            if state.values[rival] == OPEN:
                _shut(table, state, rival, option << KIND_BITS | RIVAL)
    if state.now[CONFLICT] == ZERO:
        _join(table, state, pairs)
        _spread(table, state, possible, pairs)


@inlined
def _join(table: Table, state: State, pairs: Words) -> None:
    """Set the cards that leave before or with each of two pairs. Of a single pair, which is given twice, the second has
    none."""
    words, first, second = table.words, state.first, state.second
    base = state.now[LEVEL] * table.cards
    a, b, c, d = pairs[ZERO], pairs[ONE], pairs[TWO], pairs[THREE]
    for word in range(words):
        first[word] = state.waits[(base + a) * words + word] | state.waits[(base + b) * words + word]
        second[word] = state.waits[(base + c) * words + word] | state.waits[(base + d) * words + word]
    first[a >> WORD_BITS] |= ONE << (a & LOW_BITS)
    first[b >> WORD_BITS] |= ONE << (b & LOW_BITS)
    if c == a:
        second[:] = ZERO
        return
    second[c >> WORD_BITS] |= ONE << (c & LOW_BITS)
    second[d >> WORD_BITS] |= ONE << (d & LOW_BITS)
    if (first[c >> WORD_BITS] >> (c & LOW_BITS) | first[d >> WORD_BITS] >> (d & LOW_BITS)) & ONE:
        for word in range(words):
            first[word] |= second[word]
    elif (second[a >> WORD_BITS] >> (a & LOW_BITS) | second[b >> WORD_BITS] >> (b & LOW_BITS)) & ONE:
        for word in range(words):
            second[word] |= first[word]


@inlined
def _spread(table: Table, state: State, possible: Bytes, pairs: Words) -> None:
    """Let every card that waits for a pair wait for the cards that leave before it, too.

    The cards of a matching are in one word. So this looks at the words of the first two cards only.
    """
    words, level = table.words, state.now[LEVEL]
    a, b, c, d = pairs[ZERO], pairs[ONE], pairs[TWO], pairs[THREE]
    word_of_a, word_of_b = a >> WORD_BITS, b >> WORD_BITS
    bit_a, bit_b = ONE << (a & LOW_BITS), ONE << (b & LOW_BITS)
    second_bits = ZERO if c == a else ONE << (c & LOW_BITS) | ONE << (d & LOW_BITS)
    changes = ZERO
    for part in range(words):
        later = state.unmated[level * words + part]
        while later:
            card = part << WORD_BITS | lowest_bit(later)
            later &= later - ONE
            row = (level * table.cards + card) * words
            on_first = state.waits[row + word_of_a] & bit_a | state.waits[row + word_of_b] & bit_b
            on_second = state.waits[row + word_of_a] & second_bits
            if on_first | on_second:
                changes = _wait_for(table, state, card, row, on_first, on_second, changes)
    for change in range(changes):
        _look_up(table, state, possible, state.changed[change], level)


@inlined
def _wait_for(
    table: Table,
    state: State,
    card: np.uint64,
    row: np.uint64,
    on_first: np.uint64,
    on_second: np.uint64,
    changes: np.uint64,
) -> np.uint64:
    """Let a card wait for the cards that leave before the first or the second pair; return the new number of `changed`
    ranks."""
    words, rank = table.words, table.rank_of[card]
    if_first, if_second = ZERO - np.uint64(on_first != ZERO), ZERO - np.uint64(on_second != ZERO)
    first_card, size = table.first_card[rank], table.sizes[rank]
    for word in range(first_card >> WORD_BITS, ((first_card + size - ONE) >> WORD_BITS) + ONE):
        fresh = state.first[word] & if_first | state.second[word] & if_second
        fresh &= table.own[rank * words + word] & ~state.waits[row + word]
        if fresh and size != FOUR:
            _shut_pairs(table, state, card, np.uint64(word), fresh)
        elif fresh and (changes == ZERO or state.changed[changes - ONE] != rank):
            state.changed[changes] = rank
            changes += ONE
    for word in range(words):
        state.waits[row + word] |= state.first[word] & if_first | state.second[word] & if_second
    return changes


@routine
def _shut_pairs(table: Table, state: State, card: np.uint64, word: np.uint64, others: np.uint64) -> None:
    """Shut the options of a card with those that it waits for now, or all if it waits for itself."""
    while others:
        mate = word << WORD_BITS | lowest_bit(others)
        others &= others - ONE
        if mate != card:
            option = option_of(table, card, mate)
            if state.values[option] == OPEN:
                _shut(table, state, option, CLOSURE)
            continue
        for entry in range(table.entry_starts[card], table.entry_starts[card + ONE]):
            option = table.entry_options[entry]
            if state.values[option] == OPEN:
                _shut(table, state, option, CLOSURE)


@routine
def _look_up(table: Table, state: State, possible: Bytes, rank: np.uint64, level: np.uint64) -> None:
    """Shut the matchings of a rank of four that its own cards rule out, as they wait for each other."""
    first, option, words = table.first_card[rank], table.first_option[rank], table.words
    key = ZERO
    for k in range(FOUR):
        own = state.waits[(level * table.cards + first + k) * words + (first >> WORD_BITS)] >> (first & LOW_BITS)
        key |= (own & np.uint64(15)) << (FOUR * k)
    left = np.uint64(possible[key])
    for m in range(THREE):
        if not left >> m & ONE and state.values[option + m] == OPEN:
            _shut(table, state, option + m, CLOSURE)


@inlined
def is_true(state: State, literal: np.uint64) -> bool:
    """Return whether a literal is true."""
    return bool(state.values[literal >> ONE] == ONE + (literal & ONE))


@inlined
def is_false(state: State, literal: np.uint64) -> bool:
    """Return whether a literal is false."""
    return bool(state.values[literal >> ONE] == TWO - (literal & ONE))


@routine
def make_true(table: Table, state: State, possible: Bytes, literal: np.uint64, reason: np.uint64) -> None:
    """Take or shut an open option."""
    if literal & ONE:
        _shut(table, state, literal >> ONE, reason)
    else:
        take(table, state, possible, literal >> ONE, reason)


@routine
def take_last(table: Table, state: State, possible: Bytes, group: np.uint64) -> None:
    """Take the option of a group that is not shut."""
    leader = table.leaders[group]
    if state.chosen[leader] != NONE:
        return
    for entry in range(table.entry_starts[leader], table.entry_starts[leader + ONE]):
        option = table.entry_options[entry]
        if state.values[option] == OPEN:
            take(table, state, possible, option, group << KIND_BITS | GROUP)
            return


@routine
def decide(table: Table, state: State, possible: Bytes, option: np.uint64) -> None:
    """Open a new level with a decision to take an option."""
    now, words = state.now, table.words
    level = now[LEVEL]
    for part in range(words):
        later = state.unmated[level * words + part]
        state.unmated[(level + ONE) * words + part] = later
        while later:
            row = (level * table.cards + (part << WORD_BITS | lowest_bit(later))) * words
            later &= later - ONE
            for word in range(words):
                state.waits[row + table.cards * words + word] = state.waits[row + word]
    now[LEVEL] = level + ONE
    state.level_starts[level + ONE] = now[TRAIL]
    take(table, state, possible, option, DECISION)


@routine
def back_to(table: Table, state: State, level: np.uint64, phases: Words) -> None:
    """Undo all levels above the given one, and save the options taken there in `phases`, one for each group."""
    now = state.now
    now[CONFLICT] = now[UNITS] = now[UNITS_DONE] = ZERO
    if now[LEVEL] > level:
        start = state.level_starts[level + ONE]
        while now[TRAIL] > start:
            now[TRAIL] -= ONE
            option = state.trail[now[TRAIL]] >> ONE
            group, second_group = table.groups[TWO * option], table.groups[TWO * option + ONE]
            if state.values[option] == SHUT:
                state.left[group] += ONE
                if second_group != group:
                    state.left[second_group] += ONE
            else:
                phases[group] = phases[second_group] = option
                for k in range(FOUR):
                    state.chosen[table.pairs[FOUR * option + k]] = NONE
            state.values[option] = OPEN
        now[VISITED] = start
        now[LEVEL] = level


@routine
def jam(table: Table, state: State, upwards: bool) -> bool:
    """Play the relaxed game and return whether cards stay for ever; `free` and `gone` then tell which.

    A card leaves if it is free, and so is its mate in an option that is not shut, left or not. If all cards left before
    by options that are not shut now, they leave again.
    """
    exits = state.exits[table.cards :] if upwards else state.exits[: table.cards]
    card = ZERO
    while card < table.cards and exits[card] != NONE and state.values[exits[card]] != SHUT:
        card += ONE
    if card == table.cards:
        return False
    following = table.above if upwards else table.below
    free, gone, waiting = state.free, state.gone, state.near
    free[:] = gone[:] = 0
    count = left = ZERO
    for stack in range(np.uint64(len(table.stack_starts)) - ONE):
        start, stop = table.stack_starts[stack], table.stack_starts[stack + ONE]
        if start < stop:
            waiting[count] = table.card_at[start if upwards else stop - ONE]
            count += ONE
    while count:
        count -= ONE
        card = waiting[count]
        free[card] = 1
        for entry in range(table.entry_starts[card], table.entry_starts[card + ONE]):
            mate, option = table.entry_mates[entry], table.entry_options[entry]
            if free[mate] and state.values[option] != SHUT:
                for leaving in (card, mate):
                    if not gone[leaving]:
                        gone[leaving] = 1
                        exits[leaving] = option
                        left += ONE
                        if following[leaving] != NONE:
                            waiting[count] = following[leaving]
                            count += ONE
    if left < table.cards:
        exits[ZERO] = NONE
    return bool(left < table.cards)
