"""Replacements for standard streams that are closed when the command starts; Python sets these to None."""

import os
import sys
from io import TextIOBase

from dealmill.pipeline.errors import OutputError


class Closed(TextIOBase):
    """A closed standard output, on which every write raises an error."""

    encoding = "utf-8"

    def write(self, _text: str) -> int:
        """Raise an error.

        Raises
        ------
        OutputError
            Always.
        """
        raise OutputError("standard output is closed: the output cannot be written")


def replace_closed_streams() -> None:
    """Replace closed standard streams, so that the next files opened do not get their file descriptors.

    A replaced standard input is empty, a replaced standard error drops everything, and a replaced standard output
    raises an error.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    sys.stdout = sys.stdout or Closed()
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
