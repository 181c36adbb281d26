"""The verdicts: what engines claim, referees prove and the store keeps."""

from enum import IntEnum
from typing import Self

from dealmill.pipeline.errors import UsageError


class Code(IntEnum):
    """A number that is stored, with the word for it that users read and write."""

    @property
    def word(self) -> str:
        """The name in lower case, with dashes."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def of(cls, word: Self | str) -> Self:
        """The code of a word.

        Raises
        ------
        UsageError
        """
        if isinstance(word, cls):
            return word
        if found := {code.word: code for code in cls}.get(str(word)):
            return found
        what = cls.__name__.lower()
        raise UsageError(f"there is no {what} {word!r}; choose one of: {', '.join(code.word for code in cls)}")

    def __str__(self) -> str:
        return self.word

    def __format__(self, spec: str) -> str:
        return format(self.word, spec)


class Verdict(Code):
    """What an engine says of a layout. The numbers are stored: never reuse one."""

    WINNABLE = 1
    UNWINNABLE = 2
    SCORED = 3
    UNDECIDED = 4
    """The node limit was reached: nothing is claimed."""
    FAILED = 5
    """The engine broke down on this layout; its evidence is the error's text."""
