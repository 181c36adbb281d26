"""Settings, from environment variables ``DEALMILL_…`` and from a file ``.env`` in the working directory.

An empty variable counts as not set, except ``DEALMILL_PLUGINS``.
"""

import os
import re
import stat
import warnings
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Literal

from dotenv.main import DotEnv
from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict

from dealmill.pipeline.errors import DealmillError, UnknownSettingWarning
from dealmill.pipeline.printable import printable

FILE = ".env"
MOST_BYTES = 1_000_000
"""The size of the largest ``.env``, and the length of all its values, in which variables are expanded."""
VARIABLE = re.compile(r"\$\{([^}:]*)(?::-([^}]*))?\}")
"""A variable in a value, with its default, as python-dotenv expands it."""
PREFIX = "DEALMILL_"
OF_COMPOSE = {"DEALMILL_POSTGRES_PASSWORD", "DEALMILL_VALKEY_PASSWORD"}
"""Variables that compose.yaml reads from the same file."""


class Settings(BaseSettings):
    """The settings of an installation. URLs can contain passwords, so they are never shown."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=FILE, extra="ignore")

    database_url: SecretStr = SecretStr("sqlite:///dealmill.db")
    """The URL of the database: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``."""

    broker_url: SecretStr | None = None
    """The URL of the message broker, ``redis://…``; if it is not set, each command starts its own broker."""

    engines: str = ""
    """Manifests of engines that are programs, and folders of them, separated by colons."""

    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1, ge=1, le=1024, description="a whole number from 1 to 1,024"
    )
    """The number of worker processes that a command starts on this machine."""

    lease_seconds: float = Field(
        default=60, gt=0, le=86_400, description="a number of seconds, more than 0 and at most 86,400"
    )
    """The lease of a claimed job, in seconds; afterwards another worker can claim it."""

    metrics_port: int | None = Field(
        default=None, ge=1, le=65_535, description="a port number, a whole number from 1 to 65,535"
    )
    """The port on which the workers of a command serve Prometheus metrics; none are served if it is not set."""

    metrics_host: str = "127.0.0.1"
    """The address on which metrics are served."""

    web_token: SecretStr | None = None
    """The access token that every request to the web pages must have; required to serve them to other machines."""

    web_hosts: str = ""
    """The host names in the URLs of the web pages, separated by commas, besides the address and ``localhost``."""

    log_format: Literal["console", "json"] = Field(default="console", description="console or json")
    """The format of worker logs: text for people, or one JSON object per line."""

    plugins: str | None = None
    """The distributions whose games are loaded, by name, separated by commas; all if it is not set. Dealmill's own
    games are always loaded, and an empty value loads no others."""

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: dict[str, object]) -> dict[str, object]:
        return {name: value for name, value in given.items() if value != "" or name == "plugins"}


@cache
def settings() -> Settings:
    """Return the settings of this process; warn of unknown ones (`UnknownSettingWarning`).

    Raises
    ------
    DealmillError
        If a variable has an invalid value, or the file ``.env`` cannot be read.
    """
    try:
        _check_file()
        found = Settings()
        _warn_of_unknown()
    except ValidationError as error:
        wrong = "; ".join(_objection(str(each["loc"][0]), each["msg"]) for each in error.errors())
        raise DealmillError(f"invalid setting: {wrong}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise DealmillError("the file .env cannot be read as text: fix it or remove it") from error
    return found


def _objection(name: str, message: str) -> str:
    """Return why a setting is invalid, without its value, which may be a password that was meant for another one."""
    allowed = Settings.model_fields[name].description
    return f"{PREFIX}{name.upper()} must be {allowed}" if allowed else f"{PREFIX}{name.upper()}: {message}"


def _check_file() -> None:
    """Check that ``.env``, if it exists, is a regular file of a bounded size, also with its variables expanded: reading
    a pipe would block, and forty lines that each name the line before twice would expand to terabytes."""
    try:
        found = Path(FILE).stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise DealmillError(f"{FILE} is not a regular file: remove it, or make it a text file of settings")
    if found.st_size > MOST_BYTES:
        raise DealmillError(f"{FILE} is larger than {MOST_BYTES:,} bytes, so it is not a file of settings: remove it")
    lengths, total = {name: len(value) for name, value in os.environ.items()}, 0
    for name, value in DotEnv(FILE, encoding="utf-8").parse():
        text = value or ""
        lengths[name] = len(text) + sum(lengths.get(each[1], len(each[2] or "")) for each in VARIABLE.finditer(text))
        total += lengths[name]
        if total > MOST_BYTES:
            raise DealmillError(
                f"the variables in {FILE} expand to more than {MOST_BYTES:,} characters, from {printable(name)} on: "
                "shorten it"
            )


def _warn_of_unknown() -> None:
    """Warn of each variable ``DEALMILL_…``, in upper or lower case, that is not the name of a setting."""
    fields = [name.upper() for name in Settings.model_fields]
    known = [PREFIX + name for name in fields]
    given = {
        name.upper()
        for source in (EnvSettingsSource, DotEnvSettingsSource)
        for name, value in source(Settings).env_vars.items()
        if value
    }
    for name in sorted(given - OF_COMPOSE - set(known)):
        if name.startswith(PREFIX):
            near = get_close_matches(name, known, n=1, cutoff=0.8)
            hint = f"did you mean {near[0]}?" if near else f"after {PREFIX}, use one of: {', '.join(fields)}"
            warnings.warn(f"unknown setting {printable(name)}: {hint}", UnknownSettingWarning, stacklevel=3)
