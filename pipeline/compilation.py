"""Compilation of engines, deals and checks: by one process at a time, and with a message."""

import fcntl
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from numba.core.event import Event, Listener, install_listener

from dealmill.pipeline.games.caches import CacheError, caches

logger = logging.getLogger(__name__)


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Enclose code that compiles unless its machine code is cached: one process compiles while others wait, and logs
    that it does."""
    with _compilation_lock(), install_listener("numba:compile", _Log(what)):
        yield


@contextmanager
def _compilation_lock() -> Iterator[None]:
    file = caches() / "compiling"
    try:
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
