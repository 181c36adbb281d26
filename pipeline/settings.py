"""The settings: environment variables ``DEALMILL_…``, also from a file ``.env`` in the working directory.
One that is empty counts as one that is not set."""

import stat
import warnings
from difflib import get_close_matches
from functools import cache
from os import cpu_count
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict

from dealmill.pipeline.errors import DealmillError, UnknownSettingWarning
from dealmill.pipeline.printable import printable

FILE = ".env"
PREFIX = "DEALMILL_"
OF_COMPOSE = {"DEALMILL_POSTGRES_PASSWORD", "DEALMILL_VALKEY_PASSWORD"}
"""Variables that compose.yaml takes from the same file."""


class Settings(BaseSettings):
    """What an installation may set. URLs may hold passwords, so they are never shown."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=FILE, env_ignore_empty=True, extra="ignore")

    database_url: SecretStr = SecretStr("sqlite:///dealmill.db")
    """Where the store is: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``."""

    broker_url: SecretStr | None = None
    """The message broker, ``redis://…``; without one, the commands start one of their own."""

    workers: int = Field(default_factory=lambda: cpu_count() or 1, ge=1, le=1024)
    """Worker processes that a command starts on this machine."""

    lease_seconds: float = Field(default=60, gt=0, le=86_400)
    """How long a claimed job is left alone before it is given to another worker."""

    metrics_port: int | None = Field(default=None, ge=1, le=65_535)
    """Where the workers of a command serve metrics for Prometheus; nowhere unless it is set."""

    metrics_host: str = "127.0.0.1"
    """The address of this machine that the metrics are served on."""

    log_format: Literal["console", "json"] = "console"
    """Whether workers log lines for people, or a JSON object a line."""


@cache
def settings() -> Settings:
    """The settings of this process. Unknown ones are warned of (`UnknownSettingWarning`).

    Raises
    ------
    DealmillError
        If a variable has a value that cannot be used; it says which. Or if the file cannot be read.
    """
    try:
        _check_file()
        found = Settings()
        _warn_of_unknown()
    except ValidationError as error:
        wrong = "; ".join(f"DEALMILL_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        raise DealmillError(f"a setting cannot be used: {wrong}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise DealmillError("the file .env cannot be read as text: fix it or remove it") from error
    return found


def _check_file() -> None:
    """See that the file is one, if it exists: a pipe would be waited for."""
    try:
        mode = Path(FILE).stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise DealmillError(f"{FILE} is not a regular file: remove it, or make it a text file of settings")


def _warn_of_unknown() -> None:
    """Compare all variables that are set with the names of settings; these may be in small letters, too."""
    fields = [name.upper() for name in Settings.model_fields]
    known = [PREFIX + name for name in fields]
    given = {name.upper() for source in (EnvSettingsSource, DotEnvSettingsSource) for name in source(Settings).env_vars}
    for name in sorted(given - OF_COMPOSE - set(known)):
        if name.startswith(PREFIX):
            near = get_close_matches(name, known, n=1, cutoff=0.8)
            hint = f"do you mean {near[0]}?" if near else f"after {PREFIX} there may be {', '.join(fields)}"
            warnings.warn(f"unknown setting {printable(name)}: {hint}", UnknownSettingWarning, stacklevel=3)
