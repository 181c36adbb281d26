"""What cannot be read of a run, as warnings."""

import warnings
from dataclasses import replace

from dealmill.pipeline.errors import DamagedWarning
from dealmill.pipeline.store.record.contract import Fault


class Unreadable:
    """The faults of a run that a reader came past: a warning for each, neighbours of the same kind in one."""

    def __init__(self, run: int) -> None:
        self._run = run
        self._last: Fault | None = None

    def add(self, fault: Fault) -> None:
        """Add one that begins behind the others."""
        last = self._last
        if last and (last.reason, last.last + 1) == (fault.reason, fault.first):
            self._last = replace(last, last=fault.last)
        else:
            self.warn()
            self._last = fault

    def warn(self) -> None:
        """Warn of what was added since."""
        if self._last:
            warnings.warn(DamagedWarning(told(self._run, self._last)), stacklevel=2)
        self._last = None


def told(run: int, fault: Fault) -> str:
    """A fault in a sentence."""
    items = f"{run}:{fault.first}" + (f"-{fault.last}" if fault.last > fault.first else "")
    return f"{items} cannot be read: {fault.reason}; dealmill audit {run} says all that is wrong"
