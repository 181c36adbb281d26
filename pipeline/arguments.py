"""Validation of integer arguments, of ranges of integers, and of limits on differences; and signatures."""

import re
from collections.abc import Callable
from enum import StrEnum
from inspect import Parameter, signature
from operator import index
from typing import Any, TypeVar, is_typeddict

from dealmill.pipeline.errors import UsageError

MAX_SEED = 2**64 - 1
MAX_INTEGER = 2**63 - 1
"""The largest integer that every supported database can store."""
MAX_DEAL = 2**63 - 2
"""The largest deal number; 2⁶³ − 1 means "no end" in `dealmill.pipeline.games.deals.DealRange`."""
MAX_NODES = 2**62 - 1
"""The largest node limit; 2⁶² means "no limit" in the database."""
VERDICT_NUMBERS = range(-(2**40) + 1, 2**40)
"""The values and node counts of verdicts, about a million million: their sums must fit into 64 bits."""
MAX_ITEMS = 10**11
"""The most items of a run: a day of work for a fast engine. A larger run has too many jobs to plan at once."""
MAX_WORKERS = 1_024
"""The most worker processes that a command starts."""

Function = TypeVar("Function", bound=Callable[..., Any])


def takes(options: Callable[..., object]) -> Callable[[Function], Function]:
    """Return a decorator for functions that pass their ``**options`` on to `options`. Their signature then shows the
    names and defaults of these arguments, which are None if it is a class of types."""
    if is_typeddict(options):
        kinds = options.__annotations__.items()
        passed = [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in kinds]
    else:
        passed = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in signature(options).parameters.values()]

    def shown(function: Function) -> Function:
        own = signature(function)
        named = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        function.__signature__ = own.replace(parameters=[*named, *passed])  # type: ignore[attr-defined]
        return function

    return shown


def whole_number(text: str) -> int:
    """Read a whole number in decimal digits, with a minus sign if it is negative.

    Raises
    ------
    ValueError
        If it is written in any other way that `int` accepts: with underscores, a plus sign, blanks or other digits.
    """
    if not re.fullmatch(r"-?[0-9]{1,20}", text):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def decimal_number(text: str) -> float:
    """Read a positive number in decimal digits, with or without a fraction.

    Raises
    ------
    ValueError
        If it is 0, or written in any other way that `float` accepts: as infinity, with an exponent or underscores.
    """
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,12})?", text) or not (number := float(text)):
        raise ValueError(f"{text!r} is not a positive number")
    return number


def check_integer(what: str, number: object, least: int = 0, greatest: int = MAX_INTEGER) -> int:
    """Return an integer of any type, such as a NumPy integer, as an int; `what` names it in the error message.

    Raises
    ------
    UsageError
        If `number` is not an integer from `least` to `greatest`. A bool is not accepted.
    """
    integer = _index(number)
    if integer is None or not least <= integer <= greatest:
        raise UsageError(
            f"{what} must be a whole number from {formatted(least)} to {formatted(greatest)}, not {number!r}"
        )
    return integer


def node_limit(max_nodes: object) -> int | None:
    """Return a checked node limit; None means no limit."""
    return None if max_nodes is None else check_integer("max_nodes", max_nodes, 1, MAX_NODES)


def number_range(text: str) -> tuple[int | None, int | None]:
    """Parse ``70..80``, ``70..``, ``..80`` or ``75``. Return both ends, inclusive; None for an open end.

    Raises
    ------
    UsageError
        If the text is not a range.
    """
    match = re.fullmatch(r"(-?\d{1,18})?(\.\.)?(-?\d{1,18})?", text, re.ASCII)
    if not match or not (match[1] or match[3]) or (match[1] and match[3] and not match[2]):
        raise UsageError(f"{text!r} is not a range; write 70..80, 70.. or ..80")
    low, dots, high = match.groups()
    if not dots:
        return int(low), int(low)
    return (int(low) if low else None), (int(high) if high else None)


def checked_range(what: str, ends: object, widest: tuple[int, int]) -> tuple[int, int]:
    """Return both ends of a range of integers, inclusive, given as text, as a pair or as a single integer.

    An end that is None, or `ends` that are None, take the end of `widest`.

    Raises
    ------
    UsageError
        If an end is not an integer from −2⁶² + 1 to 2⁶² − 1, or the lower end exceeds the upper end.
    """
    if isinstance(ends, str):
        ends = number_range(ends)
    given = (None, None) if ends is None else ends
    low, high = given if isinstance(given, tuple | list) and len(given) == 2 else (given, given)
    bounds = _end(what, low, widest[0]), _end(what, high, widest[1])
    if bounds[0] > bounds[1]:
        raise UsageError(f"{what} cannot be {low} to {high}: the lower end of the range exceeds the upper end")
    return bounds


def _end(what: str, end: object, missing: int) -> int:
    return missing if end is None else check_integer(what, end, -MAX_NODES, MAX_NODES)


class DifferenceKind(StrEnum):
    """What a difference between a run and another one means."""

    CONTRADICTED = "contradicted"
    """Both decided the layout, with different verdicts or values: one of them is wrong."""
    QUESTION = "question"
    """Both decided the layout, but answer different questions, as two strategies of Memory and two games do."""
    LOST = "lost"
    """Only the first run decided it; it is undecided or failed in the other."""
    GAINED = "gained"
    """Only the other run decided it."""
    EVIDENCE = "evidence"
    """The same verdict and value, with other evidence."""
    UNDECIDED = "undecided"
    """Neither decided it, for different reasons."""
    MISSING = "missing"
    """One of the runs does not have the layout, or no verdict on it yet."""


NODES, TIME = "nodes", "time"
"""The names of the limits on the growth of node counts and of times."""


def difference_limits(text: str) -> dict[str, float]:
    """Parse ``contradicted,lost,nodes=1.05,time=1.5``: kinds of differences that are not allowed, and the factors by
    which node counts and times may grow. Return the names, with the factors for `NODES` and `TIME`.

    Raises
    ------
    UsageError
        If a part is neither a `DifferenceKind` nor a factor, or is named twice.
    """
    limits = dict[str, float]()
    for part in text.split(","):
        name, equals, factor = part.partition("=")
        if name in limits:
            raise UsageError(f"the limit {name} is named twice in {text!r}: name it once")
        if name in (NODES, TIME):
            try:
                limits[name] = decimal_number(factor)
            except ValueError as error:
                raise UsageError(
                    f"{part!r} is not a limit; write the factor by which it may grow: {name}=1.05"
                ) from error
        elif name in {*DifferenceKind} and not equals:
            limits[name] = 0.0
        else:
            raise UsageError(f"{part!r} is not a limit; choose from: {', '.join(DifferenceKind)}, nodes=1.05, time=1.5")
    return limits


def row_number(key: object) -> int | None:
    """Return the number of a row, given as a number or in digits (nine at most); None if `key` is neither."""
    text = str(key)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _index(number: object) -> int | None:
    if isinstance(number, bool):
        return None
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        return None


def formatted(number: int) -> str:
    """Return a number for messages: large limits as powers of two."""
    return {
        MAX_SEED: "2⁶⁴ − 1",
        MAX_INTEGER: "2⁶³ − 1",
        MAX_DEAL: "2⁶³ − 2",
        MAX_NODES: "2⁶² − 1",
        -MAX_NODES: "1 − 2⁶²",
    }.get(number, f"{number:,}")
