"""The process that sends hostile texts through all checks and engines, or those of some games:
``python -m tests.fuzz.kernels SEED SECONDS [GAME…]``.

A kernel that leaves its bounds may end the process. With ``NUMBA_BOUNDSCHECK=1`` in its environment, the kernels check
their indexes and raise an error instead.
"""

import gc
import sys
import time
from collections.abc import Sequence
from itertools import count

import numpy as np

from dealmill.pipeline.games import batch, find_game
from dealmill.pipeline.games.batch import Texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.loading import canonical_mask
from dealmill.pipeline.solving.solve import solve_texts
from dealmill.testing.subject import is_canonical
from tests.fuzz.layouts import canonical_texts, subject_of
from tests.fuzz.targets import FEW_PLAYS, FUZZED, PLAYED

AT_ONCE = 2_000
LIMITS = (0, 1, 2, NO_LIMIT)
LIMIT = 2_000
"""Nodes for altered layouts, some of which may be hard to solve."""
FAILED = int(Verdict.FAILED)


def main(seed: int, seconds: float, games: Sequence[Game] = FUZZED) -> None:
    """Try the largest and smallest layouts, then hostile texts, some at least, until the time is over."""
    print("seed", seed, flush=True)
    gc.set_threshold(100_000)  # numba makes millions of objects while it compiles
    batch.ROOM = 1  # so that evidence gets no more room than its engine asks for, and bounds checks see all of it
    end = time.monotonic() + seconds
    for game in games:
        for limit in LIMITS:
            try_texts(game, canonical_texts(game), limit)
    tried = 0
    for number in count(seed):
        for game in games:
            tried += AT_ONCE
            try_texts(game, subject_of(game.name).hostile_texts(number, AT_ONCE), LIMIT)
        print("tried", tried, flush=True)
        if time.monotonic() > end:
            break


def try_texts(game: Game, texts: list[bytes], limit: int) -> None:
    """Check that exactly the canonical ones pass the check, and that exactly the others fail in every engine."""
    canonical = np.array([is_canonical(game, text) for text in texts])
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    layouts = Texts(np.frombuffer(b"".join(texts), dtype=np.uint8), starts)
    assert (canonical_mask(game, layouts) == canonical).all(), game.name
    for engine in game.engines:
        name = game.full_name(engine)
        solved = solve_texts(name, layouts, min(limit, FEW_PLAYS) if engine.name == PLAYED else limit)
        assert ((solved.verdicts == FAILED) == ~canonical).all(), name
        assert len(solved.evidence) == len(texts), name


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), [find_game(name) for name in sys.argv[3:]] or FUZZED)
