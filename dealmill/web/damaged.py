"""Collect the warnings of rows that cannot be read, for each request by itself."""

import warnings
from contextvars import ContextVar
from typing import Any

from dealmill import DamagedWarning

_found: ContextVar[list[str] | None] = ContextVar("damaged", default=None)
PYTHON_SHOWS = warnings.showwarning


def collect_damage() -> list[str]:
    """Return a list that receives the warnings of this request, also from threads that it starts."""
    found: list[str] = []
    _found.set(found)
    return found


def damage() -> list[str]:
    """Return the warnings of this request so far."""
    return _found.get() or []


def report_damage() -> None:
    """Send each `DamagedWarning` to the request that caused it."""
    warnings.showwarning = _show  # type: ignore[assignment]
    warnings.simplefilter("always", DamagedWarning)


def _show(message: Warning | str, category: type[Warning], *where: Any) -> None:
    found = _found.get()
    if found is None or not issubclass(category, DamagedWarning):
        PYTHON_SHOWS(message, category, *where)
    else:
        found.append(str(message))
