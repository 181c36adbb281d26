"""Retries of workers while the database is not available."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from dealmill.pipeline.errors import StoreUnavailable

T = TypeVar("T")

LONGEST = 10.0
"""The longest pause, in seconds."""


def pauses() -> Iterator[float]:
    """Yield the pauses between attempts, in seconds; each is twice as long as the one before, up to `LONGEST`."""
    pause = 0.25
    while True:
        yield pause
        pause = min(2 * pause, LONGEST)


def patiently(step: Callable[[], T], tell: Callable[[str], None]) -> T:
    """Call `step`, and retry while the database is not available. Call `tell` with a message when the waiting starts
    and when it ends.

    The step must be safe to repeat after it failed at any point: it only reads, or it is a single fenced transaction.
    """
    reported = False
    for pause in pauses():
        try:
            result = step()
        except StoreUnavailable as away:
            if not reported:
                tell(f"{away}; waiting for it")
            reported = True
            time.sleep(pause)
        else:
            break
    if reported:
        tell("the database is available again")
    return result
