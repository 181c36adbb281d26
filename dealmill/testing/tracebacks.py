"""Tracebacks of the errors that a game raises, each once: one mistake can fail all checks, and thousands of layouts."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import extract_tb

from dealmill.pipeline.solve import logger


class Tracebacks(logging.Filter):
    """The errors whose tracebacks were printed. As a filter of a log, it drops all further records of the same error.

    Two errors are the same if they have one type and were raised in the same line.
    """

    def __init__(self) -> None:
        super().__init__()
        self._printed: set[object] = set()

    def is_new(self, error: BaseException) -> bool:
        """Return whether this is the first time that this method is called with the error."""
        while error.__cause__:
            error = error.__cause__
        place = [(frame.filename, frame.lineno) for frame in extract_tb(error.__traceback__)[-1:]]
        key = type(error), *place
        new = key not in self._printed
        self._printed.add(key)
        return new

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is to be logged."""
        error = record.exc_info[1] if record.exc_info else None
        return error is None or self.is_new(error)


@contextmanager
def each_once() -> Iterator[Tracebacks]:
    """Filter the tracebacks of engines that fail on layouts, and return the filter for other errors."""
    tracebacks = Tracebacks()
    logger.addFilter(tracebacks)
    try:
        yield tracebacks
    finally:
        logger.removeFilter(tracebacks)
