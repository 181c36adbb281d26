"""The engines against the second implementation, on all small boards and many random ones."""

from collections.abc import Iterator
from itertools import permutations
from random import Random

import pytest

from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.memory import GAME
from dealmill.pipeline.games.memory.rules import check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import solver
from tests.games.memory.naive import STRATEGIES

WORST = "AYBACBDCEDFEGFHGIHJIKJLKMLNMONPOQPRQSRTSUTVUWVXWYX"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def all_small_layouts() -> list[str]:
    return sorted({"".join(cards) for letters in ("AA", "AABB", "AABBCC", "AAbBBb") for cards in permutations(letters)})


def random_layouts() -> Iterator[str]:
    random = Random(20100815)
    for _ in range(1000):
        letters = random.sample(LETTERS, random.randint(1, 52)) * 2
        random.shuffle(letters)
        yield "".join(letters)


@pytest.mark.parametrize("engine", GAME.engines, ids=lambda engine: engine.name)
def test_engine_agrees_with_the_second_implementation_and_the_referee(engine: Engine) -> None:
    layouts = [*all_small_layouts(), *random_layouts()]
    batch = solver(GAME.full_name(engine))(layouts)
    assert set(batch.verdicts) == {Verdict.SCORED}
    assert set(batch.nodes) == {1}
    for layout, verdict, value, evidence in zip(layouts, batch.verdicts, batch.values, batch.evidence, strict=True):
        flips = STRATEGIES[engine.name](layout)
        assert value == len(flips)
        assert evidence == " ".join(map(str, flips))
        check(engine.name, layout, verdict, value, evidence)


@pytest.mark.parametrize(("name", "flips"), [("two-pass", 100), ("two-pass-last-card", 98), ("incremental", 98)])
def test_worst_string_of_the_article(name: str, flips: int) -> None:
    (engine,) = (engine for engine in GAME.engines if engine.name == name)
    assert solver(GAME.full_name(engine))([WORST]).values == [flips]
