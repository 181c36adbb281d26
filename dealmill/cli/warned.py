"""Print warnings as lines on standard error."""

import warnings
from typing import Any

from dealmill.pipeline.errors import DamagedWarning, UnknownSettingWarning

MOST = 10
"""Damaged rows that are reported one by one."""
PYTHON_SHOWS = warnings.showwarning


class Warned:
    """Prints each warning of Dealmill as one line, others as Python does; `damaged` counts the damaged rows."""

    def __init__(self) -> None:
        self.damaged = 0
        warnings.showwarning = self.show  # type: ignore[assignment]
        warnings.simplefilter("always", DamagedWarning)

    def show(self, message: Warning | str, category: type[Warning], *where: Any) -> None:
        """Print a warning."""
        from dealmill.cli.output import tell

        if not issubclass(category, DamagedWarning | UnknownSettingWarning):
            PYTHON_SHOWS(message, category, *where)
            return
        self.damaged += issubclass(category, DamagedWarning)
        if self.damaged <= MOST:
            tell(f"dealmill: {message}")

    def tell_rest(self) -> None:
        """Print the number of damaged rows that were not reported one by one."""
        from dealmill.cli.output import tell

        if self.damaged > MOST:
            tell(f"dealmill: {self.damaged - MOST:,} more rows cannot be read")
