"""Health checks of the installation. Each failed check suggests a fix."""

import os
import platform
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib.metadata import version
from math import inf
from pathlib import Path
from socket import gethostname

from dealmill.pipeline.errors import DealmillError, StoreError, VersionError, WorkerError
from dealmill.pipeline.games import broken_games, games
from dealmill.pipeline.games.contract import FUNCTIONS
from dealmill.pipeline.games.installed import OWN, RULES, BrokenGame, Offer, all_offers, load
from dealmill.pipeline.printable import counted, duration
from dealmill.pipeline.programs.solver import any_programs, check_programs
from dealmill.pipeline.store.database.connections import Database, clock_difference, file_of, server_version
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.database.tables import REVISION
from dealmill.pipeline.store.database.urls import database_url, shown
from dealmill.pipeline.store.job_kinds import KINDS, count_unfinished_jobs, unworkable_jobs
from dealmill.pipeline.store.planning.installation import Installation, installed_engines
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.workers import REPORTED, Worker, list_workers
from dealmill.pipeline.system.settings import FILE, open_secrets, settings
from dealmill.workers.broker import find_server
from dealmill.workers.reconciler import check_broker, queue_of

PACKAGES = ("dealmill", "celery", "sqlalchemy", "numba")
OF_A_PACKAGE = (
    "if the package is yours, fix it; otherwise, upgrade or uninstall the package, or exclude it with DEALMILL_PLUGINS"
)
NEED_DATABASE = ("tables", "clock")
"""The checks that are left out if the database cannot be used."""
NEED_TABLES = ("workers", "work")
"""The checks that are left out if the tables cannot be used."""
LONGEST_IDLE = 300.0
"""The longest time in seconds for which workers may claim no job while there are jobs that they can do."""
LEAST_FREE = 1e9
"""Free disk space in bytes, enough for some millions of layouts with their verdicts."""
MAX_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a health check. `details` says what is there, or what is wrong and how to fix it."""

    name: str
    passed: bool
    details: str


def doctor(url: str | None = None, *, worker: bool = False) -> list[Check]:
    """Check the database, broker, versions, games, clock, engines and disk, without changing anything. If it is a
    `worker` that is checked, check only whether the workers of this machine can work and do, within a second.

    `url` is the URL of the database; None means ``DEALMILL_DATABASE_URL``.

    Raises
    ------
    DealmillError
        If a setting cannot be used.
    """
    database = Database(database_url(settings().database_url if url is None else url))
    if worker:
        return _worker_checks(database)
    file = file_of(database)
    checks: dict[str, Callable[[], str]] = {"versions": _versions, "games": _games, "engines": _engines}
    if any_programs(games()):
        checks["programs"] = lambda: check_programs(games())
    checks["kernels"] = _kernels
    if file and _yet_to_be_created(database):
        checks["database"] = lambda: _no_store_yet(file)
    else:
        checks |= {
            "database": lambda: _database(database),
            "tables": lambda: _tables(database),
            "clock": lambda: _clock(database),
        }
    if file:
        checks["disk"] = lambda: _disk(file.parent)
    checks["broker"] = _broker
    if Path(FILE).exists():
        checks["settings"] = _settings
    return _checked(database, checks)


def _worker_checks(database: Database) -> list[Check]:
    checks: dict[str, Callable[[], str]] = {
        "database": lambda: _database(database),
        "tables": lambda: _tables(database),
        "broker": lambda: _broker(database),
        "workers": lambda: _reporting(database),
        "work": lambda: _work(database),
    }
    return _checked(database, checks)


def _checked(database: Database, checks: Mapping[str, Callable[[], str]]) -> list[Check]:
    """Run checks in their order. Without a database, those that need it are left out; without tables, those of workers
    are, too."""
    done = dict[str, Check]()
    with closing(database):
        for name, check in checks.items():
            if name in NEED_DATABASE and not done["database"].passed:
                done[name] = Check(name, False, "not checked, because the database cannot be used")
            elif name in NEED_TABLES and not done["tables"].passed:
                done[name] = Check(name, False, "not checked, because the tables cannot be used")
            else:
                done[name] = _check(name, check)
    return list(done.values())


def _check(name: str, check: Callable[[], str]) -> Check:
    """Run a check. If it raises an error, the message of the error says what to do."""
    try:
        return Check(name, True, check())
    except DealmillError as error:
        return Check(name, False, str(error))


def _versions() -> str:
    return ", ".join([f"python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)])


def _games() -> str:
    if broken := broken_games():
        hint = f"; {OF_A_PACKAGE}" if any(game.package != RULES for game in broken) else ""
        raise DealmillError(f"{'; '.join(map(str, broken))}{hint}")
    if faults := [f"{offer.package}: {fault}" for offer in all_offers() for fault in _faults(offer)]:
        raise DealmillError(f"{'; '.join(faults)}; {OF_A_PACKAGE}")
    names: dict[str, list[str]] = {}
    for offer in all_offers():
        excluded = ", excluded by DEALMILL_PLUGINS" if offer.refusal else ""
        names.setdefault(f"{offer.package}{excluded}", []).append(offer.name)
    return "; ".join(f"{package}: {_listed(games_of_package)}" for package, games_of_package in names.items())


def _members() -> dict[str, str]:
    """Return the families of games that packages offer by rules files."""
    return {offer.name: offer.entry.name for offer in all_offers() if offer.path and offer.distribution != RULES}


def _listed(names: Iterable[str]) -> str:
    """Return the names of games as text; of a family, only how many there are."""
    members, names = _members(), list(names)
    families = Counter(members[name] for name in names if name in members)
    counts = [f"{counted(count, 'game')} of the family {family}" for family, count in families.items()]
    return ", ".join([*(name for name in names if name not in members), *counts])


def _faults(offer: Offer) -> Iterator[str]:
    """Yield which functions and example files of another package's game cannot be used. Dealmill's own are tested."""
    game = load(offer)
    if offer.distribution in (OWN, RULES) or isinstance(game, BrokenGame):
        return
    for name in FUNCTIONS:
        try:
            getattr(game, name)
        except DealmillError as error:
            yield str(error)
    for kind in ("deals.txt", *(("statement.txt", "statement.answer") if game.has_statement else ())):
        if not (file := game.examples / f"{game.name}-{kind}").exists():
            yield f"there is no {file}"


def _engines() -> str:
    members, names = _members(), list[str]()
    of_families: Counter[str] = Counter()
    for name, number in sorted(installed_engines()):
        game, _, engine = name.partition("/")
        if game in members:
            of_families[f"{engine} {number.partition('-')[0]} of {{}} of the family {members[game]}"] += 1
        else:
            names.append(f"{name} {number}")
    return ", ".join([*names, *(text.format(counted(count, "game")) for text, count in of_families.items())])


def _kernels() -> str:
    from dealmill.pipeline.games.caches import caches
    from dealmill.pipeline.solving.loading import mask_is_compiled

    folder = caches()
    compiled = [game.name for game in games().values() if mask_is_compiled(game)]
    waiting = [name for name in games() if name not in compiled]
    state = f"{folder}: compiled: {_listed(compiled) or 'none'}"
    return f"{state}; compiled at first use, which takes seconds: {_listed(waiting)}" if waiting else state


def _database(database: Database) -> str:
    return f"{shown(database.url)}: {server_version(database)}"


def _yet_to_be_created(database: Database) -> bool:
    """Return whether there is no store yet. If that cannot be determined, the checks of the database report why."""
    try:
        return database.vacant()
    except StoreError:
        return False


def _no_store_yet(file: Path) -> str:
    if not os.access(file.parent, os.W_OK):
        raise StoreError(
            f"there is no store in {file}, and {file.parent} is not writable; set DEALMILL_DATABASE_URL to another file"
        )
    return f"there is no store in {file} yet; dealmill run creates it"


def _tables(database: Database) -> str:
    open_store(database.url.render_as_string(hide_password=False))
    return f"revision {REVISION}, up to date"


def _clock(database: Database) -> str:
    ahead = clock_difference(database)
    if abs(ahead) > MAX_SECONDS:
        raise StoreError(
            f"this machine's clock is {abs(ahead):,.0f} s {'ahead of' if ahead > 0 else 'behind'} the database's; "
            "synchronize both by NTP (leases are not affected, because they use only the database's clock)"
        )
    return f"within {abs(ahead):.1f} s of the database's clock"


def _reporting(database: Database) -> str:
    machine = gethostname()
    reporting = [worker for worker in _workers_here(database) if worker.reported is not None]
    if not reporting:
        raise WorkerError(
            f"no worker of {machine} has reported for {REPORTED:.0f} s; start dealmill work, or read its log if it runs"
        )
    return f"{counted(len(reporting), 'worker')} of {machine}"


def _workers_here(database: Database) -> list[Worker]:
    machine = gethostname()
    return [worker for worker in list_workers(database) if worker.name.rpartition(":")[0] == machine]


def _work(database: Database) -> str:
    installation = Installation()
    if not count_unfinished_jobs(database, installation):
        left = [jobs for jobs in unworkable_jobs(database, installation) if not jobs.retracted]
        if left:
            versions = ", ".join(f"{jobs.engine} {jobs.version}" for jobs in left)
            raise VersionError(
                f"all pending jobs need versions of engines that are not installed here ({versions}); install the "
                "Dealmill or the programs that have them, or start new runs and cancel these"
            )
        return "no job is pending"
    engines = installation.engines(database)
    waits = [leases.longest_wait(database, kind.jobs, engines) for kind in KINDS.values()]
    waited = max((wait for wait in waits if wait is not None), default=0.0)
    workers = _workers_here(database)
    idle = min((worker.seen for worker in workers if worker.seen is not None), default=inf)
    if waited > LONGEST_IDLE and idle > LONGEST_IDLE and not any(worker.holds for worker in workers):
        raise WorkerError(
            f"jobs wait since {duration(waited)}, but workers of {gethostname()} have claimed none for "
            f"{duration(LONGEST_IDLE)}; read the log of dealmill work, and start it again"
        )
    return "jobs are pending, and done" if waited else "no job waits"


def _disk(folder: Path) -> str:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise StoreError(
            f"the free disk space of {folder} cannot be determined: {error.strerror}; create the folder, or set "
            "DEALMILL_DATABASE_URL to a file elsewhere"
        ) from error
    if free < LEAST_FREE:
        raise StoreError(
            f"{folder} has only {free / 1e6:,.0f} MB free; free some disk space, or set DEALMILL_DATABASE_URL to a "
            "file elsewhere"
        )
    return f"{free / 1e9:,.1f} GB free in {folder}"


def _settings() -> str:
    if names := open_secrets():
        raise DealmillError(
            f"every user of this machine can read {FILE}, which has {', '.join(names)}: chmod 600 {FILE}"
        )
    return f"other users cannot read passwords in {FILE}"


def _broker(database: Database | None = None) -> str:
    configured = settings().broker_url
    if configured is None:
        return f"not configured; commands start {find_server()}"
    queue = None
    if database is not None:
        with suppress(StoreError):  # which the other checks report
            queue = queue_of(database)
    check_broker(configured, queue)
    return "the configured broker responds"
