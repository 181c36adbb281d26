"""Reading entries into the store: in order, batch by batch, by one reader at a time, with jobs for runs over them."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from unittest.mock import patch
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dealmill.pipeline.errors import NotFoundError, StoreError
from dealmill.pipeline.evidence.digests import layout_digest
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import items
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import CHUNK
from dealmill.pipeline.store.sources import duplicates
from dealmill.pipeline.store.sources.duplicates import DigestPrefixes, count_duplicates
from dealmill.pipeline.store.sources.source import find_source, rejects_of, reread
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import a_source, do_runs


def layouts_of(database: Database, source: int) -> list[tuple[int, int, str]]:
    with database.reading() as connection:
        rows = connection.execute(
            items.select()
            .with_only_columns(items.c.position, items.c.line, items.c.layout)
            .where(items.c.source_id == source)
            .order_by(items.c.position)
        )
        return [tuple(row) for row in rows]


def test_items_keep_order_and_lines_and_duplicates_are_counted(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"a")
    source = append(
        database, source, Entries.of([Layout(1, "AABB"), Reject(2, "AB", ("too short", "odd")), Layout(3, "ABAB")])
    )
    source = append(database, source, Entries.of([Layout(4, "AABB"), Layout(5, "ABBA")]))
    assert (source.duplicates, source.complete) == (0, False)
    source = complete(database, source)
    assert layouts_of(database, source.id) == [(1, 1, "AABB"), (2, 3, "ABAB"), (3, 4, "AABB"), (4, 5, "ABBA")]
    assert (source.accepted, source.duplicates, source.rejected, source.complete) == (4, 1, 1, True)
    assert find_source(database, "a.txt") == find_source(database, source.id) == reread(database, source) == source
    assert list(rejects_of(database, source.id)) == [Reject(2, "AB", ("too short", "odd"))]


@given(st.lists(st.sampled_from("ABCDEFGH"), min_size=1, max_size=12), st.integers(0, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_duplicates_are_counted_alike_with_and_without_digest_prefixes(
    database: Database, letters: list[str], few: int
) -> None:
    layouts = [letter * 2 for letter in letters]
    seen, started = DigestPrefixes(), open_source(database, "memory", "a.txt", uuid4().bytes)
    entries = Entries.of([Layout(line, text) for line, text in enumerate(layouts, start=1)])
    source = append(database, started, entries, seen, last=True)
    expected = len(layouts) - len(set(layouts))
    assert source.complete == (expected == 0)
    with patch.object(duplicates, "FEW", few):
        assert count_duplicates(database, source, seen) == count_duplicates(database, source, None) == expected


def test_digests_that_only_begin_alike_are_no_duplicates(database: Database) -> None:
    source = a_source(database, "memory/two-pass", ["AABB", "ABAB", "ABBA", "AABB"])
    seen = DigestPrefixes()
    seen.add(np.zeros((source.accepted, 16), dtype=np.uint8))
    assert shared_places(seen, source.accepted) == [1, 2, 3, 4]
    assert count_duplicates(database, source, seen) == 1


def test_prefixes_of_other_items_are_not_used() -> None:
    seen = DigestPrefixes()
    seen.add(np.arange(64, dtype=np.uint8).reshape(4, 16))
    assert (shared_places(seen, 4), shared_places(seen, 5), shared_places(seen, 3)) == ([], None, None)


def shared_places(seen: DigestPrefixes, count: int) -> list[int] | None:
    places = seen.shared(count)
    return None if places is None else places.tolist()


def test_the_digest_tells_a_layout_from_all_others_of_all_games() -> None:
    named = [layout_digest("memory", "AABB"), layout_digest("memory", "ABAB"), layout_digest("camelot", "AABB")]
    assert len(set(named)) == 3
    assert layout_digest("memory", "AABB").hex() == blake2b(b"memory\nAABB", digest_size=16).hexdigest()


def test_a_run_over_a_source_that_is_being_read_gets_its_jobs_as_items_come(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"a")
    run = insert_run(database, source, "memory/two-pass", "1", None)

    def state() -> tuple[int, int, bool]:
        now = find_run(database, run)
        return now.items, now.jobs, now.finished

    assert state() == (0, 0, False)
    line = 0
    for count, jobs in ((CHUNK * 3 // 4, 0), (CHUNK, 1), (CHUNK * 3 // 2, 3)):
        source = append(database, source, Entries.of([Layout(line + n, "AABB") for n in range(1, count + 1)]))
        line += count
        assert state() == (line, jobs, False)
    do_runs(database)
    assert state() == (line, 3, False)
    assert find_run(database, run).solved == 3 * CHUNK
    assert fingerprint_of(database, run, line) is None
    source = complete(database, source)
    assert state() == (line, 4, False)
    do_runs(database)
    assert state() == (line, 4, True)
    again = insert_run(database, source, "memory/two-pass", "1", 9)
    do_runs(database)
    assert fingerprint_of(database, run, line) == fingerprint_of(database, again, line) is not None


def test_a_source_that_ends_with_a_chunk_is_covered_too(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"a")
    run = insert_run(database, source, "memory/two-pass", "1", None)
    source = append(database, source, Entries.of([Layout(line, "AABB") for line in range(1, 2 * CHUNK + 1)]))
    do_runs(database)
    complete(database, source)
    assert find_run(database, run).finished
    assert fingerprint_of(database, run, 2 * CHUNK) is not None


def test_commands_that_open_a_source_at_once_open_the_same(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        for digest in (b"a", b"b", b"c"):
            opened = pool.map(lambda name, digest=digest: open_source(database, "memory", name, digest), "abcdefgh")
            assert len(set(opened)) == 1


def test_a_number_means_the_source_with_that_id_not_one_of_that_name(database: Database) -> None:
    first, second = (open_source(database, "memory", name, name.encode()) for name in ("a.txt", "1"))
    assert find_source(database, "1") == first
    assert find_source(database, "2") == second
    third = open_source(database, "memory", "7", b"7")
    assert find_source(database, "7") == third


def test_two_readers_of_one_source_do_not_mix(database: Database) -> None:
    mine = theirs = open_source(database, "memory", "a.txt", b"a")
    append(database, mine, Entries.of([Layout(1, "AABB")]))
    with pytest.raises(StoreError, match="another command"):
        append(database, theirs, Entries.of([Layout(1, "AABB")]))
    assert len(layouts_of(database, mine.id)) == 1


def test_a_complete_source_takes_no_more(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"a")
    complete(database, source)
    with pytest.raises(StoreError):
        append(database, source, Entries.of([Layout(1, "AABB")]))


def test_rejects_of_any_text_are_stored(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"a")
    append(database, source, Entries.of([Reject(1, "\0'; DROP TABLE items; -- \u202e", ("unknown symbol '\0'",))]))
    [kept] = rejects_of(database, source.id)
    assert kept.text == "␀'; DROP TABLE items; -- \u202e"


def test_rejects_come_page_by_page(database: Database) -> None:
    source = open_source(database, "memory", "a.txt", b"a")
    append(database, source, Entries.of([Reject(line, "x", ("bad",)) for line in range(1, 2501)]))
    assert [reject.line for reject in rejects_of(database, source.id)] == list(range(1, 2501))


@pytest.mark.parametrize("key", ["7", "nothing", "9" * 30, "'; --", "\0"])
def test_an_unknown_source_is_an_error_that_says_what_to_do(database: Database, key: str) -> None:
    with pytest.raises(NotFoundError, match="dealmill ingest"):
        find_source(database, key)
