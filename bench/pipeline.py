"""The whole way, from a file to the last committed verdict, against a script; what it takes on disk; and streams."""

import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.bare import into_postgres, into_sqlite
from bench.measure import ROUNDS, in_turn, rounded, seconds, table
from dealmill.pipeline.deals import parse_deal_range
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.solve import load
from tests.servers import Postgres, clean_environment, dealmill_command, peak_memory, running_postgres

SEED = 20261121
LAYOUTS = {"card-pairing": 1_000_000, "camelot": 1_000_000, "tantrix": 1_000_000}
DEALS = ("card-pairing", "camelot", "hi-q", "memory", "tantrix")
STORED = 50_000
COLUMNS = {
    "items": ("source_id", "position", "line", "digest", "layout"),
    "verdicts": ("run_id", "position", "verdict", "value", "nodes", "evidence"),
}
INDEX = "ix_verdicts_run_id_verdict_position"
STREAMED = (10_000, 100_000)


def against_a_script() -> str:
    """A row per game and database: `dealmill run` on a file with two workers, against a script of one process."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, running_postgres() as server:
        for name, count in LAYOUTS.items():
            game = find_game(name)
            file = dealt(game, count, Path(folder))
            load(game.full_name(game.engines[0]))
            with_tables = [_with_tables(server) for _ in range(ROUNDS)]
            sides: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
                "SQLite": (partial(_run, file), partial(_script, game, file)),
                "PostgreSQL": (
                    lambda: _run(file, with_tables.pop()),  # noqa: B023
                    lambda: into_postgres(game, file, server.new_database()),  # noqa: B023
                ),
            }
            for database, (ours, theirs) in sides.items():
                run, script, ratio = in_turn(ours, theirs)
                rates = (rounded(count / run), rounded(count / script))
                rows.append([name, database, f"{count:,}", *rates, f"{ratio:.2f} ×"])
    return table(["game", "database", "layouts", "run, layouts/s", "script, layouts/s", "time, run / script"], rows)


def on_disk() -> str:
    """A row per part of the embedded database: bytes for each layout, of each game. What a column takes is what is in
    it; what its table takes besides is the header of each row, and room that is left in pages."""
    games = {name: _parts_of_a_run(find_game(name)) for name in DEALS}
    rows = [[part, *(f"{games[name][part]:.1f}" for name in DEALS)] for part in games[DEALS[0]]]
    return table(["bytes a layout", *DEALS], rows)


def _parts_of_a_run(game: Game) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        file = dealt(game, STORED, Path(folder))
        subprocess.run(
            dealmill_command(["run", str(file)]), cwd=folder, env=clean_environment(), check=True, capture_output=True
        )
        return bytes_by_part(Path(folder) / "dealmill.db", STORED)


def bytes_by_part(database: Path, count: int) -> dict[str, float]:
    """Bytes for each of so many layouts: those of the file, of the tables that grow with the layouts, their columns,
    and their indexes, and of all the rest."""
    connection = sqlite3.connect(database)
    pages = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall())
    parts: dict[str, float] = {"the whole file": database.stat().st_size}
    for table_name, columns in COLUMNS.items():
        parts[f"`{table_name}`"] = pages.pop(table_name)
        sizes = connection.execute(f"SELECT {', '.join(map(_size, columns))} FROM {table_name}").fetchone()  # noqa: S608
        parts |= {f"… of these `{column}`": size or 0 for column, size in zip(columns, sizes, strict=True)}
    parts[f"`{INDEX}`"] = pages.pop(INDEX)
    parts["all else"] = sum(pages.values())
    connection.close()
    return {part: size / count for part, size in parts.items()}


def _size(column: str) -> str:
    """The SQL for the bytes that SQLite stores of a column's values: whole numbers take as few as will do."""
    edges = ((8, 1), (16, 2), (24, 3), (32, 4), (48, 6))
    number = " ".join(f"WHEN {column} < {1 << bits - 1} THEN {size}" for bits, size in edges)
    of_number = f"CASE WHEN {column} IN (0, 1) THEN 0 {number} ELSE 8 END"
    return f"sum(CASE typeof({column}) WHEN 'integer' THEN {of_number} ELSE length(CAST({column} AS BLOB)) END)"


def dealt(game: Game, count: int, folder: Path) -> Path:
    """A file of so many deals."""
    file = folder / f"{game.name}.txt"
    with file.open("w") as lines:
        for layout in parse_deal_range(f"deal:{game.name}:seed={SEED}:1-{count}"):
            lines.write(f"{layout.text}\n")
    return file


def _with_tables(server: Postgres) -> str:
    url = server.new_database()
    _dealmill(["db", "upgrade"], {"DEALMILL_DATABASE_URL": url})
    return url


def _run(file: Path, url: str | None = None) -> None:
    _dealmill(["run", str(file)], {"DEALMILL_DATABASE_URL": url} if url else {})


def _dealmill(command: list[str], settings: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = clean_environment({"DEALMILL_WORKERS": "2", **settings})
        subprocess.run(dealmill_command(command), cwd=folder, env=env, check=True, capture_output=True)


def _script(game: Game, file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        into_sqlite(game, file, Path(folder) / "script.db")


def stream() -> str:
    """`dealmill answer` through a pipe: memory of a long stream against that of a short one."""
    rows = []
    for game in DEALS:
        peaks, rates = [], []
        for count in STREAMED:
            with tempfile.TemporaryDirectory() as folder:
                deals = Path(folder) / "deals"
                deals.write_text("\n".join(layout.text for layout in parse_deal_range(f"deal:{game}:seed=1:1-{count}")))
                answers = Path(folder) / "answers"
                elapsed = seconds(lambda: peaks.append(peak_memory(["answer", game], deals, answers)))  # noqa: B023
                rates.append(count / elapsed)
        rows.append([game, rounded(rates[-1]), rounded(peaks[-1] / 1024), f"{peaks[-1] / peaks[0]:.2f}"])
    columns = ["game", "layouts/s", "peak MB", f"peak of {STREAMED[1]:,} / of {STREAMED[0]:,}"]
    return table(columns, rows)
