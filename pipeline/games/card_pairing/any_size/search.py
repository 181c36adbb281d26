"""The search of card pairing for layouts of any size, a kernel: it decides which options to take.

`implications` derives what follows, and `learning` turns conflicts into lemmas. Restarts follow Luby, Sinclair and
Zuckerman, "Optimal Speedup of Las Vegas Algorithms". Each restart aims again at the longest trail so far that had no
conflict (target phases: Biere and Fleury, "Chasing Target Phases").
"""

from functools import cache, partial
from pathlib import Path

import numpy as np

from dealmill.kernels import (
    Bytes,
    Numbers,
    Results,
    Solved,
    Texts,
    allocating,
    compiling,
    count_bits,
    inlined,
    kernel,
    lowest_bit,
    routine,
    run_kernel,
    to_texts,
)
from dealmill.pipeline.games.card_pairing.any_size.evidence import LONGEST_EVIDENCE, write_certificate, write_play
from dealmill.pipeline.games.card_pairing.any_size.implications import (
    CONFLICT,
    JAM,
    KIND_BITS,
    LEMMA,
    LEVEL,
    OPEN,
    TRAIL,
    UNITS,
    UNITS_DONE,
    VISITED,
    State,
    back_to,
    begin,
    decide,
    is_false,
    is_true,
    jam,
    make_true,
    new_state,
    take_last,
)
from dealmill.pipeline.games.card_pairing.any_size.learning import (
    ACTIVE,
    END,
    LEMMAS,
    NODES,
    Floats,
    Heuristics,
    Lemmas,
    forget,
    forget_all,
    is_full,
    learn,
    new_heuristics,
    new_lemmas,
)
from dealmill.pipeline.games.card_pairing.any_size.table import LOW_BITS, NONE, WORD_BITS, Table, new_table
from dealmill.pipeline.games.card_pairing.classic.search import POSSIBLE
from dealmill.pipeline.games.card_pairing.sets import FOUR, GAVE_UP, LOST, ONE, THREE, TWO, WON, ZERO, Halves, Words
from dealmill.verdicts import Verdict

WINNABLE = int(Verdict.WINNABLE)
UNWINNABLE = int(Verdict.UNWINNABLE)
UNDECIDED = int(Verdict.UNDECIDED)

RESTART = np.uint64(60)
"""The number of conflicts before the first restart; the factor of Luby's sequence."""
LONG = np.uint64(60_000)
"""Certificates with more bytes are shortened."""
MAX_NODES = np.uint64(15_000)
"""The most nodes of the searches for shorter ones of a deal."""
REMEMBERED = 20_000
"""The number of lemmas from which on a restart forgets half of them."""

SECONDS = 45.0
"""About how long it takes to compile the kernel."""
ROOM = 16 * LONGEST_EVIDENCE
"""The room for the evidence of a call, in bytes. What is not used takes no memory."""


def winnable(layouts: Texts, max_nodes: int) -> Solved:
    """Decide whether any play wins; a node is a decision to take an option."""
    _compile()
    return run_kernel(partial(_solve_each, POSSIBLE), layouts, max_nodes, ROOM)


@cache
def _compile() -> None:
    """Compile the kernel, which is done only once a layout needs it, or load it from the cache."""
    with compiling(Path(__file__).parent, "card-pairing/winnable for layouts of any size", SECONDS):
        run_kernel(partial(_solve_each, POSSIBLE), to_texts(["A A"]), 0, ROOM)


@kernel
def _solve_each(possible: Bytes, text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    lemmas = new_lemmas()
    end = ZERO
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - np.int64(end) < LONGEST_EVIDENCE:
            return i
        table = new_table(text, np.uint64(starts[i]), np.uint64(starts[i + 1]))
        state, heuristics = new_state(table), new_heuristics(table)
        begin(table, state, possible)
        outcome = _search(table, state, possible, lemmas, heuristics, limit)
        results.nodes[i] = lemmas.counts[NODES]
        results.verdicts[i] = UNDECIDED
        if outcome == WON:
            results.verdicts[i] = WINNABLE
            end += write_play(table, state, results.evidence[end:])
        elif outcome == LOST:
            length = write_certificate(table, state, lemmas, results.evidence[end:])
            if length > LONG:
                length = _shorten(table, possible, lemmas, heuristics, results.evidence[end:], length)
            if length != NONE:
                results.verdicts[i] = UNWINNABLE
                end += length
        results.ends[i] = end
    return len(results.verdicts)


@allocating
def _shorten(
    table: Table, possible: Bytes, lemmas: Lemmas, heuristics: Heuristics, certificate: Bytes, length: np.uint64
) -> np.uint64:
    """Search again while the certificate of a lost deal is long, each time with the activities and phases that the last
    search has left, and keep the shortest; return its length."""
    candidate = np.empty(LONGEST_EVIDENCE, dtype=np.uint8)
    nodes = ZERO
    while length > LONG and nodes < MAX_NODES:
        forget_all(heuristics)
        state = new_state(table)
        begin(table, state, possible)
        outcome = _search(table, state, possible, lemmas, heuristics, int(np.int64(MAX_NODES - nodes)))
        nodes += lemmas.counts[NODES]
        if outcome == LOST:
            end = write_certificate(table, state, lemmas, candidate)
            if end < length:
                certificate[:end] = candidate[:end]
                length = end
    return length


@routine
def _search(table: Table, state: State, possible: Bytes, lemmas: Lemmas, heuristics: Heuristics, limit: int) -> int:
    """Search one deal from the state after `begin`.

    Returns `WON`, `LOST`, or `GAVE_UP` if it needs more than `limit` decisions, or more lemmas than there is room for.
    If it is lost, the conflict of level 0 is in ``state.now[CONFLICT]``.
    """
    now, counts = state.now, lemmas.counts
    counts[:] = ZERO
    restarts, conflicts, longest = ONE, ZERO, ZERO
    while True:
        _propagate(table, state, possible, lemmas, heuristics.heads)
        if now[CONFLICT] == ZERO and (now[LEVEL] == ZERO or counts[LEMMAS] > ZERO):
            if jam(table, state, False):
                now[CONFLICT] = JAM
            elif jam(table, state, True):
                now[CONFLICT] = ONE << KIND_BITS | JAM
        if now[CONFLICT] != ZERO:
            if state.level_starts[now[LEVEL]] > longest:
                longest = state.level_starts[now[LEVEL]]
                _aim(table, state, heuristics.targets)
            if not learn(table, state, possible, lemmas, heuristics):
                return LOST
            if is_full(lemmas, np.uint64(len(table.groups))):
                return GAVE_UP
            conflicts += ONE
            continue
        if conflicts >= RESTART * _luby(restarts):
            restarts, conflicts = restarts + ONE, ZERO
            _restart(table, state, lemmas, heuristics)
        group = _choose_group(table, state, heuristics.activities)
        if group == NONE:
            return WON
        if counts[NODES] == limit:
            return GAVE_UP
        counts[NODES] += ONE
        decide(table, state, possible, _choose_option(table, state, heuristics, group))


@routine
def _propagate(table: Table, state: State, possible: Bytes, lemmas: Lemmas, heads: Halves) -> None:
    """Draw all conclusions from groups and lemmas, until there is a conflict or nothing is left."""
    now = state.now
    while now[CONFLICT] == ZERO:
        if now[UNITS_DONE] < now[UNITS]:
            now[UNITS_DONE] += ONE
            take_last(table, state, possible, state.units[now[UNITS_DONE] - ONE])
        elif now[VISITED] < now[TRAIL]:
            literal = state.trail[now[VISITED]] ^ ONE
            now[VISITED] += ONE
            if heads[literal] != END:
                _visit(table, state, possible, lemmas, heads, literal)
        else:
            return


@routine
def _visit(table: Table, state: State, possible: Bytes, lemmas: Lemmas, heads: Halves, literal: np.uint64) -> None:
    """Find another literal to watch for each lemma that watches one that has become false, or use the lemma."""
    literals, following = lemmas.literals, lemmas.following
    watch = heads[literal]
    heads[literal] = END
    while watch != END:
        number, after = np.uint64(watch), following[watch]
        lemma = number >> ONE
        begin, stop = lemmas.starts[lemma], lemmas.starts[lemma + ONE]
        mine = begin + (number & ONE)
        watched = np.uint64(literals[begin + (number & ONE ^ ONE)])
        moved = False
        if state.now[CONFLICT] == ZERO and not is_true(state, watched):
            for k in range(begin + TWO, stop):
                candidate = np.uint64(literals[k])
                if not is_false(state, candidate):
                    literals[k], literals[mine] = literals[mine], literals[k]
                    following[number] = heads[candidate]
                    heads[candidate] = watch
                    moved = True
                    break
            if not moved:
                if is_false(state, watched):
                    state.now[CONFLICT] = lemma << KIND_BITS | LEMMA
                else:
                    make_true(table, state, possible, watched, lemma << KIND_BITS | LEMMA)
        if not moved:
            following[number] = heads[literal]
            heads[literal] = watch
        watch = after


@routine
def _luby(number: np.uint64) -> np.uint64:
    """Return a term of Luby's sequence 1, 1, 2, 1, 1, 2, 4, …, counted from 1."""
    while True:
        power = ONE
        while TWO * power <= number + ONE:
            power *= TWO
        if power == number + ONE:
            return power // TWO
        number -= power - ONE


@routine
def _restart(table: Table, state: State, lemmas: Lemmas, heuristics: Heuristics) -> None:
    """Go back to level 0, aim at the targets, and forget lemmas if there are many."""
    back_to(table, state, ZERO, heuristics.phases)
    for group in range(len(heuristics.phases)):
        heuristics.phases[group] = heuristics.targets[group]
    if lemmas.counts[ACTIVE] >= REMEMBERED:
        forget(state, lemmas, heuristics.heads)


@routine
def _aim(table: Table, state: State, targets: Words) -> None:
    """Make the options that are taken the targets of their groups."""
    for group in range(np.uint64(len(table.leaders))):
        option = state.chosen[table.leaders[group]]
        if option != NONE:
            targets[group] = option


@routine
def _choose_group(table: Table, state: State, activities: Floats) -> np.uint64:
    """Return the undecided group with the greatest activity per option left, or `NONE`."""
    best, chosen = 0.0, NONE
    for group in range(np.uint64(len(table.leaders))):
        if state.chosen[table.leaders[group]] == NONE:
            score = activities[group] / state.left[group]
            if score > best:
                best, chosen = score, np.uint64(group)
    return chosen


@routine
def _choose_option(table: Table, state: State, heuristics: Heuristics, group: np.uint64) -> np.uint64:
    """Return the option last taken of a group, or else the one that makes fewest cards wait for more."""
    if heuristics.phases[group] != NONE and state.values[heuristics.phases[group]] == OPEN:
        return np.uint64(heuristics.phases[group])
    leader = table.leaders[group]
    _count_hits(table, state, heuristics.hits, table.rank_of[leader])
    least, chosen = NONE, NONE
    for entry in range(table.entry_starts[leader], table.entry_starts[leader + ONE]):
        option = table.entry_options[entry]
        if state.values[option] == OPEN:
            pairs = FOUR * option
            cost = _cost(table, state, heuristics.hits, table.pairs[pairs], table.pairs[pairs + ONE])
            if table.pairs[pairs + TWO] != table.pairs[pairs]:
                cost += _cost(table, state, heuristics.hits, table.pairs[pairs + TWO], table.pairs[pairs + THREE])
            if cost < least:
                least, chosen = cost, option
    return chosen


@inlined
def _count_hits(table: Table, state: State, hits: Words, rank: np.uint64) -> None:
    """Count for each card of a rank the cards without a mate that wait for it."""
    words, level = table.words, state.now[LEVEL]
    first, size = table.first_card[rank], table.sizes[rank]
    hits[first : first + size] = ZERO
    for part in range(words):
        later = state.unmated[level * words + part]
        while later:
            row = (level * table.cards + (part << WORD_BITS | lowest_bit(later))) * words
            later &= later - ONE
            for word in range(first >> WORD_BITS, (first + size + LOW_BITS) >> WORD_BITS):
                own = state.waits[row + word] & table.own[rank * words + word]
                while own:
                    hits[word << WORD_BITS | lowest_bit(own)] += ONE
                    own &= own - ONE


@inlined
def _cost(table: Table, state: State, hits: Words, a: np.uint64, b: np.uint64) -> np.uint64:
    """Return how many more cards the cards that wait for a pair would wait for, in total."""
    words = table.words
    base = state.now[LEVEL] * table.cards
    for_a = for_b = ZERO
    for word in range(words):
        before_a, before_b = state.waits[(base + a) * words + word], state.waits[(base + b) * words + word]
        for_a += count_bits(before_b & ~before_a)
        for_b += count_bits(before_a & ~before_b)
    return np.uint64(for_a * hits[a] + for_b * hits[b])
