"""What every game must keep, found by itself: a new folder is tested without a line here."""

import io
import sys
from pathlib import Path

import pytest

from dealmill.pipeline.answer import answer
from dealmill.pipeline.errors import DealmillError, InvalidEvidence
from dealmill.pipeline.games import _games, find_engine, find_game, games
from dealmill.pipeline.games.batch import Bytes, Numbers, Results, pack, run_kernel
from dealmill.pipeline.games.contract import Engine, Game, Layout, Reject
from dealmill.pipeline.games.entries import Entries
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.named import game_of_file
from dealmill.pipeline.solve import solve, solve_texts
from tests.doing import deal

GAMES = list(games().values())
ENGINES = [(game, engine) for game in GAMES for engine in game.engines]
DEALS = 200
MANY = 2_000
NOISE = ["", "\0", "?", "1", "-1", "9" * 400, "A" * 10_000, "ä ö ü", "X/Y/Z", "<script>", "'; DROP TABLE layouts; --"]

each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)


def numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), start=1))


def example(game: Game, kind: str) -> str:
    return (game.examples / f"{game.name}-{kind}").read_text()


@each_game
def test_a_game_is_found_by_the_name_of_its_folder(game: Game) -> None:
    assert find_game(game.name) is game
    assert find_engine(game.name) == (game, game.engines[0])


def test_a_folder_without_a_game_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "golf").mkdir()
    (tmp_path / "golf" / "__init__.py").write_text("")
    monkeypatch.setattr("dealmill.pipeline.games.__path__", [str(tmp_path)])
    monkeypatch.setattr("sys.modules", dict(sys.modules))
    with pytest.raises(DealmillError, match=r"golf/__init__\.py has no GAME"):
        _games.__wrapped__()


def test_evidence_for_which_there_is_no_room_is_told() -> None:
    with pytest.raises(ValueError, match="longer than the maximum of 3 bytes"):
        run_kernel(_wasteful, pack(["layout"]), 1, 3)


def _wasteful(_text: Bytes, _starts: Numbers, first: int, _limit: int, results: Results) -> int:
    results.ends[first] = 4
    return first + 1


@each_game
def test_a_file_named_like_a_game_is_taken_for_one_of_it(game: Game) -> None:
    """So no game's name may be a part of another's."""
    assert game_of_file(f"{game.name}-deals.txt") is game


@each_game
def test_the_statement_is_read_without_rejects(game: Game) -> None:
    entries = list(game.layout.read(numbered(example(game, "statement.txt"))))
    assert entries
    assert all(isinstance(entry, Layout) for entry in entries)


@each_game
def test_the_statement_gets_the_answer_it_gives(game: Game) -> None:
    out = io.StringIO()
    entries = Entries.of(list(game.layout.read(numbered(example(game, "statement.txt")))))
    answered = answer(game, game.engines[0], [entries], out, pytest.fail)
    assert out.getvalue() == example(game, "statement.answer")
    assert answered.rejected == answered.failed == 0


@each_game
def test_canonical_text_reads_back_as_itself(game: Game) -> None:
    texts = [entry.text for entry in game.layout.read(numbered(example(game, "statement.txt")))]
    texts += deal(game, 5, 1, DEALS)
    again = list(game.layout.read(list(enumerate(texts, start=1))))
    assert [entry.text for entry in again] == texts
    assert all(isinstance(entry, Layout) for entry in again)
    assert all("\n" not in text and text.isascii() and text.strip() == text for text in texts)


@each_game
def test_the_example_deals_are_the_first_of_seed_1(game: Game) -> None:
    assert example(game, "deals.txt").splitlines() == deal(game, 1, 1, 2000)


@each_game
def test_a_deal_is_reached_without_those_before_it(game: Game) -> None:
    assert deal(game, 7, 500, 3) == deal(game, 7, 1, 502)[499:]
    assert deal(game, 7, 500, 1) != deal(game, 8, 500, 1)
    assert len(deal(game, 2**64 - 1, 2**63 - 5, 5)) == 5


@each_game
@pytest.mark.parametrize("noise", NOISE)
def test_noise_is_rejected_with_reasons_and_never_raises(game: Game, noise: str) -> None:
    for entry in game.layout.read([(1, noise)]):
        assert isinstance(entry, Reject)
        assert entry.reasons and all(entry.reasons)
        assert len(entry.text) <= 200


@each_game
def test_layouts_between_bad_ones_are_kept(game: Game) -> None:
    good = deal(game, 9, 1, 3)
    lines = [good[0], "nonsense ?", good[1], "", good[2], "nonsense ?"]
    entries = list(game.layout.read(list(enumerate(lines, start=1))))
    assert [entry.text for entry in entries if isinstance(entry, Layout)] == good
    assert [entry.line for entry in entries] == [1, 2, 3, 5, 6]


@each_game
def test_no_other_game_takes_its_deals(game: Game) -> None:
    for other in GAMES:
        if other is not game:
            entries = list(other.layout.read(list(enumerate(deal(game, 3, 1, 20), start=1))))
            assert not any(isinstance(entry, Layout) for entry in entries)


@each_engine
def test_every_verdict_is_proved_to_the_referee(game: Game, engine: Engine) -> None:
    layouts = deal(game, 11, 1, MANY)
    solved = solve(game.full_name(engine), layouts)
    assert len(solved) == MANY
    assert Verdict.FAILED not in solved.verdicts
    for layout, verdict, value, evidence in zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True):
        assert evidence is not None and evidence.isascii() and "\n" not in evidence
        assert (value is None) == (verdict is not Verdict.SCORED)
        game.rules.check(engine.name, layout, verdict, value, evidence)


@each_engine
def test_every_verdict_has_a_word_in_an_answer(game: Game, engine: Engine) -> None:
    solved = solve(game.full_name(engine), deal(game, 16, 1, MANY))
    assert all(game.answer.word(*given) for given in zip(solved.verdicts, solved.values, strict=True))


@each_engine
def test_evidence_of_another_layout_is_refused(game: Game, engine: Engine) -> None:
    layouts = deal(game, 12, 1, DEALS)
    solved = solve(game.full_name(engine), layouts)
    refused = 0
    for index in range(DEALS):
        for other in (number % DEALS for number in range(index + 1, index + DEALS)):
            theirs = solved.evidence[other]
            both_lost = solved.verdicts[index] is solved.verdicts[other] is Verdict.UNWINNABLE
            if not both_lost and theirs != solved.evidence[index]:
                break
        else:
            continue
        assert theirs is not None
        with pytest.raises(InvalidEvidence):
            game.rules.check(engine.name, layouts[index], solved.verdicts[other], solved.values[other], theirs)
        refused += 1
    assert refused > DEALS // 4


@each_engine
def test_a_verdict_depends_on_nothing_but_the_layout(game: Game, engine: Engine) -> None:
    layouts = deal(game, 13, 1, DEALS)
    name = game.full_name(engine)
    whole = solve(name, layouts)
    backwards = solve(name, layouts[::-1])
    alone = [solve(name, [layout]) for layout in layouts[:20]]
    assert backwards.evidence[::-1] == whole.evidence
    assert backwards.nodes[::-1] == whole.nodes
    assert [one.evidence[0] for one in alone] == whole.evidence[:20]
    assert [one.verdicts[0] for one in alone] == whole.verdicts[:20]


@each_engine
def test_a_node_limit_decides_less_but_nothing_else(game: Game, engine: Engine) -> None:
    layouts = deal(game, 14, 1, DEALS)
    name = game.full_name(engine)
    free = solve(name, layouts)
    for limit in (1, 5, max(free.nodes)):
        limited = solve(name, layouts, limit)
        lengths = solve_texts(name, pack(layouts), limit).evidence.lengths
        for index in range(DEALS):
            if free.nodes[index] <= limit:
                assert limited.verdicts[index] is free.verdicts[index]
                assert limited.evidence[index] == free.evidence[index]
            else:
                assert limited.verdicts[index] is Verdict.UNDECIDED
                assert limited.evidence[index] is None
                assert limited.values[index] is None
                assert lengths[index] == 0
            assert limited.nodes[index] <= limit


@each_engine
def test_boards_are_drawn_for_the_layout_and_every_step(game: Game, engine: Engine) -> None:
    for layout in deal(game, 15, 1, 5):
        solved = solve(game.full_name(engine), [layout])
        frames = list(game.picture.frames(layout, solved.verdicts[0], solved.evidence[0]))
        assert len(frames) > 1
        assert list(game.picture.frames(layout)) == frames[:1]
        assert all(len(line) <= 100 for frame in frames for line in frame.splitlines())


@each_engine
def test_no_layouts_are_solved_at_once(game: Game, engine: Engine) -> None:
    assert len(solve(game.full_name(engine), [])) == 0
    assert len(game.solver(engine)(pack([]), 1).verdicts) == 0
