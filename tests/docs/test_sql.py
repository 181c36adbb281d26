"""The questions in docs/sql.md, asked of both databases, and the columns of the views."""

import re
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import text

import dealmill
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.views import views
from tests.doing import do_runs

PAGE = (Path(__file__).parent.parent.parent / "docs/sql.md").read_text()
QUESTIONS = re.findall(r"```sql\n(.*?)\n```\n\n```text\n(.*?)\n```", PAGE, re.DOTALL)
RUNS = re.findall(r"^\$ dealmill run (\S+)(?: --engine (\S+))?$", PAGE, re.MULTILINE)


def test_the_answers_are_those_of_both_databases(database: Database) -> None:
    with dealmill.open(database.url.render_as_string(hide_password=False)) as opened:
        for source, engine in RUNS:
            opened.queue(source, engine=engine or None)
    do_runs(database)
    assert (len(RUNS), len(QUESTIONS)) == (3, 5)
    for question, answer in QUESTIONS:
        with database.reading() as connection:
            result = connection.execute(text(question))
            assert table(list(result.keys()), result.all()) == answer.splitlines(), question


def test_the_page_lists_the_columns_of_every_view(database: Database) -> None:
    rows = re.findall(r"^\| `(\w+_view)` .*\| (.*) \|$", PAGE, re.MULTILINE)
    documented = {name: re.findall(r"`(\w+)`", columns) for name, columns in rows}
    with database.reading() as connection:
        existing = {
            name: list(connection.execute(text(f"SELECT * FROM {name}")).keys())
            for name in views(connection.dialect.name)
        }
    assert documented == existing


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """The lines of a table with columns as wide as their values."""
    lines = [list(columns), *([str(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in lines]
