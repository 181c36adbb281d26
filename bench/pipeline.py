"""The whole way, from a file to the last committed verdict, against a script; what it takes on disk; and streams."""

import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from operator import truediv
from pathlib import Path
from statistics import median

from bench import bare, clever
from bench.measure import all_in_turn, rounded, seconds, table
from dealmill.pipeline.deals import parse_deal_range
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.solve import load
from tests.servers import Postgres, clean_environment, dealmill_command, peak_memory, running_postgres

SEED = 20261121
COUNTS = {1_000_000: 3, 10_000_000: 1}
"""Layouts, and how many times each side is run."""
DEALS = ("card-pairing", "camelot", "hi-q", "memory", "tantrix")
STORED = 50_000
COLUMNS = {
    "items": ("source_id", "position", "line", "digest", "layout"),
    "verdicts": ("run_id", "position", "verdict", "value", "nodes", "evidence"),
}
INDEX = "ix_verdicts_run_id_verdict_position"
STREAMED = (10_000, 100_000)


def against_scripts() -> str:
    """A row per game, database and number of layouts: `dealmill run` on a file with two workers, against two scripts of
    one process."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, running_postgres() as server:
        for count, rounds in COUNTS.items():
            for name in DEALS:
                game = find_game(name)
                load(game.full_name(game.engines[0]))
                file = dealt(game, count, Path(folder))
                kinds = {"SQLite": _on_sqlite(game, file), "PostgreSQL": _on_postgres(game, file, server, rounds)}
                for database, sides in kinds.items():
                    run, plain, clever = times = all_in_turn(sides, rounds)
                    ratios = [median(map(truediv, run, script)) for script in (plain, clever)]
                    rates = [rounded(count / median(side)) for side in times]
                    rows.append([name, database, f"{count:,}", *rates, *(f"{ratio:.2f} ×" for ratio in ratios)])
    speeds = ["run, layouts/s", "plain script, layouts/s", "clever script, layouts/s"]
    return table(["game", "database", "layouts", *speeds, "time, run / plain", "time, run / clever"], rows)


def _on_sqlite(game: Game, file: Path) -> list[Callable[[], object]]:
    def script(into: Callable[[Game, Path, Path], None]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            into(game, file, Path(folder) / "script.db")

    return [partial(_run, file), partial(script, bare.into_sqlite), partial(script, clever.into_sqlite)]


def _on_postgres(game: Game, file: Path, server: Postgres, rounds: int) -> list[Callable[[], object]]:
    with_tables = [server.new_database() for _ in range(rounds)]
    for url in with_tables:
        _dealmill(["db", "upgrade"], url)

    def script(into: Callable[[Game, Path, str], None]) -> None:
        into(game, file, server.new_database())

    run = iter(with_tables)
    return [
        lambda: _run(file, next(run)),
        partial(script, bare.into_postgres),
        partial(script, clever.into_postgres),
    ]


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


def _run(file: Path, url: str | None = None) -> None:
    _dealmill(["run", str(file)], url)


def _dealmill(command: list[str], url: str | None) -> None:
    settings = {"DEALMILL_WORKERS": "2"} | ({"DEALMILL_DATABASE_URL": url} if url else {})
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            dealmill_command(command), cwd=folder, env=clean_environment(settings), check=True, capture_output=True
        )


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
