"""What workers do while the database is away: they wait for it."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from dealmill.pipeline.errors import StoreUnavailable

T = TypeVar("T")

LONGEST = 10.0
"""Seconds."""


def pauses() -> Iterator[float]:
    """Seconds between tries: twice as long each time."""
    pause = 0.25
    while True:
        yield pause
        pause = min(2 * pause, LONGEST)


def patiently(step: Callable[[], T], tell: Callable[[str], None]) -> T:
    """Do a step, and do it again for as long as the database does not answer; `tell` that once, and when it is over.

    The step is one that may be done again after it broke off anywhere: it reads, or it is one fenced transaction.
    """
    told = False
    for pause in pauses():
        try:
            result = step()
        except StoreUnavailable as away:
            if not told:
                tell(f"{away}; waiting for it")
            told = True
            time.sleep(pause)
        else:
            break
    if told:
        tell("the database answers again")
    return result
