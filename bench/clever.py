"""The fully optimized script for comparison: a single process in which texts and numbers stay in arrays from the file
to the row, are checked and solved by the same kernels, and each batch of rows is one statement. Like the plain script
(`bench/bare.py`), it has no leases, no fencing and no progress display, and cannot resume. It also stops at a line that
is not a canonical layout."""

import sqlite3
import struct
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import psycopg
from numpy.typing import NDArray

from bench.bare import POSTGRES, SQLITE, TABLES
from dealmill.pipeline.games.batch import Bytes, Numbers, Solved, Texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.loading import load

BLOCK = 2 << 20
"""The number of bytes read at once: tens of thousands of layouts."""
DIGEST = 16
ITEMS = """INSERT INTO items
SELECT 1, ? + key, ? + key, substr(?, key * 16 + 1, 16), value FROM json_each(?)"""
VERDICTS = """INSERT INTO verdicts
SELECT 1, ? + key, CAST(substr(?, key + 1, 1) AS INTEGER), CAST(nullif(substr(?, key * 20 + 1, 20), ?) AS INTEGER),
       CAST(substr(?, key * 20 + 1, 20) AS INTEGER), value
FROM json_each(?)"""
NO_NUMBER = b" " * 20


class Part(NamedTuple):
    """A batch of lines, starting at the position `first`, with their digests and results."""

    first: int
    lines: bytes
    layouts: Texts
    digests: bytes
    solved: Solved


def _parts(game: Game, file: Path) -> Iterator[Part]:
    solver = load(game.full_name(game.engines[0]))
    begun, first = b"", 1
    start = blake2b(f"{game.name}\n".encode(), digest_size=DIGEST)
    with file.open("rb") as blocks:
        for block in iter(partial(blocks.read, BLOCK), b""):
            whole, _, rest = (begun + block).rpartition(b"\n")
            begun = rest
            ends = np.flatnonzero(np.frombuffer(whole + b"\n", dtype=np.uint8) == ord("\n"))
            starts = np.concatenate(([0], ends - np.arange(len(ends))))
            layouts = Texts(np.frombuffer(whole.replace(b"\n", b""), dtype=np.uint8), starts)
            yield Part(first, whole, layouts, _digests(start, whole), solver(layouts))
            first += len(layouts)
    if begun:
        raise ValueError("the last line does not end with a line feed")


def _digests(start: blake2b, lines: bytes) -> bytes:
    digests = []
    for line in lines.split(b"\n"):
        digest = start.copy()
        digest.update(line)
        digests.append(digest.digest())
    return b"".join(digests)


def into_sqlite(game: Game, file: Path, database: Path) -> None:
    """Run the script on SQLite, with the settings of the store."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.executescript(TABLES.format(**SQLITE))
    for part in _parts(game, file):
        solved = part.solved
        codes = (solved.verdicts + ord("0")).astype(np.uint8).tobytes()
        scored = solved.verdicts == int(Verdict.SCORED)
        values, nodes = _written(solved.values, scored), _written(solved.nodes, np.ones_like(scored))
        layouts = _json(part.lines.replace(b"\n", b'","'))
        evidence = _json(_separated(solved.evidence.text, solved.evidence.starts).tobytes())
        connection.execute("BEGIN")
        connection.execute(ITEMS, (part.first, part.first, part.digests, layouts))
        connection.execute(VERDICTS, (part.first, codes, values, NO_NUMBER, nodes, evidence))
        connection.execute("COMMIT")
    connection.close()


def _json(texts: bytes) -> str:
    return f'["{texts.decode()}"]'


def _written(numbers: Numbers, counts: NDArray[np.bool_]) -> bytes:
    """Return non-negative numbers as 20 ASCII characters each, blank where `counts` is false. They are bytes, because
    slicing text in SQLite means counting characters."""
    digits = np.where(counts[:, None], numbers[:, None] // 10 ** np.arange(18, -1, -1) % 10 + ord("0"), ord(" "))
    return np.pad(digits.astype(np.uint8), ((0, 0), (1, 0)), constant_values=ord(" ")).tobytes()


@numba.njit(cache=True)
def _separated(text: Bytes, starts: Numbers) -> Bytes:
    """Return the texts with the separators of a JSON list between them."""
    count = len(starts) - 1
    joined = np.empty(starts[count] - starts[0] + 3 * (count - 1), dtype=np.uint8)
    at = 0
    for number in range(count):
        if number:
            joined[at], joined[at + 1], joined[at + 2] = ord('"'), ord(","), ord('"')
            at += 3
        for index in range(starts[number], starts[number + 1]):
            joined[at] = text[index]
            at += 1
    return joined


def into_postgres(game: Game, file: Path, url: str) -> None:
    """Run the script on PostgreSQL, with binary COPY."""
    with psycopg.connect(url) as connection:
        connection.execute(TABLES.format(**POSTGRES).encode())
        for part in _parts(game, file):
            count, solved = len(part.layouts), part.solved
            places = np.arange(part.first, part.first + count, dtype=">i8")
            ones = np.ones(count, dtype=">i4")
            scored = solved.verdicts == int(Verdict.SCORED)
            _copy(
                connection,
                "items (source_id, position, line, digest, layout)",
                [ones, places, places, np.frombuffer(part.digests, dtype="V16")],
                part.layouts,
            )
            for values, chosen in (("value, ", np.flatnonzero(scored)), ("", np.flatnonzero(~scored))):
                _copy(
                    connection,
                    f"verdicts (run_id, position, verdict, {values}nodes, evidence)",
                    [
                        ones[chosen],
                        places[chosen],
                        solved.verdicts[chosen].astype(">i2"),
                        *([solved.values[chosen].astype(">i8")] if values else []),
                        solved.nodes[chosen].astype(">i8"),
                    ],
                    solved.evidence.take(chosen),
                )
            connection.commit()


def _copy(connection: psycopg.Connection, into: str, columns: list[NDArray[np.generic]], texts: Texts) -> None:
    """Insert rows of fixed-width columns followed by a text."""
    if not len(texts):
        return
    parts: list[tuple[str, NDArray[np.generic] | int, str]] = [("fields", len(columns) + 1, ">i2")]
    for number, column in enumerate(columns):
        parts += [(f"size{number}", column.itemsize, ">i4"), (f"field{number}", column, column.dtype.str)]
    rows = np.empty(len(texts), dtype=[(name, kind) for name, _, kind in [*parts, ("length", texts.lengths, ">i4")]])
    for name, values, _ in parts:
        rows[name] = values
    rows["length"] = texts.lengths
    written = _with_texts(rows.view(np.uint8).reshape(len(texts), -1), texts.text, texts.starts)
    with connection.cursor().copy(f"COPY {into} FROM STDIN (FORMAT BINARY)".encode()) as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0) + written.tobytes() + b"\xff\xff")


@numba.njit(cache=True)
def _with_texts(rows: NDArray[np.uint8], text: Bytes, starts: Numbers) -> Bytes:
    """Return each row followed by its text."""
    count, width = rows.shape
    joined = np.empty(count * width + starts[count] - starts[0], dtype=np.uint8)
    at = 0
    for number in range(count):
        for index in range(width):
            joined[at] = rows[number, index]
            at += 1
        for index in range(starts[number], starts[number + 1]):
            joined[at] = text[index]
            at += 1
    return joined
