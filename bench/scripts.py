"""End-to-end benchmark, from a file to the last committed verdict, against two single-process scripts."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import truediv
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import bare, clever
from bench.measure import GAMES, all_in_turn, dealt, rounded, table
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.results.charts import bars
from dealmill.pipeline.solving.loading import load
from tests.servers import Postgres, clean_environment, dealmill_command, running_postgres

PICTURE = Path(__file__).parent.parent / "docs" / "performance.svg"
SIDES = ("plain script", "optimized script", "dealmill run")

Side = Callable[[], object]


class Timed(NamedTuple):
    """The seconds of the run and of the two scripts in each round."""

    game: str
    database: str
    layouts: int
    run: list[float]
    plain: list[float]
    clever: list[float]

    def ratio(self, script: Sequence[float]) -> float:
        """Return the time of the run as a multiple of a script's."""
        return float(median(map(truediv, self.run, script)))

    @property
    def relative_times(self) -> dict[str, float]:
        """The time of each side as a multiple of the plain script's."""
        run = self.ratio(self.plain)
        return dict(zip(SIDES, (1.0, run / self.ratio(self.clever), run), strict=True))


def against_scripts(layouts: int = 300_000, games: Sequence[str] = GAMES) -> str:
    """Return a summary and a table with a row per game and database."""
    return _described(list(_timed(layouts, games)))


def against_scripts_at_scale() -> str:
    """Return the same for ten million layouts, and draw the picture."""
    timings = list(_timed(10_000_000, GAMES[:4]))
    _draw(timings)
    return f"{_described(timings)}\n\n![Time of a run compared with two scripts]({PICTURE.name})"


def _described(timings: Sequence[Timed]) -> str:
    columns = ["game", "database", "layouts", *(f"{side}, layouts/s" for side in reversed(SIDES))]
    rows = table([*columns, "time, run / optimized", "time, run / plain"], [_row(timed) for timed in timings])
    return "\n\n".join((_summary([timed for timed in timings if timed.database == "SQLite"]), rows))


def _row(timed: Timed) -> list[str]:
    rates = (rounded(timed.layouts / median(side)) for side in (timed.run, timed.clever, timed.plain))
    ratios = (f"{timed.ratio(script):.2f} ×" for script in (timed.clever, timed.plain))
    return [timed.game, timed.database, f"{timed.layouts:,}", *rates, *ratios]


def _summary(timings: Sequence[Timed]) -> str:
    rates = sorted(timed.layouts / median(timed.run) for timed in timings)
    plain = sorted(1 / timed.ratio(timed.plain) for timed in timings)
    tricks = sorted(1 / timed.ratio(timed.clever) for timed in timings)
    return (
        f"On two cores with SQLite, `dealmill run` reads, solves and stores {rounded(rates[0])} to "
        f"{rounded(rates[-1])} layouts per second, including evidence and digests ({timings[0].layouts:,} layouts of "
        f"{', '.join(timed.game for timed in timings)}). That is {plain[0]:.1f} to {plain[-1]:.1f} times as fast as a "
        f"plain script, and {tricks[0]:.2f} to {tricks[-1]:.2f} times as fast as a fully optimized script, which has "
        "no leases and no fencing, and cannot resume."
    )


def _timed(layouts: int, games: Sequence[str]) -> Iterator[Timed]:
    for game in map(find_game, games):
        load(game.full_name(game.engines[0]))
        with tempfile.TemporaryDirectory() as folder:
            file = dealt(game, layouts, Path(folder))
            yield Timed(game.name, "SQLite", layouts, *all_in_turn(_on_sqlite(game, file), 1))
            with running_postgres() as server:
                yield Timed(game.name, "PostgreSQL", layouts, *all_in_turn(_on_postgres(game, file, server), 1))


def _on_sqlite(game: Game, file: Path) -> list[Side]:
    def script(into: Callable[[Game, Path, Path], None]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            into(game, file, Path(folder) / "script.db")

    return [partial(_run, file), partial(script, bare.into_sqlite), partial(script, clever.into_sqlite)]


def _on_postgres(game: Game, file: Path, server: Postgres) -> list[Side]:
    with_tables = server.new_database()
    _dealmill(["db", "upgrade"], with_tables)

    def script(into: Callable[[Game, Path, str], None]) -> None:
        into(game, file, server.new_database())

    return [
        partial(_run, file, with_tables),
        partial(script, bare.into_postgres),
        partial(script, clever.into_postgres),
    ]


def _run(file: Path, url: str | None = None) -> None:
    _dealmill(["run", str(file)], url)


def _dealmill(command: list[str], url: str | None) -> None:
    settings = {"DEALMILL_WORKERS": "2"} | ({"DEALMILL_DATABASE_URL": url} if url else {})
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            dealmill_command(command), cwd=folder, env=clean_environment(settings), check=True, capture_output=True
        )


def _draw(timings: Sequence[Timed]) -> None:
    """Draw the time of each side as a multiple of the plain script's time."""
    groups = {f"{timed.game}, {timed.database}": timed.relative_times for timed in timings}
    chart = bars(groups, "time, as a multiple of the plain script's")
    PICTURE.write_text(chart.document(f"Time for {timings[0].layouts:,} layouts") + "\n")
