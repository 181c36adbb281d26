"""Benchmark of the disk space of a run."""

import sqlite3
import subprocess
import tempfile
from pathlib import Path

from bench.measure import GAMES, dealt, table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from tests.servers import clean_environment, dealmill_command

STORED = 50_000
COLUMNS = {
    "items": ("source_id", "position", "line", "digest", "layout"),
    "verdicts": ("run_id", "position", "verdict", "value", "nodes", "evidence"),
}
INDEX = "ix_verdicts_run_id_verdict_position"


def on_disk() -> str:
    """Return a table with a row per part of the embedded database: bytes per layout, for each game. The size of a
    column is that of its values; the size of a table also includes row headers and free space in pages."""
    games = {name: _parts_of_a_run(find_game(name)) for name in GAMES}
    rows = [[part, *(f"{games[name][part]:.1f}" for name in GAMES)] for part in games[GAMES[0]]]
    return table(["bytes per layout", *GAMES], rows)


def _parts_of_a_run(game: Game) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        file = dealt(game, STORED, Path(folder))
        subprocess.run(
            dealmill_command(["run", str(file)]), cwd=folder, env=clean_environment(), check=True, capture_output=True
        )
        return bytes_by_part(Path(folder) / "dealmill.db", STORED)


def bytes_by_part(database: Path, count: int) -> dict[str, float]:
    """Return the bytes per layout, for `count` layouts: of the file, of the tables that grow with the layouts, of their
    columns and indexes, and of everything else."""
    connection = sqlite3.connect(database)
    pages = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall())
    parts: dict[str, float] = {"database file": database.stat().st_size}
    for table_name, columns in COLUMNS.items():
        parts[f"`{table_name}`"] = pages.pop(table_name)
        sizes = connection.execute(f"SELECT {', '.join(map(_size, columns))} FROM {table_name}").fetchone()  # noqa: S608
        parts |= {f"… of these `{column}`": size or 0 for column, size in zip(columns, sizes, strict=True)}
    parts[f"`{INDEX}`"] = pages.pop(INDEX)
    parts["everything else"] = sum(pages.values())
    connection.close()
    return {part: size / count for part, size in parts.items()}


def _size(column: str) -> str:
    """Return the SQL expression for the bytes of a column's values in SQLite, which stores integers with variable
    length."""
    edges = ((8, 1), (16, 2), (24, 3), (32, 4), (48, 6))
    number = " ".join(f"WHEN {column} < {1 << bits - 1} THEN {size}" for bits, size in edges)
    of_number = f"CASE WHEN {column} IN (0, 1) THEN 0 {number} ELSE 8 END"
    return f"sum(CASE typeof({column}) WHEN 'integer' THEN {of_number} ELSE length(CAST({column} AS BLOB)) END)"
