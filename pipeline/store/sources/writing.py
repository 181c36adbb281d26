"""Writing sources: layouts and rejects are stored in batches while a file is read, so that an interrupted ingest can be
resumed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
from sqlalchemy import Connection, bindparam, insert, select, update

from dealmill.pipeline.errors import DamagedError, NotFoundError, StoreError, UsageError
from dealmill.pipeline.evidence.digests import DIGEST, continued, digest_start
from dealmill.pipeline.games.batch import Bytes, Entries, Texts, deal_entries
from dealmill.pipeline.games.deals import DEALT_AT_ONCE, DealRange
from dealmill.pipeline.games.descriptions import RulesText
from dealmill.pipeline.store.database.bulk import insert_once, insert_rows
from dealmill.pipeline.store.database.columns import ByteStrings, Columns, Fixed, prepare_insert
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.revisions import create_store
from dealmill.pipeline.store.database.tables import STORES_LAYOUTS, Control, items, rejects, runs, sources
from dealmill.pipeline.store.database.tables import rules as recorded_rules
from dealmill.pipeline.store.runs.jobs import cut_jobs
from dealmill.pipeline.store.runs.status import SILENT_READER
from dealmill.pipeline.store.sources.duplicates import DigestPrefixes, count_duplicates
from dealmill.pipeline.store.sources.source import BY_CONTENTS, BY_NUMBER, RULES, Source, one_source, reread
from dealmill.pipeline.store.sources.source_digests import record_source_blocks

UNSEALED = b""
"""The seal of a source before its number is known; the seal covers the number."""
COUNTED = ("accepted", "duplicates", "rejected", "complete")
NOTHING_READ = {"accepted": 0, "duplicates": 0, "rejected": 0, "complete": False, "seal": UNSEALED}

# One command may read a hundred thousand sources, and building these statements would take longer than executing them.
INSERT_SOURCE = insert(sources).values(created=clock())
INSERT_RULES = insert(recorded_rules)
FIRST_SEAL = (
    update(sources)
    .where(sources.c.id == bindparam("number"), sources.c.seal == UNSEALED)
    .values(seal=bindparam("computed"))
)
ADVANCE = (
    update(sources)
    .where(sources.c.id == bindparam("number"), sources.c.seal == bindparam("seal_before"))
    .values(advanced=clock(), **{name: bindparam(name) for name in (*COUNTED, "seal")})
)
STOP = (
    update(sources)
    .where(sources.c.id == bindparam("number"), sources.c.complete.is_(False))
    .values(advanced=clock() - SILENT_READER.total_seconds())
)
RUNS_OVER = select(runs.c.id).where(
    runs.c.source_id == bindparam("source"), STORES_LAYOUTS, runs.c.control != Control.DELETED
)

WriteMore = Callable[[Connection], object]
"""Writes what belongs to some entries, in the transaction that stores them."""


def write_nothing(_connection: Connection) -> None:
    """Write nothing more than the entries."""


def layout_digests(game: str, layouts: Texts) -> Bytes:
    """Return the digests of n layouts (n × 16 bytes)."""
    text, start = layouts.concatenated_text.tobytes(), digest_start(game)
    ends = (layouts.starts - layouts.starts[0]).tolist()
    digests = b"".join([continued(start, text[first:end]) for first, end in pairwise(ends)])
    return np.frombuffer(digests, dtype=np.uint8).reshape(-1, DIGEST)


def open_source(
    database: Database,
    game: str,
    name: str,
    digest: bytes,
    rules: RulesText | None = None,
    *,
    generator: str | None = None,
    deals: Mapping[str, object] | None = None,
) -> Source:
    """Return the source with the given contents, read by these rules of its game. If the store has none, insert one
    with nothing read yet. `generator` and `deals` describe the deals whose numbers a file has."""
    if rules is not None:
        digest += rules.digest.encode()
    return _open(database, rules, game=game, name=name, digest=digest, generator=generator, deals=deals)


def open_deals(database: Database, deals: DealRange) -> Source:
    """Return the source of a deal range. If the store has none, insert one with nothing read yet.

    Raises
    ------
    DamagedError
        If the stored source has the digest of this range, but other deals.
    """
    game = deals.game
    described = {"name": deals.name, "generator": game.generator, "deals": deals.numbers}
    source = _open(database, game.rules_text, game=game.name, digest=deals.digest, **described)
    if source.deals != deals.numbers:
        raise DamagedError(
            f"source {source.id} does not have the deals {deals.name}, although its digest is theirs; restore it from "
            "a backup"
        )
    return source


def _open(database: Database, rules: RulesText | None, *, game: str, digest: bytes, **described: object) -> Source:
    key = {"game": game, "digest": digest}
    create_store(database)  # a source is the first thing that any store holds
    with database.writing() as connection:
        if rules is not None:
            _record_rules(connection, game, rules)
        if store_has := one_source(connection, BY_CONTENTS, key):
            return store_has
        row = {**key, **NOTHING_READ, **described, "rules": rules and rules.digest}
        insert_once(connection, INSERT_SOURCE, row)
        opened = one_source(connection, BY_CONTENTS, key)
        assert opened is not None  # noqa: S101 -- inserted by now
        connection.execute(FIRST_SEAL, {"number": opened.id, "computed": opened.seal})
    return opened


def _record_rules(connection: Connection, game: str, rules: RulesText) -> None:
    """Record the rules of a game, unless they are on record.

    Raises
    ------
    UsageError
        If other rules are on record with their digest, which does not tell them apart.
    """
    recorded = connection.execute(RULES, {"digest": rules.digest}).one_or_none()
    if recorded is None:
        insert_once(connection, INSERT_RULES, rules._asdict())
        recorded = connection.execute(RULES, {"digest": rules.digest}).one()
    if not rules.play_as(RulesText(*recorded)):
        raise UsageError(
            f"the rules of {game} have the digest {rules.digest}, as other rules in this store have: use another store "
            f"for {game}"
        )


def append(
    database: Database,
    source: Source,
    entries: Entries,
    seen: DigestPrefixes | None = None,
    *,
    last: bool = False,
    more: WriteMore = write_nothing,
) -> Source:
    """Store the next entries of a source in one transaction, and cut jobs for the runs planned over it. Their digests
    are added to `seen`. If they are the `last` entries, and `seen` shows that there are no duplicates, the source
    becomes complete. `more` is called in the same transaction."""
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
    insert = prepare_insert(database, items, Columns(fixed, "layout", layouts))
    rejected = [
        (source.id, number, entry.line, _without_nul(entry.text), _without_nul("\n".join(entry.reasons)))
        for number, entry in enumerate(bad, start=source.rejected + 1)
    ]
    if seen:
        seen.add(digests)
        shared = seen.shared(after.accepted) if last else None
        after = replace(after, complete=shared is not None and not len(shared))
    with database.writing() as connection:
        _advance(connection, source, after)
        insert(connection)
        insert_rows(connection, rejects, ("source_id", "number", "line", "text", "reasons"), rejected)
        new = (positions, entries.lines, digests)
        record_source_blocks(connection, source.id, source.accepted, after.accepted, new, last=after.complete)
        more(connection)
        if not after.endless:  # surveys cut their own jobs
            _cut_new_jobs(connection, after)
    return after


def append_deals(database: Database, deals: DealRange, count: int) -> None:
    """Store the first `count` deals of a range without an end, as far as they are not stored. Another command may store
    them at the same time."""
    source = open_deals(database, deals)
    while source.accepted < count:
        part = deals.part(source.accepted + 1, min(source.accepted + DEALT_AT_ONCE, count) + 1)
        try:
            source = append(database, source, deal_entries(part.lines, part.texts()))
        except StoreError:
            before, source = source, reread(database, source)
            if source == before:
                raise


def complete(
    database: Database, source: Source, seen: DigestPrefixes | None = None, *, more: WriteMore = write_nothing
) -> Source:
    """Mark a source as complete, count its duplicates, and cut the last jobs of its runs. `seen` holds the prefixes of
    its digests, if they are known. `more` is called in the same transaction."""
    after = replace(source, duplicates=count_duplicates(database, source, seen), complete=True)
    with database.writing() as connection:
        _advance(connection, source, after)
        record_source_blocks(connection, source.id, source.accepted, after.accepted, (), last=True)
        more(connection)
        _cut_new_jobs(connection, after)
    return after


def cut_remaining_jobs(database: Database, source: Source) -> None:
    """Cut jobs for everything read so far of a source that cannot be read further, including a last, shorter one, and
    let it count as stopped at once."""
    with database.writing() as connection:
        connection.execute(STOP, {"number": source.id})
        _cut_new_jobs(connection, replace(source, complete=True))


def _cut_new_jobs(connection: Connection, source: Source) -> None:
    """Cut jobs for the new items of a source, in every run over it that is stored as rows."""
    for run in connection.execute(RUNS_OVER, {"source": source.id}).scalars().all():
        cut_jobs(connection, run, source.accepted, source.complete)


def _advance(connection: Connection, before: Source, after: Source) -> None:
    """Update the counts of a source from `before` to `after`.

    Raises
    ------
    StoreError
        If another command is ingesting the source, so that its counts are not those of `before`.
    NotFoundError
        If it was deleted, so that nothing of it is stored any more.
    DamagedError
        If its row was changed.
    """
    counted = {name: getattr(after, name) for name in COUNTED}
    moved = connection.execute(
        ADVANCE, {"number": before.id, "seal_before": before.seal, "seal": after.seal, **counted}
    )
    if moved.rowcount == 1:
        return
    stored = one_source(connection, BY_NUMBER, {"number": before.id})
    if stored == before:
        raise DamagedError(
            f"{before.name}: ingest cannot be resumed, because the row of source {before.id} was changed; delete the "
            "source from the store, or restore the store from a backup"
        )
    if stored and not stored.entries and not stored.complete:
        raise NotFoundError(f"{before.name} was deleted while it was read; repeat the command")
    raise StoreError(f"{before.name} is being ingested by another command; wait for it to finish")


def _without_nul(text: str) -> str:
    """Replace NUL characters, which PostgreSQL cannot store in a text."""
    return text.replace("\0", "␀")
