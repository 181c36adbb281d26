"""The compiled check of every game on any text, and the errors for texts that are not layouts."""

import numpy as np
import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Texts, lengths_to_starts, to_texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.solving.loading import canonical_mask, not_canonical_error
from tests.doing import each_game
from tests.fuzz.layouts import subject_of

MANY = 10_000


def mask(game: Game, texts: list[bytes]) -> list[bool]:
    starts = lengths_to_starts([len(text) for text in texts])
    accepted: list[bool] = canonical_mask(game, Texts(np.frombuffer(b"".join(texts), dtype=np.uint8), starts)).tolist()
    return accepted


@each_game
def test_some_of_the_hostile_texts_are_canonical(game: Game) -> None:
    assert MANY // 50 < sum(mask(game, subject_of(game.name).hostile_texts(1, MANY))) < MANY // 2


@each_game
def test_a_game_without_a_compiled_check_uses_its_reader(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = subject_of(game.name).hostile_texts(3, 1_000)
    compiled = mask(game, texts)
    monkeypatch.setattr(type(game), "mask", None)
    assert mask(game, texts) == compiled
    assert len(canonical_mask(game, to_texts([]))) == 0


def test_the_reasons_are_those_of_the_reader() -> None:
    expected = {
        "": "the text has no layout",
        " AABB": "the canonical text is 'AABB'",
        "AAB": "letter B occurs only once",
    }
    for text, reason in expected.items():
        assert not_canonical_error(find_game("memory"), text).reasons == (reason,)
    several = not_canonical_error(find_game("hi-q"), "2 5 0 6 0")
    assert str(several) == "'2 5 0 6 0' is not a canonical layout of hi-q: the text has more than one layout"
    beyond = not_canonical_error(find_game("hi-q"), "1 5 0 6 0")
    assert beyond.reasons == ("this is game 2, but the first line announces 1",)
