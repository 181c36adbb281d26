"""Rows that are inserted as columns are those that are inserted row by row."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import BigInteger, Column, Integer, LargeBinary, MetaData, SmallInteger, Table, Text, delete, select

from dealmill.pipeline.games.batch import to_texts
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.columns import ByteStrings, Columns, Nullable, prepare_insert
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.storages.rows_solving import joined_layouts
from tests.doing import a_source

TABLE = Table(
    "tried",
    MetaData(),
    Column("one", Integer),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("small", SmallInteger),
    Column("number", BigInteger),
    Column("digest", LargeBinary),
    Column("value", BigInteger),
    Column("told", Text),
)
NAMES = [column.name for column in TABLE.c]
WIDTH = 3
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8) | st.text(
    "AB 1", max_size=9
)
rows = st.tuples(
    st.integers(-(2**15), 2**15 - 1),
    st.integers(-(2**62), 2**62),
    st.binary(min_size=WIDTH, max_size=WIDTH),
    st.none() | st.integers(-(2**62), 2**62),
    st.none() | texts,
)


@pytest.fixture
def tried(database: Database) -> Database:
    """A store with one table more."""
    with database.writing() as connection:
        TABLE.create(connection)
    return database


def columns_of(constant: int, first: int, chosen: list[tuple[int, int, bytes, int | None, str | None]]) -> Columns:
    small, number, digests, values, told = zip(*chosen, strict=True)
    return Columns(
        {
            "one": constant,
            "position": range(first, first + len(chosen)),
            "small": np.array(small),
            "number": np.array(number),
            "digest": ByteStrings(np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, WIDTH)),
            "value": Nullable(
                np.array([7 if value is None else value for value in values]),
                np.array([value is not None for value in values]),
            ),
        },
        "told",
        to_texts(["NULL" if text is None else text for text in told]),
        np.array([text is not None for text in told]),
    )


@given(
    constant=st.integers(-(2**31), 2**31 - 1),
    first=st.integers(1, 2**62),
    chosen=st.lists(rows, min_size=1, max_size=9),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_columns_become_the_rows_that_they_are(
    tried: Database, constant: int, first: int, chosen: list[tuple[int, int, bytes, int | None, str | None]]
) -> None:
    stored = []
    expected = [(constant, first + index, *row) for index, row in enumerate(chosen)]
    for in_columns in (True, False):
        with tried.writing() as connection:
            connection.execute(delete(TABLE))
            if in_columns:
                prepare_insert(tried, TABLE, columns_of(constant, first, chosen))(connection)
            else:
                insert_rows(connection, TABLE, NAMES, expected)
            stored.append([tuple(row) for row in connection.execute(select(TABLE).order_by(TABLE.c.position))])
    assert stored == [expected, expected]


def test_no_rows_are_no_statement(database: Database) -> None:
    with database.writing() as connection:
        prepare_insert(database, TABLE, Columns({}, "told", to_texts([])))(connection)


def test_layouts_are_read_as_one_text(database: Database) -> None:
    layouts = ["AABB", "ABAB", "ABBAC", "C"] * 700
    source = a_source(database, "memory/two-pass", layouts).id
    with database.reading() as connection:
        texts = joined_layouts(connection, source, 3, 2_000)
        assert texts is not None
        assert (texts.text.tobytes(), texts.lengths.tolist()) == (
            "".join(layouts[2:1_999]).encode(),
            list(map(len, layouts[2:1_999])),
        )
        assert joined_layouts(connection, source, 2_700, 2_802) is None  # there are 2,800
        assert joined_layouts(connection, source + 1, 1, 2) is None
