"""Handle SIGTERM, SIGHUP and Ctrl-C, and remember them.

The KeyboardInterrupt that a signal raises can get lost: a library may catch it, and the interpreter ignores exceptions
in ``__del__`` and in callbacks of weak references.
"""

import signal
import sys
from threading import Event

RETRY_SECONDS = 0.01
"""Seconds after which an ignored KeyboardInterrupt is raised again."""

_told = Event()


def handle_signals() -> None:
    """Make these signals raise KeyboardInterrupt, and raise it again if the interpreter ignored it.

    SIGHUP, which is sent when a terminal is closed, stays ignored under `nohup`.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, _interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _interrupt)
    sys.unraisablehook = _ignored


def check_interrupted() -> None:
    """Raise KeyboardInterrupt if a signal has arrived."""
    if _told.is_set():
        raise KeyboardInterrupt


def _interrupt(_signal: int, _frame: object) -> None:
    _told.set()
    raise KeyboardInterrupt


def _ignored(unraisable: "sys.UnraisableHookArgs") -> None:
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, RETRY_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)
