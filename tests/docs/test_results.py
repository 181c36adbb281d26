"""docs/results.json has every figure, docs/results.md shows it. The surveys are repeated, except for those that take
long, which `make reproduce` repeats; the public figures are tests of their own."""

import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

import dealmill
from bench.reproduce import families, page
from bench.reproduce.__main__ import all_tasks, main
from bench.reproduce.figures import Number
from bench.reproduce.proofs import form_of, positions_of, refereed
from bench.reproduce.results import DATA, Published, Results, SurveyRow
from bench.reproduce.surveys import QUESTIONS, Question, anchor_of, published
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.survey.interval import of_share
from tests.programs.freecell import available

QUICK = ("alpha-star", "tripeaks")
"""A patience and a covering game whose surveys take seconds."""
LONG = {"card-pairing/odds", "hi-q/fewest"}
RESULTS = Results.load()
ROWS = {row.anchor: row for row in RESULTS.rows}
WHEN = {"date", "dealmill"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", [question for question in QUESTIONS if question.engine not in LONG], ids=lambda question: question.what
)
def test_a_survey_gives_the_published_row(question: Question, tmp_path_factory: pytest.TempPathFactory) -> None:
    with dealmill.open(f"sqlite:///{tmp_path_factory.mktemp('store')}/a.db") as store:
        row = question.row(question.survey(store))
    assert row.model_dump(exclude=WHEN) == ROWS[question.anchor].model_dump(exclude=WHEN)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_survey_of_a_game_by_a_rules_file_gives_the_published_row(name: str, tmp_path: Path) -> None:
    question = families.question(name)
    with dealmill.open(f"sqlite:///{tmp_path}/a.db") as store:
        survey = question.survey(store)
        proofs = refereed(find_game(name), survey)
    assert question.row(survey, proofs).model_dump(exclude=WHEN) == ROWS[question.anchor].model_dump(exclude=WHEN)


def test_the_page_shows_the_data() -> None:
    assert page.PAGE.read_text() == page.page(), "write it again with: make docs"


def test_each_row_has_an_address_of_its_own() -> None:
    addresses = re.findall(r' id="([^"]+)" href="#([^"]+)"', page.PAGE.read_text())
    assert [(anchor, anchor) for anchor in ROWS] == addresses
    headings = {anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", page.TEXT, re.MULTILINE)}
    assert len(ROWS) == len(RESULTS.rows)
    assert not headings & set(ROWS)


def test_there_is_a_row_for_each_question_and_each_figure() -> None:
    anchors = [task.anchor for task in all_tasks()]
    assert len(set(anchors)) == len(anchors)
    others = set(ROWS) - set(anchors)
    assert set(anchors) <= set(ROWS)
    assert not others if available() else all("freecell-solver" in anchor for anchor in others)


@pytest.mark.parametrize("row", [row for row in RESULTS.rows if row.engine], ids=lambda row: row.anchor)
def test_the_engine_has_or_had_the_version_of_the_row(row: SurveyRow) -> None:
    version = find_engine(row.engine)[1].version
    number, latest = (int(text.partition("-")[0]) for text in (row.version, version))
    assert 1 <= number <= latest
    if number == latest:
        assert row.version == version


SURVEYS = (*RESULTS.surveys, *RESULTS.patiences, *RESULTS.covering_games)


@pytest.mark.parametrize("row", SURVEYS, ids=lambda row: row.anchor)
def test_the_interval_is_that_of_the_counts(row: SurveyRow) -> None:
    counts = [row.winnable, row.unwinnable, row.undecided]
    if row.estimate == "mean value":
        assert counts == [None, None, None]
        return
    won, lost, undecided = (count or 0 for count in counts)
    assert won + lost + undecided == row.deals
    interval = of_share(won, undecided, row.deals)
    places = len(row.low.partition(".")[2])
    assert [row.low, row.high] == [f"{100 * end:.{places}f}" for end in (interval.low, interval.high)]
    assert row.value == (None if undecided else f"{won / row.deals:.{places}%}".removesuffix("%"))


@pytest.mark.parametrize("row", [row for row in SURVEYS if row.proofs], ids=lambda row: row.anchor)
def test_each_loss_has_a_proof(row: SurveyRow) -> None:
    assert row.proofs
    assert sum(row.proofs.forms.values()) == row.unwinnable
    assert 1 <= row.proofs.median <= row.proofs.ninetieth <= row.proofs.largest


@pytest.mark.parametrize(
    ("name", "evidence", "form", "positions"),
    [
        ("fan", "*6C4H 12", "list", 12),
        ("fan", "6C4H 12", "list", 12),
        ("fan", "cut * 1357", "cut", 1357),
        ("fan", "* 7276", "count", 7276),
        ("alpha-star", "* 7276", "count", 7276),
        ("golf", "* 7276", "sweep", 7276),
        ("klondike", "quotient * 13289", "quotient", 13289),
        ("scorpion", "waits 4C>5C", "waits", 1),
        ("scorpion", "waits * 1357", "waits", 1357),
        ("pyramid", "stock *A5 36486", "list", 36486),
        ("tripeaks", "* 7276", "sweep", 7276),
    ],
)
def test_how_a_loss_is_proved(name: str, evidence: str, form: str, positions: int) -> None:
    assert (form_of(find_game(name), evidence), positions_of(evidence)) == (form, positions)


def row_of(counts: tuple[int, int, int], figure: Published) -> SurveyRow:
    """Return a row with some counts of deals won, lost and undecided."""
    won, lost, undecided = counts
    changes = {"deals": sum(counts), "winnable": won, "unwinnable": lost, "undecided": undecided}
    return RESULTS.patiences[0].model_copy(update={**changes, "published": (figure,)})


@pytest.mark.parametrize(
    ("counts", "figure", "agrees"),
    [
        ((5_000, 5_000, 0), published("51.4", source=""), True),  # 2.8 standard errors
        ((5_000, 5_000, 0), published("51.6", source=""), False),
        ((5_000, 5_000, 0), published("51.6", "0.5", source=""), True),
        ((5_000, 5_000, 0), published("54", source="", deals=1_000), True),
        ((5_000, 5_000, 0), published("56", source="", deals=1_000), False),
        ((5_000, 4_000, 1_000), published("59", source=""), True),
        ((5_000, 4_000, 1_000), published("62", source=""), False),
        ((10_000, 0, 0), published("99.9988", source=""), True),
        ((10_000, 0, 0), published("99.8", source=""), False),
    ],
)
def test_when_a_survey_agrees_with_a_published_figure(
    counts: tuple[int, int, int], figure: Published, agrees: bool
) -> None:
    assert row_of(counts, figure).agrees_with(figure) is agrees


def test_a_figure_that_differs_is_shown_as_such() -> None:
    [row] = (row for row in RESULTS.figures if row.anchor == "hi-q-solutions")
    assert row.agrees
    assert not row.model_copy(update={"ours": Number(values=("40861647040079969",))}).agrees


def test_a_row_of_another_form_is_refused() -> None:
    data = json.loads(DATA.read_text())
    row = data["patiences"][0]
    changes = ({"fingerprint": "0123"}, {"version": "seven"}, {"low": 46.56}, {"anchor": "Alpha Star"}, {"more": 1})
    for change in changes:
        damaged = {**data, "patiences": [{**row, **change}]}
        with pytest.raises(ValidationError):
            Results.model_validate_json(json.dumps(damaged))


def test_a_single_row_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / DATA.name
    copy.write_text(DATA.read_text())
    monkeypatch.setattr("bench.reproduce.results.DATA", copy)
    monkeypatch.setattr("sys.argv", ["reproduce", "tantrix-tiles"])
    assert main() == 0
    again = Results.load()
    assert [row.anchor for row in again.rows] == [row.anchor for row in RESULTS.rows]
    changed = [row for row in again.rows if row.model_dump(exclude=WHEN) != ROWS[row.anchor].model_dump(exclude=WHEN)]
    assert not changed
    differing_lines = set(copy.read_text().splitlines()) ^ set(DATA.read_text().splitlines())
    assert all('"tantrix-tiles"' in line for line in differing_lines)
    assert f'"dealmill": "{dealmill.__version__}"' in copy.read_text()


def test_a_row_that_is_not_known_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["reproduce", "golf"])
    with pytest.raises(SystemExit):
        main()
    assert "there is no row golf" in capsys.readouterr().err
