"""Files that are written whole or not at all, one or several at once."""

import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dealmill.pipeline.errors import OutputError

SQLITE = b"SQLite format 3\0"
"""What an SQLite file begins with."""

PathTest = Callable[[Path], bool] | None
"""Whether a path is part of the store that is read; None if no store is."""


@contextmanager
def atomic_file(path: Path, force: bool, is_part_of_store: PathTest = None) -> Iterator[BinaryIO]:
    """Open a temporary file next to the target; rename it to the target on success, and delete it otherwise.

    An existing file is overwritten with `force`, but not if it is a database, or part of the store that is read.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    try:
        target = check_target(path, force, is_part_of_store)
        part = target.with_name(f".dealmill-{secrets.token_hex(8)}.part")
        try:
            with part.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # otherwise a power failure might leave an empty file under the name
            check_target(path, force, is_part_of_store)  # another process may have written it in the meantime
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}") from error


def write_files(folder: Path, files: Mapping[str, bytes], is_part_of_store: PathTest) -> None:
    """Write files, by their names, into a folder, which is created if it does not exist. If there is an error, what the
    folder had stays, and a new folder is removed.

    Raises
    ------
    OutputError
        If a file cannot be written.
    OSError
        If the folder cannot be created.
    """
    created = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            for name, content in files.items():
                file = opened.enter_context(atomic_file(folder / name, force=True, is_part_of_store=is_part_of_store))
                file.write(content)
                file.flush()  # all have room on the disk before the first one gets its name
    except BaseException:
        with suppress(OSError):
            for path in created:
                path.rmdir()
        raise


def check_target(path: Path, force: bool, is_part_of_store: PathTest) -> Path:
    """Return the file to write: the path, or the target of a symbolic link.

    Raises
    ------
    OutputError
        If it cannot be written, or must not be overwritten.
    """
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if not target.parent.is_dir():
        raise OutputError(f"{path} cannot be written: there is no folder {target.parent}")
    if target.is_dir():
        raise OutputError(f"{path} is a folder; name a file")
    if os.path.lexists(target) and not stat.S_ISREG(target.stat().st_mode):
        raise OutputError(f"{path} is not a regular file; name another one")
    if is_part_of_store is not None and is_part_of_store(path):
        raise OutputError(f"{path} is part of the store; name another file")
    if target.exists() and target.open("rb").read(len(SQLITE)) == SQLITE:
        raise OutputError(f"{path} is a database, perhaps another store; name another file")
    if os.path.lexists(path) and not force:
        raise OutputError(f"{path} exists; overwrite it with --force")
    return target
