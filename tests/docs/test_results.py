"""The surveys of docs/results.md are repeated; the public figures below them are tests of their own."""

import pytest

import dealmill
from tests.reproduce.page import PAGE
from tests.reproduce.surveys import QUESTIONS, Question


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.what)
def test_a_survey_gives_the_row_of_the_page(question: Question, tmp_path_factory: pytest.TempPathFactory) -> None:
    with dealmill.open(f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db") as store:
        assert f"| {' | '.join(question.row(question.survey(store)))} |\n" in PAGE.read_text()
