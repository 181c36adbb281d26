"""Every error that Dealmill raises on purpose. The message says what is wrong, where, and what to do.

DealmillError
├── InputError        a file or stream that cannot be read as layouts        (exit code 1)
├── OutputError       a file that cannot be written                           (exit code 1)
├── NotFoundError     an unknown game, engine, source, run or layout         (exit code 2)
├── StoreError        the database is missing, locked, or of another version (exit code 1)
│   └── StoreAway     the database does not answer just now
├── BrokerError       the broker cannot be reached or started                (exit code 1)
├── WorkerError       the workers cannot be started or died                  (exit code 1)
├── RetractedError    the engine version that was asked was retracted         (exit code 1)
├── VersionError      another engine version is installed than is on record  (exit code 1)
├── DifferenceError   what comes out again is not what is on record           (exit code 3)
├── BadLayout         a text is not a (canonical) layout of its game: reasons (recorded as a reject, or a failure)
└── InvalidEvidence   a trace or certificate does not prove its verdict
    └── IllegalMove   a move the rules do not allow
"""

from collections.abc import Sequence


class DealmillError(Exception):
    """Base of all errors that are told to the user as one message without a traceback."""

    exit_code = 1


class InputError(DealmillError):
    """A file or stream that cannot be read as layouts."""


class OutputError(DealmillError):
    """A file that cannot be written."""


class NotFoundError(DealmillError):
    """A name or number that the user gave and that does not exist."""

    exit_code = 2


class StoreError(DealmillError):
    """The database is missing, unreachable, read-only, or of another version than the code."""


class StoreAway(StoreError):
    """The database does not answer: it may be there again in a while."""


class BrokerError(DealmillError):
    """The message broker cannot be reached or started."""


class WorkerError(DealmillError):
    """The local workers cannot be started or have died."""


class RetractedError(DealmillError):
    """What an engine version has said was retracted, and is no answer any more."""


class VersionError(DealmillError):
    """Another version of an engine is installed than the one on record."""


class DifferenceError(DealmillError):
    """What comes out when something is done again is not what is on record."""

    exit_code = 3


class BadLayout(DealmillError):
    """A text that is not a layout of its game, or not a canonical one; `reasons` lists everything wrong with it.

    The message begins with `what`, if that is given.
    """

    def __init__(self, reasons: Sequence[str], what: str = "") -> None:
        super().__init__(f"{what}: " * bool(what) + "; ".join(reasons))
        self.reasons = tuple(reasons)


class InvalidEvidence(DealmillError):
    """Evidence that does not prove its verdict; `step` counts its moves or entries from 1."""

    def __init__(self, step: int, reason: str) -> None:
        super().__init__(f"step {step}: {reason}")
        self.step = step
        self.reason = reason


class IllegalMove(InvalidEvidence):
    """A move that the rules do not allow in the position it is played in."""
