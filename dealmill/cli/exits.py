"""The exit codes of the command line."""

from dealmill.pipeline.errors import BadLayout, DamagedError, DealmillError, DifferenceError, NotFoundError, UsageError

DONE = 0
ERROR = 1
WRONG_USAGE = 2
DIFFERENT = 3
"""An audit or diff found a difference, or a stored row is damaged."""
REJECTED = 4
"""Success, but some input was rejected."""
INTERRUPTED = 130


def exit_code(error: DealmillError) -> int:
    """Return the exit code for an error."""
    match error:
        case UsageError() | NotFoundError() | BadLayout():
            return WRONG_USAGE
        case DifferenceError() | DamagedError():
            return DIFFERENT
    return ERROR
