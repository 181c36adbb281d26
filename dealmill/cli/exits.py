"""The exit codes of the command, all in one place."""

from dealmill.pipeline.errors import BadLayout, DamagedError, DealmillError, DifferenceError, NotFoundError, UsageError

DONE = 0
ERROR = 1
WRONG_USAGE = 2
DIFFERENT = 3
"""An audit or a comparison found a difference, or the record is damaged."""
REJECTED = 4
"""Done, but some input was rejected."""
INTERRUPTED = 130


def exit_code(error: DealmillError) -> int:
    """The exit code of a command that ends with this error."""
    match error:
        case UsageError() | NotFoundError() | BadLayout():
            return WRONG_USAGE
        case DifferenceError() | DamagedError():
            return DIFFERENT
    return ERROR
