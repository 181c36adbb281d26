"""The surveys of docs/results.md are repeated, except for two that take a minute each, which `make reproduce` repeats;
the public figures below them are tests of their own."""

import pytest

import dealmill
from bench.reproduce.page import PAGE
from bench.reproduce.surveys import QUESTIONS, Question

LONG = {"card-pairing/odds", "hi-q/fewest"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", [question for question in QUESTIONS if question.engine not in LONG], ids=lambda question: question.what
)
def test_a_survey_gives_the_row_of_the_page(question: Question, tmp_path_factory: pytest.TempPathFactory) -> None:
    with dealmill.open(f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db") as store:
        assert f"| {' | '.join(question.row(question.survey(store)))} |\n" in PAGE.read_text()
