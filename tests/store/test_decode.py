"""The edge of the store: what a sound row is, and what is said of one that is not."""

import pytest
from sqlalchemy import select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck
from dealmill.pipeline.store.database.tables import engines, jobs, runs, sources, verdicts

COLUMNS = (verdicts.c.position, verdicts.c.verdict, verdicts.c.value, verdicts.c.evidence)


@pytest.mark.parametrize("row", [(1, 1, None, "1 2"), (2, 3, -5, "ä"), (3, 4, None, None)])
def test_a_sound_row(row: tuple[object, ...]) -> None:
    assert RowCheck(*COLUMNS).error(row) is None


@pytest.mark.parametrize(
    ("row", "trouble"),
    [
        ((1, 9, None, "x"), "verdicts.verdict is 9, which is not a valid verdict"),
        ((1, "lost", None, "x"), "verdicts.verdict is 'lost', not a whole number"),
        ((1, True, None, "x"), "verdicts.verdict is True, not a whole number"),
        ((1, None, None, "x"), "verdicts.verdict is missing, not a whole number"),
        ((1, 1, 1.5, "x"), "verdicts.value is 1.5, not a whole number"),
        ((1, 1, None, b"x\x00"), r"verdicts.evidence is b'x\x00', not text"),
        ((1, 1, None, "a\udcff"), r"verdicts.evidence is 'a\udcff', which is not UTF-8"),
        ((1, 1, None, b"y" * 100), f"verdicts.evidence is b'{'y' * 58}…, not text"),
    ],
)
def test_a_damaged_row(row: tuple[object, ...], trouble: str) -> None:
    check = RowCheck(*COLUMNS)
    assert check.error((1, 1, None, "1 2")) is None
    assert check.error(row) == trouble


def test_what_a_database_gives_of_its_own_rows_is_sound(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(
            sources.insert().values(
                game="memory", name="ä", digest=b"1", accepted=0, duplicates=0, rejected=0, complete=True, created=1,
                deals={"seed": 1}, seal=b"",
            )
        )  # fmt: skip
        connection.execute(engines.insert().values(name="memory/two-pass", version="1"))
        run = {"source_id": 1, "engine_id": 1, "storage": 1, "repetition": 0, "created": 1.5, "seal": b""}
        connection.execute(runs.insert().values(**run, node_limit=None))
        connection.execute(runs.insert().values(**(run | {"repetition": 1}), node_limit=7))
    for table in (sources, engines, runs, jobs):
        with database.reading() as connection:
            for row in connection.execute(select(*table.c)):
                assert RowCheck(*table.c).error(row) is None
