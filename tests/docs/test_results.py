"""The surveys of docs/results.md are repeated, except for those that take long, which `make reproduce` repeats; the
public figures below them are tests of their own."""

from pathlib import Path

import pytest

import dealmill
from bench.reproduce import families
from bench.reproduce.page import PAGE
from bench.reproduce.surveys import QUESTIONS, Question

QUICK = ("alpha-star", "british-canister", "delta-star", "trigon", "escalator", "tripeaks")
LONG = {"card-pairing/odds", "hi-q/fewest"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", [question for question in QUESTIONS if question.engine not in LONG], ids=lambda question: question.what
)
def test_a_survey_gives_the_row_of_the_page(question: Question, tmp_path_factory: pytest.TempPathFactory) -> None:
    with dealmill.open(f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db") as store:
        assert f"| {' | '.join(question.row(question.survey(store)))} |\n" in PAGE.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_survey_of_a_game_by_a_rules_file_gives_the_row_of_the_page(name: str, tmp_path: Path) -> None:
    with dealmill.open(f"sqlite:///{tmp_path}/a.db") as store:
        survey = families.question(name).survey(store)
        families.check(name, survey)
        assert f"| {' | '.join(families.row(name, survey))} |\n" in PAGE.read_text()


@pytest.mark.parametrize("family", families.GAMES)
def test_the_page_has_a_row_for_each_game_of_a_family(family: str) -> None:
    assert families.GAMES[family]
    for game in families.GAMES[family].values():
        assert f"\n| {game.title} | " in PAGE.read_text()
