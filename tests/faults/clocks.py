"""Wrong clocks: libfaketime changes the time of a process and its children."""

from importlib.util import find_spec
from pathlib import Path

import pytest


def faketime() -> Path:
    """Return the path of the library. Skip the test if there is none for this machine."""
    package = find_spec("libfaketime")
    for folder in package.submodule_search_locations or () if package else ():
        for library in Path(folder).rglob("libfaketime.so.1"):
            return library
    pytest.skip("libfaketime is not available for this machine, so clocks cannot be changed")


class FakeClock:
    """A clock for the processes that have `settings` in their environment. It can be set while they run. It affects
    only the time of day: the monotonic clock never jumps on a real system."""

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
        """Set the clock in libfaketime's format: an offset such as ``-3d``, or a time such as ``@1970-01-02
        00:00:00``."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{time}\n")
        new.rename(self._file)
