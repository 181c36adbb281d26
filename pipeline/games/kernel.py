"""Compilation of kernels; their machine code is cached between processes, see `dealmill.pipeline.games.caches`."""

from collections.abc import Callable
from pathlib import Path
from sys import modules
from typing import ParamSpec, TypeVar

import numba
from numba.core.registry import cpu_target

from dealmill.pipeline.games.caches import cache_folder, package_folder

P = ParamSpec("P")
R = TypeVar("R")


def load_compiler() -> None:
    """Initialize the compiler, which takes 0.2 s and would otherwise happen at the first call of a kernel.

    If this is done before a fork, the forked processes share it.
    """
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, and cache the machine code for later processes."""
    return _compiled(function, inline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function inline into its callers: passing an array costs as much as a short loop."""
    return _compiled(function, inline=True)


def _compiled(function: Callable[P, R], *, inline: bool) -> Callable[P, R]:
    source = modules[function.__module__].__file__
    assert source is not None  # noqa: S101 -- the module is being imported from a file
    numba.config.CACHE_DIR = str(cache_folder(package_folder(Path(source))))  # type: ignore[attr-defined]
    compiled: Callable[P, R] = numba.njit(cache=True, nogil=True, forceinline=inline)(function)
    return compiled
