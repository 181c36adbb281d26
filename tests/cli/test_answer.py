"""``dealmill answer``: the statement's output, byte for byte, as a stream."""

from pathlib import Path

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.solving.loading import load
from tests.doing import ENGINES, each_game
from tests.servers import dealmill, peak_memory

FEW = 100_000
"""Layouts that fill all blocks that are read at once, whose number is limited. Fewer need less memory."""


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile all engines first, so that the command does not report it."""
    for game, engine in ENGINES:
        load(game.full_name(engine))


@each_game
def test_the_statement_gets_its_answer_and_a_bad_layout_a_question_mark(game: Game, tmp_path: Path) -> None:
    statement = game.examples / f"{game.name}-statement.txt"
    answered = dealmill("answer", game.name, cwd=tmp_path, stdin=statement.read_bytes())
    expected = (game.examples / f"{game.name}-statement.answer").read_text()
    assert (answered.returncode, answered.stdout, answered.stderr) == (0, expected, "")

    good = (game.examples / f"{game.name}-deals.txt").read_text().splitlines()[:2]
    whole = dealmill("answer", game.name, cwd=tmp_path, stdin="\n".join(good))
    broken = dealmill("answer", game.name, cwd=tmp_path, stdin="\n".join([good[0], "nonsense ?", good[1]]))
    form = game.answer
    words = whole.stdout.removeprefix(form.opening).removesuffix(f"\n{form.closing}").split(form.between)
    assert broken.stdout == f"{form.opening}{form.between.join([words[0], '?', words[1]])}\n{form.closing}"
    assert broken.returncode == 4
    assert broken.stderr.startswith("line 2: ")
    assert not list(tmp_path.iterdir())


def test_the_engine_chooses_the_strategy(tmp_path: Path) -> None:
    worst = "AYBACBDCEDFEGFHGIHJIKJLKMLNMONPOQPRQSRTSUTVUWVXWYX"
    for engine, flips in (("two-pass", 100), ("memory/two-pass-last-card", 98), ("incremental", 98)):
        answered = dealmill("answer", "memory", "--engine", engine, cwd=tmp_path, stdin=worst)
        assert answered.stdout == f"{flips}\n"


def test_empty_input_gives_empty_output(tmp_path: Path) -> None:
    answered = dealmill("answer", "hi-q", cwd=tmp_path, stdin="")
    assert (answered.stdout, answered.returncode) == ("HI Q OUTPUT\nEND OF OUTPUT\n", 0)


@pytest.mark.parametrize("name", ["camelot", "tantrix"])
@pytest.mark.slow
def test_memory_does_not_grow_with_the_input(name: str, tmp_path: Path) -> None:
    game = find_game(name)
    deals = (game.examples / f"{game.name}-deals.txt").read_text()
    few, many = (times * FEW // len(deals.splitlines()) for times in (1, 4))
    peaks = []
    for times in (few, many):
        (tmp_path / "deals.txt").write_text(deals * times)
        peaks.append(peak_memory(["answer", game.name], tmp_path / "deals.txt", tmp_path / "answers"))
    assert len((tmp_path / "answers").read_text().split()) >= 4 * FEW
    assert peaks[1] - peaks[0] < (many - few) * len(deals) >> 10
