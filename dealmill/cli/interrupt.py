"""SIGTERM, SIGHUP and Ctrl-C, remembered, because the exception that a signal raises may be lost: a library may catch
it, and the interpreter itself ignores it while it deletes an object (``__del__``, the callback of a weak reference)."""

import signal
import sys
from threading import Event

AGAIN = 0.01
"""Seconds until what was ignored comes again."""

_told = Event()


def heed_signals() -> None:
    """Raise KeyboardInterrupt for each of them, and once more where the interpreter has ignored it.

    SIGHUP, which a terminal sends when it is closed, is left alone where it is ignored, as `nohup` wants it.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, _interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _interrupt)
    sys.unraisablehook = _ignored


def check_interrupted() -> None:
    """Raise KeyboardInterrupt if we have been told to end, and are still here."""
    if _told.is_set():
        raise KeyboardInterrupt


def _interrupt(_signal: int, _frame: object) -> None:
    _told.set()
    raise KeyboardInterrupt


def _ignored(unraisable: "sys.UnraisableHookArgs") -> None:
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
    else:
        sys.__unraisablehook__(unraisable)
