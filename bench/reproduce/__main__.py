"""Find public figures again, tell how far it is, and write docs/results.json: ``python -m bench.reproduce [NAME…]``.

A name is that of a row, its anchor on docs/results.md. Without names, all figures are found again.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple, Protocol

import dealmill
from bench.reproduce import families
from bench.reproduce.catalogue import ALL_FIGURES
from bench.reproduce.figures import Figure, Number
from bench.reproduce.proofs import refereed
from bench.reproduce.results import DATA, FigureRow, Published, Results, Row, SurveyRow
from bench.reproduce.surveys import QUESTIONS, Question, anchor_of
from dealmill.pipeline.games import find_engine, find_game
from tests.programs.freecell import INSTALL, available


class Compute(Protocol):
    """Compute a row."""

    def __call__(self) -> Row: ...


class Task(NamedTuple):
    """A row to be computed, and the section of the results that it belongs to."""

    section: str
    anchor: str
    compute: Compute


def main() -> int:
    """Print progress on stderr and write the data; 1 if a figure disagrees."""
    parser = ArgumentParser(description="Find public figures again, and write docs/results.json.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a row by its anchor (default: all rows)")
    names = parser.parse_args().names
    tasks = {task.anchor: task for task in all_tasks()}
    if unknown := [name for name in names if name not in tasks]:
        parser.error(f"there is no row {unknown[0]}; the names are in {DATA}")
    if not available():
        _tell(f"The second opinion on FreeCell is left out: {INSTALL}\n")
    order = {anchor: number for number, anchor in enumerate(tasks)}
    results = Results.load()
    differing = 0
    for number, name in enumerate(names or tasks, start=1):
        _tell(f"[{number:3}/{len(names or tasks)}] {name} … ")
        start = perf_counter()
        row = tasks[name].compute()
        agrees = _agrees(row)
        differing += not agrees
        _tell(f"{perf_counter() - start:.1f} s{'' if agrees else ', DISAGREES'}\n")
        results = results.with_row(tasks[name].section, row, order)
        results.save()
    _tell(f"\n{DATA}: {differing or 'no'} figures disagree with published ones; write the page with: make docs\n")
    return int(differing > 0)


def all_tasks() -> Iterator[Task]:
    """Yield what gives each row, in the order of the page."""
    for question in QUESTIONS:
        yield Task("surveys", question.anchor, partial(_survey_row, question))
    for family, section in (("patience", "patiences"), ("covering", "covering_games")):
        for name in families.GAMES[family]:
            question = families.question(name)
            yield Task(section, question.anchor, partial(_survey_row, question, name))
    for figure in ALL_FIGURES:
        yield Task("figures", figure_anchor(figure), partial(_figure_row, figure))


def figure_anchor(figure: Figure) -> str:
    """Return the address of a figure on the page."""
    return anchor_of(figure.game, figure.name)


def _survey_row(question: Question, name: str | None = None) -> SurveyRow:
    """Return the row of a survey, whose evidence is refereed if it is one of a game by a rules file."""
    with TemporaryDirectory() as folder, dealmill.open(f"sqlite:///{folder}/reproduce.db") as store:
        survey = question.survey(store)
        return question.row(survey, refereed(find_game(name), survey) if name else None)


def _figure_row(figure: Figure) -> FigureRow:
    anchor = figure_anchor(figure)
    return FigureRow(
        anchor=anchor,
        title=figure.name,
        command=f".venv/bin/python -m bench.reproduce {anchor}",
        date=datetime.now(UTC).date(),
        dealmill=dealmill.__version__,
        engine=figure.engine,
        version=find_engine(figure.engine)[1].version if figure.engine else None,
        game=figure.game,
        published=Published(number=Number.of(figure.theirs), source=figure.source),
        ours=Number.of(figure.compute()),
        tolerance=figure.tolerance,
    )


def _agrees(row: Row) -> bool:
    if isinstance(row, SurveyRow):
        return all(map(row.agrees_with, row.published))
    return isinstance(row, FigureRow) and row.agrees


def _tell(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":  # the processes that count samples import this module, too
    sys.exit(main())
