"""Compiled kernels, and where their machine code is kept between processes.

The cache folder carries a digest of the sources a kernel can be built from (its game's folder and the shared
modules here), because the compiler looks only at the time stamp of the one file a function stands in: a change in a
module that it inlines, or an upgrade that keeps time stamps, would otherwise run stale code. See
``docs/decisions/0003-kernel-cache.md``.
"""

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from sys import modules
from typing import ParamSpec, TypeVar

import numba
from platformdirs import user_cache_path

from dealmill.pipeline.errors import DealmillError

P = ParamSpec("P")
R = TypeVar("R")

SHARED = Path(__file__).parent


@cache
def caches() -> Path:
    """The folder for all that is kept between processes, in the user's cache folder.

    Raises
    ------
    DealmillError
        If it cannot be written to.
    """
    folder = user_cache_path("dealmill")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernels").mkdir(exist_ok=True)
    except OSError as error:
        raise DealmillError(
            f"compiled engines are kept in {folder}, which cannot be written to ({error.strerror}); "
            "name another cache folder with XDG_CACHE_HOME"
        ) from error
    return folder


@cache
def cache_folder(game_folder: Path) -> Path:
    """The folder for the machine code of the kernels in `game_folder`.

    Code that checks its bounds (``NUMBA_BOUNDSCHECK=1``) has a folder of its own, because numba does not tell the two
    apart.
    """
    sources = sorted({*SHARED.glob("*.py"), *game_folder.glob("*.py")})
    digest = blake2b(digest_size=8)
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    checked = "-checked" if numba.config.BOUNDSCHECK else ""  # type: ignore[attr-defined]
    return caches() / "kernels" / f"{game_folder.name}-{digest.hexdigest()}{checked}"


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, and keep the machine code for the next process."""
    return _compiled(function, inline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel that is built into those that call it: to hand over an array costs as much as a short loop."""
    return _compiled(function, inline=True)


def _compiled(function: Callable[P, R], *, inline: bool) -> Callable[P, R]:
    source = modules[function.__module__].__file__
    assert source is not None  # noqa: S101 -- a module that is being imported from a file has one
    numba.config.CACHE_DIR = str(cache_folder(Path(source).parent))  # type: ignore[attr-defined]
    compiled: Callable[P, R] = numba.njit(cache=True, forceinline=inline)(function)
    return compiled
