"""Lemmas of card pairing for layouts of any size: conflict-driven clause learning over options.

After a conflict, its reasons are resolved with the reasons of the latest option among them until only one option of the
conflict's level is left (the first unique implication point). The resulting clause, a *lemma*, holds in every winning
play; the search goes back to the level at which it leaves one literal. See Marques-Silva, Lynce and Malik,
"Conflict-Driven Clause Learning SAT Solvers", in the Handbook of Satisfiability. Lemmas are forgotten by the number of
levels in them (Audemard and Simon, "Predicting Learnt Clauses Quality in Modern SAT Solvers").

Lemmas are recorded with the hints from which a referee derives them again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Bytes, allocating, inlined, routine
from dealmill.pipeline.games.card_pairing.any_size.explanations import explain
from dealmill.pipeline.games.card_pairing.any_size.implications import (
    CAUSES,
    CONFLICT,
    GROUP,
    KIND,
    KIND_BITS,
    LEMMA,
    TRAIL,
    State,
    back_to,
    is_false,
    is_true,
    make_true,
)
from dealmill.pipeline.games.card_pairing.any_size.table import NONE, Table
from dealmill.pipeline.games.card_pairing.sets import FOUR, ONE, THREE, TWO, ZERO, Halves, Words

MAX_LEMMAS = 1 << 18
MAX_LITERALS = 1 << 23
"""The most lemmas of a deal, and literals or hints in them. A deal that needs more is undecided."""
GOOD = 2
"""Lemmas with at most so many levels are never forgotten."""
DECAY, GREATEST = 0.95, 1e100

IN_LEMMA = 2
"""What `seen` says of the options of the literals, as they are merged."""

NODES, LEMMAS, LITERALS, HINTS, ACTIVE = range(5)
END = np.uint32(0xFFFFFFFF)

Floats = NDArray[np.float64]


class Lemmas(NamedTuple):
    """The lemmas of a deal, in the order in which they were found. The arrays are allocated once for many deals."""

    counts: Words
    """The numbers of nodes (decisions), lemmas, literals, hints, and lemmas that are not forgotten."""
    literals: Halves
    """The literals of all lemmas; of one that is not forgotten, the first two are watched."""
    starts: Words
    """For each lemma, the index of its first literal; and the number of literals."""
    hints: Halves
    """For each lemma, its hints as reasons, in order; then the options of level 0 on which it depends."""
    hint_starts: Words
    """For each lemma, the index of its first hint and of the first of these options; and the number of both."""
    roots: Words
    """For each lemma, the length of level 0 of the trail when it was found."""
    qualities: Halves
    """For each lemma, the number of different levels of its literals when it was found."""
    active: Words
    """The lemmas that are not forgotten."""
    following: Halves
    """The next watch in the list of each watch. Watch ``2 * lemma + k`` is that of literal k, and `END` ends a list."""


class Heuristics(NamedTuple):
    """What a search of one deal chooses by, and its working memory."""

    heads: Halves
    """For each literal, the first watch on it."""
    activities: Floats
    """For each group, 1 and the sum of the weights of the conflicts in which it was."""
    weight: Floats
    """The weight of the next conflict."""
    phases: Words
    """For each group, the option last taken of it, or `NONE`."""
    targets: Words
    """For each group, the option taken in the longest trail before a decision that led to a conflict, or `NONE`."""
    hits: Words
    """For each card of the group to decide on, the number of cards that wait for it."""
    lemma: Words
    """The literals of the lemma to be."""
    used: Words
    """The positions in the trail of the options whose reasons were resolved."""
    roots: Words
    """The options of level 0 on which the lemma depends."""
    met: Words
    """The options that conflict analysis has met."""
    stamps: Words
    """For each level, the last lemma whose quality it counted for."""


@allocating
def new_lemmas() -> Lemmas:
    """Allocate the lemmas of a search. Memory that is not used is not touched."""
    lemmas = Lemmas(
        np.zeros(5, dtype=np.uint64),
        np.empty(MAX_LITERALS, dtype=np.uint32),
        np.empty(MAX_LEMMAS + 1, dtype=np.uint64),
        np.empty(MAX_LITERALS, dtype=np.uint32),
        np.empty(2 * MAX_LEMMAS + 1, dtype=np.uint64),
        np.empty(MAX_LEMMAS, dtype=np.uint64),
        np.empty(MAX_LEMMAS, dtype=np.uint32),
        np.empty(MAX_LEMMAS, dtype=np.uint64),
        np.empty(2 * MAX_LEMMAS, dtype=np.uint32),
    )
    lemmas.starts[ZERO] = lemmas.hint_starts[ZERO] = ZERO
    return lemmas


@allocating
def new_heuristics(table: Table) -> Heuristics:
    """Allocate the heuristics of a search of one deal."""
    options, groups = len(table.groups) // 2, len(table.leaders)
    return Heuristics(
        np.full(2 * options, END),
        np.ones(groups, dtype=np.float64),
        np.ones(1, dtype=np.float64),
        np.full(groups, NONE),
        np.full(groups, NONE),
        np.empty(table.cards, dtype=np.uint64),
        np.empty(options + 1, dtype=np.uint64),
        np.empty(options, dtype=np.uint64),
        np.empty(options, dtype=np.uint64),
        np.empty(options, dtype=np.uint64),
        np.zeros(table.levels, dtype=np.uint64),
    )


@routine
def learn(table: Table, state: State, possible: Bytes, lemmas: Lemmas, heuristics: Heuristics) -> bool:
    """Learn a lemma from the conflict, go back to where it leaves one literal, and make that true.

    Returns False if the conflict does not depend on any decision.
    """
    now, lemma = state.now, heuristics.lemma
    conflict = now[CONFLICT]
    explain(table, state, lemmas.literals, lemmas.starts, NONE, conflict, NONE)
    top = ZERO
    for k in range(now[CAUSES]):
        top = max(top, state.levels[state.causes[k]])
    if top == ZERO:
        return False
    back_to(table, state, top, heuristics.phases)
    size, resolved, roots, met = _resolve(table, state, lemmas, heuristics, top)
    size, used, roots, met = _minimize(table, state, lemmas, heuristics, size, resolved, roots, met)
    size = _merge(table, state, lemma, size)
    for k in range(met):
        state.seen[heuristics.met[k]] = 0
    heuristics.weight[0] /= DECAY
    if heuristics.weight[0] > GREATEST:
        for group in range(len(heuristics.activities)):
            heuristics.activities[group] /= GREATEST
        heuristics.weight[0] /= GREATEST
    jump = ZERO
    for k in range(ONE, size):
        level = state.levels[lemma[k] >> ONE]
        if level > jump:
            jump = level
            lemma[ONE], lemma[k] = lemma[k], lemma[ONE]
    number = lemmas.counts[LEMMAS]
    _record_hints(state, lemmas, heuristics, conflict, resolved, used, roots)
    _record_literals(state, lemmas, heuristics, size)
    back_to(table, state, jump, heuristics.phases)
    make_true(table, state, possible, lemma[ZERO], number << KIND_BITS | LEMMA)
    return True


@routine
def _resolve(
    table: Table, state: State, lemmas: Lemmas, heuristics: Heuristics, top: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Resolve the causes of a conflict until one option of level `top` is left, and set the lemma.

    Returns the numbers of literals, of options resolved, of options of level 0 and of all options met.
    """
    now, lemma, seen = state.now, heuristics.lemma, state.seen
    size, at = ONE, now[TRAIL]
    resolved = roots = met = pending = ZERO
    while True:
        for k in range(now[CAUSES]):
            option = state.causes[k]
            if seen[option]:
                continue
            seen[option] = 1
            heuristics.met[met] = option
            met += ONE
            if state.levels[option] == ZERO:
                heuristics.roots[roots] = option
                roots += ONE
                continue
            _bump(table, heuristics, option)
            if state.levels[option] == top:
                pending += ONE
            else:
                lemma[size] = state.trail[state.positions[option]] ^ ONE
                size += ONE
        at -= ONE
        while not seen[state.trail[at] >> ONE]:
            at -= ONE
        pending -= ONE
        if pending == ZERO:
            lemma[ZERO] = state.trail[at] ^ ONE
            return size, resolved, roots, met
        option = state.trail[at] >> ONE
        heuristics.used[resolved] = at
        resolved += ONE
        explain(table, state, lemmas.literals, lemmas.starts, option, state.reasons[option], NONE)


@inlined
def _bump(table: Table, heuristics: Heuristics, option: np.uint64) -> None:
    group, second_group = table.groups[TWO * option], table.groups[TWO * option + ONE]
    heuristics.activities[group] += heuristics.weight[0]
    if second_group != group:
        heuristics.activities[second_group] += heuristics.weight[0]


@routine
def _minimize(
    table: Table,
    state: State,
    lemmas: Lemmas,
    heuristics: Heuristics,
    size: np.uint64,
    resolved: np.uint64,
    roots: np.uint64,
    met: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Remove the literals that follow from the others, and return the new numbers."""
    now, lemma, seen = state.now, heuristics.lemma, state.seen
    left, used = ONE, resolved
    for index in range(ONE, size):
        option = lemma[index] >> ONE
        redundant = explain(table, state, lemmas.literals, lemmas.starts, option, state.reasons[option], ZERO)
        for k in range(now[CAUSES] if redundant else ZERO):
            redundant &= bool(seen[state.causes[k]] or state.levels[state.causes[k]] == ZERO)
        if not redundant:
            lemma[left] = lemma[index]
            left += ONE
            continue
        heuristics.used[used] = state.positions[option]
        used += ONE
        for k in range(now[CAUSES]):
            cause = state.causes[k]
            if not seen[cause]:
                seen[cause] = 1
                heuristics.met[met], heuristics.roots[roots] = cause, cause
                met, roots = met + ONE, roots + ONE
    return left, used, roots, met


@routine
def _merge(table: Table, state: State, lemma: Words, size: np.uint64) -> np.uint64:
    """Leave out the literals of options that are shut if a rival in the lemma is taken, and replace two of a rank of
    four by the third one, which is taken then; return the new number of literals."""
    seen = state.seen
    for k in range(size):
        seen[lemma[k] >> ONE] = IN_LEMMA
    left = ZERO
    for k in range(size):
        option = lemma[k] >> ONE
        if not lemma[k] & ONE:
            group, second_group = table.groups[TWO * option], table.groups[TWO * option + ONE]
            rival, second = state.chosen[table.leaders[group]], state.chosen[table.leaders[second_group]]
            if (rival != NONE and seen[rival] == IN_LEMMA) or (second != NONE and seen[second] == IN_LEMMA):
                continue
            rank = table.rank_of[table.leaders[group]]
            third = THREE * table.first_option[rank] + THREE - option - rival
            if rival != NONE and table.sizes[rank] == FOUR and seen[third] == IN_LEMMA:
                seen[option], seen[rival] = 1, IN_LEMMA
                lemma[left] = TWO * rival + ONE
                left += ONE
                continue
        lemma[left] = lemma[k]
        left += ONE
    for k in range(left):
        seen[lemma[k] >> ONE] = 0
    return left


@routine
def _record_hints(
    state: State,
    lemmas: Lemmas,
    heuristics: Heuristics,
    conflict: np.uint64,
    resolved: np.uint64,
    used: np.uint64,
    roots: np.uint64,
) -> None:
    """Record the reasons of groups and lemmas that were used, in the order of the trail, and that of the conflict."""
    positions = heuristics.used
    for k in range(resolved + ONE, used):  # few
        position, at = positions[k], np.uint64(k)
        while at > resolved and positions[at - ONE] > position:
            positions[at] = positions[at - ONE]
            at -= ONE
        positions[at] = position
    end = lemmas.counts[HINTS]
    for k in range(used):
        index = resolved + k if k < used - resolved else used - ONE - k
        reason = state.reasons[state.trail[positions[index]] >> ONE]
        if reason & KIND == GROUP or reason & KIND == LEMMA:
            lemmas.hints[end] = reason
            end += ONE
    lemmas.hints[end] = conflict
    end += ONE
    number = lemmas.counts[LEMMAS]
    lemmas.hint_starts[TWO * number + ONE] = end
    for k in range(roots):
        lemmas.hints[end] = heuristics.roots[k]
        end += ONE
    lemmas.hint_starts[TWO * number + TWO] = end
    lemmas.counts[HINTS] = end


@routine
def _record_literals(state: State, lemmas: Lemmas, heuristics: Heuristics, size: np.uint64) -> None:
    """Record a lemma, and watch its first two literals."""
    number, end = lemmas.counts[LEMMAS], lemmas.counts[LITERALS]
    quality = ZERO
    for k in range(size):
        literal = heuristics.lemma[k]
        lemmas.literals[end + k] = literal
        level = state.levels[literal >> ONE]
        if heuristics.stamps[level] != number + ONE:
            heuristics.stamps[level] = number + ONE
            quality += ONE
    lemmas.starts[number + ONE] = lemmas.counts[LITERALS] = end + size
    lemmas.qualities[number] = quality
    lemmas.roots[number] = state.level_starts[ONE]
    lemmas.counts[LEMMAS] += ONE
    if size > ONE:
        _watch(lemmas, heuristics.heads, number)


@inlined
def _watch(lemmas: Lemmas, heads: Halves, lemma: np.uint64) -> None:
    """Watch the first two literals of a lemma."""
    for k in range(TWO):
        literal = lemmas.literals[lemmas.starts[lemma] + k]
        lemmas.following[TWO * lemma + k] = heads[literal]
        heads[literal] = TWO * lemma + k
    lemmas.active[lemmas.counts[ACTIVE]] = lemma
    lemmas.counts[ACTIVE] += ONE


@routine
def is_full(lemmas: Lemmas, options: np.uint64) -> bool:
    counts = lemmas.counts
    return bool(
        counts[LEMMAS] == MAX_LEMMAS
        or counts[LITERALS] + options >= MAX_LITERALS
        or counts[HINTS] + TWO * options >= MAX_LITERALS
    )


@allocating
def forget(state: State, lemmas: Lemmas, heads: Halves) -> None:
    """Forget the half of the lemmas with most levels, older ones first, and those that are true at level 0."""
    counts, active, qualities = lemmas.counts, lemmas.active, lemmas.qualities
    number = counts[ACTIVE]
    have = np.zeros(len(state.level_starts) + 1, dtype=np.uint64)
    for k in range(number):
        have[qualities[active[k]]] += ONE
    worst = np.uint64(len(have)) - ONE
    excess = number // TWO
    while have[worst] <= excess and worst > GOOD:
        excess -= have[worst]
        worst -= ONE
    if worst <= GOOD:
        excess = ZERO
    heads[:] = END
    counts[ACTIVE] = ZERO
    for k in range(number):
        lemma = active[k]
        if qualities[lemma] > worst:
            continue
        if qualities[lemma] == worst and excess > ZERO:
            excess -= ONE
        elif _keep(state, lemmas, lemma):
            _watch(lemmas, heads, lemma)


@routine
def forget_all(heuristics: Heuristics) -> None:
    """Prepare the heuristics of a deal for another search of it, without lemmas."""
    heuristics.heads[:] = END
    heuristics.stamps[:] = ZERO
    for group in range(len(heuristics.activities)):
        heuristics.activities[group] /= heuristics.weight[0]
    heuristics.weight[0] = 1


@routine
def _keep(state: State, lemmas: Lemmas, lemma: np.uint64) -> bool:
    """Move two literals that are open at level 0 to the front; return whether no literal is true."""
    literals, front = lemmas.literals, lemmas.starts[lemma]
    for k in range(lemmas.starts[lemma], lemmas.starts[lemma + ONE]):
        literal = np.uint64(literals[k])
        if is_true(state, literal):
            return False
        if not is_false(state, literal) and front < lemmas.starts[lemma] + TWO:
            literals[front], literals[k] = literals[k], literals[front]
            front += ONE
    return True
