"""Numbers that a caller passes, checked in one place: whole ones, and in a range."""

from operator import index

from dealmill.pipeline.errors import UsageError

MOST_SEED = 2**64 - 1
MOST = 2**63 - 1
"""The largest number that every database can hold."""
MOST_DEAL = 2**63 - 2
"""The largest number of a deal; the next number stands for no end in `dealmill.pipeline.deals.DealRange`."""
MOST_NODES = 2**62 - 1
"""The largest node limit; the next number stands for none in the database."""
MOST_PACKED = 10**11
"""Deals of a run that is stored packed: a day of work for a fast engine; the jobs of more are many to plan at once."""


def whole(what: str, number: object, least: int = 0, most: int = MOST) -> int:
    """Return a whole number of any type, such as one of NumPy, as an int. `what` names it in the message.

    Raises
    ------
    UsageError
        If it is not a whole number from `least` to `most`; True and False are not.
    """
    found = _index(number)
    if found is None or not least <= found <= most:
        raise UsageError(f"{what} is a whole number from {_written(least)} to {_written(most)}, not {number!r}")
    return found


def node_limit(max_nodes: object) -> int | None:
    """Return a node limit; None stays None.

    Raises
    ------
    UsageError
        If it is not a whole number from 1 to 2⁶² − 1.
    """
    return None if max_nodes is None else whole("max_nodes", max_nodes, 1, MOST_NODES)


def row_number(key: object) -> int | None:
    """Return the number of a row, also if it is written in digits; None if it is neither."""
    text = str(key)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _index(number: object) -> int | None:
    if isinstance(number, bool):
        return None
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        return None


def _written(number: int) -> str:
    return {
        MOST_SEED: "2⁶⁴ − 1",
        MOST: "2⁶³ − 1",
        MOST_DEAL: "2⁶³ − 2",
        MOST_NODES: "2⁶² − 1",
        -MOST_NODES: "1 − 2⁶²",
    }.get(number, f"{number:,}")
