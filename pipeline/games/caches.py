"""Folders that cache compiled kernels between processes.

The name of a game's folder contains a digest of all sources that its kernels can be built from: the package of the game
and the shared modules here. numba itself looks only at the time stamp of the file that defines a function, so a change
in a module that it inlines, or an upgrade that preserves time stamps, would otherwise run stale code. See
``docs/decisions/0003-kernel-cache.md``.
"""

import os
import sys
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_cache_path

from dealmill.pipeline.errors import DealmillError

SHARED = Path(__file__).parent


@cache
def caches() -> Path:
    """Return Dealmill's folder in the user's cache folder; create it if necessary.

    Raises
    ------
    DealmillError
        If the folder cannot be created.
    """
    folder = user_cache_path("dealmill")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernels").mkdir(exist_ok=True)
    except OSError as error:
        raise DealmillError(
            f"compiled engines are cached in {folder}, which cannot be written to ({error.strerror}); "
            "name another cache folder with XDG_CACHE_HOME"
        ) from error
    return folder


def package_folder(source: Path) -> Path:
    """Return the folder of the outermost package that contains a source file; a game of Dealmill is one of its own."""
    folder = source.parent
    while SHARED not in {folder, folder.parent} and (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


@cache
def cache_folder(game_folder: Path) -> Path:
    """Return the folder for the machine code of the kernels in `game_folder`, the folder of a game's package.

    Code with bounds checks (``NUMBA_BOUNDSCHECK=1``) has its own folder, because numba's cache does not distinguish it.
    """
    own = [] if game_folder == SHARED else game_folder.rglob("*.py")
    sources = sorted({*SHARED.glob("*.py"), *own})
    digest = blake2b(digest_size=8)
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    checked = "-checked" if os.environ.get("NUMBA_BOUNDSCHECK", "0") != "0" else ""
    return caches() / "kernels" / f"{game_folder.name}-{digest.hexdigest()}{checked}"


def mark_of_check(game_folder: Path) -> Path:
    """Return the file that exists once this Python and this numba have compiled the check of a game's layouts."""
    return cache_folder(game_folder) / f"check.{sys.implementation.cache_tag}.numba-{version('numba')}"
