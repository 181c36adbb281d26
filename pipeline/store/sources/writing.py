"""Sources and their layouts: written batch by batch while a file is read, so that a broken-off one goes on."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from sqlalchemy import Connection, select, update

from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import DamagedError, StoreError
from dealmill.pipeline.games.batch import Bytes, Texts
from dealmill.pipeline.games.entries import Entries
from dealmill.pipeline.store.database.bulk import insert_once, insert_rows
from dealmill.pipeline.store.database.columns import ByteStrings, Columns, Fixed, prepare_insert
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.opening import create_store
from dealmill.pipeline.store.database.tables import Storage, items, rejects, runs, sources
from dealmill.pipeline.store.queue.solving import cut_jobs
from dealmill.pipeline.store.sources.blocks import ITEM_LISTING, REJECT_LISTING, record_source_blocks
from dealmill.pipeline.store.sources.digests import DIGEST, continued, digest_start
from dealmill.pipeline.store.sources.duplicates import DigestPrefixes, count_duplicates
from dealmill.pipeline.store.sources.stored import (
    COLUMNS,
    Source,
    one_source,
)

UNSEALED = b""
"""The seal of a source whose number is not known yet, which is part of it."""


def layout_digests(game: str, layouts: Texts) -> Bytes:
    """Those of n layouts, as n × 16 bytes."""
    whole, start = layouts.together.tobytes(), digest_start(game)
    ends = (layouts.starts - layouts.starts[0]).tolist()
    found = b"".join([continued(start, whole[first:end]) for first, end in pairwise(ends)])
    return np.frombuffer(found, dtype=np.uint8).reshape(-1, DIGEST)


def open_source(store: Database, game: str, name: str, digest: bytes) -> Source:
    """The source with these contents; a new one, with nothing read yet, if the store has none."""
    return _open(store, game=game, name=name, digest=digest)


def open_deals(store: Database, deals: DealRange) -> Source:
    """The source of these deals; a new one, with nothing read yet, if the store has none.

    Raises
    ------
    DamagedError
        If the one in the store is not of these deals.
    """
    game = deals.game
    found = _open(
        store, game=game.name, name=deals.name, digest=deals.digest, generator=game.generator, deals=deals.numbers
    )
    if found.deals != deals.numbers:
        raise DamagedError(f"source {found.id} has other deals on record than {deals.name}: restore it from a backup")
    return found


def _open(store: Database, *, game: str, digest: bytes, **described: object) -> Source:
    wanted = select(*COLUMNS).where(sources.c.game == game, sources.c.digest == digest)
    create_store(store)  # whatever is stored begins with a source
    with store.writing() as connection:
        if store_has := one_source(connection, wanted):
            return store_has
        insert_once(
            connection,
            sources,
            game=game,
            digest=digest,
            accepted=0,
            duplicates=0,
            rejected=0,
            complete=False,
            created=clock(),
            seal=UNSEALED,
            **described,
        )
        opened = one_source(connection, wanted)
        assert opened is not None  # noqa: S101 -- inserted by now
        unsealed = (sources.c.id == opened.id, sources.c.seal == UNSEALED)
        connection.execute(update(sources).where(*unsealed).values(seal=opened.seal))
    return opened


def append(
    store: Database, source: Source, entries: Entries, seen: DigestPrefixes | None = None, *, last: bool = False
) -> Source:
    """Store the next entries of a source in one transaction, with jobs for the runs that were planned over it; `seen`
    is told their digests. If they are the `last`, and it is known that none is a duplicate, the source is complete.

    Raises
    ------
    StoreError
        If someone else is reading the same source into the store at the same time.
    """
    layouts, bad = entries.layouts, entries.rejects
    after = replace(source, accepted=source.accepted + len(layouts), rejected=source.rejected + len(bad))
    digests = layout_digests(source.game, layouts)
    positions = np.arange(source.accepted + 1, after.accepted + 1)
    fixed: dict[str, Fixed] = {
        "source_id": source.id,
        "position": range(source.accepted + 1, after.accepted + 1),
        "line": entries.lines,
        "digest": ByteStrings(digests),
    }
    insert = prepare_insert(store, items, Columns(fixed, "layout", layouts))
    rejected = [
        (source.id, number, entry.line, _storable(entry.text), _storable("\n".join(entry.reasons)))
        for number, entry in enumerate(bad, start=source.rejected + 1)
    ]
    if seen:
        seen.add(digests)
        shared = seen.shared(after.accepted) if last else None
        after = replace(after, complete=shared is not None and not len(shared))
    with store.writing() as connection:
        _advance(connection, source, after)
        insert(connection)
        insert_rows(connection, rejects, ("source_id", "number", "line", "text", "reasons"), rejected)
        told = REJECT_LISTING.columns(rejected)
        _record_blocks(connection, source, after, (positions, entries.lines, digests), told)
        _follow(connection, after)
    return after


def complete(store: Database, source: Source, seen: DigestPrefixes | None = None) -> Source:
    """Say that a source has been read to its end, and cut the last jobs of its runs; `seen` are its digests.

    Raises
    ------
    StoreError
        If someone else is reading the same source into the store at the same time.
    """
    after = replace(source, duplicates=count_duplicates(store, source, seen), complete=True)
    with store.writing() as connection:
        _advance(connection, source, after)
        _record_blocks(connection, source, after, (), ())
        _follow(connection, after)
    return after


def leave(store: Database, source: Source) -> None:
    """Cut the last jobs of what has been read of a source that cannot be read to its end just now."""
    with store.writing() as connection:
        _follow(connection, replace(source, complete=True))


def _follow(connection: Connection, source: Source) -> None:
    """Cut jobs of the items that are new in a source, for the runs over it."""
    over = select(runs.c.id).where(runs.c.source_id == source.id, runs.c.storage == Storage.ROWS)
    for run in connection.execute(over).scalars().all():
        cut_jobs(connection, run, source.accepted, source.complete)


def _record_blocks(
    connection: Connection, before: Source, after: Source, accepted: Sequence[Any], rejected: Sequence[Any]
) -> None:
    """Record the blocks that are complete with these digested columns of what is new."""
    for listing, old, new, columns in (
        (ITEM_LISTING, before.accepted, after.accepted, accepted),
        (REJECT_LISTING, before.rejected, after.rejected, rejected),
    ):
        record_source_blocks(connection, listing, after.id, old, new, columns, last=after.complete)


def _advance(connection: Connection, before: Source, after: Source) -> None:
    """Count a source up from where its reader left it; fails if another reader has been there.

    Raises
    ------
    StoreError
        If another command is reading the source.
    DamagedError
        If its row is not as it was written.
    """
    counted = {name: getattr(after, name) for name in ("accepted", "duplicates", "rejected", "complete")}
    moved = connection.execute(
        update(sources)
        .where(sources.c.id == before.id, sources.c.seal == before.seal)
        .values(**counted, seal=after.seal)
    )
    if moved.rowcount != 1 and one_source(connection, select(*COLUMNS).where(sources.c.id == before.id)) == before:
        raise DamagedError(
            f"{before.name} cannot be read on: somebody has changed what the store says of source {before.id}; delete "
            "it from the store, or restore the store from a backup"
        )
    if moved.rowcount != 1:
        raise StoreError(f"{before.name} is being read into this store by another command; wait for that one")


def _storable(found: str) -> str:
    """PostgreSQL's texts hold anything but NUL."""
    return found.replace("\0", "␀")
