"""A message about whatever takes long to answer, so that a person knows what a command waits for."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

logger = logging.getLogger(__name__)

SILENT_SECONDS = 2.0
"""Seconds of waiting before a message says so."""


@contextmanager
def waiting_for(what: str) -> Iterator[None]:
    """Log once that the `with` block waits for `what`, if it takes long."""
    timer = Timer(SILENT_SECONDS, logger.warning, ("waiting for %s", what))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
