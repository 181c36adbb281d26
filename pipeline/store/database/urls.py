"""URLs of databases: which are accepted, and how they are shown."""

from pathlib import Path

from sqlalchemy import exc, make_url
from sqlalchemy.engine import URL

from dealmill.pipeline.errors import StoreError
from dealmill.pipeline.system.extras import check_extra

NO_FILE = {"", ":memory:"}


READ_ONLY_FILE = {"mode": "ro"}
"""The URL options that open a file read-only."""


ORIGIN = "(the URL is the one passed, or else DEALMILL_DATABASE_URL)"


def database_url(url: str) -> URL:
    """Parse a database URL. ``postgres://`` and ``postgresql://`` select the psycopg driver.

    Raises
    ------
    StoreError
        If the URL is not valid, or names a database that Dealmill does not support.
    """
    try:
        parsed = make_url(url)
    except (exc.ArgumentError, ValueError):  # its message may contain parts of a password
        if (text := str(url)) and ":" not in text:  # it may still be a password
            raise StoreError(f"the database URL is only a name; for a file, write sqlite:///FILE {ORIGIN}") from None
        raise StoreError(
            f"the database URL is not valid; write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME {ORIGIN}"
        ) from None
    if "@" in (parsed.host or ""):  # the rest of a password, which messages would show
        raise StoreError(f"the user or the password in the database URL has an @: write it as %40 {ORIGIN}")
    if parsed.drivername in {"postgres", "postgresql"}:
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in {"sqlite", "postgresql+psycopg"}:
        raise StoreError(
            f"the database URL starts with {parsed.drivername}, but only sqlite and postgresql are supported {ORIGIN}"
        )
    if parsed.drivername == "sqlite":
        _check_file_url(url, parsed)
    else:
        check_extra("postgresql")
    return parsed


def _check_file_url(url: str, parsed: URL) -> None:
    """Check the URL of a file. It has the same meaning as in SQLite (``%20`` is a space); its only option is ``mode``.

    Raises
    ------
    StoreError
        If it names no file, or a file that cannot be named in a URL, or has other options.
    """
    file = (parsed.database or "").replace("\0", "")
    if parsed.host or parsed.username or file != parsed.database or file in NO_FILE:
        raise StoreError(f"the database URL names no file; write sqlite:///FILE, which workers can share {ORIGIN}")
    if "#" in url:
        raise StoreError(f"the database URL contains a #, which would end the file name; write it as %23 {ORIGIN}")
    if file.startswith("file:"):
        raise StoreError(f"the database URL contains a file: URI; write sqlite:///FILE {ORIGIN}")
    if not file.isprintable() or "\ufffd" in file:
        raise StoreError(f"the file name in the database URL is not UTF-8 or not printable; use another name {ORIGIN}")
    if parsed.query and dict(parsed.query) != READ_ONLY_FILE:
        raise StoreError(f"the database URL has unknown options; for a file, the only option is ?mode=ro {ORIGIN}")
    if not Path(file).is_absolute():
        _check_working_directory(file)


def _check_working_directory(file: str) -> None:
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise StoreError(
            f"{file} cannot be opened, because the working directory was deleted; change to another directory"
        ) from error


def read_only(url: URL) -> URL:
    """Return the URL that opens the same database without permission to write."""
    if url.get_backend_name() == "sqlite":
        return url.set(query=READ_ONLY_FILE)
    given = url.query.get("options", ())
    options = [given] if isinstance(given, str) else list(given)
    return url.update_query_dict({"options": " ".join([*options, "-c default_transaction_read_only=on"])})


def shown(url: URL) -> str:
    """Return the URL for use in messages, without passwords and the driver."""
    bare = url.set(drivername=url.get_backend_name()).difference_update_query(["password", "sslpassword"])
    return bare.render_as_string(hide_password=True)
