"""Standard streams that were closed when the command began, which Python has none for."""

import os
import sys
from io import TextIOBase

from dealmill.pipeline.errors import OutputError


class Closed(TextIOBase):
    """A closed standard output: whoever writes to it is told."""

    encoding = "utf-8"

    def write(self, _text: str) -> int:
        """Refuse.

        Raises
        ------
        OutputError
        """
        raise OutputError("standard output is closed: there is nowhere to write what was asked for")


def replace_closed_streams() -> None:
    """Put something in the place of closed standard streams, whose numbers the next files that are opened would get. Of
    standard input nothing can be read, and what goes to standard error is dropped."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    sys.stdout = sys.stdout or Closed()
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
