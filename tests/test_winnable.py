"""Deals that can be won: those that a search of all deals finds, by grade, and the same for everyone."""

from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

import dealmill
from dealmill.cli import dealmill as commands
from dealmill.pipeline.games import find_engine, games
from dealmill.pipeline.solving import winnable
from dealmill.verdicts import Verdict


def test_the_deals_are_those_that_a_search_of_all_finds() -> None:
    solved = dealmill.solve("card-pairing", dealmill.deals("card-pairing", seed=4, first=7, count=300))
    wins = [(number, result) for number, result in enumerate(solved, start=7) if result.verdict is Verdict.WINNABLE]
    chosen = list(islice(dealmill.winnable_deals("card-pairing", seed=4, first=7), len(wins)))
    assert [(win.line, win.layout, win.evidence) for win in chosen] == [
        (number, result.layout, result.evidence) for number, result in wins
    ]
    by_grade = {
        grade: [number for number, result in wins if result.grade == grade] for grade in {win.grade for win in chosen}
    }
    assert len(by_grade) == 4
    for grade, numbers in by_grade.items():
        graded = dealmill.winnable_deals("card-pairing", seed=4, first=7, grade=grade, count=len(numbers))
        assert [win.line for win in graded] == numbers


def test_grades_are_bounded_by_nodes_or_by_the_chance_of_a_careful_player() -> None:
    for game, name, step in (("tantrix-loop", "winnable", 1), ("klondike", "chances", -1)):
        [engine] = [each for each in games()[game].engines if each.name == name]
        assert [engine.grade(end + more) for end in engine.grades for more in (0, step)] == [1, 2, 2, 3, 3, 4, 4, 5]
        for grade in range(1, 6):
            low, high = engine.range_of_grade(grade)
            assert engine.grade(low) == grade and engine.grade(low if high is None else high) == grade
    for engine in (engine for each in games().values() for engine in each.engines if engine.grades):
        assert sorted({*engine.grades}, reverse=engine.scores) == [*engine.grades]
        assert not engine.scores or engine.grade(0) == 5 != engine.grade(1_000)


def test_a_careful_player_grades_the_wins_of_patiences_and_covering_games() -> None:
    wins = list(islice(dealmill.winnable_deals("tripeaks", seed=4), 30))
    played = dealmill.solve("tripeaks/chances", [win.layout for win in wins])
    grades = [result.grade for result in played]
    assert all(win.grade is None for win in wins) and len({*grades}) > 3
    for grade in {*grades}:
        lines = [win.line for win, own in zip(wins, grades, strict=True) if own == grade]
        chosen = dealmill.winnable_deals("tripeaks", seed=4, grade=grade, count=len(lines))
        assert [win.line for win in chosen] == lines


def test_the_command_prints_deals_that_others_read(tmp_path: Path) -> None:
    command = ["deal", "klondike", "--winnable", "--count", "2", "--grade", "1", "--solution"]
    printed = CliRunner().invoke(commands, command).stdout
    (tmp_path / "klondike.txt").write_text(printed)
    with dealmill.open(f"sqlite:///{tmp_path / 'store.db'}") as store:
        run = store.run(tmp_path / "klondike.txt")
        played = dealmill.solve("klondike/chances", run.results())
        assert [result.grade for result in played] == [1, 1] and not list(run.rejects())
        assert all(f"# solution: {result.evidence}\n" in printed for result in run.results())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing --winnable --grade 9", "there is no game 'nothing'"),
        ("memory --winnable", "does not tell whether a deal can be won"),
        ("klondike --winnable --grade 6", "grade must be a whole number from 1 to 5, not 6"),
        ("camelot --winnable --grade 2", "has no fixed grades"),
        ("klondike --solution", "add --winnable"),
    ],
)
def test_what_cannot_be_asked_is_said(words: str, message: str) -> None:
    asked = CliRunner().invoke(commands, ["deal", *words.split()])
    assert asked.exit_code and message in asked.output + str(asked.exception)


def test_a_search_without_end_ends() -> None:
    _, engine = find_engine("british-canister/winnable")
    deals = dealmill.deals("british-canister", seed=1)
    with pytest.raises(
        dealmill.NotFoundError, match="no further winnable deal of british-canister up to deal 20 within"
    ):
        next(winnable.winnable_deals(deals, engine, None, winnable.MAX_NODES, 20))
