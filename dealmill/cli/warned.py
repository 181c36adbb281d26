"""Warnings as lines on standard error."""

import warnings
from typing import Any

from dealmill.pipeline.errors import DamagedWarning, UnknownSettingWarning

MOST = 10
"""Damaged rows that are told one by one."""
PYTHON_SHOWS = warnings.showwarning


class Warned:
    """Shows our own warnings as a line each, and others as Python does; `damaged` counts those of damaged rows."""

    def __init__(self) -> None:
        self.damaged = 0
        warnings.showwarning = self.show  # type: ignore[assignment]
        warnings.simplefilter("always", DamagedWarning)

    def show(self, message: Warning | str, category: type[Warning], *where: Any) -> None:
        """Show a warning."""
        from dealmill.cli.output import tell

        if not issubclass(category, DamagedWarning | UnknownSettingWarning):
            PYTHON_SHOWS(message, category, *where)
            return
        self.damaged += issubclass(category, DamagedWarning)
        if self.damaged <= MOST:
            tell(f"dealmill: {message}")

    def tell_rest(self) -> None:
        """Say how many more damaged rows there were than have been told."""
        from dealmill.cli.output import tell

        if self.damaged > MOST:
            tell(f"dealmill: {self.damaged - MOST:,} more cannot be read")
