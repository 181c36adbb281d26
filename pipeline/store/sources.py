"""Sources and their layouts: written batch by batch while a file is read, so that a broken-off one goes on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from sqlalchemy import Connection, Select, bindparam, func, select, text, update

from pipeline.errors import NotFoundError, StoreError
from pipeline.games.contract import Layout, Reject
from pipeline.store.bulk import insert_rows
from pipeline.store.database import Store, clock
from pipeline.store.tables import items, layouts, rejects, sources

PAGE = 1_000

LOOKUP = 10_000
"""Digests in one look-up; both databases take some 30,000 bound values at the most."""


@dataclass(frozen=True, slots=True)
class Source:
    """A stored source. `accepted`, `duplicates` and `rejected` count what has been read of it so far."""

    id: int
    game: str
    name: str
    generator: str | None
    accepted: int
    duplicates: int
    rejected: int
    complete: bool

    @property
    def entries(self) -> int:
        """How many layouts, good and bad, have been read so far."""
        return self.accepted + self.rejected


COLUMNS = (
    sources.c.id,
    sources.c.game,
    sources.c.name,
    sources.c.generator,
    sources.c.accepted,
    sources.c.duplicates,
    sources.c.rejected,
    sources.c.complete,
)


def layout_digest(game: str, layout: str) -> bytes:
    """The 16 bytes that tell a layout from all others of all games."""
    return blake2b(f"{game}\n{layout}".encode(), digest_size=16).digest()


def open_source(store: Store, game: str, name: str, digest: bytes, generator: str | None = None) -> Source:
    """The source with these contents; a new one, with nothing read yet, if the store has none."""
    wanted = select(*COLUMNS).where(sources.c.game == game, sources.c.digest == digest)
    with store.writing() as connection:
        if store_has := _one(connection, wanted):
            return store_has
        connection.execute(
            sources.insert().values(
                game=game,
                name=name,
                digest=digest,
                generator=generator,
                accepted=0,
                duplicates=0,
                rejected=0,
                complete=False,
                created=clock(),
            )
        )
        opened = _one(connection, wanted)
    assert opened is not None  # noqa: S101 -- inserted in this transaction
    return opened


def append(store: Store, source: Source, entries: Sequence[Layout | Reject], *, last: bool) -> Source:
    """Store the next entries of a source in one transaction; `last` says that the source ends with them.

    Raises
    ------
    StoreError
        If someone else is reading the same source into the store at the same time.
    """
    found = [entry for entry in entries if isinstance(entry, Layout)]
    bad = [entry for entry in entries if isinstance(entry, Reject)]
    with store.writing() as connection:
        if not store.embedded:  # as SQLite does by itself: one writer of layouts at a time
            connection.execute(text("LOCK TABLE layouts IN SHARE ROW EXCLUSIVE MODE"))
        kept = _keep_layouts(connection, source.game, found)
        after = replace(
            source,
            accepted=source.accepted + len(found),
            duplicates=source.duplicates + kept.duplicates,
            rejected=source.rejected + len(bad),
            complete=last,
        )
        _advance(connection, source, after)
        numbered = enumerate(zip(kept.ids, found, strict=True), start=source.accepted + 1)
        insert_rows(
            connection,
            items,
            ("source_id", "position", "layout_id", "line"),
            [(source.id, position, layout, entry.line) for position, (layout, entry) in numbered],
        )
        insert_rows(
            connection,
            rejects,
            ("source_id", "number", "line", "text", "reasons"),
            [
                (source.id, number, entry.line, _storable(entry.text), _storable("\n".join(entry.reasons)))
                for number, entry in enumerate(bad, start=source.rejected + 1)
            ],
        )
    return after


def _advance(connection: Connection, before: Source, after: Source) -> None:
    """Count a source up from where its reader left it; fails if another reader has been there."""
    moved = connection.execute(
        update(sources)
        .where(
            sources.c.id == before.id,
            sources.c.accepted == before.accepted,
            sources.c.rejected == before.rejected,
            sources.c.complete.is_(False),
        )
        .values(accepted=after.accepted, duplicates=after.duplicates, rejected=after.rejected, complete=after.complete)
    )
    if moved.rowcount != 1:
        raise StoreError(f"{before.name} is being read into this store by another command; wait for that one")


@dataclass(frozen=True, slots=True)
class _Kept:
    ids: list[int]
    duplicates: int


def _keep_layouts(connection: Connection, game: str, found: Sequence[Layout]) -> _Kept:
    """Store the layouts that are new, and number them in the order in which they come."""
    digests = [layout_digest(game, layout.text) for layout in found]
    known: dict[bytes, int] = {}
    lookup = select(layouts.c.digest, layouts.c.id).where(layouts.c.digest.in_(bindparam("digests", expanding=True)))
    for start in range(0, len(digests), LOOKUP):
        rows = connection.execute(lookup, {"digests": digests[start : start + LOOKUP]})
        known.update((digest, number) for digest, number in rows)
    following = (connection.execute(select(func.max(layouts.c.id))).scalar() or 0) + 1
    new: list[tuple[int, bytes, str]] = []
    for digest, layout in zip(digests, found, strict=True):
        if digest not in known:
            known[digest] = following + len(new)
            new.append((known[digest], digest, layout.text))
    insert_rows(connection, layouts, ("id", "digest", "text"), new)
    return _Kept([known[digest] for digest in digests], len(found) - len(new))


def _storable(found: str) -> str:
    """PostgreSQL's texts hold anything but NUL."""
    return found.replace("\0", "␀")


def find_source(store: Store, key: str) -> Source:
    """The source of that number or name.

    Raises
    ------
    NotFoundError
    """
    numbered = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else -1
    with store.reading() as connection:
        found = _one(
            connection,
            select(*COLUMNS)
            .where((sources.c.id == numbered) | (sources.c.name == _storable(key)))
            .order_by(sources.c.id.desc())
            .limit(1),
        )
    if found is None:
        raise NotFoundError(f"the store has no source {key!r}; read it in with: dealmill ingest FILE")
    return found


def rejects_of(store: Store, source: int) -> Iterator[Reject]:
    """The rejects of a source in the order in which they were found, page by page."""
    after = 0
    while True:
        with store.reading() as connection:
            found = connection.execute(
                select(rejects.c.number, rejects.c.line, rejects.c.text, rejects.c.reasons)
                .where(rejects.c.source_id == source, rejects.c.number > after)
                .order_by(rejects.c.number)
                .limit(PAGE)
            ).all()
        for _, line, text_found, reasons in found:
            yield Reject(line, text_found, tuple(reasons.split("\n")))
        if len(found) < PAGE:
            return
        after = found[-1].number


def _one(connection: Connection, query: Select[tuple[int, str, str, str | None, int, int, int, bool]]) -> Source | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else Source(**row._mapping)
