"""Every error that Dealmill raises on purpose. The message says what is wrong, where, and what to do.

DealmillError
├── UsageError               an argument that cannot be used
├── NotFoundError            a game, engine, source, run or layout that does not exist
├── UnavailableError         a service that cannot be reached or started
│   ├── StoreUnavailable     the database (also a StoreError)
│   ├── BrokerError          the message broker
│   └── WorkerError          the local workers
├── StoreError               a database that cannot be used: no tables, another version, busy
│   ├── DamagedError         a row that holds what Dealmill does not write
│   └── ReplacedError        an embedded store whose file was deleted or replaced while it was open
├── InputError               a file or stream that cannot be read as layouts
├── OutputError              a file that cannot be written
├── RetractedError           verdicts of an engine version that was retracted
├── VersionError             another version of an engine is installed than the one on record
├── DifferenceError          a repetition that does not give what is on record
├── BadLayout                a text that is not a (canonical) layout of its game: all reasons
└── InvalidEvidence          a trace or certificate that does not prove its verdict
    └── IllegalMove          a move that the rules do not allow

Two warnings: UnknownSettingWarning and DamagedWarning.
"""

from collections.abc import Sequence


class DealmillError(Exception):
    """Base of all errors that are reported to the user as one message without a traceback."""


class UsageError(DealmillError):
    """An argument that cannot be used: out of range, malformed, or not to be combined with another one."""


class NotFoundError(DealmillError):
    """A game, engine, source, run or layout that does not exist."""


class UnavailableError(DealmillError):
    """A service that cannot be reached or started."""


class StoreError(DealmillError):
    """A database that cannot be used: it has no tables, is of another version, or refuses what is asked."""


class StoreUnavailable(StoreError, UnavailableError):
    """The database does not answer; it may be available again later."""


class DamagedError(StoreError):
    """A row of the store holds what Dealmill does not write: somebody or something else has changed it."""


class ReplacedError(StoreError):
    """The file of an embedded store was deleted or replaced while it was open."""


class BrokerError(UnavailableError):
    """The message broker cannot be reached or started."""


class WorkerError(UnavailableError):
    """The local workers cannot be started or have died."""


class InputError(DealmillError):
    """A file or stream that cannot be read as layouts."""


class OutputError(DealmillError):
    """A file that cannot be written."""


class RetractedError(DealmillError):
    """The verdicts of an engine version were retracted and are not shown as answers."""


class VersionError(DealmillError):
    """Another version of an engine is installed than the one on record."""


class DifferenceError(DealmillError):
    """What comes out when something is done again differs from what is on record."""


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


class UnknownSettingWarning(UserWarning):
    """A variable ``DEALMILL_…`` that is not a setting, in the environment or in ``.env``."""


class DamagedWarning(UserWarning):
    """A row of the store that cannot be read and is left out of what is returned, for the reason in the message."""
