"""The errors that Dealmill raises. Each message says what is wrong, where, and what to do.

DealmillError
├── UsageError               an argument that cannot be used
├── NotFoundError            a game, engine, source, run or layout that does not exist
├── UnavailableError         a service that cannot be reached or started
│   ├── StoreUnavailable     the database (also a StoreError)
│   ├── BrokerError          the message broker
│   ├── WorkerError          the local workers
│   └── ProgramError         an engine that is a program
├── StoreError               a database that cannot be used: no tables, another version, busy
│   ├── SlowQuery            a query that takes too long
│   ├── UnfinishedError      a run that has not all of its verdicts yet
│   ├── DamagedError         a row with content that Dealmill does not write
│   │   └── DamagedResults   results of a run that cannot be read for that reason
│   └── ReplacedError        an embedded store whose file was deleted or replaced while it was open
├── InputError               a file or stream that cannot be read as layouts
├── OutputError              a file that cannot be written
├── RetractedError           verdicts of an engine version that was retracted
├── VersionError             the installed engine or generator is not the recorded version
├── DifferenceError          a computed result that differs from the recorded one
├── BadLayout                a text that is not a (canonical) layout of its game, with all reasons
└── InvalidEvidence          a trace or certificate that does not prove its verdict
    └── IllegalMove          a move that the rules do not allow

`Unchecked` is no error of a user or an installation: the check is done elsewhere. Two warnings: UnknownSettingWarning
and DamagedWarning.
"""

from collections.abc import Sequence


class DealmillError(Exception):
    """Base class of all errors; the command line reports them as one message without a traceback."""

    def __reduce__(self) -> tuple[object, ...]:
        """Have a pickle keep the message and the attributes; by default, it would call the class with the message."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class UsageError(DealmillError):
    """An argument that cannot be used: out of range, malformed, or in conflict with another one."""


class NotFoundError(DealmillError):
    """A game, engine, source, run or layout that does not exist."""


class UnavailableError(DealmillError):
    """A service that cannot be reached or started."""


class ProgramError(UnavailableError):
    """An engine that is a program cannot be used: its manifest is invalid, it does not start, or it fails on layout
    after layout (`hopeless`), so that its job need not be tried again at once."""

    hopeless = False


class StoreError(DealmillError):
    """A database that cannot be used: it has no tables, has another version, or refuses a request."""


class StoreUnavailable(StoreError, UnavailableError):
    """The database does not answer; it may be available again later."""


class SlowQuery(StoreError):
    """A query took longer than the pages allow, and was ended."""


class UnfinishedError(StoreError):
    """A run is not finished, so what is asked for would have only some of its verdicts."""


class DamagedError(StoreError):
    """A row of the store has content that Dealmill does not write: it was changed or damaged from outside."""


class DamagedResults(DamagedError):
    """The results of a run at the positions `first` to `last`, both inclusive, cannot be read for a `reason`.

    `way` says how to get past them, if there is a way.
    """

    def __init__(self, run: int, first: int, last: int, reason: str, way: str = "") -> None:
        items = f"{run}:{first}" + (f"-{last}" if last > first else "")
        message = f"{items} cannot be read: {reason}; find all faults with: dealmill audit {run}"
        super().__init__(f"{message}; {way}" if way else message)
        self.run, self.first, self.last, self.reason = run, first, last, reason


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
    """The verdicts of an engine version were retracted and are no longer shown as results."""


class VersionError(DealmillError):
    """The installed version of an engine or generator is not the recorded one."""


class DifferenceError(DealmillError):
    """A result that is computed again differs from the recorded one."""


class BadLayout(DealmillError):
    """A text that is not a layout of its game, or not a canonical one; `reasons` lists everything wrong with it.

    The message begins with `what` if it is given.
    """

    def __init__(self, reasons: Sequence[str], what: str = "") -> None:
        super().__init__(f"{what}: " * bool(what) + "; ".join(reasons))
        self.reasons = tuple(reasons)


class InvalidEvidence(DealmillError):
    """Evidence that does not prove its verdict.

    `step` is the move or entry at fault, counted from 1; 0 means the verdict as a whole. Of a long reason, which may
    quote the evidence, only the beginning is kept.
    """

    MAX_CHARACTERS = 1_000

    def __init__(self, step: int, reason: str) -> None:
        if len(reason) > self.MAX_CHARACTERS:
            reason = f"{reason[: self.MAX_CHARACTERS]}..."
        super().__init__(f"step {step}: {reason}")
        self.step = step
        self.reason = reason


class IllegalMove(InvalidEvidence):
    """A move that the rules do not allow in the position where it is played."""


class Unchecked(Exception):
    """Evidence that is not checked here: a referee in plain Python leaves it to a compiled one, or this process must
    not compile that now."""


class UnknownSettingWarning(UserWarning):
    """A variable ``DEALMILL_…``, in the environment or in ``.env``, that is not a setting, or that names an engine that
    does not exist, or rules files of which one has the name of another game."""


class DamagedWarning(UserWarning):
    """A row of the store that cannot be read and is left out of the results; the message gives the reason."""
