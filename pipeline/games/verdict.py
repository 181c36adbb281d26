"""The verdicts: what engines claim, referees prove and the store keeps."""

from enum import IntEnum

from dealmill.pipeline.errors import UsageError


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

    @classmethod
    def of(cls, verdict: "Verdict | str") -> "Verdict":
        """The verdict of that word.

        Raises
        ------
        UsageError
        """
        if isinstance(verdict, Verdict):
            return verdict
        if found := {one.word: one for one in cls}.get(verdict):
            return found
        raise UsageError(f"there is no verdict {verdict!r}; the verdicts are: {', '.join(one.word for one in cls)}")

    def __str__(self) -> str:
        return self.word

    def __format__(self, spec: str) -> str:
        return format(self.word, spec)
