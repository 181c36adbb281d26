"""Warnings of damaged parts of a run's record that cannot be read."""

import warnings
from dataclasses import replace

from dealmill.pipeline.errors import DamagedWarning
from dealmill.pipeline.store.record.contract import Fault


class Unreadable:
    """The faults of a run that a reader meets. Consecutive faults of the same kind become one warning."""

    def __init__(self, run: int) -> None:
        self._run = run
        self._last: Fault | None = None

    def add(self, fault: Fault) -> None:
        """Add a fault that starts after all earlier ones."""
        last = self._last
        if last and (last.reason, last.last + 1) == (fault.reason, fault.first):
            self._last = replace(last, last=fault.last)
        else:
            self.warn()
            self._last = fault

    def warn(self) -> None:
        """Warn of the faults added since the last warning."""
        if self._last:
            warnings.warn(DamagedWarning(fault_message(self._run, self._last)), stacklevel=2)
        self._last = None


def fault_message(run: int, fault: Fault) -> str:
    """Return a message about a fault."""
    items = f"{run}:{fault.first}" + (f"-{fault.last}" if fault.last > fault.first else "")
    return f"{items} cannot be read: {fault.reason}; find all faults with: dealmill audit {run}"
