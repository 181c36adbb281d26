"""``doctor``: whether all that Dealmill needs is here, and what to do if it is not."""

import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dealmill.cli.output import output_options, write_rows
from dealmill.pipeline.errors import DealmillError, StoreError

if TYPE_CHECKING:
    from dealmill.pipeline.store.database import Database

PACKAGES = ("dealmill", "celery", "sqlalchemy", "numba")
LEAST_FREE = 1e9
"""Bytes: room for the layouts and verdicts of some millions."""
MOST_SECONDS = 5.0


@click.command()
@output_options
@click.pass_context
def doctor(ctx: click.Context, form: str | None) -> None:
    """Check database, broker, versions, clock, compiled engines and disk, and say what to do.

    Nothing is changed. Exit code 1 if something is wrong.
    """
    from dealmill.pipeline.settings import settings
    from dealmill.pipeline.store.database import Database, database_url
    from dealmill.pipeline.store.health import file_of

    store = Database(database_url(settings().database_url.get_secret_value()))
    file = file_of(store)
    checks: dict[str, Callable[[], str]] = {"versions": _versions, "engines": _engines, "kernels": _kernels}
    if file and _missing(file):
        checks["database"] = lambda: _no_file_yet(file)
    else:
        checks |= {
            "database": lambda: _database(store),
            "tables": lambda: _tables(store),
            "clock": lambda: _clock(store),
        }
    if file:
        checks["disk"] = lambda: _disk(file.parent)
    checks["broker"] = _broker
    rows = [_row(name, check) for name, check in checks.items()]
    write_rows(["check", "state", "found"], rows, form)
    if any(row["state"] != "ok" for row in rows):
        ctx.exit(1)


def _row(name: str, check: Callable[[], str]) -> dict[str, object]:
    """An error that a check raises says what to do."""
    try:
        return {"check": name, "state": "ok", "found": check()}
    except DealmillError as error:
        return {"check": name, "state": "wrong", "found": str(error)}


def _versions() -> str:
    from importlib.metadata import version

    return ", ".join([f"python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)])


def _engines() -> str:
    from dealmill.pipeline.runs import installed_engines

    return ", ".join(f"{name} {number}" for name, number in sorted(installed_engines()))


def _kernels() -> str:
    from dealmill.pipeline.games import games
    from dealmill.pipeline.games.kernel import cache_folder, caches

    folder = caches()
    if not os.access(folder / "kernels", os.W_OK):
        raise DealmillError(
            f"compiled engines are kept in {folder}, which cannot be written to; name another cache folder with "
            "XDG_CACHE_HOME"
        )
    compiled = [game.name for game in games().values() if any(cache_folder(game.examples.parent).rglob("*.nbi"))]
    waiting = [name for name in games() if name not in compiled]
    told = f"{folder}: compiled are {', '.join(compiled) or 'none'}"
    return f"{told}; at first use, which takes seconds: {', '.join(waiting)}" if waiting else told


def _database(store: "Database") -> str:
    from dealmill.pipeline.store.database import shown
    from dealmill.pipeline.store.health import server_version

    return f"{shown(store.url)}: {server_version(store)}"


def _missing(file: Path) -> bool:
    """Whether there is no such file. One that cannot be looked for is not missing: the database says what is wrong."""
    try:
        file.stat()
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return False


def _no_file_yet(file: Path) -> str:
    if not os.access(file.parent, os.W_OK):
        raise StoreError(
            f"there is no {file}, and {file.parent} cannot be written to: name another file with DEALMILL_DATABASE_URL"
        )
    return f"there is no {file} yet; the first command makes it"


def _tables(store: "Database") -> str:
    from dealmill.pipeline.store import migrate
    from dealmill.pipeline.store.opening import open_store
    from dealmill.pipeline.store.tables import REVISION

    if store.embedded and migrate.current(store) is None:
        return "there are none yet; the first command makes them"
    open_store(store.url.render_as_string(hide_password=False))
    return f"at {REVISION}, as this Dealmill wants them"


def _clock(store: "Database") -> str:
    from dealmill.pipeline.store.health import clock_difference

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
    from dealmill.pipeline.settings import settings
    from dealmill.workers.broker import find_server
    from dealmill.workers.reconciler import check_broker

    configured = settings().broker_url
    if configured is None:
        return f"none is configured; commands start {find_server()}"
    check_broker()
    return "the configured one answers"
