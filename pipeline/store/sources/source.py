"""Sources: ordered lists of layouts, with their rejects."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, exists, or_, select

from dealmill.pipeline.arguments import MAX_INTEGER, row_number
from dealmill.pipeline.errors import DamagedError, NotFoundError
from dealmill.pipeline.evidence.digests import layout_digest, seal
from dealmill.pipeline.games import game_by
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import is_endless
from dealmill.pipeline.games.descriptions import Reject, RulesText
from dealmill.pipeline.printable import printable
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import RowCheck, readable
from dealmill.pipeline.store.database.tables import Control, items, rejects, rules, runs, sources

SHA256 = 32
"""The bytes of the SHA-256 of a text. In the digest of a source, that of the rules of its game may follow."""
REJECTS_PER_PAGE = 1_000
NO_PARAMETERS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Source:
    """A stored source.

    `digest` is the SHA-256 of its text, or of its deal range and generator. `deals` describes a range of numbered deals
    (see `dealmill.pipeline.games.deals.DealRange.numbers`); compact runs do not need its layouts to be stored.
    `accepted` and `rejected` count the layouts and rejects read so far. `duplicates` counts the accepted layouts that
    occur earlier in the source; it is computed when the source is complete, which an endless range never is. `rules` is
    the digest of the rules of the game, if they are on record (see `rules_of`).
    """

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
    rules: str | None = None

    @property
    def entries(self) -> int:
        """The number of layouts read so far, accepted and rejected."""
        return self.accepted + self.rejected

    @property
    def text_sha256(self) -> str | None:
        """The SHA-256 of the text of a file, in hexadecimal digits; None for numbered deals."""
        return None if self.deals else self.digest[:SHA256].hex()

    @property
    def endless(self) -> bool:
        """Whether it is an endless deal range."""
        return is_endless(self.deals)

    @property
    def seal(self) -> bytes:
        """The seal computed from its fields."""
        return source_seal(*(getattr(self, field.name) for field in fields(self)))


def source_seal(*columns: object) -> bytes:
    """Return the seal of a row of `SOURCE_COLUMNS`. It covers the rules, which are last, only if there are some."""
    return seal("source", *(columns if columns[-1] is not None else columns[:-1]))


SOURCE_COLUMNS = (
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
    sources.c.rules,
)
SOURCE = RowCheck(*SOURCE_COLUMNS)
BY_NUMBER = select(*SOURCE_COLUMNS).where(sources.c.id == bindparam("number"))
BY_CONTENTS = select(*SOURCE_COLUMNS).where(
    sources.c.game == bindparam("game"), sources.c.digest == bindparam("digest")
)
RULES = select(rules.c.digest, rules.c.family, rules.c.text).where(rules.c.digest == bindparam("digest"))
ENTRY = (rejects.c.number, rejects.c.line, rejects.c.text, rejects.c.reasons)
REJECT = RowCheck(*ENTRY)


def find_source(database: Database, key: int | str) -> Source:
    """Return the source with the given number, or else the newest with the given name. Names are stored, and compared,
    in their printable form.

    Raises
    ------
    NotFoundError
        If there is no such source.
    """
    named = select(*SOURCE_COLUMNS).where(sources.c.name == printable(str(key))).order_by(sources.c.id.desc()).limit(1)
    with database.reading() as connection:
        source = one_source(connection, BY_NUMBER, {"number": row_number(key)})
        source = source or one_source(connection, named)
    if source is None:
        raise NotFoundError(f"the store has no source {str(key)!r}; add it with: dealmill ingest {key}")
    return source


def rules_of(connection: Connection, source: Source) -> RulesText | None:
    """Return the recorded rules of the game of a source; None if the game has none on record.

    Raises
    ------
    DamagedError
        If they are missing.
    """
    if source.rules is None:
        return None
    row = connection.execute(RULES, {"digest": source.rules}).one_or_none()
    if row is None:
        raise _damaged(source.id, f"its rules {source.rules} are missing")
    return RulesText(*row)


def game_of(database: Database, source: Source) -> Game:
    """Return the game of a source, with the rules that it had when the source was read."""
    with database.reading() as connection:
        recorded = rules_of(connection, source)
    return game_by(source.game, recorded)


def earlier_namesake(database: Database, source: Source) -> Source | None:
    """Return the newest source of the same name that is older than `source`; None if there is none."""
    with database.reading() as connection:
        return one_source(
            connection,
            select(*SOURCE_COLUMNS)
            .where(sources.c.name == source.name, sources.c.id < source.id)
            .order_by(sources.c.id.desc())
            .limit(1),
        )


def list_sources(database: Database) -> list[Source]:
    """Return all sources, oldest first, except those of which nothing was read and that no run needs, such as deleted
    ones, and those that cannot be read (see `readable`)."""
    used = exists().where(runs.c.source_id == sources.c.id, runs.c.control != Control.DELETED)
    listed = or_(sources.c.accepted > 0, sources.c.rejected > 0, sources.c.complete, used)
    with database.reading() as connection:
        rows = connection.execute(select(*SOURCE_COLUMNS).where(listed).order_by(sources.c.id)).all()
    return list(readable(rows, _source))


def reread(database: Database, source: Source) -> Source:
    """Return the current state of a source."""
    with database.reading() as connection:
        now = one_source(connection, BY_NUMBER, {"number": source.id})
    assert now is not None  # noqa: S101 -- sources are never deleted
    return now


def rejects_of(database: Database, source: int) -> Iterator[Reject]:
    """Yield the rejects of a source in the order in which they were found, fetched page by page, without those that
    cannot be read (see `readable`)."""

    def reject(row: Row[*tuple[Any, ...]]) -> Reject:
        if error := REJECT.error(row):
            raise DamagedError(f"reject {row.number} of source {source} cannot be read: {error}")
        return Reject(row.line, row.text, tuple(row.reasons.split("\n")))

    return readable(_reject_rows(database, source), reject)


def _reject_rows(database: Database, source: int) -> Iterator[Row[*tuple[Any, ...]]]:
    after = 0
    while True:
        with database.reading() as connection:
            rows = connection.execute(
                select(*ENTRY)
                .where(rejects.c.source_id == source, rejects.c.number.between(after + 1, MAX_INTEGER))
                .order_by(rejects.c.number)
                .limit(REJECTS_PER_PAGE)
            ).all()
        yield from rows
        if len(rows) < REJECTS_PER_PAGE:
            return
        after = rows[-1].number


def one_source(
    connection: Connection, query: Select[*tuple[Any, ...]], parameters: Mapping[str, object] = NO_PARAMETERS
) -> Source | None:
    """Return the source that a query of `SOURCE_COLUMNS` finds; None if there is none.

    Raises
    ------
    DamagedError
        If it cannot be read.
    """
    row = connection.execute(query, parameters).one_or_none()
    return None if row is None else _source(row)


def _source(row: Row[*tuple[Any, ...]]) -> Source:
    if error := SOURCE.error(row):
        raise _damaged(row.id, error)
    return Source(**row._mapping)


def _damaged(number: int, error: str) -> DamagedError:
    return DamagedError(f"source {number} cannot be read: {error}; restore the database from a backup")


LOCKED = (
    select(sources.c.accepted, sources.c.complete).where(sources.c.id == bindparam("source")).with_for_update(read=True)
)


def lock_source(connection: Connection, source: int) -> tuple[int, bool]:
    """Lock the row of a source in the transaction that plans a run over it, so that it is not deleted meanwhile, and
    its reader waits. Return the number of its layouts by now, and whether it was read to its end."""
    accepted, complete = connection.execute(LOCKED, {"source": source}).one()
    return accepted, complete


def altered_layouts(database: Database, source: int, game: str, layouts: Mapping[int, str]) -> list[int]:
    """Return the positions at which the source has another digest than that of the given layout, or no item."""
    query = select(items.c.position, items.c.digest).where(
        items.c.source_id == source, items.c.position.in_(list(layouts))
    )
    with database.reading() as connection:
        recorded = dict(connection.execute(query).all())
    return [position for position, layout in layouts.items() if recorded.get(position) != layout_digest(game, layout)]


VARYING = re.compile(
    r"""('(?:[^'\\]|\\.)*(?:'(?:,\ '(?:[^'\\]|\\.)*')*|$) | "(?:[^"\\]|\\.)*(?:"|$) | -?\d+(?:\W{1,3}\d+)* | \b[A-Z]+\b
        | (?:(?<=stack\ )|(?<=letter\ ))\w\b)""",
    re.VERBOSE,
)
"""Quoted texts and numbers, lists of them, symbols and tiles, and names of stacks and letters."""


ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class RejectReason:
    """A reason that `count` rejects have, `example` being the first of them.

    Reasons that differ only in numbers, symbols or quoted texts are counted as one, with ``…`` where they differ.
    """

    reason: str
    count: int
    example: Reject


def count_reasons(rejects: Iterable[Reject]) -> list[RejectReason]:
    """Return the reasons of rejects with their counts, most frequent first. A reject counts once for each of them."""
    texts: dict[tuple[str, ...], list[str]] = {}
    counts = Counter[tuple[str, ...]]()
    examples: dict[tuple[str, ...], Reject] = {}
    for reject in rejects:
        own_kinds = set()
        for reason in reject.reasons:
            parts = VARYING.split(reason)
            kind = tuple(parts[::2])
            known = texts.setdefault(kind, parts)
            known[:] = [left if left == right else ELLIPSIS for left, right in zip(known, parts, strict=True)]
            examples.setdefault(kind, reject)
            own_kinds.add(kind)
        counts.update(own_kinds)
    kinds = sorted(texts, key=lambda kind: -counts[kind])
    return [RejectReason("".join(texts[kind]), counts[kind], examples[kind]) for kind in kinds]
