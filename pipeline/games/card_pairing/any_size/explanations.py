"""Explanations in card pairing: the options whose values are the reason of another one's value, or of a conflict."""

import numpy as np

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.card_pairing.any_size.implications import (
    CAUSES,
    CLOSURE,
    DECISION,
    GROUP,
    JAM,
    KIND,
    KIND_BITS,
    LEMMA,
    RIVAL,
    State,
)
from dealmill.pipeline.games.card_pairing.any_size.table import NONE, Table
from dealmill.pipeline.games.card_pairing.sets import FOUR, ONE, THREE, TWO, ZERO, Halves, Words


@routine
def explain(
    table: Table, state: State, literals: Halves, starts: Words, option: np.uint64, reason: np.uint64, limit: np.uint64
) -> bool:
    """Set `causes` to the options whose values imply that of an option for a reason; for a conflict, the option is
    `NONE`.

    `literals` and `starts` are the lemmas. Returns False if a closed option has no explanation with at most `limit`
    options that conflict analysis has not met yet.
    """
    state.now[CAUSES] = ZERO
    kind, which = reason & KIND, reason >> KIND_BITS
    if kind == DECISION:
        return False
    if kind == CLOSURE:
        pairs = FOUR * option
        a, b, c, d = table.pairs[pairs], table.pairs[pairs + ONE], table.pairs[pairs + TWO], table.pairs[pairs + THREE]
        if _find_cycle(table, state, state.positions[option], a, b, c, d, limit):
            return True
        return a != c and _find_cycle(table, state, state.positions[option], c, d, a, b, limit)
    if kind == RIVAL:
        _add(state, which)
    elif kind == GROUP:
        leader = table.leaders[which]
        for entry in range(table.entry_starts[leader], table.entry_starts[leader + ONE]):
            if table.entry_options[entry] != option:
                _add(state, table.entry_options[entry])
    elif kind == LEMMA:
        for k in range(starts[which], starts[which + ONE]):
            if np.uint64(literals[k]) >> ONE != option:
                _add(state, np.uint64(literals[k]) >> ONE)
    elif kind == JAM:
        _explain_jam(table, state)
    return True


@inlined
def _add(state: State, option: np.uint64) -> None:
    state.causes[state.now[CAUSES]] = option
    state.now[CAUSES] += ONE


@inlined
def _explain_jam(table: Table, state: State) -> None:
    """Add the options of which one would have to be open: those of free cards that stay, with mates that are free."""
    for card in range(table.cards):
        if state.free[card] and not state.gone[card]:
            for entry in range(table.entry_starts[card], table.entry_starts[card + ONE]):
                if state.free[table.entry_mates[entry]]:
                    _add(state, table.entry_options[entry])


@routine
def _find_cycle(
    table: Table,
    state: State,
    time: np.uint64,
    a: np.uint64,
    b: np.uint64,
    c: np.uint64,
    d: np.uint64,
    limit: np.uint64,
) -> bool:
    """Find a way from the pair a, b down the stacks and over mates back to it, and add the options on it to `causes`.

    The mates are those of options taken before position `time` of the trail, and c and d are mates, too, unless they
    are a and b. This is a breadth-first search in which options met before, or at level 0, cost nothing.
    """
    near, far, entered, came_from = state.near, state.far, state.entered, state.came_from
    for stack in range(len(table.stack_starts)):
        state.covered[stack] = table.stack_starts[stack]
    near[ZERO], near[ONE] = a, b
    came_from[a] = came_from[b] = NONE
    nearby, distant, cost = TWO, ZERO, ZERO
    while True:
        while nearby:
            nearby -= ONE
            over = near[nearby]
            stack, index = table.stack_of[over], table.index_of[over]
            begin = state.covered[stack]
            for lower in range(begin, index):
                card = table.card_at[lower]
                entered[card] = over
                if card in (a, b):
                    _trace_back(state, card, c, d)
                    return True
                if card in (c, d):
                    mate = c + d - card
                    came_from[mate] = card
                    near[nearby] = mate
                    nearby += ONE
                    continue
                option = state.chosen[card]
                if option == NONE or state.positions[option] >= time:
                    continue
                mate = state.mates[card]
                came_from[mate] = card
                if state.seen[option] or state.levels[option] == ZERO:
                    near[nearby] = mate
                    nearby += ONE
                else:
                    far[distant] = mate
                    distant += ONE
            state.covered[stack] = max(begin, index)
        if distant == ZERO or cost == limit:
            return False
        cost += ONE
        near, far = far, near
        nearby, distant = distant, ZERO


@inlined
def _trace_back(state: State, card: np.uint64, c: np.uint64, d: np.uint64) -> None:
    while state.came_from[state.entered[card]] != NONE:
        card = state.came_from[state.entered[card]]
        if card not in (c, d):
            _add(state, state.chosen[card])
