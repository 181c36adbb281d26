"""Benchmarks of surveys: against bare kernels on as many cores, and to a precision of 0.01 %, with queries."""

import json
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from bench.measure import rounded, seconds, table
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.queries.results import Query, find_result
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.storages.choice import storage_of
from tests.servers import clean_environment, dealmill_command

SEED = 20261121
CORES = 2
BLOCK = 1_000
DEALS = {
    "camelot": 80_000_000,
    "card-pairing": 80_000_000,
    "hi-q": 400_000_000,
    "memory": 200_000_000,
    "tantrix": 10_000_000,
    "tantrix-loop": 1_000_000,
}
"""The number of deals of each game without a rules file that take two cores about two minutes."""
KNOWN = {"camelot": ("exact", 51.3803272988), "card-pairing": ("10 M deals, ± 0.03", 68.82)}
HUNDRED_MILLION = 100_000_000
ASKED = 20


def against_bare_kernels(part: float = 0.05) -> str:
    """Return a table with a row for each of `DEALS`: `dealmill survey` against processes that deal and solve as many
    deals without storing them, half of them before the survey and half after it. `part` is the part that is solved."""
    rows, rates = [], list[float]()
    for name, deals in DEALS.items():
        count = int(deals * part)
        game = find_game(name)
        engine = game.full_name(game.engines[0])
        load(engine)
        game.deal(1, 1, 1)
        half = partial(_bare, engine, count // 2)
        before, survey, after = seconds(half), seconds(partial(_survey, name, count)), seconds(half)
        bare = before + after
        rates.append(count / survey)
        rows.append([name, f"{count:,}", rounded(count / survey), rounded(count / bare), f"{bare / survey:.2f} ×"])
    summary = (
        f"A survey deals and solves {rounded(min(rates))} to {rounded(max(rates))} deals per second on two cores, "
        "depending on the game."
    )
    return f"{summary}\n\n" + table(["game", "deals", "survey, deals/s", "bare, deals/s", "rate, survey / bare"], rows)


def _survey(game: str, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _command(["survey", game, "--seed", str(SEED), "--count", str(count)], Path(folder))


def _command(arguments: list[str], folder: Path) -> str:
    return subprocess.run(
        dealmill_command(arguments),
        cwd=folder,
        env=clean_environment({"DEALMILL_WORKERS": str(CORES)}),
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def _bare(engine: str, count: int) -> None:
    part = count // CORES
    with ProcessPoolExecutor(CORES, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(_deal_and_solve, engine, part), [1 + core * part for core in range(CORES)]))


def _deal_and_solve(engine: str, count: int, first: int) -> None:
    game, _ = find_engine(engine)
    solve = load(engine)
    for start in range(first, first + count, BLOCK):
        solve(game.deal(SEED, start, BLOCK))


def to_a_hundredth_of_a_per_cent() -> str:
    """Return a table with a row per card game: time, interval, disk space and query times."""
    rows = []
    for game, (source, known) in KNOWN.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command = ["survey", game, "--seed", str(SEED), "--half-width", "0.01%", "--json"]
            said: list[str] = []
            took = seconds(lambda: said.append(_command(command, folder)))  # noqa: B023
            [row] = json.loads(said[0])
            size = (folder / "dealmill.db").stat().st_size / row["deals"] * HUNDRED_MILLION
            low, high = 100 * row["low"], 100 * row["high"]
            rows.append(
                [
                    game,
                    f"{row['deals']:,}",
                    f"{took / 60:.1f} min",
                    f"{low:.3f} to {high:.3f} %",
                    f"{known:.4f} % ({source})",
                    "yes" if low <= known <= high else "no",
                    f"{size / 1e6:.1f} MB",
                    *_asked(folder, row["deals"]),
                ]
            )
    columns = ["game", "deals", "time", "95 % interval", "known", "within", "on disk, 100 M deals"]
    return table([*columns, "first 100 unwinnable", "at the end", "one deal"], rows)


def _asked(folder: Path, deals: int) -> list[str]:
    """Return the query times for the first hundred unwinnable deals, for those among the last thousand deals, and for a
    single deal."""
    database = Database(database_url(f"sqlite:///{folder / 'dealmill.db'}"))
    run = find_run(database, "1")
    storage_of(run).prepare(run)
    lost = Filter((Verdict.UNWINNABLE,))
    questions: list[Callable[[], object]] = [
        lambda: list(Query(database, [run], lost, (0, 0), 100)),
        lambda: list(Query(database, [run], lost, (1, deals - 1_000), 100)),
        lambda: find_result(database, run, deals // 3),
    ]
    return [f"{1_000 * median(seconds(question) for _ in range(ASKED)):.1f} ms" for question in questions]
