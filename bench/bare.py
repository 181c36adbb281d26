"""The plain script for comparison: a single process that reads a file, calls the same engine and inserts the same rows
with the database driver. It has no leases, no fencing and no progress display, and cannot resume."""

import sqlite3
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.solving.solve import solve

BATCH = 10_000
TABLES = """
CREATE TABLE items (source_id {integer}, position {big}, line {big}, digest {bytes}, layout TEXT,
    PRIMARY KEY (source_id, position)){plain};
CREATE TABLE verdicts (run_id {integer}, position {big}, verdict {small}, value {big}, nodes {big}, evidence TEXT,
    PRIMARY KEY (run_id, position)){plain};
CREATE INDEX by_verdict ON verdicts (run_id, verdict, position);
"""
"""The tables and indexes of the store that grow with the number of layouts."""
SQLITE = {"integer": "INTEGER", "small": "INTEGER", "big": "INTEGER", "bytes": "BLOB", "plain": " WITHOUT ROWID"}
POSTGRES = {"integer": "INTEGER", "small": "SMALLINT", "big": "BIGINT", "bytes": "BYTEA", "plain": ""}

Rows = list[tuple[Any, ...]]


def _rows(game: Game, file: Path) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows of items and of verdicts in batches."""
    name = game.full_name(game.engines[0])
    position = 1
    start = blake2b(f"{game.name}\n".encode(), digest_size=16)
    with file.open() as lines:
        numbered = ((number, line.rstrip("\n")) for number, line in enumerate(lines, start=1))
        entries = (entry for entry in game.read(numbered) if isinstance(entry, Layout))
        while batch := list(islice(entries, BATCH)):
            solved = solve(name, [entry.text for entry in batch])
            rows = range(position, position + len(batch))
            position += len(batch)
            items = [
                (1, row, entry.line, _digest(start, entry.text), entry.text)
                for row, entry in zip(rows, batch, strict=True)
            ]
            said = zip(rows, solved.verdicts, solved.values, solved.nodes, solved.evidence, strict=True)
            yield items, [(1, row, int(verdict), *rest) for row, verdict, *rest in said]


def _digest(start: blake2b, layout: str) -> bytes:
    digest = start.copy()
    digest.update(layout.encode())
    return digest.digest()


def into_sqlite(game: Game, file: Path, database: Path) -> None:
    """Run the script on SQLite, with the settings of the store."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.executescript(TABLES.format(**SQLITE))
    for items, verdicts in _rows(game, file):
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?)", items)
        connection.executemany("INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?)", verdicts)
        connection.execute("COMMIT")
    connection.close()


def into_postgres(game: Game, file: Path, url: str) -> None:
    """Run the script on PostgreSQL, with binary COPY."""
    types = {
        "items": ("int4", "int8", "int8", "bytea", "text"),
        "verdicts": ("int4", "int8", "int2", "int8", "int8", "text"),
    }
    with psycopg.connect(url) as connection:
        connection.execute(TABLES.format(**POSTGRES).encode())
        for both in _rows(game, file):
            for table, rows in zip(types, both, strict=True):
                with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy:
                    copy.set_types(types[table])
                    for row in rows:
                        copy.write_row(row)
            connection.commit()
