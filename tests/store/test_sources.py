"""Reading entries into the store: kept once, in order, batch by batch, by one reader at a time."""

import pytest

from pipeline.errors import NotFoundError, StoreError
from pipeline.games.contract import Layout, Reject
from pipeline.store.database import Store
from pipeline.store.sources import append, find_source, open_source, rejects_of
from pipeline.store.tables import items, layouts


def layouts_of(store: Store, source: int) -> list[tuple[int, int, str]]:
    with store.reading() as connection:
        rows = connection.execute(
            items.select()
            .with_only_columns(items.c.position, items.c.line, layouts.c.text)
            .join(layouts, layouts.c.id == items.c.layout_id)
            .where(items.c.source_id == source)
            .order_by(items.c.position)
        )
        return [tuple(row) for row in rows]


def test_items_keep_order_and_lines_and_layouts_are_kept_once(store: Store) -> None:
    source = open_source(store, "memory", "a.txt", b"a")
    source = append(
        store, source, [Layout(1, "AABB"), Reject(2, "AB", ("too short", "odd")), Layout(3, "ABAB")], last=False
    )
    source = append(store, source, [Layout(4, "AABB"), Layout(5, "ABBA")], last=True)
    assert layouts_of(store, source.id) == [(1, 1, "AABB"), (2, 3, "ABAB"), (3, 4, "AABB"), (4, 5, "ABBA")]
    assert (source.accepted, source.duplicates, source.rejected, source.complete) == (4, 1, 1, True)
    assert find_source(store, "a.txt") == find_source(store, str(source.id)) == source
    assert list(rejects_of(store, source.id)) == [Reject(2, "AB", ("too short", "odd"))]
    with store.reading() as connection:
        assert len(connection.execute(layouts.select()).all()) == 3


def test_the_same_text_of_two_games_is_two_layouts(store: Store) -> None:
    for game in ("memory", "camelot"):
        append(store, open_source(store, game, "x", b"x"), [Layout(1, "AABB")], last=True)
    with store.reading() as connection:
        assert len(connection.execute(layouts.select()).all()) == 2


def test_the_same_contents_are_the_same_source(store: Store) -> None:
    first = open_source(store, "memory", "a.txt", b"same")
    assert open_source(store, "memory", "copy.txt", b"same") == first


def test_two_readers_of_one_source_do_not_mix(store: Store) -> None:
    mine = theirs = open_source(store, "memory", "a.txt", b"a")
    append(store, mine, [Layout(1, "AABB")], last=False)
    with pytest.raises(StoreError, match="another command"):
        append(store, theirs, [Layout(1, "AABB")], last=False)
    assert len(layouts_of(store, mine.id)) == 1


def test_a_complete_source_takes_no_more(store: Store) -> None:
    source = open_source(store, "memory", "a.txt", b"a")
    append(store, source, [], last=True)
    with pytest.raises(StoreError):
        append(store, source, [Layout(1, "AABB")], last=True)


def test_a_reject_may_hold_anything(store: Store) -> None:
    source = open_source(store, "memory", "a.txt", b"a")
    append(store, source, [Reject(1, "\0'; DROP TABLE items; -- \u202e", ("unknown symbol '\0'",))], last=True)
    [kept] = rejects_of(store, source.id)
    assert kept.text == "␀'; DROP TABLE items; -- \u202e"


def test_rejects_come_page_by_page(store: Store) -> None:
    source = open_source(store, "memory", "a.txt", b"a")
    append(store, source, [Reject(line, "x", ("bad",)) for line in range(1, 2501)], last=True)
    assert [reject.line for reject in rejects_of(store, source.id)] == list(range(1, 2501))


@pytest.mark.parametrize("key", ["7", "nothing", "9" * 30, "'; --", "\0"])
def test_an_unknown_source_is_an_error_that_says_what_to_do(store: Store, key: str) -> None:
    with pytest.raises(NotFoundError, match="dealmill ingest"):
        find_source(store, key)
