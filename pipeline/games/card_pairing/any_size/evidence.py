"""The evidence of card pairing for layouts of any size: winning traces, and certificates of lemmas with hints.

A certificate is a list of steps. A root step is a hint: what it takes or shuts holds from then on. A lemma is derived
by assuming its literals false and following its hints to a contradiction. See ``docs/proofs/card-pairing.md``.
"""

import numpy as np

from dealmill.kernels import Bytes, allocating, inlined, routine
from dealmill.pipeline.games.card_pairing.any_size.explanations import explain
from dealmill.pipeline.games.card_pairing.any_size.implications import (
    CAUSES,
    CONFLICT,
    GROUP,
    JAM,
    KIND,
    KIND_BITS,
    LEMMA,
    TRAIL,
    State,
)
from dealmill.pipeline.games.card_pairing.any_size.learning import LEMMAS, Lemmas
from dealmill.pipeline.games.card_pairing.any_size.table import NONE, Table
from dealmill.pipeline.games.card_pairing.canonical import BLANK, SEPARATOR
from dealmill.pipeline.games.card_pairing.sets import ONE, STACK_SIGNS, TWO, ZERO, Halves, Words

LONGEST_EVIDENCE = 1 << 20
"""The most bytes of evidence. A deal with a longer certificate is undecided."""
LONGEST_HINT = np.uint64(24)
"""At least the length of a hint or literal and what separates it from the next."""

COLON, PLUS, MINUS = ord(":"), ord("+"), ord("-")
OF_GROUP, OF_LEMMA, DOWNWARDS, UPWARDS = ord("g"), ord("l"), ord("v"), ord("^")
DIGIT, TEN = np.uint64(ord("0")), np.uint64(10)


@allocating
def write_play(table: Table, state: State, evidence: Bytes) -> np.uint64:
    """Remove the chosen pairs as soon as both cards are on top, visiting the stacks in turn, and write the pairs of
    stacks; return the number of bytes.

    With more than 36 stacks, a move is two numbers and a comma.
    """
    stacks = np.uint64(len(table.stack_starts)) - ONE
    ends = table.stack_starts[ONE:].copy()
    end = left = ZERO
    while left < table.cards:
        for stack in range(stacks):
            while ends[stack] > table.stack_starts[stack]:
                mate = state.mates[table.card_at[ends[stack] - ONE]]
                mate_stack = table.stack_of[mate]
                if table.card_at[ends[mate_stack] - ONE] != mate:
                    break
                ends[stack] -= ONE
                ends[mate_stack] -= ONE
                left += TWO
                end = _write_move(
                    evidence, end, np.uint64(min(stack, mate_stack)), np.uint64(max(stack, mate_stack)), stacks
                )
    return end - ONE


@inlined
def _write_move(evidence: Bytes, end: np.uint64, first: np.uint64, second: np.uint64, stacks: np.uint64) -> np.uint64:
    if stacks <= len(STACK_SIGNS):
        evidence[end], evidence[end + ONE] = STACK_SIGNS[first], STACK_SIGNS[second]
        end += TWO
    else:
        end = _write_number(evidence, end, first)
        evidence[end] = SEPARATOR
        end = _write_number(evidence, end + ONE, second)
    evidence[end] = BLANK
    return end + ONE


@routine
def _write_number(evidence: Bytes, end: np.uint64, number: np.uint64) -> np.uint64:
    power = ONE
    while power * TEN <= number:
        power *= TEN
    while power > ZERO:
        evidence[end] = DIGIT + number // power % TEN
        power //= TEN
        end += ONE
    return end


@allocating
def write_certificate(table: Table, state: State, lemmas: Lemmas, evidence: Bytes) -> np.uint64:
    """Write the steps that lead to the conflict at level 0; return the number of bytes, or `NONE` if they are more than
    `LONGEST_EVIDENCE`."""
    needed_roots = np.zeros(len(table.groups) // 2, dtype=np.uint8)
    serials = np.zeros(lemmas.counts[LEMMAS] + ONE, dtype=np.uint64)
    _trim(table, state, lemmas, needed_roots, serials)
    end = root = count = ZERO
    for lemma in range(lemmas.counts[LEMMAS] + ONE):
        last = lemma == lemmas.counts[LEMMAS]
        roots = state.now[TRAIL] if last else lemmas.roots[lemma]
        while root < roots:
            option = state.trail[root] >> ONE
            if needed_roots[option] and _is_hint(state.reasons[option]):
                end = _write_hint(evidence, end, state.reasons[option], serials, count)
                evidence[end] = BLANK
                end += ONE
            root += ONE
            if end + LONGEST_HINT > LONGEST_EVIDENCE:
                return NONE
        if not last and serials[lemma]:
            count += ONE
            serials[lemma] = count
            end = _write_lemma(lemmas, evidence, end, np.uint64(lemma), serials, count - ONE)
            if end + LONGEST_HINT > LONGEST_EVIDENCE:
                return NONE
    return _write_hint(evidence, end, state.now[CONFLICT], serials, count)


@inlined
def _is_hint(reason: np.uint64) -> bool:
    return bool(reason & KIND == GROUP or reason & KIND == LEMMA)


@routine
def _trim(table: Table, state: State, lemmas: Lemmas, needed_roots: Bytes, needed: Words) -> None:
    """Mark the options of level 0 and the lemmas on which the conflict at level 0 depends."""
    literals, starts, conflict = lemmas.literals, lemmas.starts, state.now[CONFLICT]
    explain(table, state, literals, starts, NONE, conflict, NONE)
    _need(state, conflict, needed_roots, needed)
    root, lemma = state.now[TRAIL], lemmas.counts[LEMMAS]
    while True:
        roots = lemmas.roots[lemma - ONE] if lemma > ZERO else ZERO
        while root > roots:
            root -= ONE
            option = state.trail[root] >> ONE
            if needed_roots[option]:
                explain(table, state, literals, starts, option, state.reasons[option], NONE)
                _need(state, state.reasons[option], needed_roots, needed)
        if lemma == ZERO:
            return
        lemma -= ONE
        if needed[lemma]:
            begin, middle = lemmas.hint_starts[TWO * lemma], lemmas.hint_starts[TWO * lemma + ONE]
            stop = lemmas.hint_starts[TWO * lemma + TWO]
            for k in range(begin, middle):
                if np.uint64(lemmas.hints[k]) & KIND == LEMMA:
                    needed[np.uint64(lemmas.hints[k]) >> KIND_BITS] = ONE
            for k in range(middle, stop):
                needed_roots[lemmas.hints[k]] = 1


@inlined
def _need(state: State, reason: np.uint64, needed_roots: Bytes, needed: Words) -> None:
    """Mark the causes of an option or of the conflict, and the lemma that is its reason."""
    for k in range(state.now[CAUSES]):
        needed_roots[state.causes[k]] = 1
    if reason & KIND == LEMMA:
        needed[reason >> KIND_BITS] = ONE


@routine
def _write_lemma(
    lemmas: Lemmas, evidence: Bytes, end: np.uint64, lemma: np.uint64, serials: Words, count: np.uint64
) -> np.uint64:
    """Write a lemma, the literals first, and a space, and return the new end; it stops where `LONGEST_EVIDENCE` is
    near. The literals are sorted, and each number is counted from the one before it."""
    _sort(lemmas.literals, lemmas.starts[lemma], lemmas.starts[lemma + ONE])
    before = ZERO
    for k in range(lemmas.starts[lemma], lemmas.starts[lemma + ONE]):
        literal = np.uint64(lemmas.literals[k])
        if end + LONGEST_HINT > LONGEST_EVIDENCE:
            return end
        evidence[end] = MINUS if literal & ONE else PLUS
        end = _write_number(evidence, end + ONE, (literal >> ONE) - before)
        before = literal >> ONE
    evidence[end] = COLON
    end += ONE
    for k in range(lemmas.hint_starts[TWO * lemma], lemmas.hint_starts[TWO * lemma + ONE]):
        if end + LONGEST_HINT > LONGEST_EVIDENCE:
            return end
        end = _write_hint(evidence, end, np.uint64(lemmas.hints[k]), serials, count)
    evidence[end] = BLANK
    return end + ONE


@routine
def _sort(literals: Halves, begin: np.uint64, end: np.uint64) -> None:
    for k in range(begin + ONE, end):
        literal, at = literals[k], np.uint64(k)
        while at > begin and literals[at - ONE] > literal:
            literals[at] = literals[at - ONE]
            at -= ONE
        literals[at] = literal


@routine
def _write_hint(evidence: Bytes, end: np.uint64, hint: np.uint64, serials: Words, count: np.uint64) -> np.uint64:
    """Write a hint and return the new end; `count` is the number of lemmas before it."""
    which = hint >> KIND_BITS
    if hint & KIND == JAM:
        evidence[end] = UPWARDS if which else DOWNWARDS
        return end + ONE
    if hint & KIND == GROUP:
        evidence[end] = OF_GROUP
        return np.uint64(_write_number(evidence, end + ONE, which))
    evidence[end] = OF_LEMMA
    return np.uint64(_write_number(evidence, end + ONE, count + ONE - serials[which]))
