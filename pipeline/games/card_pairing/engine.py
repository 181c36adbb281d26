"""The engine of card pairing: classic deals go to one kernel, all other layouts to another."""

from functools import partial

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import Solved, Texts, concatenate_solved, run_kernel
from dealmill.pipeline.games.card_pairing.classic.kernel import NOT_CLASSIC, solve_each
from dealmill.pipeline.games.card_pairing.classic.search import LONGEST_CERTIFICATE, POSSIBLE


def winnable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Decide whether any play wins; a node is the assignment of a matching to a rank, or another choice of mates."""
    solved = run_kernel(partial(solve_each, POSSIBLE), layouts, max_nodes, LONGEST_CERTIFICATE)
    others = np.flatnonzero(solved.verdicts == NOT_CLASSIC)
    if not len(others):
        return solved
    from dealmill.pipeline.games.card_pairing.any_size import search

    order = np.arange(len(layouts))
    order[others] = len(layouts) + np.arange(len(others))
    return concatenate_solved([solved, search.winnable(layouts.take(others), max_nodes)]).take(order)
