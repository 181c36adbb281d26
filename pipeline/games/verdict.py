"""The verdicts that engines give, referees check and the store records, and the errors that referees raise.

This is the only module of Dealmill that the rules of a game import, so that they can be copied into a program of their
own, see `dealmill.pipeline.outputs.checker`.
"""

from enum import IntEnum
from typing import Self

from dealmill.pipeline.errors import IllegalMove, InvalidEvidence, Unchecked, UsageError

__all__ = ["Code", "IllegalMove", "InvalidEvidence", "Unchecked", "Verdict", "check_positions"]


class Code(IntEnum):
    """A stored number, with the word that users read and write for it."""

    word: str
    """The name, in lower case with dashes."""

    def __init__(self, _number: int) -> None:
        self.word = self.name.lower().replace("_", "-")

    @classmethod
    def of(cls, word: Self | str) -> Self:
        """Return the code for a word.

        Raises
        ------
        UsageError
            If there is no such word.
        """
        if isinstance(word, cls):
            return word
        if member := {code.word: code for code in cls}.get(str(word)):
            return member
        what = cls.__name__.lower()
        raise UsageError(f"there is no {what} {word!r}; choose one of: {', '.join(code.word for code in cls)}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return self.word

    def __format__(self, spec: str) -> str:
        return format(self.word, spec)


class Verdict(Code):
    """The answer of an engine for a layout. The numbers are stored: never reuse one."""

    WINNABLE = 1
    UNWINNABLE = 2
    SCORED = 3
    UNDECIDED = 4
    """The node limit was reached; nothing is claimed."""
    FAILED = 5
    """The engine raised an error on this layout; the evidence is the text of the error."""


RETRYABLE = "retryable: "
"""Precedes the text of an error that the machine may have caused, such as a lack of time or memory."""


def check_positions(count: int, claimed: int) -> None:
    """Check that the number of positions is the one that is claimed, where counting ends as soon as it is greater.

    Raises
    ------
    InvalidEvidence
        If it is not.
    """
    if count > claimed:
        raise InvalidEvidence(1, f"more than {_positions(claimed)} can be reached")
    if count < claimed:
        raise InvalidEvidence(1, f"{_positions(count)} can be reached, not {claimed:,}")


def _positions(count: int) -> str:
    return f"{count:,} position{'' if count == 1 else 's'}"
