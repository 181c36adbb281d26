"""Folders that cache compiled kernels between processes.

The name of a game's folder contains a digest of all sources that its kernels can be built from: the package of the game
and the shared modules here. numba itself looks only at the time stamp of the file that defines a function, so a change
in a module that it inlines, or an upgrade that preserves time stamps, would otherwise run stale code. See
``docs/decisions/0003-kernel-cache.md``.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

from platformdirs import user_cache_path

from dealmill.pipeline.errors import DealmillError, Unchecked

SHARED = Path(__file__).parent
WRITABLE_BY_OTHERS = 0o022
"""The bits of a mode that let the group and all others write."""


class CacheError(DealmillError):
    """A folder or file for compiled engines cannot be created or written to."""

    @classmethod
    def about(cls, path: Path, error: OSError) -> Self:
        """Return the error for a folder or file."""
        return cls(
            f"compiled engines are cached in {path}, which cannot be written to ({error.strerror}); "
            "name another cache folder with XDG_CACHE_HOME"
        )


@cache
def caches() -> Path:
    """Return Dealmill's folder in the user's cache folder; create it if necessary.

    Raises
    ------
    CacheError
        If it cannot be written to, or other users can write to it: the code in it is executed.
    """
    folder = user_cache_path("dealmill")
    _make_private(folder)
    _make_private(folder / "kernels")
    return folder


def _make_private(folder: Path) -> None:
    """Create a folder if necessary, and check that only this user can create files in it. Without this check, numba
    would use another folder, or fail with an error of its own."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
        status = folder.stat()
    except OSError as error:
        raise CacheError.about(folder, error) from error
    if status.st_mode & WRITABLE_BY_OTHERS or status.st_uid != os.geteuid():
        raise CacheError(
            f"compiled engines are cached in {folder}, which other users can write to; "
            "remove it, or name another cache folder with XDG_CACHE_HOME"
        )


def package_folder(source: Path) -> Path:
    """Return the folder of the outermost package that contains a source file; a game of Dealmill is one of its own."""
    folder = source.parent
    while SHARED not in {folder, folder.parent} and (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


@cache
def cache_folder(game_folder: Path) -> Path:
    """Return the folder for the machine code of the kernels in `game_folder`, the folder of a game's package, as this
    Python and this numba compile it.

    Code with bounds checks (``NUMBA_BOUNDSCHECK=1``) has its own folder, because numba's cache does not distinguish it.
    """
    digest = blake2b(f"{sys.implementation.cache_tag} {version('numba')}".encode(), digest_size=8)
    own = [] if game_folder == SHARED else game_folder.rglob("*.py")
    for folder, sources in ((SHARED, SHARED.glob("*.py")), (game_folder, own)):
        for source in sorted(sources):
            name = os.fsencode(source.relative_to(folder))  # installations with the same sources share machine code
            digest.update(name + b"\0" + source.read_bytes() + b"\0")
    checked = "-checked" if os.environ.get("NUMBA_BOUNDSCHECK", "0") != "0" else ""
    folder = caches() / "kernels" / f"{game_folder.name}-{digest.hexdigest()}{checked}"
    _make_private(folder)
    return folder


@cache
def compiled_mark(game_folder: Path, what: str) -> Path:
    """Return the file that exists once `what`, some kernels of a game, is compiled."""
    folder = cache_folder(package_folder(game_folder / "__init__.py"))
    return folder / what.replace("/", "-").replace(" ", "-")


class UncompiledError(Unchecked):
    """Kernels must be compiled first; see `nothing_compiled`."""


_allowed = True


@contextmanager
def nothing_compiled() -> Iterator[None]:
    """Have code that needs kernels that are not compiled raise an `UncompiledError` for the duration of the `with`
    block, in the whole process: it holds a job, which others could do meanwhile."""
    global _allowed  # noqa: PLW0603
    _allowed = False
    try:
        yield
    finally:
        _allowed = True


def check_may_compile(what: str) -> None:
    """Raise an `UncompiledError` if nothing must be compiled now."""
    if not _allowed:
        raise UncompiledError(f"{what} must be compiled first")
