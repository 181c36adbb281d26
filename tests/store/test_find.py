"""A search for a layout gives what reading all items gives, however many queries it takes."""

from unittest.mock import patch
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealmill import DamagedError
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.progress.events import Event, Searching, silent
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import metadata
from dealmill.pipeline.store.queries import find
from dealmill.pipeline.store.queries.find import StoredItem, stored_items
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from tests.doing import alter

LETTERS = "ABCD"


def add_source(database: Database, letters: str) -> None:
    """Add a source with a layout for each letter."""
    source = open_source(database, "memory", "a.txt", uuid4().bytes)
    layouts = [Layout(line, letter * 2) for line, letter in enumerate(letters, start=11)]
    complete(database, append(database, source, Entries.of(layouts)))


@given(st.lists(st.text(LETTERS, max_size=9), max_size=6), st.integers(1, 40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
def test_all_items_with_a_layout_are_found_and_progress_is_reported(
    database: Database, sources: list[str], per_query: int
) -> None:
    with database.writing() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    numbers = []
    for letters in sources:
        add_source(database, letters)
        with database.reading() as connection:
            numbers.append(max(connection.execute(metadata.tables["sources"].select()).scalars()))
    total, events = sum(map(len, sources)), list[Event]()
    with patch.object(find, "ITEMS_PER_QUERY", per_query):
        for letter in (*LETTERS, "Z"):
            events.clear()
            assert stored_items(database, "memory", letter * 2, events.append) == [
                StoredItem(number, position, position + 10)
                for number, letters in zip(numbers, sources, strict=True)
                for position, stored in enumerate(letters, start=1)
                if stored == letter
            ]
            reached = [min(done, total) for done in range(per_query, total + per_query + 1, per_query)]
            assert events == ([Searching(done, total) for done in reached] if total >= per_query else [])
        assert stored_items(database, "camelot", "AA", silent) == []


def test_a_changed_layout_is_not_found_by_its_old_text(database: Database) -> None:
    add_source(database, "ABC")
    alter(database, "UPDATE items SET layout = 'XX' WHERE position = 3")
    what = r"item 3 of source 1 cannot be read: items\.layout does not match items\.digest; restore the database"
    with pytest.raises(DamagedError, match=what):
        stored_items(database, "memory", "CC", silent)


@pytest.mark.parametrize("damage", ["accepted = 4611686018427387904", "accepted = -5", "accepted = 'many'"])
def test_damaged_numbers_of_items_hide_nothing(sqlite_store: Database, damage: str) -> None:
    add_source(sqlite_store, "AB")
    add_source(sqlite_store, "ABA")
    alter(sqlite_store, f"UPDATE sources SET {damage} WHERE id = 1")
    with patch.object(find, "ITEMS_PER_QUERY", 2):
        stored = stored_items(sqlite_store, "memory", "AA", silent)
    assert [(item.source, item.position) for item in stored] == [(1, 1), (2, 1), (2, 3)]
