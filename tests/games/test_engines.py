"""What holds for the engines of all games beyond the checks in `dealmill.testing`."""

from functools import partial

import pytest

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import deal, each_engine, solver
from tests.fuzz.layouts import canonical_texts


@each_engine
def test_no_nodes_allowed_leaves_all_layouts_undecided(game: Game, engine: Engine) -> None:
    batch = solver(game.full_name(engine))(deal(game, 1, 1, 2), max_nodes=0)
    assert batch.verdicts == [Verdict.UNDECIDED] * 2
    assert (batch.values, batch.nodes, batch.evidence) == ([None] * 2, [0] * 2, [None] * 2)


@pytest.mark.slow
@each_engine
def test_a_batch_may_need_more_room_for_evidence_than_is_reserved(game: Game, engine: Engine) -> None:
    solve, layouts = solver(game.full_name(engine)), deal(game, 1, 1, 10)
    assert solve(layouts * 1_000).evidence == solve(layouts).evidence * 1_000


@each_engine
def test_layouts_of_all_sizes_can_be_in_one_batch(game: Game, engine: Engine) -> None:
    solve = partial(solver(game.full_name(engine)), max_nodes=10_000)
    layouts = [text.decode() for text in canonical_texts(game)]
    together = solve(layouts)
    assert together.evidence == [solve([layout]).evidence[0] for layout in layouts]
    backwards = solve(layouts[::-1])
    assert (together.evidence, together.nodes) == (backwards.evidence[::-1], backwards.nodes[::-1])
