"""The whole way, from a file to the last committed verdict, against a script; what it takes on disk; and streams."""

import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.bare import into_postgres, into_sqlite
from bench.measure import in_turn, rounded, seconds, table
from pipeline.deals import parse_deal_range
from pipeline.games import find_game
from pipeline.games.contract import Game
from pipeline.solve import load
from tests.servers import clean_environment, dealmill_command, peak_memory, running_postgres

SEED = 20261121
LAYOUTS = {"card-pairing": 1_000_000, "camelot": 500_000, "tantrix": 200_000}
DEALS = ("card-pairing", "camelot", "hi-q", "memory", "tantrix")
STORED = 50_000
PARTS = ("items", "verdicts", "ix_verdicts_run_id_verdict_position")
STREAMED = (10_000, 100_000)


def against_a_script() -> str:
    """A row per game and database: `dealmill run` on a file with two workers, against a script of one process."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, running_postgres() as server:
        for name, count in LAYOUTS.items():
            game = find_game(name)
            file = _dealt(game, count, Path(folder))
            load(game.full_name(game.engines[0]))
            sides: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
                "SQLite": (partial(_run, file), partial(_script, game, file)),
                "PostgreSQL": (
                    lambda: _run(file, server.new_database()),  # noqa: B023
                    lambda: into_postgres(game, file, server.new_database()),  # noqa: B023
                ),
            }
            for database, (ours, theirs) in sides.items():
                run, script, ratio = in_turn(ours, theirs, rounds=1)
                rates = (rounded(count / run), rounded(count / script))
                rows.append([name, database, f"{count:,}", *rates, f"{ratio:.2f} ×"])
    return table(["game", "database", "layouts", "run, layouts/s", "script, layouts/s", "time, run / script"], rows)


def on_disk() -> str:
    """A row per game: bytes of the embedded database for each layout, and of the parts it consists of."""
    rows = []
    for name in DEALS:
        with tempfile.TemporaryDirectory() as folder:
            game = find_game(name)
            file = _dealt(game, STORED, Path(folder))
            database = Path(folder) / "dealmill.db"
            subprocess.run(
                dealmill_command(["run", str(file)]),
                cwd=folder,
                env=clean_environment(),
                check=True,
                capture_output=True,
            )
            parts = _bytes_by_part(database)
            total = database.stat().st_size / STORED
        rows.append([name, f"{total:.0f}", *(f"{parts.get(part, 0) / STORED:.0f}" for part in PARTS)])
    return table(["game", "bytes a layout", *(f"`{part}`" for part in PARTS)], rows)


def _bytes_by_part(database: Path) -> dict[str, int]:
    with sqlite3.connect(database) as connection:
        return dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall())


def _dealt(game: Game, count: int, folder: Path) -> Path:
    file = folder / f"{game.name}.txt"
    with file.open("w") as lines:
        for layout in parse_deal_range(f"deal:{game.name}:seed={SEED}:1-{count}"):
            lines.write(f"{layout.text}\n")
    return file


def _run(file: Path, url: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {"DEALMILL_WORKERS": "2", **({"DEALMILL_DATABASE_URL": url} if url else {})}
        commands = [["run", str(file)]] if url is None else [["db", "upgrade"], ["run", str(file)]]
        for command in commands:
            subprocess.run(
                dealmill_command(command), cwd=folder, env=clean_environment(env), check=True, capture_output=True
            )


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
