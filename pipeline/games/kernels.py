"""Kernels: functions compiled by numba, whose machine code is cached between processes (see
`dealmill.pipeline.games.caches`). One process compiles at a time, with a message.
"""

import fcntl
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sys import modules
from typing import ParamSpec, TypeVar

import numba
from numba.core.event import Event, Listener, install_listener
from numba.core.registry import cpu_target

from dealmill.pipeline.games.caches import CacheError, cache_folder, compiled_mark, package_folder

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
    return _compiled(function)


def routine(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call: without a wrapper for Python, it takes a third less time."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function inline into its callers: passing an array costs as much as a short loop."""
    return _compiled(function, forceinline=True)


def _compiled(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    source = modules[function.__module__].__file__
    assert source is not None  # noqa: S101 -- the module is being imported from a file
    numba.config.CACHE_DIR = str(cache_folder(package_folder(Path(source))))  # type: ignore[attr-defined]
    compiled: Callable[P, R] = numba.njit(cache=True, nogil=True, **options)(function)  # type: ignore[call-overload]
    return compiled


logger = logging.getLogger(__name__)


@contextmanager
def compiling(game_folder: Path, what: str) -> Iterator[None]:
    """Enclose code that compiles `what`, some kernels of the game in `game_folder`, unless their machine code is
    cached: one process compiles while others that need them wait, and logs that it does."""
    mark = compiled_mark(game_folder, what)
    with install_listener("numba:compile", _Log(what)):
        if mark.exists():
            yield
            return
        with _locked(mark.with_name(f"{mark.name}.lock")):
            yield
            mark.touch()


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = file.open("w")
    except OSError as error:  # it belongs to another user
        raise CacheError.about(file, error) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class _Log(Listener):
    """Log the first of several compilations."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._logged = False

    def on_start(self, event: Event) -> None:
        if not self._logged:
            logger.warning("compiling %s (takes seconds, once per version)", self._what)
        self._logged = True

    def on_end(self, event: Event) -> None:
        pass
