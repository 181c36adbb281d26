"""The surveys of docs/results.md are repeated, except for those that take long, which `make reproduce` repeats; the
public figures below them are tests of their own."""

from pathlib import Path

import pytest

import dealmill
from bench.reproduce import patiences
from bench.reproduce.page import PAGE
from bench.reproduce.surveys import QUESTIONS, Question

QUICK_PATIENCES = ("alpha-star", "british-canister", "delta-star", "trigon")
LONG = {"card-pairing/odds", "hi-q/fewest"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", [question for question in QUESTIONS if question.engine not in LONG], ids=lambda question: question.what
)
def test_a_survey_gives_the_row_of_the_page(question: Question, tmp_path_factory: pytest.TempPathFactory) -> None:
    with dealmill.open(f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db") as store:
        assert f"| {' | '.join(question.row(question.survey(store)))} |\n" in PAGE.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK_PATIENCES)
def test_a_survey_of_a_patience_gives_the_row_of_the_page(name: str, tmp_path: Path) -> None:
    with dealmill.open(f"sqlite:///{tmp_path}/a.db") as store:
        survey = patiences.question(name).survey(store)
        patiences.check(name, survey)
        assert f"| {' | '.join(patiences.row(name, survey))} |\n" in PAGE.read_text()


def test_the_page_has_a_row_for_each_patience() -> None:
    for game in patiences.PATIENCES.values():
        assert f"\n| {game.title} | " in PAGE.read_text()
