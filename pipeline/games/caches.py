"""Where what is compiled is kept between processes, and what has been compiled there.

The folder of a game carries a digest of the sources a kernel can be built from (its game's folder and the shared
modules here), because the compiler looks only at the time stamp of the one file a function stands in: a change in a
module that it inlines, or an upgrade that keeps time stamps, would otherwise run stale code. See
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
    checked = "-checked" if os.environ.get("NUMBA_BOUNDSCHECK", "0") != "0" else ""
    return caches() / "kernels" / f"{game_folder.name}-{digest.hexdigest()}{checked}"


def mark_of_check(game_folder: Path) -> Path:
    """The file that is there once the check of a game's layouts has been compiled by this Python and this compiler."""
    return cache_folder(game_folder) / f"check.{sys.implementation.cache_tag}.numba-{version('numba')}"
