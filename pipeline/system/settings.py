"""Settings, from environment variables ``DEALMILL_…`` and from a file ``.env`` in the working directory.

An empty variable counts as not set, except ``DEALMILL_PLUGINS``. Names may be in upper or lower case.

These are read by every command before it does anything, so without pydantic, which would take longer to load than all
that is left of a short command.
"""

import os
import re
import stat
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from dealmill.pipeline.arguments import MAX_WORKERS, decimal_number, whole_number
from dealmill.pipeline.errors import DealmillError, UnknownSettingWarning
from dealmill.pipeline.printable import printable

FILE = ".env"
MAX_BYTES = 1_000_000
"""The size of the largest ``.env``, and the length of all its values, in which variables are expanded."""
MAX_OF_NAME = 100
"""The length of the longest name of a user."""
VARIABLE = re.compile(r"\$\{([^}:]*)(?::-([^}]*))?\}")
"""A variable in a value, with its default, as python-dotenv expands it."""
PREFIX = "DEALMILL_"
PASSWORDS_OF_COMPOSE = {"DEALMILL_POSTGRES_PASSWORD", "DEALMILL_VALKEY_PASSWORD", "DEALMILL_WEB_PASSWORD"}
OF_COMPOSE = PASSWORDS_OF_COMPOSE | {"DEALMILL_WORKER_MEMORY"}
"""Variables that compose.yaml reads from the same file."""


def _checked(read: Callable[[str], Any], holds: Callable[[Any], bool], allowed: str) -> dict[str, Any]:
    """Return the metadata of a setting whose text is `read`, and whose value must meet a condition."""
    return {"read": read, "holds": holds, "allowed": allowed}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an installation. URLs can contain passwords, so they are never shown."""

    database_url: str = field(default="sqlite:///dealmill.db", repr=False)
    """The URL of the database: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``."""

    broker_url: str | None = field(default=None, repr=False)
    """The URL of the message broker, ``redis://…``; if it is not set, each command starts its own broker."""

    engines: str = ""
    """Manifests of engines that are programs, and folders of them, separated by colons."""

    workers: int = field(
        default_factory=lambda: os.cpu_count() or 1,
        metadata=_checked(
            whole_number, lambda number: 1 <= number <= MAX_WORKERS, f"a whole number from 1 to {MAX_WORKERS:,}"
        ),
    )
    """The number of worker processes that a command starts on this machine."""

    lease_seconds: float = field(
        default=60.0,
        metadata=_checked(
            decimal_number, lambda number: number <= 86_400, "a number of seconds, more than 0 and at most 86,400"
        ),
    )
    """The lease of a claimed job, in seconds; afterwards another worker can claim it."""

    metrics_port: int | None = field(
        default=None,
        metadata=_checked(
            whole_number, lambda number: 1 <= number <= 65_535, "a port number, a whole number from 1 to 65,535"
        ),
    )
    """The port on which the workers of a command serve Prometheus metrics; none are served if it is not set."""

    metrics_host: str = "127.0.0.1"
    """The address on which metrics are served."""

    web_database_url: str | None = field(default=None, repr=False)
    """The URL with which the pages read the database, as a user that can only read; ``DEALMILL_DATABASE_URL`` if it is
    not set."""

    web_token: str | None = field(default=None, repr=False)
    """The access token that every request to the web pages must have; required to serve them to other machines."""

    web_hosts: str = ""
    """The host names in the URLs of the web pages, separated by commas, besides the address and ``localhost``."""

    log_format: str = field(
        default="console", metadata=_checked(str, {"console", "json"}.__contains__, "console or json")
    )
    """The format of worker logs: text for people, or one JSON object per line."""

    rules: str = ""
    """A folder of rules files, ``NAME.toml``: each is a game."""

    user: str | None = field(
        default=None,
        metadata=_checked(
            str,
            lambda name: len(name) <= MAX_OF_NAME and name.isprintable(),
            f"at most {MAX_OF_NAME} printable characters",
        ),
    )
    """The name by which the action log and archives name the user; the login name if it is not set."""

    plugins: str | None = None
    """The distributions whose games are loaded, by name, separated by commas; all if it is not set. Dealmill's own
    games are always loaded, and an empty value loads no others."""


@cache
def settings() -> Settings:
    """Return the settings of this process; warn of unknown ones (`UnknownSettingWarning`).

    Raises
    ------
    DealmillError
        If a variable has an invalid value, or the file ``.env`` cannot be read.
    """
    try:
        given = _variables()
    except (OSError, UnicodeDecodeError) as error:
        raise DealmillError("the file .env cannot be read as text: fix it or remove it") from error
    values, wrong = dict[str, Any](), list[str]()
    for setting in fields(Settings):
        name = PREFIX + setting.name.upper()
        text = given.get(name, "")
        if not text and not (setting.name == "plugins" and name in given):
            continue
        try:
            values[setting.name] = _read(text, setting.metadata)
        except ValueError:  # without the value, which may be a password that was meant for another setting
            wrong.append(f"{name} must be {setting.metadata['allowed']}")
    if wrong:
        raise DealmillError(f"invalid setting: {'; '.join(wrong)}")
    _warn_of_unknown(name for name, text in given.items() if text)
    return Settings(**values)


SECRETS = PASSWORDS_OF_COMPOSE | {
    f"DEALMILL_{name}" for name in ("DATABASE_URL", "BROKER_URL", "WEB_DATABASE_URL", "WEB_TOKEN")
}
"""Variables that may contain passwords."""


def open_secrets() -> list[str]:
    """Return the names of variables with passwords in a ``.env`` that every user of the machine can read."""
    if not _file_exists() or not Path(FILE).stat().st_mode & stat.S_IROTH:
        return []
    from dotenv import dotenv_values

    return sorted(SECRETS & {name.upper() for name, value in dotenv_values(FILE, encoding="utf-8").items() if value})


def _read(text: str, metadata: Mapping[str, Any]) -> object:
    """Return the value of a setting. Raises `ValueError` if it is not allowed."""
    if not metadata:
        return text
    value = metadata["read"](text)
    if not metadata["holds"](value):
        raise ValueError
    return value


def _variables() -> dict[str, str]:
    """Return the variables of ``.env`` and of the environment, which count more, by their names in upper case."""
    variables: dict[str, str | None] = {}
    if _file_exists():
        from dotenv import dotenv_values

        variables |= dotenv_values(FILE, encoding="utf-8")
    variables = {name.upper(): value for name, value in (*variables.items(), *os.environ.items())}
    return {name: value for name, value in variables.items() if value is not None and name.startswith(PREFIX)}


def _file_exists() -> bool:
    """Return whether there is a ``.env``. Check that it is a regular file of a bounded size, also with its variables
    expanded: reading a pipe would block, and forty lines that each name the line before twice would expand to
    terabytes."""
    try:
        status = Path(FILE).stat()
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(status.st_mode):
        raise DealmillError(f"{FILE} is not a regular file: remove it, or make it a text file of settings")
    if status.st_size > MAX_BYTES:
        raise DealmillError(f"{FILE} is larger than {MAX_BYTES:,} bytes, so it is not a file of settings: remove it")
    from dotenv.main import DotEnv

    lengths, total = {name: len(value) for name, value in os.environ.items()}, 0
    for name, value in DotEnv(FILE, encoding="utf-8").parse():
        text = value or ""
        lengths[name] = len(text) + sum(lengths.get(each[1], len(each[2] or "")) for each in VARIABLE.finditer(text))
        total += lengths[name]
        if total > MAX_BYTES:
            raise DealmillError(
                f"the variables in {FILE} expand to more than {MAX_BYTES:,} characters, from {printable(name)} on: "
                "shorten it"
            )
    return True


def _warn_of_unknown(given: Iterable[str]) -> None:
    """Warn of each variable ``DEALMILL_…`` that is not the name of a setting."""
    names = [setting.name.upper() for setting in fields(Settings)]
    known = [PREFIX + name for name in names]
    for name in sorted({*given} - OF_COMPOSE - {*known}):
        from difflib import get_close_matches  # seldom needed

        near = get_close_matches(name, known, n=1, cutoff=0.8)
        hint = f"did you mean {near[0]}?" if near else f"after {PREFIX}, use one of: {', '.join(names)}"
        warnings.warn(f"unknown setting {printable(name)}: {hint}", UnknownSettingWarning, stacklevel=3)
