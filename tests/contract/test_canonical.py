"""The compiled check of every game says what its reader says, and stands in front of every engine."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games import find_game, games, guard
from dealmill.pipeline.games.batch import Numbers, Solved, Texts, pack
from dealmill.pipeline.games.contract import NO_LIMIT, Engine, Game
from dealmill.pipeline.games.guard import compiled_check
from dealmill.pipeline.games.verdict import Verdict
from tests.doing import deal
from tests.fuzz import inputs
from tests.fuzz.layouts import altered_texts, canonical_texts, is_canonical, noise

GAMES = list(games().values())
ENGINES = [(game, engine) for game in GAMES for engine in game.engines]
MANY = 10_000
SEPARATORS = {"none": b"", "line feeds": b"\n", "letters": b"A"}

each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)


def flat(texts: list[bytes], separator: bytes = b"") -> tuple[bytes, Numbers, Numbers]:
    """Texts in one, with their starts and ends; no byte comes after the last text."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ends = np.cumsum(lengths + len(separator)) - len(separator)
    return separator.join(texts), ends - lengths, ends


def mask(game: Game, texts: list[bytes]) -> list[bool]:
    text, starts, _ = flat(texts)
    layouts = Texts(np.frombuffer(text, dtype=np.uint8), np.append(starts, len(text)))
    found: list[bool] = game.canonical(layouts).tolist()
    return found


def hostile(game: Game, seed: int) -> list[bytes]:
    return [*canonical_texts(game), *islice(altered_texts(game, seed), MANY), *islice(noise(game, seed), MANY // 5)]


@each_game
def test_the_check_takes_all_canonical_texts(game: Game) -> None:
    assert all(mask(game, canonical_texts(game)))
    assert game.canonical(pack(deal(game, 5, 1, MANY))).all()


@each_game
def test_the_check_says_what_the_reader_says_of_altered_texts(game: Game) -> None:
    texts = hostile(game, 1)
    expected = [is_canonical(game, text) for text in texts]
    found = mask(game, texts)
    assert [text for text, one, other in zip(texts, expected, found, strict=True) if one != other] == []
    assert MANY // 50 < sum(expected) < MANY // 2


@each_game
def test_the_check_says_what_the_reader_says_of_any_text(game: Game) -> None:
    real = st.sampled_from([text.decode() for text in canonical_texts(game)])

    @given(st.lists(inputs.mutated(real) | inputs.anything | st.text(), max_size=5))
    def agrees(texts: list[str]) -> None:
        expected = [is_canonical(game, text.encode("utf-8", "surrogatepass")) for text in texts]
        assert game.canonical(pack(texts)).tolist() == expected

    agrees()


@pytest.mark.parametrize("separator", SEPARATORS.values(), ids=SEPARATORS)
@pytest.mark.parametrize("game", [game for game in GAMES if compiled_check(game)], ids=lambda game: game.name)
def test_texts_may_be_lines_of_a_block(game: Game, separator: bytes) -> None:
    texts = hostile(game, 2)[:1_000]
    text, starts, ends = flat(texts, separator)
    check = compiled_check(game)
    assert check
    assert check.mask(np.frombuffer(text, dtype=np.uint8), starts, ends).tolist() == mask(game, texts)


@each_game
def test_no_texts_give_an_empty_mask(game: Game) -> None:
    assert len(game.canonical(pack([]))) == 0


@each_game
def test_a_game_without_a_compiled_check_uses_its_reader(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = hostile(game, 3)[:1_000]
    found = mask(game, texts)
    monkeypatch.setattr(guard, "compiled_check", lambda _game: None)
    assert mask(game, texts) == found
    assert len(game.canonical(pack([]))) == 0


def unreachable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """An engine that must never get a layout."""
    raise AssertionError


@each_game
def test_nothing_else_reaches_an_engine(game: Game) -> None:
    solve = guard.checked_solver(game, unreachable)
    good = canonical_texts(game)[0].decode()
    refused = [text.decode("utf-8", "replace") for text in hostile(game, 4) if not is_canonical(game, text)][:500]
    for text in ["", "garbage", "ä", "\ud800", "\0", f"{good}\n", f"{good}\n{good}", "x" * 5_000, *refused]:
        with pytest.raises(BadLayout) as caught:
            solve(pack([good, text, good]))
        assert f" is not a canonical layout of {game.name}: " in str(caught.value)
        assert str(caught.value).startswith(repr(text[:200]))
        assert caught.value.reasons and all(caught.value.reasons)
    with pytest.raises(AssertionError):
        solve(pack([good]))


@each_engine
def test_an_engine_comes_behind_the_check(game: Game, engine: Engine) -> None:
    good = canonical_texts(game)[0].decode()
    with pytest.raises(BadLayout, match=f"'garbage' is not a canonical layout of {game.name}: "):
        game.solver(engine)(pack([good, "garbage"]))
    assert game.solver(engine)(pack([good])).verdicts[0] != Verdict.FAILED


def test_the_reasons_are_those_of_the_reader() -> None:
    expected = {
        "": "the text has no layout",
        " AABB": "the canonical text is 'AABB'",
        "AAB": "letter B occurs only once",
    }
    for text, reason in expected.items():
        assert guard.not_canonical_error(find_game("memory"), text).reasons == (reason,)
    several = guard.not_canonical_error(find_game("hi-q"), "2 5 0 6 0")
    assert str(several) == "'2 5 0 6 0' is not a canonical layout of hi-q: the text has more than one layout"
    beyond = guard.not_canonical_error(find_game("hi-q"), "1 5 0 6 0")
    assert beyond.reasons == ("this is game 2, but the first line announces 1",)
