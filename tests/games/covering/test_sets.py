"""The benchmark sets of covering games: every entry is proved, and the engine says what it says."""

import json

import pytest

from bench import sets
from dealmill.pipeline.engine_bench import set_file
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.solve import solve


@pytest.mark.slow
@pytest.mark.parametrize("name", sets.COVERING_GAMES)
def test_every_entry_of_a_set_is_proved_and_the_engine_says_it(name: str) -> None:
    game = find_game(name)
    rows = [json.loads(line) for line in set_file(game).read_text().splitlines()]
    assert len(rows) == len({row["layout"] for row in rows}) == sets.SIZE
    for row in rows:
        game.compiled_check("winnable", row["layout"], Verdict.of(row["verdict"]), None, row["evidence"])
    solved = solve(f"{name}/winnable", [row["layout"] for row in rows])
    assert solved.nodes == [row["nodes"] for row in rows] and solved.evidence == [row["evidence"] for row in rows]
    words = [row["verdict"] for row in rows]
    assert min(words.count("winnable"), words.count("unwinnable")) * 3 >= len(rows)
