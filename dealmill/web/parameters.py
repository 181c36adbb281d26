"""What is wrong with the parameters of a request, in plain English."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from fastapi import Request
from fastapi.dependencies.models import Dependant

import dealmill
from dealmill.pipeline.printable import printable

MESSAGES = {
    "missing": "is missing",
    "int_parsing": "must be a whole number in digits, not {input}",
    "int_type": "must be a whole number, not {input}",
    "bool_parsing": "must be 1 or 0, not {input}",
    "string_type": "must be text, not {input}",
    "greater_than_equal": "must be at least {ge:,}, not {input}",
    "less_than_equal": "must be at most {le:,}, not {input}",
    "literal_error": "must be {expected}, not {input}",
    "string_too_long": "must have at most {max_length:,} characters",
    "too_long": "must occur at most {max_length:,} times",
    "extra_forbidden": "is not a key of this request",
    "json_invalid": "must be JSON: {error}",
    "model_attributes_type": 'must be a JSON object, sent with the header "Content-Type: application/json"',
}
"""What each type of Pydantic's errors says of a parameter."""
LONGEST_INPUT = 60
"""The characters of a wrong value that a message shows."""


def malformed(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a parameter, or with the body of a request, by one of Pydantic's errors."""
    name = next((part for part in reversed(error["loc"]) if isinstance(part, str)), "body")
    message = MESSAGES.get(error["type"])
    if message is None:
        return f"{name}: {error['msg']}"
    shown = f"{error['input']!r:.{LONGEST_INPUT}}"
    return f"{name} {message.format(input=shown, **error.get('ctx', {}))}"


def refuse_unknown(request: Request) -> None:
    """Refuse parameters of the query that the route does not take: with a misspelled filter, all results would match.

    Raises
    ------
    UsageError
        If there is one; it names those that there are.
    """
    known = sorted(set(_names(request.scope["route"].dependant)))
    for name in request.query_params:
        if name not in known:
            similar = get_close_matches(name, known, n=1)
            hint = f" (did you mean {similar[0]}?)" if similar else ""
            takes = f"takes {', '.join(known)}" if known else "takes none"
            raise dealmill.UsageError(
                f"there is no parameter {printable(name):.{LONGEST_INPUT}}{hint}; {printable(request.url.path)} {takes}"
            )


def _names(dependant: Dependant) -> Iterator[str]:
    """Yield the names of the parameters of the query."""
    yield from (parameter.alias for parameter in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _names(dependency)
