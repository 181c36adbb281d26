"""Ctrl-C in a process that works. It raises KeyboardInterrupt, which Python ignores if it arrives while an object is
cleared away: in ``__del__`` or the callback of a weak reference, of which SQLAlchemy has many."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread


@contextmanager
def ignored_interrupts() -> Iterator[Callable[[], None]]:
    """Remember an interrupt that Python ignores; what is yielded raises it. Signal handlers stay as they are."""
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

    if current_thread() is not main_thread():  # which none arrives in
        yield check
        return
    sys.unraisablehook = remember
    try:
        yield check
    finally:
        sys.unraisablehook = before
