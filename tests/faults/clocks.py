"""Clocks that are not right: libfaketime, which gives a process and those it starts another time."""

from importlib.util import find_spec
from pathlib import Path

import pytest


def faketime() -> Path:
    """The library; a test that needs it is skipped where there is none for this machine."""
    package = find_spec("libfaketime")
    for folder in package.submodule_search_locations or () if package else ():
        for library in Path(folder).rglob("libfaketime.so.1"):
            return library
    pytest.skip("there is no libfaketime for this machine, so clocks cannot be set here")


class FakeClock:
    """The clock of processes that have its `settings`; it can be set while they run. Only the time of day is another
    one: no system lets its monotonic clock jump."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.settings = {
            "LD_PRELOAD": str(faketime()),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        self.set("+0")

    def set(self, time: str) -> None:
        """Set it, in words of libfaketime: ``-3d``, or a time of day such as ``@1970-01-02 00:00:00``."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{time}\n")
        new.rename(self._file)
