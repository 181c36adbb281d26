"""Reliable handling of Ctrl-C. It raises KeyboardInterrupt, which Python ignores in ``__del__`` and in callbacks of
weak references, of which SQLAlchemy has many."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread


@contextmanager
def ignored_interrupts() -> Iterator[Callable[[], None]]:
    """Record interrupts that Python ignores. Yield a function that raises KeyboardInterrupt if one was ignored since
    its last call. Signal handlers are not changed."""
    ignored = Event()
    before = sys.unraisablehook

    def remember(unraisable: "sys.UnraisableHookArgs") -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            ignored.set()
        else:
            before(unraisable)

    def check() -> None:
        if ignored.is_set():
            ignored.clear()
            raise KeyboardInterrupt

    if current_thread() is not main_thread():  # interrupts arrive in the main thread only
        yield check
        return
    sys.unraisablehook = remember
    try:
        yield check
    finally:
        sys.unraisablehook = before
