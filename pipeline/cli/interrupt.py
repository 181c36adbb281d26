"""SIGTERM and Ctrl-C, remembered: a library may swallow the exception that a signal raises in the middle of it."""

import signal
from threading import Event

_told = Event()


def heed_signals() -> None:
    """Have both raise KeyboardInterrupt from now on."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)


def check_interrupted() -> None:
    """Raise KeyboardInterrupt if we have been told to end, and are still here."""
    if _told.is_set():
        raise KeyboardInterrupt


def _interrupt(_signal: int, _frame: object) -> None:
    _told.set()
    raise KeyboardInterrupt
