"""The index of layouts gives what reading all items gives, however sources were read and whatever happens to it."""

from collections.abc import Iterator
from unittest.mock import patch
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

import dealmill
from dealmill.pipeline.errors import DamagedError
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.contract import Layout
from dealmill.pipeline.progress import Event, Message
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import index_segments, items, metadata
from dealmill.pipeline.store.sources import layout_index
from dealmill.pipeline.store.sources.layout_index import (
    DigestPrefixes,
    Place,
    index_some,
    indexed_items,
    scanned_items,
    unindexed_items,
)
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from tests.doing import alter

LETTERS = "ABCDEFGH"
ABSENT = "ZZ"


@pytest.fixture(autouse=True)
def small() -> Iterator[None]:
    """Segments, blocks and thresholds of a few items."""
    with patch.multiple(layout_index, SEGMENT=8, LEAST=4, SOURCES=3, BLOCK=2):
        yield


def read(store: Database, batches: list[str], *, kept: bool, ends: bool) -> Source:
    """Read a source in batches of layouts, one per letter, with or without the digests of earlier batches in memory."""
    source = open_source(store, "memory", "a.txt", uuid4().bytes)
    seen = DigestPrefixes() if kept else None
    line = 1
    for batch in batches:
        entries = [Layout(number, letter * 2) for number, letter in enumerate(batch, start=line)]
        source, line = append(store, source, Entries.of(entries), seen), line + len(entries)
    return complete(store, source, seen) if ends else source


def by_reading(store: Database, layout: str) -> list[Place]:
    with store.reading() as connection:
        query = items.select().where(items.c.layout == layout).order_by(items.c.source_id, items.c.position)
        return [Place(row.source_id, row.position, row.line) for row in connection.execute(query)]


def segments(store: Database) -> int:
    with store.reading() as connection:
        return len(connection.execute(index_segments.select()).all())


BATCHES = st.lists(st.text(LETTERS, max_size=12), max_size=4)


@given(st.lists(st.tuples(BATCHES, st.booleans(), st.booleans()), max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6)
def test_a_lookup_gives_the_items_that_have_the_layout(
    store: Database, sources: list[tuple[list[str], bool, bool]]
) -> None:
    with store.writing() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    for batches, kept, ends in sources:
        read(store, batches, kept=kept, ends=ends)
    for layout in (*(letter * 2 for letter in LETTERS), ABSENT):
        expected = by_reading(store, layout)
        assert indexed_items(store, "memory", layout) == scanned_items(store, "memory", layout) == expected
        assert indexed_items(store, "camelot", layout) == []


def test_large_sources_are_indexed_as_they_are_read(store: Database) -> None:
    source = read(store, ["ABCDEFG"], kept=True, ends=False)
    assert segments(store) == 0
    source = append(store, source, Entries.of([Layout(8, "HH"), Layout(9, "AA")]))
    assert segments(store) == 1
    complete(store, source)
    assert (segments(store), unindexed_items(store)) == (1, 0)
    assert indexed_items(store, "memory", "AA") == [Place(1, 1, 1), Place(1, 9, 9)]


def test_small_sources_are_indexed_together(store: Database) -> None:
    for _ in range(2):
        read(store, ["A"], kept=True, ends=True)
    assert (segments(store), unindexed_items(store)) == (0, 2)
    read(store, ["A"], kept=True, ends=True)
    assert (segments(store), unindexed_items(store)) == (1, 0)
    assert indexed_items(store, "memory", "AA") == [Place(number, 1, 1) for number in (1, 2, 3)]


def test_sources_of_an_earlier_version_are_indexed_piece_by_piece(store: Database) -> None:
    with patch.multiple(layout_index, SEGMENT=100, LEAST=100):
        read(store, ["ABCDEFGHABCDEFGHABCD"], kept=True, ends=True)
    assert (segments(store), unindexed_items(store)) == (0, 20)
    found = [index_some(store), index_some(store), index_some(store), index_some(store)]
    assert (found, segments(store), unindexed_items(store)) == ([True, True, True, False], 3, 0)
    assert indexed_items(store, "memory", "DD") == [Place(1, 4, 4), Place(1, 12, 12), Place(1, 20, 20)]


DAMAGES = [
    "DELETE FROM index_blocks",
    "DELETE FROM index_stretches",
    "DELETE FROM unindexed",
    "UPDATE unindexed SET position = 2",
    "UPDATE index_segments SET entries = entries + 1",
    "UPDATE index_segments SET bits = bits + 1",
    "UPDATE index_stretches SET size = size - 1",
    "UPDATE index_stretches SET position = position + 1",
    "UPDATE index_stretches SET first = first + 1",
    "UPDATE index_blocks SET digest = entries",
    "UPDATE index_blocks SET entries = digest",
    "UPDATE index_blocks SET number = number + 100",
]


@pytest.mark.parametrize("backend", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_noticed_and_built_again(store: Database, damage: str) -> None:
    read(store, ["ABCDEFGH"], kept=True, ends=True)
    read(store, ["AB"], kept=True, ends=True)
    alter(store, damage)
    with pytest.raises(DamagedError, match="the index of layouts is damaged"):
        indexed_items(store, "memory", "AA")
    events: list[Event] = []
    with dealmill.open(store.url.render_as_string(hide_password=False)) as api:
        found = api.find("AA", game="memory", progress=events.append)
        assert [(match.source.id, match.position) for match in found] == [(1, 1), (2, 1)]
    assert [event.text for event in events if isinstance(event, Message) and "it is built again" in event.text]
    assert indexed_items(store, "memory", "AA") == [Place(1, 1, 1), Place(2, 1, 1)]


def test_a_damaged_index_of_a_store_that_cannot_be_written_is_not_needed(sqlite_store: Database) -> None:
    read(sqlite_store, ["ABCDEFGH"], kept=True, ends=True)
    alter(sqlite_store, "UPDATE items SET layout = 'AABB' WHERE position = 3")
    alter(sqlite_store, "DELETE FROM index_blocks")
    with dealmill.open(f"sqlite:///{sqlite_store.path}?mode=ro") as api:
        assert api.find("ABAB") == []
    with sqlite_store.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM index_blocks")).scalar_one() == 0


def test_a_changed_layout_is_not_found_by_its_old_text(store: Database) -> None:
    read(store, ["ABCDEFGH"], kept=True, ends=True)
    alter(store, "UPDATE items SET layout = 'XX' WHERE position = 3")
    with pytest.warns(dealmill.DamagedWarning, match="item 3 of source 1 cannot be read: its layout does not match"):
        assert indexed_items(store, "memory", "CC") == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE sources SET accepted = 4611686018427387904 WHERE id = 1",
        "UPDATE items SET position = 'x' WHERE position = 3",
    ],
)
def test_a_source_with_a_damaged_number_is_not_indexed_without_end(sqlite_store: Database, damage: str) -> None:
    read(sqlite_store, ["AB"], kept=True, ends=True)
    read(sqlite_store, ["ABC"], kept=True, ends=True)
    alter(sqlite_store, damage)
    with dealmill.open(f"sqlite:///{sqlite_store.path}") as api:
        assert {(match.source.id, match.position) for match in api.find("AA", game="memory")} == {(1, 1), (2, 1)}
