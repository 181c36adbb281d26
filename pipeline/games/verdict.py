"""The verdicts: what engines claim, referees prove and the store keeps."""

from enum import IntEnum


class Verdict(IntEnum):
    """What an engine says of a layout. The numbers are stored: never reuse one."""

    WINNABLE = 1
    UNWINNABLE = 2
    SCORED = 3
    UNDECIDED = 4
    """The node limit was reached: nothing is claimed."""
    FAILED = 5
    """The engine broke down on this layout; its evidence is the error's text."""

    @property
    def word(self) -> str:
        """The verdict as users read and write it."""
        return self.name.lower()
