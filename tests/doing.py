"""Solve and audit in this process, without a broker and worker processes."""

import tomllib
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from sqlalchemy import text

from dealmill.pipeline.games import find_engine, find_game, games, installed
from dealmill.pipeline.games.batch import Batch, Entries, Solved, Texts, to_batch, to_strings, to_texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.store.audits.audit import AUDITING, AuditStatus, find_audit
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.job_kinds import AUDIT_JOBS, SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.sources.writing import append, complete, open_deals, open_source
from dealmill.pipeline.system.settings import settings as settings_of_environment

LEASE = 60.0
QUICK_GAMES = [
    game
    for game in games().values()
    if not game.rules_text and all(engine.max_nodes is None for engine in game.engines)
]
"""The games whose engines solve thousands of deals within seconds; `tests/games/patience` and `tests/games/covering`
test the others."""


def settings(rules: str) -> set[tuple[str, str, object]]:
    """Return the sections, keys and values of a text of rules: numbers from 2 on count as 2, and lists as one value."""
    sections = {name: keys for name, keys in tomllib.loads(rules).items() if isinstance(keys, dict)}
    return {(name, key, _kind(value)) for name, keys in sections.items() for key, value in keys.items()}


def _kind(value: object) -> object:
    return min(value, 2) if isinstance(value, int) else list if isinstance(value, list) else value


def covering_patiences() -> list[str]:
    """Return few patiences whose rules have all settings that occur."""
    of_games = {name: settings(game.rules_text.text) for name, game in games().items() if game.rules_text}
    missing, names = set().union(*of_games.values()), list[str]()
    while missing:
        names.append(max(of_games, key=lambda name: len(of_games[name] & missing)))
        missing -= of_games[names[-1]]
    return names


SAMPLE_PATIENCES = covering_patiences()
"""Patiences that have all that there is in the rules of the others, which have the same engine and referees."""
QUICK_PATIENCES = ("klondike", "freecell", "spider-1-suit", "golf")
"""Four patiences that differ: with a stock and a waste, with cells, with rows of a stock and whole suits, with a hole.
Random rules with all settings are played, refereed and compared with plain code in `tests/games/patience`."""
QUICK_COVERING_GAMES = ("escalator", "pyramid")
"""One covering game of each kind of moves."""
QUICK = {*(game.name for game in QUICK_GAMES), *QUICK_PATIENCES, *QUICK_COVERING_GAMES}
"""The games for which `make test` makes what `make test-slow` makes for all."""
ENGINES = [(game, engine) for game in QUICK_GAMES for engine in game.engines]
each_game = pytest.mark.parametrize("game", QUICK_GAMES, ids=lambda game: game.name)
each_package = pytest.mark.parametrize(
    "game", [*QUICK_GAMES, find_game("bakers-game"), find_game("pyramid")], ids=lambda game: game.name
)
"""One game of each package."""
each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)

ON_POSTGRESQL = {"card-pairing/winnable", "memory/incremental"}
"""The engines whose results are stored in PostgreSQL, too: one gives verdicts, the other values. A database does the
same for all games."""
each_engine_and_database = pytest.mark.parametrize(
    ("game", "engine", "backend"),
    [
        pytest.param(game, engine, backend, id=f"{name}, {backend}")
        for game, engine in ENGINES
        for name in [game.full_name(engine)]
        for backend in ("sqlite", "postgresql")
        if backend == "sqlite" or name in ON_POSTGRESQL
    ],
    indirect=["backend"],
)


def forget_games() -> None:
    """Have this process look for games again, with the settings as they are now."""
    for function in (installed.all_offers, installed.load, settings_of_environment):
        function.cache_clear()


def pending(database: Database) -> list[int]:
    """Return the numbers of the jobs of runs that can be claimed."""
    return leases.pending(database, SOLVING, Installation().engines(database), 10_000)


def alter(database: Database, statement: str, **values: object) -> None:
    """Change the database behind its back."""
    with database.writing() as connection:
        assert connection.execute(text(statement), values).rowcount > 0


def a_source(database: Database, engine: str, layouts: list[str], name: str = "a.txt") -> Source:
    """Return the source with the given name. If it is new, store these layouts in it."""
    game, _ = find_engine(engine)
    opened = open_source(database, game.name, name, name.encode(), game.rules_text)
    if opened.complete:
        return opened
    entries = [Layout(line, text) for line, text in enumerate(layouts, start=1)]
    return complete(database, append(database, opened, Entries.of(entries)))


def a_run(
    database: Database,
    engine: str,
    layouts: list[str],
    *,
    max_nodes: int | None = None,
    chunk: int = 2_000,
    name: str = "a.txt",
) -> RunStatus:
    """Return a finished run over the given layouts."""
    _, definition = find_engine(engine)
    number = insert_run(
        database, a_source(database, engine, layouts, name), engine, definition.version, max_nodes, chunk=chunk
    )
    do_runs(database)
    return find_run(database, number)


def queue_stored(
    database: Database, source: Source, engine: str, max_nodes: int | None, storage: Storage = Storage.COMPACT
) -> int:
    """Plan a run that is stored like this, and return its number."""
    _, definition = find_engine(engine)
    limit = definition.max_nodes if max_nodes is None else max_nodes
    return insert_run(database, source, engine, definition.version, limit, storage=storage)


def queue_compact(database: Database, deals: str, max_nodes: int | None = None) -> int:
    """Plan a compact run over these deals, and return its number."""
    dealt = parse_deal_range(deals)
    return queue_stored(database, open_deals(database, dealt), dealt.game.full_name(dealt.game.engines[0]), max_nodes)


def do_runs(database: Database, *, backwards: bool = False) -> None:
    """Do all pending jobs of runs."""
    numbers = pending(database)
    for number in reversed(numbers) if backwards else numbers:
        do_job(database, number)


def do_job(database: Database, number: int) -> None:
    """Do a pending job of a run."""
    job = SOLVING_JOBS.claim(database, number, "test", LEASE)
    assert job is not None
    assert SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))


def deal(game: Game, seed: int, first: int, count: int, **parameters: int) -> list[str]:
    """Return the canonical texts of the deals `[first, first + count)` of `seed`."""
    return to_strings(game.deal(seed, first, count, **parameters))


def dealer(game: str) -> Callable[..., list[str]]:
    """Return a function that deals a game: ``(seed, first, count, **parameters)``."""
    return partial(deal, find_game(game))


def solver(engine: str) -> Callable[..., Batch]:
    """Return a function that runs an engine on a list of layouts: ``(layouts, max_nodes)``. Errors of the engine are
    not caught."""

    def called(layouts: Sequence[str], max_nodes: int | None = None) -> Batch:
        return to_batch(load(engine)(to_texts(layouts), max_nodes))

    return called


def an_audit(database: Database, run: RunStatus, sample: int | None = None, seed: int = 1) -> AuditStatus:
    """Return a finished audit of a run."""
    return do_audit(database, queue_audit(database, run, sample, seed))


def do_audit(database: Database, number: int) -> AuditStatus:
    """Do all pending jobs of audits, and return the audit with the given number."""
    while parts := leases.pending(database, AUDITING, Installation().engines(database), 10_000):
        for part in parts:
            job = AUDIT_JOBS.claim(database, part, "test", LEASE)
            assert job is not None
            assert AUDIT_JOBS.finish(database, job, AUDIT_JOBS.do(database, job))
    return find_audit(database, number)


class Brittle:
    """An engine that breaks down on some deals."""

    def __init__(self, engine: str, bad: Sequence[str]) -> None:
        self._solve = load(engine)
        self._bad = set(bad)

    def __call__(self, layouts: Texts, max_nodes: int | None = None) -> Solved:
        if self._bad & set(to_strings(layouts)):
            raise ValueError('it says "no\\way" to \x7f')
        return self._solve(layouts, max_nodes)
