"""The kernel of card pairing for layouts of any size: decides them with `learning`, and writes their evidence."""

from functools import cache, partial
from pathlib import Path

import numpy as np

from dealmill.game import Bytes, Numbers, Results, Solved, Texts, compiling, kernel, pack, run_kernel
from dealmill.pipeline.games.card_pairing.evidence import LONGEST_EVIDENCE, write_certificate, write_play
from dealmill.pipeline.games.card_pairing.implications import begin, new_state
from dealmill.pipeline.games.card_pairing.learning import NODES, new_heuristics, new_lemmas, search
from dealmill.pipeline.games.card_pairing.options import NONE, new_table
from dealmill.pipeline.games.card_pairing.search import LOST, POSSIBLE, WON, ZERO
from dealmill.verdicts import Verdict

WINNABLE = int(Verdict.WINNABLE)
UNWINNABLE = int(Verdict.UNWINNABLE)
UNDECIDED = int(Verdict.UNDECIDED)

ROOM = 16 * LONGEST_EVIDENCE
"""The room for the evidence of a call, in bytes. What is not used takes no memory."""


def winnable(layouts: Texts, max_nodes: int) -> Solved:
    """Decide whether any play wins; a node is a decision to take an option."""
    _compile()
    return run_kernel(partial(_solve_each, POSSIBLE), layouts, max_nodes, ROOM)


@cache
def _compile() -> None:
    """Compile the kernel, which is done only once a layout needs it, or load it from the cache."""
    with compiling(Path(__file__).parent, "card-pairing/winnable for layouts of any size"):
        run_kernel(partial(_solve_each, POSSIBLE), pack(["A A"]), 0, ROOM)


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
        outcome = search(table, state, possible, lemmas, heuristics, limit)
        results.nodes[i] = lemmas.counts[NODES]
        results.verdicts[i] = UNDECIDED
        if outcome == WON:
            results.verdicts[i] = WINNABLE
            end += write_play(table, state, results.evidence[end:])
        elif outcome == LOST:
            length = write_certificate(table, state, lemmas, results.evidence[end:])
            if length != NONE:
                results.verdicts[i] = UNWINNABLE
                end += length
        results.ends[i] = end
    return len(results.verdicts)
