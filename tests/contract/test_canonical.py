"""The compiled check of every game on any text, and the errors for texts that are not layouts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.batch import Texts, lengths_to_starts, pack
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import canonical_mask, load, not_canonical_error
from dealmill.testing.subject import is_canonical
from tests.fuzz import inputs
from tests.fuzz.layouts import canonical_texts, subject_of

ENGINES = [(game, engine) for game in games().values() for engine in game.engines]
MANY = 10_000

each_game = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)
each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)


def mask(game: Game, texts: list[bytes]) -> list[bool]:
    starts = lengths_to_starts([len(text) for text in texts])
    found: list[bool] = canonical_mask(game, Texts(np.frombuffer(b"".join(texts), dtype=np.uint8), starts)).tolist()
    return found


@each_game
def test_some_of_the_hostile_texts_are_canonical(game: Game) -> None:
    assert MANY // 50 < sum(mask(game, subject_of(game.name).hostile_texts(1, MANY))) < MANY // 2


@each_game
def test_the_compiled_check_agrees_with_the_reader_on_any_text(game: Game) -> None:
    real = st.sampled_from([text.decode() for text in canonical_texts(game)])

    @given(st.lists(inputs.mutated(real) | inputs.anything | st.text(), max_size=5))
    def agrees(texts: list[str]) -> None:
        expected = [is_canonical(game, text.encode("utf-8", "surrogatepass")) for text in texts]
        assert canonical_mask(game, pack(texts)).tolist() == expected

    agrees()


@each_game
def test_a_game_without_a_compiled_check_uses_its_reader(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = subject_of(game.name).hostile_texts(3, 1_000)
    found = mask(game, texts)
    monkeypatch.setattr(type(game), "mask", None)
    assert mask(game, texts) == found
    assert len(canonical_mask(game, pack([]))) == 0


@each_engine
def test_engines_get_canonical_layouts_only(game: Game, engine: Engine) -> None:
    good, solver = canonical_texts(game)[0].decode(), load(game.full_name(engine))
    with pytest.raises(BadLayout, match=f"'garbage' is not a canonical layout of {game.name}: "):
        solver(pack([good, "garbage"]))
    assert solver(pack([good])).verdicts[0] != Verdict.FAILED


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
