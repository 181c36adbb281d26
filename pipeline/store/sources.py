"""Sources and their layouts: written batch by batch while a file is read, so that a broken-off one goes on."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from hashlib import blake2b
from typing import Any

from sqlalchemy import Connection, Select, func, select, update

from dealmill.pipeline.arguments import MOST, row_number
from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import DamagedError, DamagedWarning, NotFoundError, StoreError
from dealmill.pipeline.games.contract import Layout, Reject
from dealmill.pipeline.printable import printable
from dealmill.pipeline.seals import seal
from dealmill.pipeline.store.database.bulk import Row, insert_once, insert_rows
from dealmill.pipeline.store.database.connections import Database, clock
from dealmill.pipeline.store.database.decode import Shape
from dealmill.pipeline.store.database.opening import create_store
from dealmill.pipeline.store.database.tables import Storage, items, rejects, runs, sources
from dealmill.pipeline.store.queue.solving import cut_jobs
from dealmill.pipeline.store.source_blocks import ITEM_LISTING, REJECT_LISTING, record_source_blocks

PAGE = 1_000

UNSEALED = b""
"""The seal of a source whose number is not known yet, which is part of it."""

ItemRow = tuple[int, int, int, bytes, str]


@dataclass(frozen=True, slots=True)
class Source:
    """A stored source. `accepted` and `rejected` count what has been read of it so far; `duplicates` are those of the
    accepted that stand in it earlier, counted when it is complete. `digest` is that of the text, or of the range and
    its generator. `deals` are the numbers of numbered deals (see `dealmill.pipeline.deals.DealRange.numbers`), which
    need not be read for runs that are stored packed."""

    id: int
    game: str
    name: str
    digest: bytes
    generator: str | None
    deals: Mapping[str, object] | None
    accepted: int
    duplicates: int
    rejected: int
    complete: bool

    @property
    def entries(self) -> int:
        """How many layouts, good and bad, have been read so far."""
        return self.accepted + self.rejected

    @property
    def endless(self) -> bool:
        """Whether it has deals without end."""
        return self.deals is not None and self.deals.get("last") is None

    @property
    def seal(self) -> bytes:
        """What its seal should be."""
        return seal("source", *(getattr(self, field.name) for field in fields(self)))


COLUMNS = (
    sources.c.id,
    sources.c.game,
    sources.c.name,
    sources.c.digest,
    sources.c.generator,
    sources.c.deals,
    sources.c.accepted,
    sources.c.duplicates,
    sources.c.rejected,
    sources.c.complete,
)
SOURCE = Shape(*COLUMNS)
ENTRY = (rejects.c.number, rejects.c.line, rejects.c.text, rejects.c.reasons)
REJECT = Shape(*ENTRY)


def layout_digest(game: str, layout: str) -> bytes:
    """The 16 bytes that tell a layout from all others of all games."""
    digest = _digest_of(game).copy()
    digest.update(layout.encode(errors="surrogateescape"))
    return digest.digest()


@cache
def _digest_of(game: str) -> blake2b:
    """The digest of all layouts of a game as far as they begin alike."""
    return blake2b(f"{game}\n".encode(), digest_size=16)


def open_source(store: Database, game: str, name: str, digest: bytes) -> Source:
    """The source with these contents; a new one, with nothing read yet, if the store has none."""
    return _open(store, game=game, name=name, digest=digest)


def open_deals(store: Database, deals: DealRange) -> Source:
    """The source of these deals; a new one, with nothing read yet, if the store has none."""
    game = deals.game
    return _open(
        store, game=game.name, name=deals.name, digest=deals.digest, generator=game.generator, deals=deals.numbers
    )


def _open(store: Database, *, game: str, digest: bytes, **described: object) -> Source:
    wanted = select(*COLUMNS).where(sources.c.game == game, sources.c.digest == digest)
    create_store(store)  # whatever is stored begins with a source
    with store.writing() as connection:
        if store_has := _one(connection, wanted):
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
        opened = _one(connection, wanted)
        assert opened is not None  # noqa: S101 -- inserted by now
        unsealed = (sources.c.id == opened.id, sources.c.seal == UNSEALED)
        connection.execute(update(sources).where(*unsealed).values(seal=opened.seal))
    return opened


class Beginnings:
    """The first eight bytes of the digests of a source, kept while it is read from its start: where all of them differ
    there are no duplicates, and the store need not sort the digests, which takes it longer than a second a million."""

    MOST = 16_000_000

    def __init__(self) -> None:
        self._kept = bytearray()

    def add(self, rows: Sequence[ItemRow]) -> None:
        """Keep those of these rows of items, unless that would be too much to hold in memory."""
        if len(self._kept) < self.MOST * 8:
            self._kept += b"".join([digest[:8] for _, _, _, digest, _ in rows])

    def differ(self, count: int) -> bool:
        """Whether the digests of so many items are known to differ."""
        if len(self._kept) != count * 8:
            return False
        import numpy as np

        numbers = np.frombuffer(self._kept, dtype=np.uint64)
        numbers.sort()
        return bool((numbers[1:] != numbers[:-1]).all())


def append(
    store: Database,
    source: Source,
    entries: Sequence[Layout | Reject],
    seen: Beginnings | None = None,
    *,
    last: bool = False,
) -> Source:
    """Store the next entries of a source in one transaction, with jobs for the runs that were planned over it; `seen`
    is told their digests. If they are the `last`, and it is known that none is a duplicate, the source is complete.

    Raises
    ------
    StoreError
        If someone else is reading the same source into the store at the same time.
    """
    found = [entry for entry in entries if isinstance(entry, Layout)]
    bad = [entry for entry in entries if isinstance(entry, Reject)]
    after = replace(source, accepted=source.accepted + len(found), rejected=source.rejected + len(bad))
    accepted = [
        (source.id, position, entry.line, layout_digest(source.game, entry.text), entry.text)
        for position, entry in enumerate(found, start=source.accepted + 1)
    ]
    rejected = [
        (source.id, number, entry.line, _storable(entry.text), _storable("\n".join(entry.reasons)))
        for number, entry in enumerate(bad, start=source.rejected + 1)
    ]
    if seen:
        seen.add(accepted)
        after = replace(after, complete=last and seen.differ(after.accepted))
    with store.writing() as connection:
        _advance(connection, source, after)
        insert_rows(connection, items, ("source_id", "position", "line", "digest", "layout"), accepted)
        insert_rows(connection, rejects, ("source_id", "number", "line", "text", "reasons"), rejected)
        _record_blocks(connection, source, after, accepted, rejected)
        _follow(connection, after)
    return after


def complete(store: Database, source: Source, seen: Beginnings | None = None) -> Source:
    """Say that a source has been read to its end, and cut the last jobs of its runs; `seen` are its digests.

    Raises
    ------
    StoreError
        If someone else is reading the same source into the store at the same time.
    """
    duplicates = 0 if seen and seen.differ(source.accepted) else _duplicates(store, source)
    after = replace(source, duplicates=duplicates, complete=True)
    with store.writing() as connection:
        _advance(connection, source, after)
        _record_blocks(connection, source, after, [], [])
        _follow(connection, after)
    return after


def leave(store: Database, source: Source) -> None:
    """Cut the last jobs of what has been read of a source that cannot be read to its end just now."""
    with store.writing() as connection:
        _follow(connection, replace(source, complete=True))


def _duplicates(store: Database, source: Source) -> int:
    """How many items have a layout that stands earlier in the source."""
    different = select(items.c.digest).where(items.c.source_id == source.id).group_by(items.c.digest).subquery()
    with store.reading() as connection:
        return source.accepted - connection.execute(select(func.count()).select_from(different)).scalar_one()


def _follow(connection: Connection, source: Source) -> None:
    """Cut jobs of the items that are new in a source, for the runs over it."""
    over = select(runs.c.id).where(runs.c.source_id == source.id, runs.c.storage == Storage.ROWS)
    for run in connection.execute(over).scalars().all():
        cut_jobs(connection, run, source.accepted, source.complete)


def _record_blocks(
    connection: Connection, before: Source, after: Source, accepted: Sequence[Row], rejected: Sequence[Row]
) -> None:
    for listing, old, new, rows in (
        (ITEM_LISTING, before.accepted, after.accepted, accepted),
        (REJECT_LISTING, before.rejected, after.rejected, rejected),
    ):
        record_source_blocks(connection, listing, after.id, old, new, rows, last=after.complete)


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
    if moved.rowcount != 1 and _one(connection, select(*COLUMNS).where(sources.c.id == before.id)) == before:
        raise DamagedError(
            f"{before.name} cannot be read on: somebody has changed what the store says of source {before.id}; delete "
            "it from the store, or restore the store from a backup"
        )
    if moved.rowcount != 1:
        raise StoreError(f"{before.name} is being read into this store by another command; wait for that one")


def _storable(found: str) -> str:
    """PostgreSQL's texts hold anything but NUL."""
    return found.replace("\0", "␀")


def find_source(store: Database, key: int | str) -> Source:
    """The source of that number, or if there is none, the newest of that name, whose printable form is stored.

    Raises
    ------
    NotFoundError
    DamagedError
        If it cannot be read.
    """
    numbered = row_number(key)
    with store.reading() as connection:
        found = _one(
            connection,
            select(*COLUMNS)
            .where((sources.c.id == numbered) | (sources.c.name == printable(str(key))))
            .order_by((sources.c.id == numbered).desc(), sources.c.id.desc())
            .limit(1),
        )
    if found is None:
        raise NotFoundError(f"the store has no source {str(key)!r}; read it in with: dealmill ingest FILE")
    return found


def reread(store: Database, source: Source) -> Source:
    """The source as it stands now."""
    with store.reading() as connection:
        now = _one(connection, select(*COLUMNS).where(sources.c.id == source.id))
    assert now is not None  # noqa: S101 -- sources are never deleted
    return now


def rejects_of(store: Database, source: int) -> Iterator[Reject]:
    """The rejects of a source in the order in which they were found, page by page. Of those that cannot be read there
    is a `DamagedWarning`."""
    after = 0
    while True:
        with store.reading() as connection:
            found = connection.execute(
                select(*ENTRY)
                .where(rejects.c.source_id == source, rejects.c.number.between(after + 1, MOST))
                .order_by(rejects.c.number)
                .limit(PAGE)
            ).all()
        for row in found:
            if trouble := REJECT.trouble(row):
                told = f"reject {row.number} of source {source} cannot be read: {trouble}"
                warnings.warn(DamagedWarning(told), stacklevel=2)
            else:
                yield Reject(row.line, row.text, tuple(row.reasons.split("\n")))
        if len(found) < PAGE:
            return
        after = found[-1].number


def _one(connection: Connection, query: Select[*tuple[Any, ...]]) -> Source | None:
    row = connection.execute(query).one_or_none()
    if row is not None and (trouble := SOURCE.trouble(row)):
        raise DamagedError(f"source {row.id} cannot be read: {trouble}; restore the database from a backup")
    return None if row is None else Source(**row._mapping)
