"""Whether everything that Dealmill needs is available; each failed check suggests a fix."""

import os
import platform
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from dealmill.pipeline.errors import DealmillError, StoreError
from dealmill.pipeline.games import games
from dealmill.pipeline.runs.planning import installed_engines
from dealmill.pipeline.settings import settings
from dealmill.pipeline.store.database.connections import Database, database_url, shown
from dealmill.pipeline.store.database.health import clock_difference, file_of, server_version
from dealmill.pipeline.store.database.opening import open_store
from dealmill.pipeline.store.database.tables import REVISION
from dealmill.workers.local.broker import find_server
from dealmill.workers.reconciler import check_broker

PACKAGES = ("dealmill", "celery", "sqlalchemy", "numba")
LEAST_FREE = 1e9
"""Bytes: room for the layouts and verdicts of some millions."""
MOST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Check:
    """A check of the installation: whether it passed, and what it found or what to do."""

    name: str
    passed: bool
    found: str


def doctor(url: str | None = None) -> list[Check]:
    """Check database, broker, versions, clock, compiled engines and disk; change nothing.

    `url` is that of the database; None means ``DEALMILL_DATABASE_URL``.

    Raises
    ------
    DealmillError
        If a setting cannot be used.
    """
    store = Database(database_url(settings().database_url.get_secret_value() if url is None else url))
    file = file_of(store)
    checks: dict[str, Callable[[], str]] = {"versions": _versions, "engines": _engines, "kernels": _kernels}
    if file and _yet_to_be_created(store):
        checks["database"] = lambda: _no_store_yet(file)
    else:
        checks |= {
            "database": lambda: _database(store),
            "tables": lambda: _tables(store),
            "clock": lambda: _clock(store),
        }
    if file:
        checks["disk"] = lambda: _disk(file.parent)
    checks["broker"] = _broker
    with closing(store):
        return [_check(name, check) for name, check in checks.items()]


def _check(name: str, check: Callable[[], str]) -> Check:
    """An error that a check raises says what to do."""
    try:
        return Check(name, True, check())
    except DealmillError as error:
        return Check(name, False, str(error))


def _versions() -> str:
    return ", ".join([f"python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)])


def _engines() -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(installed_engines()))


def _kernels() -> str:
    from dealmill.pipeline.games.caches import cache_folder, caches

    folder = caches()
    if not os.access(folder / "kernels", os.W_OK):
        raise DealmillError(
            f"compiled engines are kept in {folder}, which cannot be written to; name another cache folder with "
            "XDG_CACHE_HOME"
        )
    compiled = [game.name for game in games().values() if any(cache_folder(game.folder).rglob("*.nbi"))]
    waiting = [name for name in games() if name not in compiled]
    told = f"{folder}: compiled are {', '.join(compiled) or 'none'}"
    return f"{told}; at first use, which takes seconds: {', '.join(waiting)}" if waiting else told


def _database(store: Database) -> str:
    return f"{shown(store.url)}: {server_version(store)}"


def _yet_to_be_created(store: Database) -> bool:
    """Whether there is no store yet. Where that cannot be seen, the checks of the database say why."""
    try:
        return store.vacant()
    except StoreError:
        return False


def _no_store_yet(file: Path) -> str:
    if not os.access(file.parent, os.W_OK):
        raise StoreError(
            f"there is no store in {file}, and {file.parent} cannot be written to: name another file with "
            "DEALMILL_DATABASE_URL"
        )
    return f"there is no store in {file} yet; dealmill run creates it"


def _tables(store: Database) -> str:
    open_store(store.url.render_as_string(hide_password=False))
    return f"at {REVISION}, as this Dealmill wants them"


def _clock(store: Database) -> str:
    ahead = clock_difference(store)
    if abs(ahead) > MOST_SECONDS:
        raise StoreError(
            f"this machine's clock is {abs(ahead):,.0f} s {'ahead of' if ahead > 0 else 'behind'} the database's: have "
            "both set by NTP; leases go by the database's alone, so that they hold all the same"
        )
    return f"{abs(ahead):.1f} s from the database's"


def _disk(folder: Path) -> str:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise StoreError(
            f"how much room there is in {folder} cannot be seen: {error.strerror}; make the folder, or name a file "
            "elsewhere with DEALMILL_DATABASE_URL"
        ) from error
    if free < LEAST_FREE:
        raise StoreError(
            f"{folder} has only {free / 1e6:,.0f} MB free: make room, or name a file elsewhere with "
            "DEALMILL_DATABASE_URL"
        )
    return f"{free / 1e9:,.1f} GB free in {folder}"


def _broker() -> str:
    configured = settings().broker_url
    if configured is None:
        return f"none is configured; commands start {find_server()}"
    check_broker(configured.get_secret_value())
    return "the configured one answers"
